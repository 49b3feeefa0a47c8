/* See the header. Branch target buffers are an LRU sweep over taken branches, which are numbered as they come, so that
 * 32 bits name them. Return stacks run one by one. */
#include "interval/profile/targets.h"

#include "interval/profile/sweep.h"
#include "machine/btb.h"
#include "machine/ras.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERED = 1024 }; /* branches whose numbers are at hand, by pc */

struct interval_targets {
	struct lru_sweep sweep;
	struct btb numbers; /* a perfect one: pc -> number */
	struct {
		uint64_t pc, number;
	} recent[NUMBERED];
	uint64_t *last; /* by number: the last target */
	uint64_t count, capacity;
	bool full; /* no memory for more: counted as not found */
	struct ras stacks[INTERVAL_RAS];
	struct interval_returns returns;
	lru_use list[EVENT_BATCH];
};

/* How the sweep names its kinds. */
static const enum interval_kind DIRECT = INTERVAL_FETCH, RIGHT = INTERVAL_LOAD, WRONG = INTERVAL_STORE;

static bool create(struct interval_targets *t, const struct machine *reference, struct error *err)
{
	struct machine m = *reference;
	m.branch_btb_entries = 0;
	TRY(btb_create(&t->numbers, &m, err));
	TRY(lru_sweep_init(&t->sweep, 0, INTERVAL_SETS, err));
	for (uint32_t n = 0; n < INTERVAL_RAS; n++) {
		m.branch_ras = 1u << n;
		TRY(ras_create(&t->stacks[n], &m, err));
	}
	for (size_t i = 0; i < NUMBERED; i++)
		t->recent[i].pc = BTB_EMPTY;
	return true;
}

struct interval_targets *interval_targets_create(const struct machine *reference, struct error *err)
{
	struct interval_targets *t = calloc(1, sizeof *t);
	if (!t) {
		error_set(err, ERROR_SYSTEM, "out of memory for the branch targets");
		return NULL;
	}
	if (create(t, reference, err))
		return t;
	interval_targets_destroy(t);
	return NULL;
}

void interval_targets_destroy(struct interval_targets *t)
{
	if (!t)
		return;
	for (size_t n = 0; n < INTERVAL_RAS; n++)
		ras_destroy(&t->stacks[n]);
	btb_destroy(&t->numbers);
	lru_sweep_free(&t->sweep);
	free(t->last);
	free(t);
}

static bool is_indirect(const struct interval_transfer *t)
{
	return t->branch == CULPRIT_BRANCH_INDIRECT_JUMP || t->branch == CULPRIT_BRANCH_INDIRECT_CALL;
}

static bool grow(struct interval_targets *t)
{
	uint64_t capacity = t->capacity ? 2 * t->capacity : 1024;
	uint64_t *grown = realloc(t->last, capacity * sizeof *grown);
	t->full = !grown;
	if (!grown)
		return false;
	t->last = grown;
	t->capacity = capacity;
	return true;
}

/* False: it is new, and there is no memory for it. */
static bool find_number(struct interval_targets *t, uint64_t pc, uint64_t *number)
{
	if (btb_lookup(&t->numbers, pc, number))
		return true;
	if (t->full || (t->count == t->capacity && !grow(t)))
		return false;
	*number = t->count++;
	t->last[*number] = 0;
	btb_train(&t->numbers, pc, *number);
	return true;
}

/* The branch's number. */
static inline bool number_of(struct interval_targets *t, uint64_t pc, uint64_t *number)
{
	size_t slot = pc >> 1 & (NUMBERED - 1);
	*number = t->recent[slot].number;
	if (__builtin_expect(t->recent[slot].pc == pc, 1))
		return true;
	if (!find_number(t, pc, number))
		return false;
	t->recent[slot].pc = pc;
	t->recent[slot].number = *number;
	return true;
}

static inline size_t look_up(struct interval_targets *t, const struct interval_transfer *x, size_t count)
{
	uint64_t number, line = x->pc >> 1;
	if (!number_of(t, x->pc, &number))
		return count;
	enum interval_kind kind = !is_indirect(x) ? DIRECT : t->last[number] == x->next ? RIGHT : WRONG;
	t->last[number] = x->next;
	t->sweep.accesses[kind]++;
	return lru_sweep_list_tag(&t->sweep, t->list, count, line, (uint32_t)number, kind);
}

static void use_stacks(struct interval_targets *t, const struct interval_transfer *x)
{
	bool returns = x->branch == CULPRIT_BRANCH_RETURN;
	bool calls = x->branch == CULPRIT_BRANCH_CALL || x->branch == CULPRIT_BRANCH_INDIRECT_CALL;
	t->returns.returns += returns;
	for (size_t n = 0; n < INTERVAL_RAS; n++) {
		uint64_t target;
		if (returns && (!ras_top(&t->stacks[n], &target) || target != x->next))
			t->returns.wrong[n]++;
		if (returns || (x->branch == CULPRIT_BRANCH_INDIRECT_CALL && x->flags & EVENT_POPS))
			ras_pop(&t->stacks[n]);
		if (calls)
			ras_push(&t->stacks[n], x->pc + x->length);
	}
}

void interval_targets_push(struct interval_targets *t, const struct interval_batch *b)
{
	size_t count = 0;
	for (size_t i = 0; i < b->transfer_count; i++) {
		const struct interval_transfer *x = &b->transfers[i];
		if (!(x->flags & EVENT_TAKEN))
			continue;
		count = look_up(t, x, count);
		if (x->branch >= CULPRIT_BRANCH_CALL && x->branch != CULPRIT_BRANCH_INDIRECT_JUMP)
			use_stacks(t, x);
	}
	lru_sweep_run(&t->sweep, t->list, count);
}

void interval_targets_restart(struct interval_targets *t)
{
	lru_sweep_restart(&t->sweep);
	memset(&t->returns, 0, sizeof t->returns);
}

void interval_targets_finish(const struct interval_targets *t, struct interval_profile *to)
{
	struct interval_btb *btb = &to->btb;
	btb->direct_taken = t->sweep.accesses[DIRECT];
	btb->indirect = t->sweep.accesses[RIGHT] + t->sweep.accesses[WRONG];
	for (uint32_t n = 0; n < INTERVAL_SETS; n++)
		for (uint32_t d = 0; d < INTERVAL_WAYS; d++) {
			btb->direct_hits[n][d] = lru_sweep_hits(&t->sweep, DIRECT, n, d);
			btb->indirect_hits[n][d] = lru_sweep_hits(&t->sweep, RIGHT, n, d);
			btb->indirect_wrong[n][d] = lru_sweep_hits(&t->sweep, WRONG, n, d);
		}
	to->returns = t->returns;
}
