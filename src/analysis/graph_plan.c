/* From record to step: checks a record, finds where each of its edges comes from, and which lanes keep it.
 *
 * Edges that every instruction has go into the step directly; rarer ones are first merged into floor rows. An edge
 * belongs to the event class that would remove it, by the instruction at its target - except that a branch
 * misprediction belongs to the branch. docs/graph.md has the table; graph_plan_*.c have the edges by node. */
#include "analysis/graph_plan.h"

/* --- checks --- */

static bool check_times(struct culprit_graph *g, const struct culprit_record *r)
{
	if (r->fetch > r->dispatch || r->dispatch > r->ready || r->ready > r->issue || r->issue > r->complete ||
	    r->complete > r->commit)
		return graph_fail(g, "times go backwards within the instruction");
	if (g->count && r->fetch < g->last.fetch)
		return graph_fail(g, "fetched before the instruction in front of it");
	if (g->count && r->commit < g->last.commit)
		return graph_fail(g, "committed before the instruction in front of it");
	if ((uint64_t)r->imiss + r->itlb > r->fetch)
		return graph_fail(g, "fetch misses longer than the time before the fetch");
	return true;
}

/* Without a branch for each: all steps are positive, and no time is so late that a step could overflow. */
static bool times_plain(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t signs = r->fetch | (r->dispatch - r->fetch) | (r->ready - r->dispatch) | (r->issue - r->ready) |
			 (r->complete - r->issue) | (r->commit - r->complete);
	signs |= r->dispatch | r->ready | r->issue | r->complete | r->commit;
	signs |= (r->fetch - g->last.fetch) | (r->commit - g->last.commit) | (r->fetch - r->imiss - r->itlb);
	return !(signs >> 63);
}

static bool check_distances(struct culprit_graph *g, const struct culprit_record *r)
{
	const uint32_t distances[] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer,
				      r->line_misser, r->queue_freer, r->order_waited};
	for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
		if (distances[i] > g->count)
			return graph_fail(g, "a distance of %u reaches before the stream's start", distances[i]);
	return true;
}

static bool check_record(struct culprit_graph *g, const struct culprit_record *r)
{
	if (g->count && r->seq != g->last.seq + 1)
		return graph_fail(g, "does not follow number %llu", (unsigned long long)g->last.seq);
	if (!times_plain(g, r) && !check_times(g, r))
		return false;
	if (r->op_class >= CULPRIT_OP_COUNT || r->dest > 64)
		return graph_fail(g, "operation class or register out of range");
	uint64_t parts = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	if ((r->flags & CULPRIT_LOAD) && r->complete - r->issue != parts)
		return graph_fail(g, "a load's latency of %llu cycles is not the sum of its parts: %u + %u + %u",
				  (unsigned long long)(r->complete - r->issue), r->exec_latency, r->dtlb, r->dmiss);
	uint32_t furthest = r->producer[0] | r->producer[1] | r->producer[2] | r->mem_producer | r->line_misser |
			    r->queue_freer | r->order_waited; /* at least */
	return furthest <= g->count || check_distances(g, r);
}

/* --- rows --- */

/* Every GRAPH_AHEAD_STEP instructions another one has to have been dispatched. */
static void plan_ahead(struct culprit_graph *g, struct graph_step *s)
{
	g->ahead_due = UINT64_MAX;
	for (unsigned half = 0; half < 2; half++) {
		uint64_t capacity = g->capacity[half], due = capacity;
		s->half[half].ideal_capacity = g->scratch[SCRATCH_ZERO];
		if (capacity && g->count >= capacity) {
			uint64_t block = (g->count - capacity) / GRAPH_AHEAD_STEP;
			uint64_t newest = (g->count + GRAPH_AHEAD_STEP - 1) / GRAPH_AHEAD_STEP - 1;
			s->half[half].ideal_capacity = graph_power_row(&g->ahead[half], (uint32_t)(newest - block));
			due = (block + 1) * GRAPH_AHEAD_STEP + capacity;
		}
		g->ahead_due = capacity && due < g->ahead_due ? due : g->ahead_due;
	}
}

static void plan_rows(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const struct culprit_graph_params *p = &g->params;
	s->f_in = graph_power_row(&g->f, 1);
	s->f_out = graph_power_row(&g->f, 0);
	s->d_in = graph_power_row(&g->d, 1);
	s->d_out = graph_power_row(&g->d, 0);
	s->e_out = p->issue_queues ? graph_power_row(&g->e, 0) : NULL;
	/* rows of before the first instruction are 0 */
	s->d_width = p->dispatch_width ? graph_power_row(&g->d, p->dispatch_width) : g->scratch[SCRATCH_ZERO];
	s->capacity = p->frontend_capacity ? graph_power_row(&g->d, p->frontend_capacity) : g->scratch[SCRATCH_ZERO];
	for (unsigned half = 0; half < 2; half++)
		s->half[half].wc_out = graph_ring_row(&g->wc[half], 0);
	if (g->count >= g->ahead_due)
		plan_ahead(g, s);
	s->bw_mask = g->split ? NULL : graph_mask_at(g, CULPRIT_EVENT_bw, r->pc);
}

/* The kinds an instruction is of. */
static uint32_t kinds_of(const struct culprit_record *r)
{
	uint32_t taken = (r->flags & CULPRIT_TAKEN) != 0, load = (r->flags & CULPRIT_LOAD) != 0;
	uint32_t store = (r->flags & CULPRIT_STORE) != 0, integer = r->dest - 1u < 31, fp = r->dest - 32u < 32;
	return taken << RECENT_TAKEN | load << RECENT_LQ | store << RECENT_SQ | (load | store) << RECENT_LSQ |
	       store << RECENT_STORE | integer << RECENT_INT | fp << RECENT_FP;
}

/* The most by which this instruction's times can be above all times before it: every latency and every edge on the
 * way from its fetch to its commit, added up. */
static uint64_t growth(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t cycles = g->least_growth + r->imiss + r->itlb + r->redirect + r->wakeup + (r->complete - r->dispatch);
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

bool graph_plan(struct culprit_graph *g, const struct culprit_record *r)
{
	if (!check_record(g, r) || !graph_rows_reserve(g, growth(g, r)))
		return false;
	struct graph_step *s = &g->step;
	g->kinds = kinds_of(r) & g->kinds_asked;
	plan_rows(g, r, s);
	graph_plan_fetch(g, r, s);
	graph_plan_dispatch(g, r, s);
	graph_plan_issue(g, r, s);
	graph_plan_complete(g, r, s);
	graph_plan_commit(g, r, s);
	if (g->params.issue_slots)
		graph_slots_plan(g, r, s);
	return !g->failed;
}
