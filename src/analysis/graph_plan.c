/* From record to step: checks a record, finds where each of its edges comes from, and which lanes keep it.
 *
 * Edges that every instruction has go into the step directly; rarer ones are first merged into floor rows. An edge
 * belongs to the event class that would remove it, by the instruction at its target - except that a branch
 * misprediction belongs to the branch. docs/graph.md has the table; graph_plan_*.c have the edges by node. */
#include "analysis/graph_plan.h"

/* --- checks --- */

static bool times_backwards(const struct culprit_record *r)
{
	return (r->fetch > r->dispatch) | (r->dispatch > r->ready) | (r->ready > r->issue) | (r->issue > r->complete) |
	       (r->complete > r->commit);
}

static bool check_times(struct culprit_graph *g, const struct culprit_record *r)
{
	if (times_backwards(r))
		return graph_fail(g, "times go backwards within the instruction");
	if (g->count && r->fetch < g->last.fetch)
		return graph_fail(g, "fetched before the instruction in front of it");
	if (g->count && r->commit < g->last.commit)
		return graph_fail(g, "committed before the instruction in front of it");
	if ((uint64_t)r->imiss + r->itlb > r->fetch)
		return graph_fail(g, "fetch misses longer than the time before the fetch");
	return true;
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
	if (!check_times(g, r))
		return false;
	if (r->op_class >= CULPRIT_OP_COUNT || r->dest > 64)
		return graph_fail(g, "operation class or register out of range");
	uint64_t parts = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	if ((r->flags & CULPRIT_LOAD) && r->complete - r->issue != parts)
		return graph_fail(g, "a load's latency is not the sum of its parts");
	return g->count > UINT32_MAX || check_distances(g, r);
}

/* --- rows --- */

static const void *row_back(const struct culprit_graph *g, const struct graph_ring *ring, uint32_t back)
{
	return back && back <= g->count ? graph_ring_row(ring, back) : g->scratch[SCRATCH_ZERO];
}

static const void *ahead_row(const struct culprit_graph *g, unsigned half)
{
	if (!g->capacity[half] || g->count < g->capacity[half])
		return g->scratch[SCRATCH_ZERO];
	uint64_t block = (g->count - g->capacity[half]) / GRAPH_AHEAD_STEP;
	return graph_ring_row(&g->ahead[half], (uint32_t)(g->count / GRAPH_AHEAD_STEP - block));
}

static void plan_rows(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const struct culprit_graph_params *p = &g->params;
	s->f_in = graph_ring_row(&g->f, 1);
	s->f_out = graph_ring_row(&g->f, 0);
	s->d_in = graph_ring_row(&g->d, 1);
	s->d_out = graph_ring_row(&g->d, 0);
	s->e_out = p->issue_queues ? graph_ring_row(&g->e, 0) : NULL;
	s->d_width = row_back(g, &g->d, p->dispatch_width);
	s->capacity = row_back(g, &g->d, p->frontend_capacity);
	for (unsigned half = 0; half < 2; half++) {
		struct graph_step_half *h = &s->half[half];
		h->ideal_capacity = ahead_row(g, half);
		h->w_out = graph_ring_row(&g->wc[half], 0);
		h->c_out = (char *)h->w_out + graph_half_bytes(g);
	}
	s->bw_mask = g->split ? NULL : graph_mask_at(g, CULPRIT_EVENT_bw, r->pc);
}

/* The most by which this instruction's times can be above all times before it: every latency and every edge on the
 * way from its fetch to its commit, added up. */
static uint64_t growth(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t fetch = (uint64_t)r->imiss + r->itlb + r->redirect + 1;
	if (r->istray | r->dstray)
		fetch += 2ull * g->longest_miss;
	if (r->redirect)
		fetch += GRAPH_MARGIN; /* a drain's edge */
	uint64_t dispatch = g->params.frontend_stages + (r->window == CULPRIT_WINDOW_SQ ? GRAPH_MARGIN : 1);
	uint64_t issue = (r->issue - r->dispatch) + 2ull * g->params.dispatch_to_issue;
	uint64_t complete = r->complete - r->issue;
	if (r->line_misser && r->line_misser <= graph_most_reach(g))
		complete +=
			GRAPH_MARGIN + g->facts[(g->count - r->line_misser) & g->fact_mask].miss + (uint64_t)r->dmiss;
	return fetch + dispatch + issue + complete + r->wakeup + g->params.commit_delay + 2;
}

bool graph_plan(struct culprit_graph *g, const struct culprit_record *r)
{
	if (!check_record(g, r) || !graph_rows_reserve(g, growth(g, r)))
		return false;
	struct graph_step *s = &g->step;
	g->kinds = graph_kinds(r) & g->kinds_asked;
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
