/* From record to step: checks a record, finds where each of its edges comes from, and which lanes keep it.
 *
 * Here is what every instruction has, with as few branches as can be: what a program does next is hard to predict,
 * and the host has better to do than to begin again. Edges that every instruction has go into the step as distances;
 * rarer ones are first merged into floor rows, by plan_*.c, one for each node. An edge belongs to the event class that
 * would remove it, by the instruction at its target - but a branch misprediction to the branch. */
#include "analysis/graph/plan.h"
#include "analysis/record_check.h"

/* `value` where something holds, else 0. Left to itself the compiler would branch. */
static inline uint64_t when(bool holds, uint64_t value)
{
	return -(uint64_t)holds & value;
}

static inline uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline bool is(const struct culprit_record *r, unsigned flag)
{
	return (r->flags & flag) != 0;
}

/* --- checks --- */

typedef int64_t times __attribute__((vector_size(16), aligned(8), may_alias));

/* All steps between times are positive, and no time is so late that a step could overflow: top bits are clear. */
static inline uint64_t backwards(const struct culprit_graph *g, const struct culprit_record *r)
{
	_Static_assert(offsetof(struct culprit_record, commit) == offsetof(struct culprit_record, fetch) + 40,
		       "six times in a row");
	const times *t = (const void *)&r->fetch, *next = (const void *)&r->dispatch;
	times signs = t[0] | t[1] | t[2] | (next[0] - t[0]) | (next[1] - t[1]);
	uint64_t rest = (r->commit - r->complete) | (r->fetch - g->last->fetch) | (r->commit - g->last->commit) |
			(r->fetch - r->imiss - r->itlb);
	return ((uint64_t)signs[0] | (uint64_t)signs[1] | rest) >> 63;
}

static bool check_slowly(struct culprit_graph *g, const struct culprit_record *r)
{
	struct error err;
	const struct record_front front = {g->count, g->last->seq, g->last->fetch, g->last->commit};
	return record_check(r, &front, &err) || graph_fail(g, "%s", err.text);
}

/* The questions of record_check all at once; only when something is wrong, for the first record, or of weights, is it
 * asked what. */
static inline bool check(struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t parts = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	uint64_t wrong = when(is(r, CULPRIT_LOAD), r->complete - r->issue - parts) | (r->seq - g->last->seq - 1);
	wrong |= backwards(g, r) | (r->op_class >= CULPRIT_OP_COUNT) | (r->dest > 64);
	uint32_t furthest = r->producer[0] | r->producer[1] | r->producer[2] | r->mem_producer | r->primary_miss |
			    r->previous_holder | r->order_waited; /* at least */
	wrong |= weights_unusual(r) | when(is(r, CULPRIT_STORE), r->dtlb > r->complete - r->issue);
	return !(wrong | (furthest > g->count)) || check_slowly(g, r);
}

/* --- room --- */

/* What delays a fetch and is written in the instruction's own record. */
static inline uint32_t fetch_delays(const struct culprit_record *r)
{
	return r->imiss | r->itlb | r->istray | r->redirect;
}

/* The most by which an instruction's times can be above all times before it: every latency and every edge on the
 * way from its fetch to its commit, added up. This is for the rarer ones. */
static uint64_t rare_growth(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t cycles = (uint64_t)r->imiss + r->itlb + r->redirect;
	if (r->istray | r->dstray)
		cycles += 2ull * g->longest_miss;
	if (r->redirect)
		cycles += GRAPH_MARGIN; /* a drain's edge */
	if (r->window == CULPRIT_WINDOW_SQ)
		cycles += GRAPH_MARGIN;
	if (g->params.squash_width)
		cycles += GRAPH_MARGIN;
	if (r->flags & CULPRIT_STORE)
		cycles += (uint64_t)r->write_miss + r->write_dtlb;
	if (g->params.l1_prefetches)
		cycles += GRAPH_MARGIN + (uint64_t)g->params.miss_cycles[CULPRIT_LEVEL_MEMORY] +
			  g->params.memory_interval;
	if (r->primary_miss && r->primary_miss <= g->furthest)
		cycles += g->params.miss_cycles[CULPRIT_LEVEL_L2] + (uint64_t)GRAPH_MARGIN +
			  record_fact(&g->facts, g->count, r->primary_miss)->miss + (uint64_t)r->dmiss;
	return cycles;
}

static inline uint64_t growth(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t cycles = g->least_growth + r->wakeup + (r->complete - r->dispatch) + g->params.interval[r->op_class];
	uint32_t waits = fetch_delays(r) | r->dstray | r->primary_miss | r->write_miss | r->write_dtlb;
	const bool squash = g->params.squash_width && record_renames_again(&g->params, g->last->flags, r);
	if (waits | (r->window == CULPRIT_WINDOW_SQ) | squash | is(r, CULPRIT_MERGED) | (r->prefetch_level != 0))
		cycles += rare_growth(g, r);
	return cycles;
}

