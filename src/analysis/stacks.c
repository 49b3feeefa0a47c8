/* The observer that drives every architecture: what happens in a cycle, in the order of the pipeline's stages. Runs of
 * cycles that are alike cost as much as one. */
#include "analysis/stacks.h"

#include "analysis/stacks_state.h"

#include <stdlib.h>

/* What an empty window or an empty front end is blamed on. */
static const uint8_t stage_of_fetch[CULPRIT_FETCH_STATE_COUNT] = {
	[CULPRIT_FETCH_DELIVERED] = STAGE_fetch,
	[CULPRIT_FETCH_BUFFER_FULL] = STAGE_fetch,
	[CULPRIT_FETCH_L1I_MISS] = STAGE_l1i,
	[CULPRIT_FETCH_L2I_MISS] = STAGE_l2i,
	[CULPRIT_FETCH_ITLB_MISS] = STAGE_itlb,
	[CULPRIT_FETCH_MISPREDICT] = STAGE_bmisp,
	[CULPRIT_FETCH_DECODE_REDIRECT] = STAGE_btb,
	[CULPRIT_FETCH_WRONG_PATH_STOP] = STAGE_bmisp,
	[CULPRIT_FETCH_SERIALISE] = STAGE_serial,
	[CULPRIT_FETCH_VIOLATION] = STAGE_violation,
	[CULPRIT_FETCH_END] = STAGE_end,
};

static const uint8_t stage_of_head[CULPRIT_HEAD_STATE_COUNT] = {
	[CULPRIT_HEAD_COMMITTING] = STAGE_window,  [CULPRIT_HEAD_EMPTY] = STAGE_fetch,
	[CULPRIT_HEAD_DISPATCH] = STAGE_dispatch,  [CULPRIT_HEAD_CONTENTION] = STAGE_issue,
	[CULPRIT_HEAD_ORDER] = STAGE_order,	   [CULPRIT_HEAD_SHALU] = STAGE_shalu,
	[CULPRIT_HEAD_LGALU] = STAGE_lgalu,	   [CULPRIT_HEAD_DL1] = STAGE_dl1,
	[CULPRIT_HEAD_L1D_MISS] = STAGE_l1d,	   [CULPRIT_HEAD_L2D_MISS] = STAGE_l2d,
	[CULPRIT_HEAD_DTLB] = STAGE_dtlb,	   [CULPRIT_HEAD_COMMIT_DELAY] = STAGE_delay,
	[CULPRIT_HEAD_STORE] = STAGE_store,
};

/* POWER5: an empty ROB. */
static const uint8_t component_of_fetch[CULPRIT_FETCH_STATE_COUNT] = {
	[CULPRIT_FETCH_L1I_MISS] = STACK_l1i,
	[CULPRIT_FETCH_L2I_MISS] = STACK_l2i,
	[CULPRIT_FETCH_ITLB_MISS] = STACK_itlb,
	[CULPRIT_FETCH_MISPREDICT] = STACK_bmisp,
};

/* POWER5 when nothing completes, FMT and sFMT when the ROB is full. */
static const uint8_t component_of_head[CULPRIT_HEAD_STATE_COUNT] = {
	[CULPRIT_HEAD_LGALU] = STACK_unit,
	[CULPRIT_HEAD_L1D_MISS] = STACK_l1d,
	[CULPRIT_HEAD_L2D_MISS] = STACK_l2d,
	[CULPRIT_HEAD_DTLB] = STACK_dtlb,
};

static const uint8_t claim_of_head[CULPRIT_HEAD_STATE_COUNT] = {
	[CULPRIT_HEAD_LGALU] = CLAIM_SHORT,
	[CULPRIT_HEAD_L1D_MISS] = CLAIM_SHORT,
	[CULPRIT_HEAD_L2D_MISS] = CLAIM_LONG,
	[CULPRIT_HEAD_DTLB] = CLAIM_LONG,
};

