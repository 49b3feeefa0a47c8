/* The observer that drives every architecture: what happens in a cycle, in the order of the pipeline's stages. Runs of
 * cycles that are alike cost as much as one. */
#include "analysis/stacks/stacks.h"

#include "analysis/stacks/feed.h"
#include "analysis/stacks/state.h"

#include <stdlib.h>

/* --- events between cycles --- */

/* The right path ends with this branch. While an earlier misprediction's right path is still on its way to the window,
 * that comes first. */
static void mispredicted(struct stacks *s, uint64_t seq)
{
	s->wrong_from = seq + 1;
	if (!s->refilling)
		s->next_dispatch = seq;
}

static void on_fetch_missed(void *context, uint64_t seq, uint8_t ilevel, uint8_t itlb_level)
{
	events_imiss_fetched(context, seq, ilevel, itlb_level);
}

/* A branch takes the next row; `fmt_take_row` where there is more to it. */
static inline void fmt_branch_fetched(struct stacks *s, uint64_t seq)
{
	struct fmt *f = &s->fmt;
	if ((f->fetch - f->head >= f->watch) | f->open_counts) {
		fmt_take_row(s, seq);
		return;
	}
	struct fmt_row *row = &f->rows[f->fetch++ & f->mask];
	row->seq = seq;
	row->mispredicted = row->waited = false;
}

static void on_branch_fetched(void *context, uint64_t seq, bool is_mispredicted, bool wrong_path)
{
	struct stacks *s = context;
	if (is_mispredicted && !wrong_path)
		mispredicted(s, seq);
	fmt_branch_fetched(s, seq);
}

static void on_load_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			   uint8_t tlb_level, bool merged)
{
	events_load_missed(context, cycle, seq, completes, level, tlb_level, merged);
}

static void on_store_missed(void *context, uint64_t cycle, uint64_t seq, uint64_t written, uint8_t level,
			    uint8_t tlb_level, bool merged)
{
	events_store_missed(context, written, level, tlb_level, merged);
}

/* Instructions from `first` on leave the window: those of a wrong path, and those that a violation has fetched
 * again. */
static void undo_dispatched(struct stacks *s, uint64_t first)
{
	if (s->dispatched <= first)
		return;
	uint64_t right = s->dispatched < s->wrong_from ? s->dispatched : s->wrong_from;
	s->replayed += right > first ? right - first : 0;
	s->wrong_dispatched += s->dispatched - (right > first ? right : first);
	s->dispatched = first;
}

/* Where the misprediction is has changed: which dispatch is the next to change it, and what cycles are meanwhile. */
static void find_next_dispatch(struct stacks *s)
{
	s->branch_set = s->refilling || s->in_branch ? SEEN_BRANCH : 0;
	s->branch_keys = s->in_branch ? WRONG_KEYS : 0;
	s->next_dispatch = s->refilling	  ? s->refill_first
			   : s->in_branch ? STACKS_NEVER
					  : s->wrong_from - 1; /* the branch; never stays nearly so */
}

/* A misprediction of the right path: from here until its right path is dispatched, the refill. */
static void resolve(struct stacks *s, uint64_t cycle, uint64_t first)
{
	s->penalties.committed.bmisp++;
	s->refilling = true;
	s->refill_first = first;
	fmt_resolved(s, cycle, first);
}

static void on_squashed(void *context, uint64_t cycle, uint64_t first, enum culprit_squash why)
{
	struct stacks *s = context;
	bool misprediction = why == CULPRIT_SQUASH_MISPREDICT;
	s->penalties.all.bmisp += misprediction;
	undo_dispatched(s, first);
	s->front = s->unfed = 0; /* it was dispatched before it could squash: the front end has younger ones only */
	s->refilling &= s->refill_first < first;
	fmt_squashed(s, first);
	if (misprediction && first == s->wrong_from)
		resolve(s, cycle, first);
	/* the branch resolved, or something older than it was squashed; a wrong path's own squashes leave it wrong */
	if (first < s->wrong_from || (first == s->wrong_from && misprediction)) {
		s->wrong_from = STACKS_NEVER;
		s->in_branch = false;
	}
	events_squashed(s, first);
	stacks_find_next_commit(s);
	find_next_dispatch(s);
}

/* --- a cycle --- */

