/* See the header. */
#include "interval/interval_branches.h"

#include "interval/interval_predictors.h"
#include "interval/interval_sweep.h"
#include "machine/btb.h"
#include "machine/ras.h"

#include <stdlib.h>
#include <string.h>

struct tally {
	struct predictor *predictor; /* NULL: the reference's, told by the events */
	uint64_t last;		     /* number of the instruction after the last misprediction */
	struct interval_predictor counts;
};

/* What a BTB would answer: taken branches are numbered as they come, so that 32 bits name them. */
struct targets {
	struct lru_sweep sweep;
	struct btb numbers; /* a perfect one: pc -> number */
	uint64_t *last;	    /* by number: the last target */
	uint64_t count, capacity;
	bool full; /* no memory for more: counted as not found */
};

struct interval_branches {
	struct tally tallies[INTERVAL_PREDICTORS];
	struct targets targets;
	struct ras stacks[INTERVAL_RAS];
	struct interval_returns returns;
};

/* How the targets' sweep names its kinds. */
static const enum interval_kind DIRECT = INTERVAL_FETCH, RIGHT = INTERVAL_LOAD, WRONG = INTERVAL_STORE;

static bool create_stacks(struct interval_branches *p, const struct machine *reference, struct error *err)
{
	for (uint32_t n = 0; n < INTERVAL_RAS; n++) {
		struct machine m = *reference;
		m.branch_ras = 1u << n;
		TRY(ras_create(&p->stacks[n], &m, err));
	}
	return true;
}

static bool create(struct interval_branches *p, const struct machine *reference, struct error *err)
{
	struct machine m;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		interval_predictor_machine(i, reference, &m, p->tallies[i].counts.name);
		p->tallies[i].counts.branch = interval_branch_of(&m);
		if (i)
			TRY(p->tallies[i].predictor = predictor_create(&m, err));
	}
	m.branch_btb_entries = 0;
	TRY(btb_create(&p->targets.numbers, &m, err));
	TRY(lru_sweep_init(&p->targets.sweep, 0, INTERVAL_SETS, err));
	return create_stacks(p, reference, err);
}

struct interval_branches *interval_branches_create(const struct machine *reference, struct error *err)
{
	struct interval_branches *p = calloc(1, sizeof *p);
	if (!p) {
		error_set(err, ERROR_SYSTEM, "no memory for the predictors");
		return NULL;
	}
	if (create(p, reference, err))
		return p;
	interval_branches_destroy(p);
	return NULL;
}

void interval_branches_destroy(struct interval_branches *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		predictor_destroy(p->tallies[i].predictor);
	for (size_t n = 0; n < INTERVAL_RAS; n++)
		ras_destroy(&p->stacks[n]);
	btb_destroy(&p->targets.numbers);
	lru_sweep_free(&p->targets.sweep);
	free(p->targets.last);
	free(p);
}

bool interval_predict(struct predictor *p, const struct interval_event *e, bool *redirect)
{
	struct branch_query q = event_query(e);
	struct prediction answer;
	predictor_predict(p, &q, &answer);
	predictor_speculate(p, &q, q.actual_taken, q.actual_next);
	predictor_update(p, &q, &answer, q.actual_taken, q.actual_next);
	*redirect = answer.taken && !answer.btb_hit && answer.target_known;
	return answer.target_known && answer.next_pc == q.actual_next;
}

static void mispredicted(struct tally *t, const struct interval_event *e, uint64_t at)
{
	uint64_t n = at + 1 - t->last;
	uint32_t bucket = interval_bucket(n);
	t->last = at + 1;
	t->counts.interval[bucket]++;
	t->counts.instructions[bucket] += n;
	if (e->branch == CULPRIT_BRANCH_CONDITIONAL)
		t->counts.direction++;
	else if (e->branch == CULPRIT_BRANCH_RETURN)
		t->counts.return_++;
	else
		t->counts.target++;
}

static void predict(struct tally *t, const struct interval_event *e, uint64_t at)
{
	bool redirect = e->flags & EVENT_REDIRECT;
	bool right = t->predictor ? interval_predict(t->predictor, e, &redirect) : !(e->flags & EVENT_MISPREDICTED);
	t->counts.redirects += redirect;
	t->counts.right_redirects += redirect && right;
	if (!right)
		mispredicted(t, e, at);
}