static bool is_fetch_miss(uint8_t fetch)
{
	return fetch >= CULPRIT_FETCH_L1I_MISS && fetch <= CULPRIT_FETCH_ITLB_MISS;
}

/* --- events between cycles --- */

static void on_fetched(void *context, uint64_t cycle, const struct culprit_fetched *f)
{
	struct stacks *s = context;
	if (f->ilevel > CULPRIT_LEVEL_L1 || f->itlb_level > CULPRIT_LEVEL_L1)
		events_imiss_fetched(s, f);
	if (!f->branch)
		return;
	if (f->mispredicted && !f->wrong_path)
		s->wrong_from = f->seq + 1;
	fmt_branch_fetched(s, f->seq);
}

static void on_load_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			   uint8_t tlb_level, bool merged)
{
	events_load_missed(context, cycle, seq, completes, level, tlb_level, merged);
}

/* Right-path work undone by a violation moves from base. */
static void undo_dispatched(struct stacks *s, uint64_t first)
{
	uint64_t end = s->dispatched < s->wrong_from ? s->dispatched : s->wrong_from;
	if (end > first)
		s->replayed += end - first;
}

static void on_squashed(void *context, uint64_t cycle, uint64_t first, enum culprit_squash why)
{
	struct stacks *s = context;
	if (why == CULPRIT_SQUASH_MISPREDICT) {
		s->penalties.all.bmisp++;
		s->refilling = first == s->wrong_from;
		s->refill_first = first;
	} else {
		undo_dispatched(s, first);
		s->refilling &= s->refill_first < first;
	}
	/* the branch resolved, or something older than it was undone; a wrong path's own squashes leave it wrong */
	if (first < s->wrong_from || (first == s->wrong_from && why == CULPRIT_SQUASH_MISPREDICT))
		s->wrong_from = STACKS_NEVER;
	if (s->dispatched > first)
		s->dispatched = first;
	fmt_squashed(s, cycle, first, why);
	events_squashed(s, first);
	stacks_find_next_commit(s);
}

/* --- a cycle --- */

/* Tagged instructions below `head` leave, the older first. */
static void commit_tagged(struct stacks *s, uint64_t head)
{
	while (s->next_commit < head) {
		uint64_t seq = s->next_commit;
		if (s->imiss_head != s->imiss_tail && s->imisses[s->imiss_head & s->imiss_mask].seq == seq)
			events_imiss_committed(s);
		if (s->fmt.head != s->fmt.fetch && s->fmt.rows[s->fmt.head & s->fmt.mask].seq == seq)
			fmt_branch_committed(s);
		stacks_find_next_commit(s);
	}
}

/* Slots of a stage: `moved` instructions that will commit, `wasted` on a wrong path, the rest is the row's. */
static inline void stage_count(struct stacks *s, enum stack_stage stage, uint64_t length, uint64_t moved, uint64_t wasted,
			       uint8_t row)
{
	struct stage_state *t = &s->stages[stage];
	uint64_t slots = s->width * length, have = t->carry + moved, used = have < slots ? have : slots;
	t->carry = have - used;
	t->slots[STAGE_base] += used;
	slots -= used;
	uint64_t wrong = wasted < slots ? wasted : slots;
	t->slots[STAGE_bmisp] += wrong;
	t->slots[row] += slots - wrong;
}

static inline void slots_count(struct stacks *s, const struct culprit_cycle *e, bool next_is_wrong)
{
	uint64_t lost = s->params.dispatch_width * e->length - e->dispatched;
	enum slots_row row;
	if (e->dispatch != CULPRIT_DISPATCH_EMPTY) {
		uint8_t waits = stage_of_head[e->next_head];
		bool memory = (waits >= STAGE_dl1 && waits <= STAGE_store) || waits == STAGE_order ||
			      (e->dispatch >= CULPRIT_DISPATCH_LQ && e->dispatch <= CULPRIT_DISPATCH_LSQ);
		row = memory ? SLOTS_memory_bound : SLOTS_core_bound;
	} else if (next_is_wrong || e->why_empty == CULPRIT_FETCH_MISPREDICT) {
		row = SLOTS_branch_mispredicts;
	} else if (e->why_empty == CULPRIT_FETCH_VIOLATION) {
		row = SLOTS_machine_clears;
	} else {
		row = e->dispatched ? SLOTS_fetch_bandwidth : SLOTS_fetch_latency;
	}
	s->slots[row] += lost;
}

