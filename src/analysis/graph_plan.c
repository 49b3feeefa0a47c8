/* From record to step: checks a record, finds where each of its edges comes from, and which lanes keep it.
 *
 * Here is what every instruction has, with as few branches as can be: what a program does next is hard to predict, and
 * the host has better to do than to begin again. Edges that every instruction has go into the step as distances; rarer
 * ones are first merged into floor rows, by graph_plan_*.c, one for each node. An edge belongs to the event class that
 * would remove it, by the instruction at its target - except that a branch misprediction belongs to the branch.
 * docs/graph.md has the table. */
#include "analysis/graph_plan.h"

/* --- room --- */

/* The most by which an instruction's times can be above all times before it: every latency and every edge on the
 * way from its fetch to its commit, added up. This is for the rarer ones. */
static uint64_t rare_growth(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t cycles = 0;
	if (r->istray | r->dstray)
		cycles += 2ull * g->longest_miss;
	if (r->redirect)
		cycles += GRAPH_MARGIN; /* a drain's edge */
	if (r->window == CULPRIT_WINDOW_SQ)
		cycles += GRAPH_MARGIN;
	if (r->line_misser && r->line_misser <= g->furthest)
		cycles += GRAPH_MARGIN + g->facts[(g->count - r->line_misser) & g->fact_mask].miss + (uint64_t)r->dmiss;
	return cycles;
}

static uint64_t growth(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t cycles = g->least_growth + r->imiss + r->itlb + r->redirect + r->wakeup + (r->complete - r->dispatch);
	if (r->istray | r->dstray | r->redirect | r->line_misser | (r->window == CULPRIT_WINDOW_SQ))
		cycles += rare_growth(g, r);
	return cycles;
}

/* Every GRAPH_AHEAD_STEP instructions another one has to have been dispatched. F never decreases, so between these this edge
 * says nothing new. */
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

/* --- nodes --- */

/* The instruction that began the fetch group which had to end before this one: by its width, by a line's end or by its
 * taken branches, whichever is youngest. */
static inline const void *group_row(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t crossed = (r->pc + r->length - 1) ^ g->last.end;
	uint64_t line = g->params.fetch_line && crossed >= g->params.fetch_line ? 1 : UINT64_MAX;
	uint64_t taken = g->count + 1 - g->recent[RECENT_TAKEN].far_one; /* before the start = none */
	uint64_t end = g->last.flags & CULPRIT_TAKEN ? taken : line;
	uint64_t width = g->params.fetch_width ? g->params.fetch_width : UINT64_MAX;
	uint64_t back = end < width ? end : width;
	bool none = back > g->count || back >= g->f.rows;
	return none ? g->scratch[SCRATCH_ZERO] : graph_node_row(g, &g->f, (uint32_t)back);
}

static inline void plan_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	enum { REDIRECTING = CULPRIT_MISPREDICTED | CULPRIT_SERIALISING | CULPRIT_BTB_MISS };
	s->f_width = group_row(g, r);
	uint32_t redirected = (g->last.flags & REDIRECTING) | (r->flags & CULPRIT_VIOLATED) | r->redirect;
	if (redirected | r->imiss | r->itlb | r->istray)
		graph_plan_redirect(g, r, s);
}

static inline bool is(const struct culprit_record *r, unsigned flag)
{
	return (r->flags & flag) != 0;
}

/* The kinds an instruction is of. */
static inline uint32_t kinds_of(const struct culprit_record *r)
{
	uint32_t taken = is(r, CULPRIT_TAKEN), load = is(r, CULPRIT_LOAD), store = is(r, CULPRIT_STORE);
	uint32_t integer = r->dest - 1u < 31, fp = r->dest - 32u < 32;
	return taken << RECENT_TAKEN | load << RECENT_LQ | store << RECENT_SQ | (load | store) << RECENT_LSQ |
	       store << RECENT_STORE | integer << RECENT_INT | fp << RECENT_FP;
}

static inline uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Room in a structure of n entries: the instruction that many back in it must have committed; with the window idealised,
 * the one window_factor times further back. Commits are in order, so of all structures the one whose instruction is
 * youngest decides. */
static inline void plan_dispatch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s,
				 uint32_t kinds)
{
	uint64_t far_rob = (uint64_t)g->params.rob * g->params.window_factor;
	uint64_t next = g->count + 1, near = 0, far = 0;
	for (uint32_t asked = g->kinds_asked & RECENT_WINDOW; asked; asked &= asked - 1) {
		unsigned kind = (unsigned)__builtin_ctz(asked);
		uint64_t mask = -(uint64_t)(kinds >> kind & 1);
		near = latest(near, g->recent[kind].near_one & mask);
		far = latest(far, g->recent[kind].far_one & mask);
	}
	near = next - near < g->params.rob ? next - near : g->params.rob;
	far = next - far < far_rob ? next - far : far_rob;
	s->back[BACK_NEAR] = (int32_t)near;
	s->back[BACK_FAR] = (int32_t)(g->window_held ? near : far);
	bool released = r->window == CULPRIT_WINDOW_SQ, freed = g->params.issue_queues && r->queue_freer;
	if (g->window_own | released | freed)
		graph_plan_window(g, r, s);
}

/* --- issue --- */

/* The time at which the edges known so far allow the issue, as recorded. */
static inline uint64_t explained_ready(const struct culprit_graph *g, const struct culprit_record *r)
{
	const uint64_t mask = g->fact_mask, *wakes = g->wakes; /* with 0 for i itself: no producer */
	uint64_t a = latest(wakes[(g->count - r->producer[0]) & mask], wakes[(g->count - r->producer[1]) & mask]);
	uint64_t b = latest(wakes[(g->count - r->producer[2]) & mask], wakes[(g->count - r->mem_producer) & mask]);
	return latest(latest(a, b), r->dispatch + g->params.dispatch_to_issue);
}

