/* See the header.
 *
 * Predictors that differ in nothing but the direction share one BTB and return stack: those learn from what branches do,
 * not from what was predicted, so that they would be alike in all of them. A predictor with a structure of its own for
 * indirect targets runs whole. */
#include "interval/interval_branches.h"

#include "interval/interval_predictors.h"
#include "interval/interval_sweep.h"
#include "machine/btb.h"
#include "machine/direction.h"
#include "machine/ras.h"

#include <stdlib.h>
#include <string.h>

struct tally {
	struct predictor *predictor; /* runs whole; NULL: shares, or (number 0) is told by the events */
	struct direction direction;  /* of those that share */
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
	bool tage;	   /* the others run */
	size_t shared_end; /* predictors 1 .. shared_end - 1 share */
	struct btb shared_btb;
	struct ras shared_ras;
	uint64_t shared_redirects, shared_right_redirects; /* not of conditional branches */
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

static bool create_predictor(struct interval_branches *p, size_t i, const struct machine *reference, struct error *err)
{
	struct tally *t = &p->tallies[i];
	struct machine m;
	interval_predictor_machine(i, reference, &m, t->counts.name);
	t->counts.branch = interval_branch_of(&m);
	if (!i)
		return true;
	if (m.branch_indirect != indirect_predictor_btb || m.branch_predictor == direction_predictor_tage_sc_l) {
		if (p->tage)
			return (t->predictor = predictor_create(&m, err)) != NULL;
		t->counts = (struct interval_predictor){.branch.kind = INTERVAL_NOT_RUN};
		return true;
	}
	p->shared_end = i + 1;
	return direction_create(&t->direction, &m, err);
}

static bool create(struct interval_branches *p, const struct machine *reference, struct error *err)
{
	struct machine m;
	TRY(btb_create(&p->shared_btb, reference, err));
	TRY(ras_create(&p->shared_ras, reference, err));
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		TRY(create_predictor(p, i, reference, err));
	m = *reference;
	m.branch_btb_entries = 0;
	TRY(btb_create(&p->targets.numbers, &m, err));
	TRY(lru_sweep_init(&p->targets.sweep, 0, INTERVAL_SETS, err));
	return create_stacks(p, reference, err);
}

struct interval_branches *interval_branches_create(const struct machine *reference, bool tage, struct error *err)
{
	struct interval_branches *p = calloc(1, sizeof *p);
	if (!p) {
		error_set(err, ERROR_SYSTEM, "no memory for the predictors");
		return NULL;
	}
	p->tage = tage;
	if (create(p, reference, err))
		return p;
	interval_branches_destroy(p);
	return NULL;
}

void interval_branches_destroy(struct interval_branches *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++) {
		predictor_destroy(p->tallies[i].predictor);
		direction_destroy(&p->tallies[i].direction);
	}
	btb_destroy(&p->shared_btb);
	ras_destroy(&p->shared_ras);
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

static void judge(struct tally *t, const struct interval_event *e, uint64_t at, bool right, bool redirect)
{
	t->counts.redirects += redirect;
	t->counts.right_redirects += redirect && right;
	if (!right)
		mispredicted(t, e, at);
}

static bool is_indirect(const struct interval_event *e)
{
	return e->branch == CULPRIT_BRANCH_INDIRECT_JUMP || e->branch == CULPRIT_BRANCH_INDIRECT_CALL;
}

/* Each predictor's direction of a conditional branch. */
static void predict_directions(struct interval_branches *p, const struct interval_event *e, uint64_t at, bool known)
{
	struct branch_query q = event_query(e);
	for (size_t i = 1; i < p->shared_end; i++) {
		struct tally *t = &p->tallies[i];
		struct direction_note note;
		uint8_t component;
		bool taken = direction_predict(&t->direction, &q, &note, &component);
		direction_speculate(&t->direction, q.actual_taken);
		direction_update(&t->direction, &note, q.actual_taken);
		judge(t, e, at, (taken ? q.direct_target : e->pc + e->length) == q.actual_next, taken && !known);
	}
}

/* Where any other branch goes, predicted alike by all: predictor.c has the rules. False: mispredicted. */
static bool predict_target(const struct interval_branches *p, const struct interval_event *e, bool in_btb,
			   uint64_t last_target, bool *redirect)
{
	bool returns = e->branch == CULPRIT_BRANCH_RETURN, known = true;
	uint64_t next = e[1].pc, target = next;
	if (returns || (e->branch == CULPRIT_BRANCH_INDIRECT_CALL && e->flags & EVENT_POPS))
		known = p->shared_ras.entries == 0 || ras_top(&p->shared_ras, &target);
	else if (is_indirect(e))
		known = false;
	else
		target = e->pc + (uint64_t)(int64_t)e->imm;
	if (!known && !returns) {
		known = in_btb;
		target = last_target;
	}
	*redirect = known && !in_btb;
	return known && target == next;
}

static void train(struct interval_branches *p, const struct interval_event *e)
{
	bool calls = e->branch == CULPRIT_BRANCH_CALL || e->branch == CULPRIT_BRANCH_INDIRECT_CALL;
	if (e->branch == CULPRIT_BRANCH_RETURN || (e->branch == CULPRIT_BRANCH_INDIRECT_CALL && e->flags & EVENT_POPS))
		ras_pop(&p->shared_ras);
	if (calls)
		ras_push(&p->shared_ras, e->pc + e->length);
	if (e->flags & EVENT_TAKEN && (!p->shared_btb.perfect || is_indirect(e)))
		btb_train(&p->shared_btb, e->pc, e[1].pc);
}

static void share(struct interval_branches *p, const struct interval_event *e, uint64_t at)
{
	uint64_t last_target = 0;
	bool redirect, present = p->shared_btb.perfect && !is_indirect(e);
	bool in_btb = present || btb_lookup(&p->shared_btb, e->pc, &last_target);
	if (e->branch == CULPRIT_BRANCH_CONDITIONAL) {
		predict_directions(p, e, at, in_btb);
	} else {
		bool right = predict_target(p, e, in_btb, last_target, &redirect);
		p->shared_redirects += redirect;
		p->shared_right_redirects += redirect && right;
		for (size_t i = 1; !right && i < p->shared_end; i++)
			mispredicted(&p->tallies[i], e, at);
	}
	train(p, e);
}

void interval_branches_push(struct interval_branches *p, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct interval_event *e = &b->events[i];
		if (!e->branch)
			continue;
		judge(&p->tallies[0], e, b->first + i, !(e->flags & EVENT_MISPREDICTED), e->flags & EVENT_REDIRECT);
		share(p, e, b->first + i);
	}
}

void interval_branches_push_whole(struct interval_branches *p, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		for (size_t t = p->shared_end; p->tage && b->events[i].branch && t < INTERVAL_PREDICTORS; t++) {
			bool redirect, right = interval_predict(p->tallies[t].predictor, &b->events[i], &redirect);
			judge(&p->tallies[t], &b->events[i], b->first + i, right, redirect);
		}
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
	p->shared_redirects = p->shared_right_redirects = 0;
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
	for (size_t i = 1; i < p->shared_end; i++) {
		to->predictor[i].redirects += p->shared_redirects;
		to->predictor[i].right_redirects += p->shared_right_redirects;
	}
	finish_targets(&p->targets, &to->btb);
	to->returns = p->returns;
}