/* What counts at commit, below `head`: the older first. */
static void commit_tagged(struct stacks *s, uint64_t head)
{
	if (s->dmiss_oldest < head)
		events_loads_committed(s, head);
	while (s->next_tagged < head) {
		uint64_t seq = s->next_tagged;
		if (stacks_oldest_imiss(s) == seq)
			events_imiss_committed(s);
		fmt_committed(s, seq + 1);
		stacks_find_next_commit(s);
	}
	s->next_commit = stacks_older(s->next_tagged, s->dmiss_oldest);
}

/* A mispredicted branch entered the window, or the right path after one. */
static void dispatch_watched(struct stacks *s, uint64_t cycle, uint64_t dispatched)
{
	if (s->refilling) {
		fmt_refilled(s, cycle);
		s->refilling = false;
	}
	if (dispatched >= s->wrong_from && !s->in_branch) {
		s->in_branch = true;
		fmt_branch_dispatched(s, cycle);
	}
	find_next_dispatch(s);
}

/* Slots of a stage that may move more than the stacks' width. */
static inline void count_wide(struct stage_state *t, uint64_t slots, uint64_t moved, uint64_t wasted, unsigned key)
{
	uint64_t have = t->carry + moved, used = have < slots ? have : slots;
	t->carry = have - used;
	t->moved += used;
	slots -= used;
	t->lost[key] += slots - (wasted < slots ? wasted : slots);
}

/* The three stages' lost slots, each by its blame key. */
struct lost_slots {
	uint64_t slots;
	unsigned dispatch, issue, commit;
};

/* Which stages are wider than the stacks, as a constant of each compilation of what is done for a cycle. The others'
 * moves take slots of their own cycle. */
enum wide_stages { WIDE_NONE, WIDE_ISSUE, WIDE_ANY };

static inline void count_lost(struct stacks *s, const struct culprit_cycle *e, const struct lost_slots *l,
			      const enum wide_stages wide)
{
	struct stage_state *dispatch = &s->stages[STAGE_AT_DISPATCH], *issue = &s->stages[STAGE_AT_ISSUE];
	struct stage_state *commit = &s->stages[STAGE_AT_COMMIT];
	if (wide == WIDE_NONE || (wide == WIDE_ANY && !issue->wide)) {
		issue->lost[l->issue] += l->slots - e->issued;
		s->issued_wrong += e->issued_wrong_path;
	} else {
		count_wide(issue, l->slots, (uint64_t)(e->issued - e->issued_wrong_path), e->issued_wrong_path,
			   l->issue);
	}
	if (wide == WIDE_ANY && commit->wide)
		count_wide(commit, l->slots, e->committed, 0, l->commit);
	else
		commit->lost[l->commit] += l->slots - e->committed;
	if (wide == WIDE_ANY && dispatch->wide) {
		uint64_t wrong = s->dispatched > s->wrong_from ? s->dispatched - s->wrong_from : 0;
		wrong = wrong < e->dispatched ? wrong : e->dispatched;
		count_wide(dispatch, l->slots, e->dispatched - wrong, wrong, l->dispatch);
	}
	uint64_t slots = wide == WIDE_ANY ? s->dispatch_width * e->length : l->slots;
	s->lost_at_dispatch[e->dispatch][e->dispatched != 0][l->dispatch] += slots - e->dispatched;
}

/* No more instructions come down the wrong path: it faulted, or fetch has no target to go to. The papers' machine
 * goes on fetching, and fills the ROB with what it finds; here as many instructions as dispatch could take are
 * thought to enter. Without that, link-parser's mispredictions under misses to memory, on which they depend, counted
 * for 42 % more of the cycles than they cost (eyerman2006). The event's cycles in which the ROB would be full move
 * there. */
static void fill_ended_path(struct stacks *s, const struct culprit_cycle *e, unsigned set, unsigned key)
{
	if (s->phantoms_until != e->cycle)
		s->phantoms = 0;
	s->phantoms_until = e->cycle + e->length;
	uint64_t width = s->params.dispatch_width, there = e->rob + s->phantoms, rob = s->params.rob;
	uint64_t room = there < rob ? (rob - there + width - 1) / width : 0;
	uint64_t filled = e->length > room ? e->length - room : 0;
	s->phantoms += width * e->length;
	s->seen[set][key] -= filled;
	s->seen[set | SEEN_FULL][key] += filled;
	s->penalties.filled += filled;
	s->fmt.excluded += filled;
}