void interval_branches_push(struct interval_branches *p, size_t first, size_t last, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->events[i].branch)
			for (size_t t = first; t < last; t++)
				predict(&p->tallies[t], &b->events[i], b->first + i);
}

/* --- targets --- */

/* The branch's number; false: it is new, and there is no memory for it. */
static bool number_of(struct targets *t, uint64_t pc, uint64_t *number)
{
	if (btb_lookup(&t->numbers, pc, number))
		return true;
	if (t->full)
		return false;
	if (t->count == t->capacity) {
		uint64_t capacity = t->capacity ? 2 * t->capacity : 1024;
		uint64_t *grown = realloc(t->last, capacity * sizeof *grown);
		t->full = !grown;
		if (!grown)
			return false;
		t->last = grown;
		t->capacity = capacity;
	}
	*number = t->count++;
	t->last[*number] = 0;
	btb_train(&t->numbers, pc, *number);
	return true;
}

static bool is_indirect(const struct interval_event *e)
{
	return e->branch == CULPRIT_BRANCH_INDIRECT_JUMP || e->branch == CULPRIT_BRANCH_INDIRECT_CALL;
}

static void look_up(struct targets *t, const struct interval_event *e)
{
	uint64_t number, next = e[1].pc;
	if (!number_of(t, e->pc, &number))
		return;
	enum interval_kind kind = !is_indirect(e) ? DIRECT : t->last[number] == next ? RIGHT : WRONG;
	t->last[number] = next;
	lru_sweep_use(&t->sweep, e->pc >> 1, (uint32_t)number, kind);
}

static void use_stacks(struct interval_branches *p, const struct interval_event *e)
{
	bool returns = e->branch == CULPRIT_BRANCH_RETURN;
	bool calls = e->branch == CULPRIT_BRANCH_CALL || e->branch == CULPRIT_BRANCH_INDIRECT_CALL;
	p->returns.returns += returns;
	for (size_t n = 0; n < INTERVAL_RAS; n++) {
		uint64_t target;
		if (returns && (!ras_top(&p->stacks[n], &target) || target != e[1].pc))
			p->returns.wrong[n]++;
		if (returns || (e->branch == CULPRIT_BRANCH_INDIRECT_CALL && e->flags & EVENT_POPS))
			ras_pop(&p->stacks[n]);
		if (calls)
			ras_push(&p->stacks[n], e->pc + e->length);
	}
}

void interval_branches_push_targets(struct interval_branches *p, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct interval_event *e = &b->events[i];
		if (e->branch && e->flags & EVENT_TAKEN) {
			look_up(&p->targets, e);
			if (e->branch >= CULPRIT_BRANCH_CALL && e->branch != CULPRIT_BRANCH_INDIRECT_JUMP)
				use_stacks(p, e);
		}
	}
}

void interval_branches_restart(struct interval_branches *p, uint64_t at)
{
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		struct tally *t = &p->tallies[i];
		struct interval_predictor cleared = {.branch = t->counts.branch};
		memcpy(cleared.name, t->counts.name, sizeof cleared.name);
		t->counts = cleared;
		t->last = at;
	}
	lru_sweep_restart(&p->targets.sweep);
	memset(&p->returns, 0, sizeof p->returns);
}

static void finish_targets(const struct targets *t, struct interval_btb *to)
{
	to->direct_taken = t->sweep.accesses[DIRECT];
	to->indirect = t->sweep.accesses[RIGHT] + t->sweep.accesses[WRONG];
	for (uint32_t n = 0; n < INTERVAL_SETS; n++)
		for (uint32_t d = 0; d < INTERVAL_WAYS; d++) {
			to->direct_hits[n][d] = lru_sweep_hits(&t->sweep, DIRECT, n, d);
			to->indirect_hits[n][d] = lru_sweep_hits(&t->sweep, RIGHT, n, d);
			to->indirect_wrong[n][d] = lru_sweep_hits(&t->sweep, WRONG, n, d);
		}
}

void interval_branches_finish(const struct interval_branches *p, struct interval_profile *to)
{
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		to->predictor[i] = p->tallies[i].counts;
	finish_targets(&p->targets, &to->btb);
	to->returns = p->returns;
}
