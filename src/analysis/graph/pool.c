/* See the header. */
#include "analysis/graph/pool.h"

#include "analysis/graph/plan.h"

/* The front into the others. */
static void merge(const struct culprit_graph *g, struct graph_pool *p)
{
	for (uint32_t half = 0; half < p->halves && p->count > GRAPH_POOL_FRONT; half++)
		if (graph_half_owned(g, half))
			g->kernel->pool_merge(p->rows + half * graph_half_bytes(g), p->count, p->stride);
	p->taken = 0;
}

/* Of the rows that are in front none is missing until as many have been taken. */
const char *graph_pool_row(const struct culprit_graph *g, struct graph_pool *p, uint32_t number)
{
	if (p->taken + number >= GRAPH_POOL_FRONT)
		merge(g, p);
	return p->rows + number * p->stride;
}

void graph_pool_take(const struct culprit_graph *g, struct graph_pool *p, const void *until)
{
	uint32_t front = p->count < GRAPH_POOL_FRONT ? p->count : GRAPH_POOL_FRONT;
	for (uint32_t half = 0; half < p->halves; half++) {
		size_t offset = half * graph_half_bytes(g);
		if (!graph_half_owned(g, half))
			continue;
		g->kernel->pool_take(p->rows + offset, front, p->stride, (const char *)until + offset);
	}
	if (++p->taken == GRAPH_POOL_FRONT)
		merge(g, p);
}

size_t graph_pool_place(const struct culprit_graph *g, struct graph_pool *p, char *rows)
{
	p->rows = rows;
	p->stride = graph_half_bytes(g) * p->halves;
	return p->stride * p->count;
}
