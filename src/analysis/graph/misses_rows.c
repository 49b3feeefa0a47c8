/* Where the misses of the lanes lie, and that their times stay within a width. Those that are idealised have rows, too;
 * the misses of the recorded times, which are one lane, are misses.c's. */
#include "analysis/graph/misses.h"

#include "analysis/graph/state.h"

size_t graph_misses_place(const struct culprit_graph *g, struct graph_misses *m, char *rows)
{
	m->rows = rows;
	m->stride = (size_t)(MISS_SERVERS + m->servers) * GRAPH_QUARTER * g->lane_bytes;
	m->quarter = (m->kept + GRAPH_MISSES_MORE) * m->stride;
	return m->servers ? GRAPH_QUARTERS * m->quarter : 0;
}

void graph_misses_rebase(struct culprit_graph *g, const struct graph_misses *m, size_t q)
{
	const size_t row = (size_t)GRAPH_QUARTER * g->lane_bytes;
	for (uint32_t n = 0; m->servers && n < m->kept + GRAPH_MISSES_MORE; n++)
		g->kernel->rebase(m->rows + q * m->quarter + n * m->stride + MISS_KEY * row,
				  MISS_SERVERS - MISS_KEY + m->servers, row, g->scratch[SCRATCH_DELTA] + q * row,
				  GRAPH_QUARTER);
}

uint64_t graph_misses_largest(const struct culprit_graph *g, const struct graph_misses *m, size_t q)
{
	const size_t row = (size_t)GRAPH_QUARTER * g->lane_bytes;
	if (!m->servers)
		return 0;
	const char *last = graph_miss_at(m, m->count, q) + (MISS_SERVERS + m->servers - 1) * row;
	return g->kernel->largest(last, GRAPH_QUARTER);
}
