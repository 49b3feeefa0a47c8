/* Rarer edges into F: redirects, fetch misses. */
#include "analysis/graph/plan.h"

/* Fetch waits for P of the store, or of the load in front (lsq.load_order). That is told by its W, less by what the
 * wake-up loop is longer than the operation, as recorded. (In lanes without the store's latency there is no such loop:
 * fetch may go on a little too early there.) */
static void violation_edge(struct culprit_graph *g, const struct culprit_record *r, const struct graph_step *s,
			   struct floor *f)
{
	const uint32_t store = record_violator(&g->facts, &g->params, g->count, r);
	uint64_t wake = record_wake(&g->facts, g->count, store);
	uint64_t loop = wake ? wake - record_fact(&g->facts, g->count, store)->complete : 0;
	const bool behind_load = store == 1 && !(g->last->flags & CULPRIT_STORE); /* nobody learns from that */
	g->violated = behind_load ? graph_mask(g, 0) : graph_order_violated(g, r, s, store);
	floor_node(f, NODE_WAKE, store, r->redirect - (uint32_t)loop, g->violated);
}

/* The decoder has room for the branch when an instruction before it has been dispatched. */
static void decode_edges(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	const struct culprit_graph_params *p = &g->params;
	const void *owned = graph_mask_at(g, CULPRIT_EVENT_bmisp, g->last->pc);
	uint64_t held = p->decode_insns ? starts_end(&g->starts, g->count, p->decode_insns + 1ull) : 0;
	floor_row(f, graph_fetched_row(g), r->redirect + (p->decode_insns ? p->decode_stages : 1), owned);
	if (held && held < g->d.rows) {
		graph_owners owners = graph_owners_at(g, CULPRIT_EVENT_bmisp, g->last->pc);
		owners |= graph_owners_at(g, CULPRIT_EVENT_bw, g->last->pc);
		floor_row(f, graph_node_row(g, &g->d, (uint32_t)held), r->redirect, graph_mask(g, owners));
	}
}

/* What a redirect waited for. Which of these it was is written in the flags of the record in front. */
static void redirect_edges(struct culprit_graph *g, const struct culprit_record *r, const struct graph_step *s,
			   struct floor *f)
{
	const void *always = graph_mask(g, 0);
	if (r->flags & CULPRIT_VIOLATED) {
		violation_edge(g, r, s, f);
	} else if (g->last->flags & CULPRIT_MISPREDICTED) {
		floor_row(f, g->scratch[SCRATCH_LAST_P], r->redirect,
			  graph_mask_at(g, CULPRIT_EVENT_bmisp, g->last->pc));
	} else if (g->last->flags & CULPRIT_SERIALISING) {
		floor_node(f, NODE_COMMIT, 1, r->redirect, always);
	} else if (g->last->flags & CULPRIT_BTB_MISS) {
		decode_edges(g, r, f);
	} else if (r->redirect) {
		/* the pipeline drained, for a signal or another thread's turn */
		uint64_t start = r->fetch - r->imiss - r->itlb;
		if (start >= g->last->commit)
			floor_node(f, NODE_COMMIT, 1, graph_clip_edge(start - g->last->commit), always);
	}
}

static void plan_fetch_misses(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint32_t stray = r->istray ? graph_stray_cycles(g, r->pc, r->istray, r->imiss, g->stray_lines[1]) : 0;
	void *add = g->scratch[SCRATCH_F_ADD];
	graph_catch_up(g);
	enum culprit_event_class level = graph_fetch_miss(r->ilevel);
	g->kernel->latency(add, r->imiss - r->stray_wait - graph_misses_fetch(g, r, s), graph_mask_at(g, level, r->pc),
			   true);
	if (r->stray_wait)
		g->kernel->latency(add, r->stray_wait, graph_mask_with_bmisp(g, level, r->pc), false);
	if (r->itlb)
		g->kernel->latency(add, r->itlb, graph_mask_at(g, CULPRIT_EVENT_itlb, r->pc), false);
	if (stray)
		g->kernel->latency(add, stray, graph_stray_mask(g, graph_fetch_miss(r->istray), r->pc), false);
	s->f_add = add;
	s->rare |= STEP_F_ADD;
}

/* Of a place for the n-th instruction back: that one has left it. */
static void room_edge(struct culprit_graph *g, const struct culprit_record *r, struct floor *f,
		      const struct graph_ring *left, uint32_t n)
{
	uint64_t back = r->length ? starts_end(&g->starts, g->count, n) : 0;
	if (back && back < left->rows)
		floor_row(f, graph_node_row(g, left, (uint32_t)back), 0, graph_mask_at(g, CULPRIT_EVENT_bw, r->pc));
}

/* Instructions leave fetch in order, so many in a cycle, to where there is room. */
static void plan_arrival(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct floor f = {g, SCRATCH_ARRIVED, {false, false}};
	s->arrived = g->scratch[SCRATCH_ZERO];
	s->rare |= STEP_ARRIVED;
	if (!g->count)
		return;
	floor_row(&f, graph_fetched_row(g), 0, graph_mask(g, 0));
	const uint64_t back = r->length ? starts_back(&g->starts, g->count, g->params.fetch_width) : 0;
	if (back && back < g->arrived.rows)
		floor_row(&f, graph_node_row(g, &g->arrived, (uint32_t)back), 1,
			  graph_mask_at(g, CULPRIT_EVENT_bw, r->pc));
	room_edge(g, r, &f, &g->d, g->front_insns);
	s->arrived = floor_done(&f);
}

void graph_plan_redirect(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	if (g->count) {
		struct floor f = {g, SCRATCH_F_FLOOR, {false, false}};
		redirect_edges(g, r, s, &f);
		if (g->arrived.rows)
			room_edge(g, r, &f, &g->arrived, g->params.fetch_asked);
		else
			room_edge(g, r, &f, &g->d, g->front_insns);
		s->f_floor = floor_done(&f);
		s->rare |= s->f_floor ? STEP_F_FLOOR : 0;
	}
	if (g->arrived.rows)
		plan_arrival(g, r, s);
	if (r->imiss | r->itlb | r->istray)
		plan_fetch_misses(g, r, s);
}
