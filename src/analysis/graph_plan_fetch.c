/* Edges into F: groups, line ends, taken branches, redirects, fetch misses. */
#include "analysis/graph_plan.h"

static bool line_break(const struct culprit_graph *g, const struct culprit_record *r)
{
	if (!g->params.fetch_line || (g->last.flags & CULPRIT_TAKEN))
		return false;
	uint64_t here = r->pc + r->length - 1, before = g->last.pc + g->last.length - 1;
	return (here ^ before) >= g->params.fetch_line;
}

/* What a redirect waited for. Which of these it was is written in the flags of the record in front. */
static void redirect_edges(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	const void *always = graph_mask(g, 0);
	if (r->flags & CULPRIT_VIOLATED) {
		floor_node(f, NODE_WAKE, r->mem_producer, r->redirect, always);
	} else if (g->last.flags & CULPRIT_MISPREDICTED) {
		floor_row(f, g->scratch[SCRATCH_LAST_P], r->redirect,
			  graph_mask_at(g, CULPRIT_EVENT_bmisp, g->last.pc));
	} else if (g->last.flags & CULPRIT_SERIALISING) {
		floor_node(f, NODE_COMMIT, 1, r->redirect, always);
	} else if (g->last.flags & CULPRIT_BTB_MISS) {
		floor_row(f, graph_ring_row(&g->f, 1), r->redirect + 1u,
			  graph_mask_at(g, CULPRIT_EVENT_bmisp, g->last.pc));
	} else if (r->redirect) {
		/* the pipeline drained, for a signal or another thread's turn */
		uint64_t start = r->fetch - r->imiss - r->itlb;
		if (start >= g->last.commit)
			floor_node(f, NODE_COMMIT, 1, graph_clip_edge(start - g->last.commit), always);
	}
}

void graph_plan_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct floor f = {g, SCRATCH_F_FLOOR, {false, false}};
	if (g->count) {
		if (line_break(g, r))
			floor_row(&f, graph_ring_row(&g->f, 1), 1, graph_mask_at(g, CULPRIT_EVENT_bw, r->pc));
		if (g->last.flags & CULPRIT_TAKEN) {
			uint64_t back = graph_recent_distance(g, RECENT_TAKEN, g->params.taken_limit);
			if (back && back < g->f.rows)
				floor_row(&f, graph_ring_row(&g->f, (uint32_t)back), 1,
					  graph_mask_at(g, CULPRIT_EVENT_bw, r->pc));
		}
		redirect_edges(g, r, &f);
	}
	s->f_floor = floor_done(&f);
	s->f_add = NULL;
	uint32_t stray = graph_stray_cycles(g, r->pc, r->istray, r->imiss, g->stray_lines[1]);
	if (!(r->imiss | r->itlb | stray))
		return;
	void *add = g->scratch[SCRATCH_F_ADD];
	g->kernel->latency(add, r->imiss, graph_mask_at(g, graph_fetch_miss(r->ilevel), r->pc), true);
	g->kernel->latency(add, r->itlb, graph_mask_at(g, CULPRIT_EVENT_itlb, r->pc), false);
	if (stray)
		g->kernel->latency(add, stray, graph_stray_mask(g, graph_fetch_miss(r->istray), r->pc), false);
	s->f_add = add;
}