/* Every GRAPH_AHEAD_STEP instructions another one has to have been dispatched. F never decreases, so between these
 * this edge says nothing new. */
static void plan_ahead(struct culprit_graph *g, struct graph_step *s)
{
	g->ahead_due = UINT64_MAX;
	for (unsigned half = 0; half < 2; half++) {
		uint64_t capacity = g->capacity[half], due = capacity;
		s->ahead[half] = g->scratch[SCRATCH_ZERO];
		if (capacity && g->count >= capacity) {
			uint64_t block = (g->count - capacity) / GRAPH_AHEAD_STEP;
			s->ahead[half] = graph_power_row(&g->ahead[half], (uint32_t)block);
			due = (block + 1) * GRAPH_AHEAD_STEP + capacity;
		}
		g->ahead_due = capacity && due < g->ahead_due ? due : g->ahead_due;
	}
	s->rare |= STEP_AHEAD;
}

/* --- the last instructions of each kind --- */

/* How far back one is; before the first instruction: none. */
static inline uint64_t back_to(const struct culprit_graph *g, uint64_t one)
{
	return g->count + 1 - one;
}

/* Notes this instruction where it is of the kind; the next one's place is free for those that are not. */
static inline void note(const struct culprit_graph *g, struct graph_recent *recent, bool of_the_kind)
{
	recent->numbers[recent->count & recent->mask] = g->count + 1;
	recent->count += of_the_kind;
	recent->near_one = recent->numbers[(recent->count - recent->near) & recent->mask];
	recent->far_one = recent->numbers[(recent->count - recent->size) & recent->mask];
}