/* What dispatch's unused slots are blamed on. */
static inline uint8_t dispatch_row(const struct culprit_cycle *e, bool next_is_wrong)
{
	if (next_is_wrong)
		return STAGE_bmisp;
	return e->dispatch == CULPRIT_DISPATCH_EMPTY ? stage_of_fetch[e->why_empty] : stage_of_head[e->next_head];
}

/* Issue comes before dispatch: what was dispatched in this cycle was not there to issue, and an empty window is what
 * dispatch left it. In a run of cycles nothing moves, so it is the same in all of them. */
static inline uint8_t issue_row(const struct stacks *s, const struct culprit_cycle *e, uint64_t dispatched_before,
				uint8_t dispatch)
{
	if (e->issue_seq >= dispatched_before)
		return e->length > 1 ? dispatch : s->last_dispatch;
	return e->issue_seq >= s->wrong_from ? STAGE_bmisp : stage_of_head[e->issue];
}

/* Why commit found the window empty: as it was before this cycle's dispatch and fetch. */
static inline uint8_t emptied_by(const struct stacks *s, const struct culprit_cycle *e)
{
	return e->length > 1 ? e->why_empty : s->last_why;
}

static inline void count_stages(struct stacks *s, const struct culprit_cycle *e, uint64_t dispatched, uint64_t wrong)
{
	bool next_is_wrong = dispatched >= s->wrong_from;
	uint8_t row = dispatch_row(e, next_is_wrong);
	uint64_t issued = e->issued - e->issued_wrong_path;
	stage_count(s, STAGE_AT_DISPATCH, e->length, e->dispatched - wrong, wrong, row);
	stage_count(s, STAGE_AT_ISSUE, e->length, issued, e->issued_wrong_path,
		    issue_row(s, e, dispatched - e->dispatched, row));
	stage_count(s, STAGE_AT_COMMIT, e->length, e->committed, 0,
		    e->next_head == CULPRIT_HEAD_EMPTY ? stage_of_fetch[emptied_by(s, e)] : stage_of_head[e->next_head]);
	s->issued += issued;
	s->slots_dispatched[0] += e->dispatched - wrong;
	s->slots_dispatched[1] += wrong;
	if (!s->params.unlimited && e->dispatched < s->params.dispatch_width * e->length)
		slots_count(s, e, next_is_wrong);
	s->last_dispatch = row;
}

/* Between dispatch of a mispredicted branch and dispatch of its right path. */
static inline bool branch_claims(const struct stacks *s, uint64_t dispatched)
{
	return s->refilling || dispatched >= s->wrong_from;
}

static inline void count_claims(struct stacks *s, const struct culprit_cycle *e, bool fetch_miss, bool branch)
{
	unsigned claims = claim_of_head[e->head] & (e->rob_full ? CLAIM_LONG | CLAIM_SHORT : CLAIM_LONG);
	claims |= fetch_miss && !e->fetch_wrong_path ? CLAIM_FETCH : 0;
	claims |= branch ? CLAIM_BRANCH : 0;
	s->claims[claims] += e->length;
}

/* Commit, then dispatch, as the tables see them. */
static inline void move_pointers(struct stacks *s, const struct culprit_cycle *e, uint64_t dispatched)
{
	uint64_t head = e->head_seq + e->committed;
	if (s->next_commit < head)
		commit_tagged(s, head);
	if (s->dmiss_oldest < head)
		events_loads_committed(s, head);
	if (s->refilling && dispatched > s->refill_first)
		s->refilling = false;
	if (s->fmt.refilling && dispatched > s->fmt.refill_first)
		fmt_refilled(s, e->cycle);
	if (s->fmt.dispatch != s->fmt.fetch)
		fmt_branches_dispatched(s, e->cycle, dispatched);
	s->head = head;
	s->dispatched = dispatched;
}

