/* From what was seen to the stacks: which row a stage's lost slots belong to, which branch of the slots tree, which
 * claims a cycle had. */
#include "analysis/stacks/state.h"
#include "analysis/stacks/stacks.h"

static const uint8_t stage_of_fetch[CULPRIT_FETCH_STATE_COUNT] = {
	[CULPRIT_FETCH_DELIVERED] = STAGE_fetch,       [CULPRIT_FETCH_BUFFER_FULL] = STAGE_fetch,
	[CULPRIT_FETCH_SERVED_BY_CACHE] = STAGE_l1i,   [CULPRIT_FETCH_SERVED_BY_MEMORY] = STAGE_l2i,
	[CULPRIT_FETCH_ITLB_MISS] = STAGE_itlb,	       [CULPRIT_FETCH_PORT] = STAGE_iport,
	[CULPRIT_FETCH_MISPREDICT] = STAGE_bmisp,      [CULPRIT_FETCH_DECODE_REDIRECT] = STAGE_btb,
	[CULPRIT_FETCH_WRONG_PATH_STOP] = STAGE_bmisp, [CULPRIT_FETCH_SERIALISE] = STAGE_serial,
	[CULPRIT_FETCH_VIOLATION] = STAGE_violation,   [CULPRIT_FETCH_END] = STAGE_end,
};

static const uint8_t stage_of_head[CULPRIT_HEAD_STATE_COUNT] = {
	[CULPRIT_HEAD_COMMITTING] = STAGE_window,
	[CULPRIT_HEAD_EMPTY] = STAGE_sq, /* and dispatch finds a structure full: what else has to be written still? */
	[CULPRIT_HEAD_DISPATCH] = STAGE_dispatch,
	[CULPRIT_HEAD_OPERAND] = STAGE_operand,
	[CULPRIT_HEAD_CONTENTION] = STAGE_issue,
	[CULPRIT_HEAD_ORDER] = STAGE_order,
	[CULPRIT_HEAD_SHALU] = STAGE_shalu,
	[CULPRIT_HEAD_LGALU] = STAGE_lgalu,
	[CULPRIT_HEAD_DL1] = STAGE_dl1,
	[CULPRIT_HEAD_PORT] = STAGE_dport,
	[CULPRIT_HEAD_SERVED_BY_CACHE] = STAGE_l1d,
	[CULPRIT_HEAD_SERVED_BY_MEMORY] = STAGE_l2d,
	[CULPRIT_HEAD_DTLB] = STAGE_dtlb,
	[CULPRIT_HEAD_COMMIT_DELAY] = STAGE_delay,
#define COMMIT_LIMIT(name, row, stall, what) [CULPRIT_HEAD_##name] = STAGE_##row,
#include "culprit/commit_limit.def"
	[CULPRIT_HEAD_WRONG_PATH] = STAGE_bmisp,
	[CULPRIT_HEAD_OTHER] = STAGE_other,
};

static enum stage_row stage_of(unsigned key)
{
	return key < EMPTY_KEYS ? stage_of_head[key] : stage_of_fetch[key - EMPTY_KEYS];
}

/* --- stages --- */

/* A stage no wider than the stacks: what it moved follows from where it ended. */
static void take_dispatch(struct stacks *s, struct stage_state *t)
{
	t->moved = s->weighed ? s->width * s->cycles - s->wrong_dispatched : s->dispatched + s->replayed;
	for (unsigned state = 0; state < CULPRIT_DISPATCH_STATE_COUNT; state++)
		for (unsigned key = 0; key < ALL_KEYS; key++)
			t->lost[key] += s->lost_at_dispatch[state][false][key] + s->lost_at_dispatch[state][true][key];
	for (unsigned key = 0; key < ALL_KEYS && s->weighed; key++)
		t->moved -= t->lost[key];
}

/* One that was not lost moved an instruction. */
static void take_commit(const struct stacks *s, struct stage_state *t)
{
	t->moved = s->weighed ? s->width * s->cycles : s->head;
	for (unsigned key = 0; key < ALL_KEYS && s->weighed; key++)
		t->moved -= t->lost[key];
}

/* Every slot that was not lost moved an instruction. */
static void take_issue(const struct stacks *s, struct stage_state *t)
{
	t->moved = s->width * s->cycles - s->issued_wrong;
	for (unsigned key = 0; key < ALL_KEYS; key++)
		t->moved -= t->lost[key];
}

static void sort_stage(const struct stacks *s, struct stage_state *t)
{
	t->wasted = s->width * s->cycles - t->moved;
	t->slots[STAGE_base] = t->moved;
	for (unsigned key = 0; key < ALL_KEYS; key++) {
		bool wrong = key >= WRONG_KEYS;
		if (wrong || key < BLAME_KEYS)
			t->slots[wrong ? STAGE_bmisp : stage_of(key)] += t->lost[key];
		t->wasted -= t->lost[key];
	}
	t->slots[STAGE_bmisp] += t->wasted;
}

/* Instructions of a wrong path that is still in the window. */
static void leave_wrong_path(struct stacks *s)
{
	if (s->dispatched <= s->wrong_from)
		return;
	s->wrong_dispatched += s->dispatched - s->wrong_from;
	s->dispatched = s->wrong_from;
}

