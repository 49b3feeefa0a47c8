/* Stores' writes and the store queue. A store's write begins at its commit; its entry is free when that write and those
 * of all older stores are done: R(i) = max(R(i-1), C(i) + hit + translation + miss). Idealisation can leave a write no
 * time at all; then the entry is free at C(i), whatever older ones do.
 *
 * The entries are a pool; those of a window window_factor times as large, too many for one, are taken to leave in
 * order.
 *
 * A write whose line is on its way is done with the line. Where an older store's write brings it, which is the rule,
 * R(i-1) says so already, in every lane; that the write takes time is all that is left to say. Otherwise the wait stays
 * as recorded. */
#include "analysis/graph/plan.h"

static uint32_t far_factor(const struct culprit_graph_params *p)
{
	return p->large & CULPRIT_EVENT_BIT(lsq) ? 1 : p->window_factor;
}

void graph_writes_size(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	struct graph_writes *w = &g->writes;
	if (!p->store_writes || !p->sq)
		return;
	bool halves = g->window_halves;
	w->entries.count = p->sq;
	w->entries.halves = halves ? 1 : 2;
	w->released.rows = halves ? p->sq * far_factor(p) + 1 : 0;
}

/* The row of store number `number`. */
static char *released_row(const struct graph_writes *w, uint64_t number)
{
	return w->released.base + number % w->released.rows * w->released.stride;
}

void graph_writes_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_writes *w = &g->writes;
	uint64_t far = (uint64_t)g->params.sq * far_factor(&g->params);
	uint64_t done = r->commit + g->params.write_hit + r->write_dtlb + r->write_miss;
	s->entry[0] = graph_pool_first(&w->entries);
	s->entry[1] = w->released.rows && far <= w->planned ? released_row(w, w->planned - far)
							    : g->scratch[SCRATCH_ZERO];
	s->rare |= STEP_WRITE | (w->released.rows ? STEP_D_ENTRY : 0);
	bool covered = r->write_merged && done <= w->recorded;
	s->write_miss = covered ? r->write_miss != 0 : r->write_miss;
	s->write_dtlb = r->write_dtlb;
	s->hit_mask = graph_mask_at(g, CULPRIT_EVENT_dl1, r->pc);
	s->write_miss_mask = graph_mask_at(g, graph_data_miss(r->write_level), r->pc);
	s->write_dtlb_mask = graph_mask_at(g, CULPRIT_EVENT_dtlb, r->pc);
	w->recorded = done > w->recorded ? done : w->recorded;
	w->planned++;
}

/* Cycles from commit until the write is done, in each lane. */
static const char *write_row(struct culprit_graph *g, const struct graph_step *s)
{
	char *row = g->scratch[SCRATCH_WRITE];
	g->kernel->latency(row, g->params.write_hit, s->hit_mask, true);
	if (s->write_miss)
		g->kernel->latency(row, s->write_miss, s->write_miss_mask, false);
	if (s->write_dtlb)
		g->kernel->latency(row, s->write_dtlb, s->write_dtlb_mask, false);
	if (s->rare & (STEP_MISS_WRITE | STEP_WRITE_BUS))
		g->kernel->add(row, g->scratch[SCRATCH_WRITE_WAIT]);
	return row;
}

void graph_writes_hold(struct culprit_graph *g, const struct graph_step *s)
{
	struct graph_writes *w = &g->writes;
	const char *write = write_row(g, s);
	char *released = g->scratch[SCRATCH_RELEASED];
	for (unsigned half = 0; half < 2; half++) {
		size_t offset = half * graph_half_bytes(g);
		const char *commit = graph_ring_row(&g->wc[half], 0) + graph_half_bytes(g);
		g->kernel->write(released + offset, g->scratch[SCRATCH_DONE] + offset, commit, write + offset);
	}
	if (w->released.rows)
		memcpy(released_row(w, w->count), released + graph_half_bytes(g), graph_half_bytes(g));
	graph_pool_take(g, &w->entries, released);
	w->count++;
}