/* Fetch waits for a miss: what counts it, and what the cycles are on the right path. They do not count while fetch's
 * buffer still feeds the front-end pipeline: section 4.1.1, "no instructions are fed into the pipeline". */
static unsigned fetch_waits(struct stacks *s, const struct culprit_cycle *e, unsigned set, unsigned key, uint64_t unfed)
{
	unsigned miss = e->fetch - CULPRIT_FETCH_SERVED_BY_CACHE;
	uint64_t fed = fed_cycles(s, e, unfed);
	events_fetch_waits(s, e);
	if (!(set & SEEN_FULL) && fed < e->length)
		fmt_waits(s, miss, e->length - fed);
	if (e->fetch_wrong_path)
		return 0;
	if (fed == e->length)
		return FETCH_HIDDEN;
	s->seen[set + SEEN_FETCH * (FETCH_COUNTS + miss)][key] -= fed;
	s->seen[set + SEEN_FETCH * FETCH_HIDDEN][key] += fed;
	return FETCH_COUNTS + miss;
}

/* Fetch states that ask for more than counting: misses, and those a wrong path ends in. */
enum { FETCH_MISSES = 1, FETCH_ENDS = 2 };
static const uint8_t fetch_is[CULPRIT_FETCH_STATE_COUNT] = {
	[CULPRIT_FETCH_SERVED_BY_CACHE] = FETCH_MISSES, [CULPRIT_FETCH_SERVED_BY_MEMORY] = FETCH_MISSES,
	[CULPRIT_FETCH_ITLB_MISS] = FETCH_MISSES,	[CULPRIT_FETCH_WRONG_PATH_STOP] = FETCH_ENDS,
	[CULPRIT_FETCH_MISPREDICT] = FETCH_ENDS,
};

/* The set of the cycle's fetch, when that asks for more than counting. */
static unsigned look_at_fetch(struct stacks *s, const struct culprit_cycle *e, unsigned set, unsigned key,
			      uint64_t unfed)
{
	if (fetch_is[e->fetch] == FETCH_MISSES)
		return SEEN_FETCH * fetch_waits(s, e, set, key, unfed);
	bool ended = s->in_branch && e->dispatch == CULPRIT_DISPATCH_EMPTY && !(set & SEEN_FULL);
	if (ended && !stacks_rule(s, FMT_RULE_ended))
		fill_ended_path(s, e, set, key);
	return 0;
}

/* The window is full. The papers ask for the ROB, which is all that can be full on their machines; by default here any
 * structure that dispatch waits for will do. With `rob` FMT misses 46 % of the cycles of gzip on boom-large, where load
 * queue and registers are full long before the ROB. */
static inline bool is_full(const struct stacks *s, const struct culprit_cycle *e)
{
	return e->rob_full | (e->dispatch > s->full_above);
}

/* The cycle as a whole, by what the architectures look at; `why`: why commit found the window empty. */
static inline void count_seen(struct stacks *s, const struct culprit_cycle *e, unsigned why, const bool watched)
{
	unsigned key = e->head == CULPRIT_HEAD_EMPTY ? why : (unsigned)e->head;
	bool full = is_full(s, e);
	unsigned set = s->branch_set + full; /* SEEN_FULL */
	uint64_t unfed = feed_pipeline(s, e);
	if (watched && fetch_is[e->fetch])
		set += look_at_fetch(s, e, set, key, unfed);
	s->seen[set][key] += e->length;
	if (full & (key == CULPRIT_HEAD_EMPTY))
		events_waits_for_write(s, e);
	s->fmt.excluded += e->length & -(uint64_t)full;
}

/* What is the same in every event is a constant of each compilation: `wide`, and whether there is something to watch
 * for.
 *
 * In a run of cycles nothing moves, so what dispatch and fetch did in the cycle before is the same in all of them
 * but the first, and the event has it. Issue comes before dispatch: what was dispatched in this cycle was not there
 * to issue, and an empty window is what dispatch left it. */
