/* See the header. */
#include "analysis/graph/pool.h"

#include "analysis/graph/plan.h"

void graph_pool_take(const struct culprit_graph *g, struct graph_pool *p, const void *until)
{
	uint32_t front = p->count < GRAPH_POOL_FRONT ? p->count : GRAPH_POOL_FRONT;
	bool full = ++p->taken == GRAPH_POOL_FRONT;
	for (uint32_t half = 0; half < p->halves; half++) {
		size_t offset = half * graph_half_bytes(g);
		if (!graph_half_owned(g, half))
			continue;
		g->kernel->pool_take(p->rows + offset, front, p->stride, (const char *)until + offset);
		if (full && p->count > GRAPH_POOL_FRONT)
			g->kernel->pool_merge(p->rows + offset, p->count, p->stride);
	}
	p->taken = full ? 0 : p->taken;
}

size_t graph_pool_place(const struct culprit_graph *g, struct graph_pool *p, char *rows)
{
	p->rows = rows;
	p->stride = graph_half_bytes(g) * p->halves;
	return p->stride * p->count;
}

void graph_pool_rebase(struct culprit_graph *g, struct graph_pool *p)
{
	for (uint32_t half = 0; half < p->halves; half++) {
		size_t offset = half * graph_half_bytes(g);
		g->kernel->rebase(p->rows + offset, p->count, p->stride, g->scratch[SCRATCH_DELTA] + offset,
				  GRAPH_HALF);
	}
}