static void on_cycles(void *context, const struct culprit_cycle *e)
{
	struct stacks *s = context;
	uint64_t dispatched = e->head_seq + e->committed + e->rob;
	uint64_t wrong = dispatched > s->wrong_from ? dispatched - s->wrong_from : 0;
	move_pointers(s, e, dispatched);
	bool fetch_miss = is_fetch_miss(e->fetch);
	if (fetch_miss) {
		events_fetch_waits(s, e);
		if (!e->rob_full)
			fmt_waits(s, e->fetch - CULPRIT_FETCH_L1I_MISS, e->length);
	} else {
		s->wait = CULPRIT_FETCH_DELIVERED;
	}
	if (e->rob_full)
		s->backend[component_of_head[e->head]] += e->length;
	else
		s->fmt.not_full += e->length;
	if (!e->committed)
		s->power5[e->head == CULPRIT_HEAD_EMPTY ? component_of_fetch[emptied_by(s, e)]
							: component_of_head[e->head]] += e->length;
	count_stages(s, e, dispatched, wrong < e->dispatched ? wrong : e->dispatched);
	count_claims(s, e, fetch_miss, branch_claims(s, dispatched));
	s->last_why = e->why_empty;
	s->cycles += e->length;
}

/* --- making and finishing --- */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

struct stacks *stacks_create(const struct stacks_params *params, struct error *err)
{
	struct stacks *s = calloc(1, sizeof *s);
	if (!s) {
		error_set(err, ERROR_SYSTEM, "out of memory for CPI stacks");
		return NULL;
	}
	s->params = *params;
	s->width = least(params->dispatch_width, least(params->issue_width, params->commit_width));
	s->wrong_from = s->next_commit = STACKS_NEVER;
	s->last_dispatch = STAGE_fetch;
	s->observer = (struct culprit_observer){
		.context = s,
		.fetched_notable = on_fetched,
		.load_missed = on_load_missed,
		.squashed = on_squashed,
		.cycles = on_cycles,
		.issue_waits = true,
	};
	if (!fmt_create(&s->fmt, params, err) || !events_create(s, err)) {
		stacks_destroy(s);
		return NULL;
	}
	return s;
}

void stacks_destroy(struct stacks *s)
{
	if (!s)
		return;
	free(s->fmt.rows);
	free(s->imisses);
	free(s->dmisses);
	free(s);
}

const struct culprit_observer *stacks_observer(const struct stacks *s)
{
	return &s->observer;
}

/* Right-path instructions that violations undid were counted as base when they moved first. */
static void move_replayed(struct stacks *s)
{
	uint64_t in_window = s->dispatched - s->head;
	uint64_t reissued = s->issued > s->head + in_window ? s->issued - s->head - in_window : 0;
	const uint64_t undone[STACK_STAGES] = {[STAGE_AT_DISPATCH] = s->replayed, [STAGE_AT_ISSUE] = reissued};
	for (unsigned i = 0; i < STACK_STAGES; i++) {
		s->stages[i].slots[STAGE_base] -= undone[i];
		s->stages[i].slots[STAGE_violation] += undone[i];
	}
}

static void finish_slots(struct stacks *s)
{
	s->slots[SLOTS_light_operations] = s->slots_dispatched[0] - s->replayed;
	s->slots[SLOTS_machine_clears] += s->replayed;
	s->slots[SLOTS_branch_mispredicts] += s->slots_dispatched[1];
	for (unsigned i = 0; i < SLOTS_ROWS; i++)
		if (slots_row_parent(i) != i)
			s->slots[slots_row_parent(i)] += s->slots[i];
}

bool stacks_finish(struct stacks *s, uint64_t cycles, uint64_t instructions, struct error *err)
{
	fmt_finish(s);
	move_replayed(s);
	finish_slots(s);
	return stacks_check(s, cycles, instructions, err);
}