static inline void plan_issue(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint32_t first = r->producer[0], second = r->producer[1], memory = r->mem_producer;
	second = second == first ? 0 : second;
	bool load = r->flags & CULPRIT_LOAD, partial = false;
	if (load) {
		bool whole;
		uint32_t store = graph_memory_producer(g, r, &whole);
		partial = store && !whole && (!memory || memory == store);
		memory = !memory && whole ? store : memory;
	}
	uint32_t more = second ? memory : 0;
	s->back[BACK_PRODUCERS] = (int32_t)first;
	s->back[BACK_PRODUCERS + 1] = (int32_t)(second ? second : memory);
	s->back[BACK_PRODUCERS + 2] = (int32_t)r->producer[2];
	s->back[BACK_PRODUCERS + 3] = (int32_t)more;
	s->rare |= r->producer[2] | more ? STEP_PRODUCERS : 0;
	s->dispatch_to_issue = g->params.dispatch_to_issue;
	uint32_t furthest = first | r->producer[1] | r->producer[2] | r->mem_producer; /* at least */
	bool unexplained = r->ready > explained_ready(g, r) || furthest > g->fact_mask;
	if (partial | unexplained | is(r, CULPRIT_AT_HEAD)) {
		graph_plan_order(g, r, s, partial);
	} else if (load & g->params.ordered_loads) {
		s->rare |= STEP_E_FLOOR;
		s->e_floor = g->scratch[SCRATCH_STORES];
	}
	uint64_t earliest = latest(r->ready, r->dispatch + s->dispatch_to_issue);
	s->contention = r->issue > earliest && !g->params.issue_slots ? (uint32_t)(r->issue - earliest) : 0;
}

/* --- completion and commit --- */

static inline enum culprit_event_class execution_class(const struct culprit_record *r)
{
	enum { by_latency = CULPRIT_EVENT_COUNT, dl1 = CULPRIT_EVENT_dl1, lgalu = CULPRIT_EVENT_lgalu };
	static const uint8_t event[][2] = {
	/* latency at most 1, more */
#define OP_CLASS(name, label, event_) \
	{event_ == by_latency ? CULPRIT_EVENT_shalu : (event_), event_ == by_latency ? CULPRIT_EVENT_lgalu : (event_)},
#include "culprit/op_class.def"
	};
	return (enum culprit_event_class)event[r->op_class][r->exec_latency > 1];
}

static inline void plan_complete(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	bool load = r->flags & CULPRIT_LOAD;
	uint64_t latency = r->complete - r->issue, exec = load ? r->exec_latency : latency;
	enum culprit_event_class event = execution_class(r);
	s->exec_mask = graph_mask_at(g, event, r->pc);
	const void *row = exec < GRAPH_LATENCIES && !g->ranged ? g->latencies[event][exec] : NULL;
	s->latency = row ? row : graph_latency(g, event, r->pc, (uint32_t)exec);
	bool missed = load && (r->dmiss | r->dtlb | r->dstray);
	if (missed | is(r, CULPRIT_MISPREDICTED) | (r->wakeup > latency))
		graph_plan_complete(g, r, s, (uint32_t)exec);
	s->rare |= g->params.ordered_loads & is(r, CULPRIT_STORE) ? STEP_STORES : 0;
}

static inline void plan_commit(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint64_t width = g->params.commit_width ? g->params.commit_width : INT32_MAX;
	uint64_t store = g->count + 1 - g->recent[RECENT_STORE].far_one;
	bool stored = is(r, CULPRIT_STORE) && g->recent[RECENT_STORE].far_one && store < width;
	s->back[BACK_COMMIT] = (int32_t)(stored ? store : width);
}

bool graph_plan(struct culprit_graph *g, const struct culprit_record *r)
{
	if (!graph_check(g, r) || !graph_rows_reserve(g, growth(g, r)))
		return false;
	struct graph_step *s = &g->step;
	s->rare = 0;
	if (g->count >= g->ahead_due)
		plan_ahead(g, s);
	if (!g->split)
		s->bw_mask = graph_mask_at(g, CULPRIT_EVENT_bw, r->pc);
	g->kinds = kinds_of(r);
	plan_fetch(g, r, s);
	plan_dispatch(g, r, s, g->kinds);
	plan_issue(g, r, s);
	plan_complete(g, r, s);
	plan_commit(g, r, s);
	if (g->params.issue_slots)
		graph_slots_plan(g, r, s);
	return !g->failed;
}

/* --- after the step --- */

/* What later records ask of this one. */
void graph_remember(struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t at = g->count & g->fact_mask;
	g->wakes[at] = latest(r->issue + r->wakeup, r->complete);
	g->wakes[(at + 1) & g->fact_mask] = 0;
	g->facts[at] = (struct graph_fact){r->complete, r->commit, r->dmiss, r->flags};
	for (uint32_t asked = g->kinds_asked; asked; asked &= asked - 1) {
		unsigned kind = (unsigned)__builtin_ctz(asked);
		struct graph_recent *recent = &g->recent[kind];
		recent->numbers[recent->count & recent->mask] = g->count + 1; /* counts only if it is of the kind */
		recent->count += g->kinds >> kind & 1;
		recent->near_one = recent->numbers[(recent->count - recent->near) & recent->mask];
		recent->far_one = recent->numbers[(recent->count - recent->size) & recent->mask];
	}
	if (r->flags & CULPRIT_STORE)
		graph_memory_store(g, r);
	g->last = (struct graph_last){r->seq, r->pc, r->fetch, r->commit, r->pc + r->length - 1, r->flags};
}