static inline __attribute__((always_inline)) void count_cycle(struct stacks *restrict s,
							      const struct culprit_cycle *restrict e,
							      const enum wide_stages wide, const bool watched)
{
	bool full = e->dispatch > CULPRIT_DISPATCH_EMPTY; /* a structure: not for want of instructions */
	unsigned now = full ? CULPRIT_HEAD_EMPTY : EMPTY_KEYS + (unsigned)e->why_empty, issue = e->issue;
	unsigned dispatch = s->branch_keys + (e->dispatch == CULPRIT_DISPATCH_EMPTY ? now : (unsigned)e->next_head);
	/* as they were before this cycle's dispatch and fetch */
	unsigned why = e->length > 1 ? now : s->last_why, left = e->length > 1 ? dispatch : s->last_dispatch;
	s->last_why = (uint8_t)now;
	s->last_dispatch = (uint8_t)dispatch;
	count_seen(s, e, why, watched);
	issue += e->issue_seq >= s->wrong_from ? WRONG_KEYS : 0;
	struct lost_slots l = {
		.slots = s->width * e->length,
		.dispatch = dispatch,
		.issue = e->issue == CULPRIT_HEAD_EMPTY ? left : issue,
		.commit = e->next_head == CULPRIT_HEAD_EMPTY ? why : (unsigned)e->next_head,
	};
	count_lost(s, e, &l, wide);
}

static __attribute__((noinline)) void watched_cycle(struct stacks *s, const struct culprit_cycle *e)
{
	if (s->next_commit < e->head_seq)
		commit_tagged(s, e->head_seq);
	if (e->next_seq > s->next_dispatch)
		dispatch_watched(s, e->cycle, e->next_seq);
	if (s->wide_stages == WIDE_ANY)
		count_cycle(s, e, WIDE_ANY, true);
	else if (s->wide_stages == WIDE_ISSUE)
		count_cycle(s, e, WIDE_ISSUE, true);
	else
		count_cycle(s, e, WIDE_NONE, true);
}

static inline bool is_watched(struct stacks *restrict s, const struct culprit_cycle *restrict e)
{
	uint64_t head = s->head = e->head_seq, dispatched = s->dispatched = e->next_seq;
	return s->next_commit < head || dispatched > s->next_dispatch || fetch_is[e->fetch];
}

/* Most cycles are only counted, without a call. */
#define ON_CYCLES(name, wide)                                          \
	static void name(void *context, const struct culprit_cycle *e) \
	{                                                              \
		if (is_watched(context, e))                            \
			watched_cycle(context, e);                     \
		else                                                   \
			count_cycle(context, e, wide, false);          \
	}
ON_CYCLES(on_cycles_none_wide, WIDE_NONE)
ON_CYCLES(on_cycles_issue_wide, WIDE_ISSUE)
ON_CYCLES(on_cycles_any_wide, WIDE_ANY)
#undef ON_CYCLES

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
	s->wrong_from = s->next_tagged = s->next_commit = s->next_dispatch = STACKS_NEVER;
	const uint32_t widths[STACK_STAGES] = {params->dispatch_width, params->issue_width, params->commit_width};
	for (unsigned i = 0; i < STACK_STAGES; i++)
		s->stages[i].wide = params->unlimited || widths[i] > s->width;
	static void (*const on_cycles[])(void *, const struct culprit_cycle *) = {
		[WIDE_NONE] = on_cycles_none_wide,
		[WIDE_ISSUE] = on_cycles_issue_wide,
		[WIDE_ANY] = on_cycles_any_wide,
	};
	s->wide_stages = s->stages[STAGE_AT_DISPATCH].wide || s->stages[STAGE_AT_COMMIT].wide ? WIDE_ANY
			 : s->stages[STAGE_AT_ISSUE].wide				      ? WIDE_ISSUE
											      : WIDE_NONE;
	s->last_dispatch = s->last_why = EMPTY_KEYS + CULPRIT_FETCH_DELIVERED;
	s->dispatch_width = params->unlimited ? 0 : params->dispatch_width;
	s->full_above = stacks_rule(s, FMT_RULE_rob) ? UINT8_MAX : CULPRIT_DISPATCH_EMPTY;
	s->feed_width = params->unlimited ? UINT32_MAX : params->dispatch_width;
	s->observer = (struct culprit_observer){
		.context = s,
		.branch_fetched = on_branch_fetched,
		.fetch_missed = on_fetch_missed,
		.load_missed = on_load_missed,
		.store_missed = on_store_missed,
		.squashed = on_squashed,
		.cycles = on_cycles[s->wide_stages],
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
	free(s->writes);
	free(s);
}

const struct culprit_observer *stacks_observer(const struct stacks *s)
{
	return &s->observer;
}