/* Right-path instructions that violations undid had counted as base when they moved first, or, beyond the width, still
 * wait for slots. */
static void move_replayed(struct stacks *s)
{
	const struct stage_state *issue = &s->stages[STAGE_AT_ISSUE];
	uint64_t issued = issue->moved + issue->carry;
	uint64_t not_squashed = s->dispatched - s->head + s->expected[STAGE_AT_ISSUE];
	uint64_t squashed[STACK_STAGES] = {
		[STAGE_AT_DISPATCH] = s->replayed,
		[STAGE_AT_ISSUE] = issued > not_squashed ? issued - not_squashed : 0,
	};
	for (unsigned i = 0; i < STACK_STAGES; i++) {
		struct stage_state *t = &s->stages[i];
		uint64_t base = t->slots[STAGE_base], move = squashed[i] < base ? squashed[i] : base;
		t->slots[STAGE_base] -= move;
		t->slots[STAGE_violation] += move;
		t->carry -= squashed[i] - move;
	}
}

/* --- slots --- */

static enum slots_row slots_of(unsigned state, bool partly, unsigned key)
{
	bool wrong = key >= WRONG_KEYS;
	key -= wrong ? WRONG_KEYS : 0;
	if (key < EMPTY_KEYS) {
		enum stage_row row = stage_of_head[key];
		if (row == STAGE_bmisp)
			return SLOTS_branch_mispredicts;
		bool memory = (row >= STAGE_dl1 && row <= STAGE_store) || row == STAGE_order;
		bool queue = state == CULPRIT_DISPATCH_LQ || state == CULPRIT_DISPATCH_SQ ||
			     state == CULPRIT_DISPATCH_LSQ;
		return memory || queue ? SLOTS_memory_bound : SLOTS_core_bound;
	}
	if (wrong || key == EMPTY_KEYS + CULPRIT_FETCH_MISPREDICT)
		return SLOTS_branch_mispredicts;
	if (key == EMPTY_KEYS + CULPRIT_FETCH_VIOLATION)
		return SLOTS_machine_clears;
	return partly ? SLOTS_fetch_bandwidth : SLOTS_fetch_latency;
}

static void sort_slots(struct stacks *s)
{
	const struct stage_state *t = &s->stages[STAGE_AT_DISPATCH];
	for (unsigned state = 0; state < CULPRIT_DISPATCH_STATE_COUNT; state++)
		for (unsigned partly = 0; partly < 2; partly++)
			for (unsigned key = 0; key < ALL_KEYS; key++)
				s->slots[slots_of(state, partly, key)] += s->lost_at_dispatch[state][partly][key];
	s->slots[SLOTS_heavy_operations] = s->heavy;
	s->slots[SLOTS_light_operations] = t->moved + t->carry - s->replayed - s->heavy;
	s->slots[SLOTS_machine_clears] += s->replayed;
	s->slots[SLOTS_branch_mispredicts] += s->wrong_dispatched;
	for (unsigned i = 0; i < SLOTS_ROWS; i++)
		if (slots_row_parent(i) != i)
			s->slots[slots_row_parent(i)] += s->slots[i];
}

/* --- claims --- */

static const uint8_t claim_of_head[CULPRIT_HEAD_STATE_COUNT] = {
	[CULPRIT_HEAD_LGALU] = CLAIM_SHORT,
	[CULPRIT_HEAD_SERVED_BY_CACHE] = CLAIM_SHORT,
	[CULPRIT_HEAD_SERVED_BY_MEMORY] = CLAIM_LONG,
	[CULPRIT_HEAD_DTLB] = CLAIM_LONG,
};

static void sort_claims(struct stacks *s)
{
	for (unsigned set = 0; set < SEEN_SETS; set++)
		for (unsigned key = 0; key < BLAME_KEYS; key++) {
			unsigned claims = key < EMPTY_KEYS ? claim_of_head[key] : 0;
			if (!(set & SEEN_FULL))
				claims &= ~(unsigned)CLAIM_SHORT;
			claims |= (set >= SEEN_FETCH ? CLAIM_FETCH : 0) | (set & SEEN_BRANCH ? CLAIM_BRANCH : 0);
			s->claims[claims] += s->seen[set][key];
			/* a long miss costs from when the ROB is full */
			if ((set & SEEN_FULL) && (claims & CLAIM_LONG) && (claims & (CLAIM_FETCH | CLAIM_BRANCH)))
				s->penalties.overlap += s->seen[set][key];
		}
}

void stacks_sort(struct stacks *s)
{
	leave_wrong_path(s);
	if (!s->stages[STAGE_AT_COMMIT].wide)
		take_commit(s, &s->stages[STAGE_AT_COMMIT]);
	if (!s->stages[STAGE_AT_DISPATCH].wide)
		take_dispatch(s, &s->stages[STAGE_AT_DISPATCH]);
	if (!s->stages[STAGE_AT_ISSUE].wide)
		take_issue(s, &s->stages[STAGE_AT_ISSUE]);
	for (unsigned i = 0; i < STACK_STAGES; i++)
		sort_stage(s, &s->stages[i]);
	sort_slots(s);
	move_replayed(s);
	sort_claims(s);
}
