/* Edges into P, W and C: latencies, misses, lines on their way, store bandwidth. */
#include "analysis/graph_plan.h"

static enum culprit_event_class execution_class(const struct culprit_record *r)
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

/* PP: the line is on its way already. The access completes with it, or when it would have brought the line itself, if
 * idealisation made it the first. A load too old for the rings completed before i was dispatched; a store writes only
 * after its commit, so the line of an old store may still be under way: then the recorded wait stays.
 * False: who brings the line is not known. */
static bool plan_sharing(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	s->p_floor = NULL;
	if (!(r->flags & CULPRIT_MERGED) || !r->line_misser || r->line_misser > g->furthest)
		return false;
	const struct graph_fact *misser = &g->facts[(g->count - r->line_misser) & g->fact_mask];
	bool load = misser->flags & CULPRIT_LOAD;
	uint64_t from = load ? misser->complete : misser->commit;
	if (r->complete < from || r->complete - from > GRAPH_MARGIN)
		return false;
	struct floor f = {g, SCRATCH_P_FLOOR, {false, false}};
	const void *mask = graph_mask_at(g, graph_data_miss(r->dlevel), r->pc);
	floor_node(&f, load ? NODE_WAKE : NODE_COMMIT, r->line_misser, (uint32_t)(r->complete - from), mask);
	for (unsigned half = 0; half < 2; half++)
		if (!load && !f.begun[half])
			floor_edge(&f, half, graph_mask(g, 0), 0, mask);
	s->p_floor = floor_done(&f);
	s->alone = misser->miss > r->dmiss ? misser->miss : r->dmiss;
	s->alone_mask = mask;
	return true;
}

/* A mispredicted branch resolves at least one cycle after its issue, so its last cycle goes only when it is both
 * idealised and predicted right. */
static const void *mispredicted_mask(struct culprit_graph *g, const struct culprit_record *r, const void *mask)
{
	const char *bmisp = graph_mask_at(g, CULPRIT_EVENT_bmisp, r->pc);
	char *either = g->scratch[SCRATCH_MASK];
	for (size_t i = 0; i < 2 * graph_half_bytes(g); i++)
		either[i] = ((const char *)mask)[i] | bmisp[i];
	return either;
}

/* Usually one miss of one class; the rest is added up in a row. */
static void plan_misses(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	s->miss = plan_sharing(g, r, s) ? 0 : r->dmiss;
	if (s->miss)
		s->miss_mask = graph_mask_at(g, graph_data_miss(r->dlevel), r->pc);
	uint32_t stray = r->dstray ? graph_stray_cycles(g, r->mem_addr, r->dstray, r->dmiss, g->stray_lines[0]) : 0;
	if (!(r->dtlb | stray))
		return;
	void *add = g->scratch[SCRATCH_P_ADD];
	g->kernel->latency(add, r->dtlb, graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc), true);
	if (stray)
		g->kernel->latency(add, stray, graph_stray_mask(g, graph_data_miss(r->dstray), r->pc), false);
	s->p_add = add;
}

void graph_plan_complete(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	bool load = r->flags & CULPRIT_LOAD;
	s->exec = load ? r->exec_latency : (uint32_t)(r->complete - r->issue);
	s->exec_mask = graph_mask_at(g, execution_class(r), r->pc);
	s->wake = r->wakeup;
	s->wake_apart = r->wakeup > r->complete - r->issue;
	s->p_out = NULL;
	s->stores = g->params.ordered_loads && (r->flags & CULPRIT_STORE) ? g->scratch[SCRATCH_STORES] : NULL;
	if (r->flags & CULPRIT_MISPREDICTED) {
		s->exec_mask = s->exec == 1 ? mispredicted_mask(g, r, s->exec_mask) : s->exec_mask;
		s->p_out = g->scratch[SCRATCH_LAST_P];
	}
	s->miss_mask = NULL;
	s->p_add = NULL;
	s->p_floor = NULL;
	if (load && (r->dmiss | r->dtlb | r->dstray))
		plan_misses(g, r, s);
}

void graph_plan_commit(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint64_t back = g->params.commit_width ? g->params.commit_width : UINT64_MAX;
	if (r->flags & CULPRIT_STORE) {
		uint64_t store = graph_recent_distance(g, RECENT_STORE, g->params.commit_stores);
		back = store && store < back ? store : back;
	}
	for (unsigned half = 0; half < 2; half++) {
		struct graph_step_half *h = &s->half[half];
		const char *row = graph_wake_row(g, half, back);
		h->c_in = graph_ring_row(&g->wc[half], 1);
		h->c_width = row ? row : g->scratch[SCRATCH_ZERO];
	}
}
