/* Edges into F: groups, line ends, taken branches, redirects, fetch misses. */
#include "analysis/graph_plan.h"

static bool line_break(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t here = r->pc + r->length - 1;
	return g->params.fetch_line && (here ^ g->last.end) >= g->params.fetch_line;
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
		floor_row(f, graph_power_row(&g->f, 1), r->redirect + 1u,
			  graph_mask_at(g, CULPRIT_EVENT_bmisp, g->last.pc));
	} else if (r->redirect) {
		/* the pipeline drained, for a signal or another thread's turn */
		uint64_t start = r->fetch - r->imiss - r->itlb;
		if (start >= g->last.commit)
			floor_node(f, NODE_COMMIT, 1, graph_clip_edge(start - g->last.commit), always);
	}
}

/* The instruction that began the fetch group which had to end before this one: by its width, by a line's end or by its
 * taken branches, whichever is youngest. */
static const void *group_row(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t taken = graph_recent_distance(g, RECENT_TAKEN, g->params.taken_limit);
	uint64_t line = line_break(g, r) ? 1 : UINT64_MAX;
	uint64_t end = g->last.flags & CULPRIT_TAKEN ? taken - 1 : line - 1; /* 0 taken = none */
	uint64_t width = (uint64_t)g->params.fetch_width - 1;		     /* 0 = unlimited */
	uint64_t back = (end < width ? end : width) + 1;
	bool none = back - 1 >= g->count || back >= g->f.rows;
	return none ? g->scratch[SCRATCH_ZERO] : graph_power_row(&g->f, (uint32_t)back);
}

static void plan_fetch_misses(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint32_t stray = r->istray ? graph_stray_cycles(g, r->pc, r->istray, r->imiss, g->stray_lines[1]) : 0;
	void *add = g->scratch[SCRATCH_F_ADD];
	g->kernel->latency(add, r->imiss, graph_mask_at(g, graph_fetch_miss(r->ilevel), r->pc), true);
	if (r->itlb)
		g->kernel->latency(add, r->itlb, graph_mask_at(g, CULPRIT_EVENT_itlb, r->pc), false);
	if (stray)
		g->kernel->latency(add, stray, graph_stray_mask(g, graph_fetch_miss(r->istray), r->pc), false);
	s->f_add = add;
}

void graph_plan_fetch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	enum { REDIRECTING = CULPRIT_MISPREDICTED | CULPRIT_SERIALISING | CULPRIT_BTB_MISS };
	s->f_width = group_row(g, r);
	s->f_floor = NULL;
	s->f_add = NULL;
	if (g->count && ((g->last.flags & REDIRECTING) || (r->flags & CULPRIT_VIOLATED) || r->redirect)) {
		struct floor f = {g, SCRATCH_F_FLOOR, {false, false}};
		redirect_edges(g, r, &f);
		s->f_floor = floor_done(&f);
	}
	if (r->imiss | r->itlb | r->istray)
		plan_fetch_misses(g, r, s);
}