static inline void note_kinds(struct culprit_graph *g, const struct culprit_record *r)
{
	uint32_t kinds = g->kinds_asked;
#define RECENT_KIND(name, parameter, scope, of_it)                                  \
	if (RECENT_IN_##scope != RECENT_IN_WINDOW && (kinds & 1u << RECENT_##name)) \
		note(g, &g->recent[RECENT_##name], of_it);
#include "analysis/recent.def"
	if (!(kinds & RECENT_WINDOW))
		return;
	uint32_t of = graph_window_kinds(r);
	for (kinds &= RECENT_WINDOW; kinds; kinds &= kinds - 1) {
		unsigned kind = (unsigned)__builtin_ctz(kinds);
		note(g, &g->recent[kind], of >> kind & 1);
	}
}

/* --- nodes --- */

/* The same where the width counts instructions, and these are not records. */
static uint64_t cracked_group(const struct culprit_graph *g, const struct culprit_record *r, uint64_t end)
{
	uint64_t width = starts_back(&g->starts, g->count, g->params.fetch_width);
	return r->length ? least(end, width ? width : UINT64_MAX) : UINT64_MAX;
}

/* The instruction that began the fetch group which had to end before this one: by its width, by a line's end or by its
 * taken branches, whichever is youngest. */
static inline const void *group_row(const struct culprit_graph *g, const struct culprit_record *r)
{
	const struct culprit_record *last = g->last;
	const uint64_t before = starts_last_byte(last->pc, last->length);
	uint64_t line = starts_next_line(&g->params, before, r) ? 1 : UINT64_MAX;
	uint64_t end = is(last, CULPRIT_TAKEN) ? back_to(g, g->recent[RECENT_TAKEN].far_one) : line;
	uint64_t back = least(end, g->most.fetch_width);
	if (g->starts.numbers)
		back = cracked_group(g, r, end);
	const void *row = graph_node_row(g, &g->f, (uint32_t)back);
	bool none = (back > g->count) | (back >= g->f.rows);
	return none ? g->scratch[SCRATCH_ZERO] : row;
}

static inline void plan_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	enum { REDIRECTING = CULPRIT_MISPREDICTED | CULPRIT_SERIALISING | CULPRIT_BTB_MISS };
	s->f_width = group_row(g, r);
	if (fetch_delays(r) | (g->last->flags & REDIRECTING) | (r->flags & CULPRIT_VIOLATED) | g->front_insns |
	    g->arrived.rows)
		graph_plan_redirect(g, r, s);
}

/* C of the instruction that leaves the idealised window in a few steps, which no cache of the core has any more; `one`
 * more than its number. (Always in line: gcc 12 takes a function that only prefetches for one that does nothing.) */
static inline __attribute__((always_inline)) void fetch_far(const struct culprit_graph *g, uint64_t one)
{
	const uint64_t back = g->done + 1 - one;
	if (!one || back - 1 >= g->wc[1].rows)
		return;
	const char *commit = graph_ring_row(&g->wc[1], (uint32_t)back) + graph_half_bytes(g);
	for (size_t i = 0; i < graph_half_bytes(g); i += GRAPH_ALIGN)
		__builtin_prefetch(commit + i);
}

/* Room in a structure of n entries: the instruction that many back in it must have committed; with the window
 * idealised, the one window_factor times further back. Commits are in order, so of all structures the one whose
 * instruction is youngest decides. */
static inline void plan_dispatch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint64_t near = g->most.near, far = g->most.far, next = g->count + 1 + g->kernels->ahead - far;
	uint32_t asked = g->kinds_dispatched;
	if (asked) {
		for (uint32_t kinds = graph_window_kinds(r); asked; asked &= asked - 1) {
			unsigned kind = (unsigned)__builtin_ctz(asked);
			bool of_the_kind = kinds >> kind & 1;
			near = least(near, back_to(g, when(of_the_kind, g->recent[kind].near_one)));
			uint64_t back = back_to(g, when(of_the_kind, g->recent[kind].far_one));
			next = back < far ? graph_recent_after(&g->recent[kind]) : next;
			far = least(far, back);
		}
	}
	if (g->kernels->ahead && graph_half_owned(g, 1))
		fetch_far(g, next);
	s->back[BACK_NEAR] = (int32_t)near;
	s->back[BACK_FAR] = (int32_t)(g->window_held ? near : far);
	if (g->queues_kept)
		graph_queues_plan(g, r, s);
	if (g->params.late_rename)
		graph_plan_rename(g, r, s);
	if ((g->writes.posted || g->writes.entries.count) && is(r, CULPRIT_STORE))
		graph_writes_plan(g, r, s);
	bool released = r->window == CULPRIT_WINDOW_SQ, freed = g->queues_named & (r->previous_holder != 0);
	bool recovers = g->count && record_renames_again(&g->params, g->last->flags, r);
	if (g->rob_rows.count)
		graph_rob_rows_plan(g, r, s);
	if (g->rooms_planned | released | freed | recovers)
		graph_plan_window(g, r, s);
}

/* The time at which the edges known so far allow the issue, as recorded, where no producer is beyond facts.mask. */
static inline uint64_t explained_ready(const struct culprit_graph *g, const struct culprit_record *r)
{
	const uint64_t mask = g->facts.mask, *wakes = g->facts.wakes; /* with 0 for i itself: no producer */
	uint64_t a = latest(wakes[(g->count - r->producer[0]) & mask], wakes[(g->count - r->producer[1]) & mask]);
	uint64_t b = latest(wakes[(g->count - r->producer[2]) & mask], wakes[(g->count - r->mem_producer) & mask]);
	return latest(latest(a, b), record_through(&g->facts, &g->params, r));
}

/* Producers by register and memory, the first two of them in front. */
static inline void plan_producers(const struct culprit_record *r, uint32_t third, uint32_t memory, struct graph_step *s)
{
	uint32_t first = r->producer[0], second = r->producer[1];
	second = (uint32_t)when(second != first, second);
	uint32_t more = (uint32_t)when(second != 0, memory);
	s->back[BACK_PRODUCERS] = (int32_t)first;
	s->back[BACK_PRODUCERS + 1] = (int32_t)(second | (memory ^ more));
	s->back[BACK_PRODUCERS + 2] = (int32_t)third;
	s->back[BACK_PRODUCERS + 3] = (int32_t)more;
	s->rare |= (uint32_t)when((third | more) != 0, STEP_PRODUCERS);
}

/* Returns the stores that a load waits for. */
static inline struct record_stores plan_issue(struct culprit_graph *g, const struct culprit_record *r,
					      struct graph_step *s)
{
	struct record_stores stores = {.data = r->mem_producer};
	if (is(r, CULPRIT_LOAD)) {
		stores = record_load_stores(&g->facts, g->count, r);
		s->rare |= (uint32_t)when(g->params.ordered_loads, STEP_E_FLOOR);
	}
	const uint32_t late = (uint32_t)when(g->params.late_addend != 0, r->producer[2]);
	plan_producers(r, r->producer[2] - late, stores.data, s);
	s->e_floor = g->scratch[SCRATCH_STORES];
	s->dispatch_to_issue = g->params.dispatch_to_issue;
	uint32_t furthest = r->producer[0] | r->producer[1] | r->producer[2] | r->mem_producer; /* at least */
	uint64_t explained = explained_ready(g, r);
	bool unexplained = (r->ready > explained) | (furthest > g->facts.mask);
	bool told = (r->order_waited != 0) & !g->params.ordered_loads;
	if (g->order)
		told |= graph_order_plan(g, r);
	if ((stores.leaves != 0) | unexplained | told | is(r, CULPRIT_AT_HEAD) | (late != 0))
		graph_plan_order(g, r, s, stores.leaves);
	s->contention = record_contention(&g->facts, g->count, r, stores.data);
	return stores;
}

static inline void plan_leaving(const struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	s->leaves = record_leaves_early(&g->params, r) ? g->params.commit_delay + r->dtlb : 0;
	s->leaves_exec = r->exec_latency;
	s->rare |= STEP_P_OUT;
}

static inline void plan_complete(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s,
				 struct record_stores stores)
{
	bool load = is(r, CULPRIT_LOAD);
	uint64_t latency = r->complete - r->issue;
	const uint64_t translates = when(load | is(r, CULPRIT_STORE), r->dtlb);
	uint64_t missed = when(load, r->dmiss | r->dstray | r->prefetch_level) | translates;
	uint64_t exec = latency - when(load, r->dmiss) - translates;
	if (g->ports.cycles) {
		exec -= r->port_wait;
		latency -= r->port_wait;
		s->rare |= STEP_PORT;
	}
	if (is(r, CULPRIT_FORWARDED))
		exec -= record_ahead_of_store(&g->facts, g->count, r);
	uint32_t store = load ? record_may_forward(&g->params, r, stores, exec) : 0;
	if (store) {
		exec = graph_plan_forward(g, s, store);
		latency = is(r, CULPRIT_FORWARDED) ? latency : exec;
	}
	enum culprit_event_class event = graph_execution_class(r);
	s->exec_mask = graph_mask_at(g, event, r->pc);
	const void *row = exec < GRAPH_LATENCIES && !g->ranged ? g->latencies[event][exec] : NULL;
	s->latency = row ? row : graph_latency(g, event, r->pc, (uint32_t)exec);
	s->rare |= (uint32_t)when(g->params.ordered_loads & is(r, CULPRIT_STORE), STEP_STORES);
	if (g->left.rows)
		plan_leaving(g, r, s);
	bool follows = load && graph_line_missed(g, r, 0);
	if (missed | is(r, CULPRIT_MISPREDICTED) | (r->wakeup - when(g->ports.cycles != NULL, r->port_wait) > latency) |
	    follows)
		graph_plan_complete(g, r, s, (uint32_t)exec);
}

static inline void plan_commit(const struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint64_t back = g->most.commit_width;
#define RECENT_KIND(name, parameter, scope, of_it) \
	if (RECENT_IN_##scope == RECENT_IN_COMMIT) \
		back = least(back, back_to(g, when(of_it, g->recent[RECENT_##name].far_one)));
#include "analysis/recent.def"
	s->back[BACK_COMMIT] = (int32_t)back;
}

/* --- all together --- */

/* Keep what later records ask of this one. */
static inline void remember(struct culprit_graph *g, const struct culprit_record *r)
{
	record_facts_note(&g->facts, g->count, r);
	note_kinds(g, r);
	starts_note(&g->starts, g->count, r);
	if (g->accessed)
		graph_misses_remember(g, r);
	if (g->order)
		graph_order_remember(g, r);
	if (g->params.squash_width)
		g->fetch_groups += !g->count || g->last->fetch != r->fetch;
	if (g->left.rows)
		record_facts_note_left(&g->facts, &g->params, r);
	if (g->params.late_rename)
		renames_note(&g->renames, &g->params, r, g->count);
	g->last = r;
}

bool graph_plan(struct culprit_graph *g, const struct culprit_record *r)
{
	if (!check(g, r) || !graph_rows_reserve(g, growth(g, r)))
		return false;
	struct graph_step *s = &g->steps[g->count % GRAPH_STEPS];
	s->rare = 0;
	const bool weighs = g->weighing.weights.of || weights_unusual(r);
	if (weighs && !g->rob_rows.count && !graph_plan_weights(g, r, s))
		return false;
	if (g->count >= g->ahead_due)
		plan_ahead(g, s);
	if (!g->split)
		s->bw_mask = graph_mask_at(g, CULPRIT_EVENT_bw, r->pc);
	plan_fetch(g, r, s);
	plan_dispatch(g, r, s);
	struct record_stores stores = plan_issue(g, r, s);
	plan_complete(g, r, s, stores);
	if ((g->misses.servers | g->bus.servers) && is(r, CULPRIT_STORE))
		graph_misses_write(g, r, s);
	plan_commit(g, r, s);
	if (g->params.issue_slots) {
		graph_slots_plan(g, r, s);
		if (r->issue_slots)
			graph_plan_issue_slots(g, r, s);
		graph_held_plan(g, r, s);
		if (g->selection.words)
			graph_plan_selection(g, r, s, stores.data);
	}
	graph_accesses_plan(g, r, s);
	remember(g, r);
	return !g->failed;
}
