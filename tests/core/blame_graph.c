/* See the header. */
#include "analysis/graph/plan.h"
#include "blame.h"

void blame_graph_times(struct culprit_graph *g, uint64_t time[BLAME_NODES])
{
	graph_catch_up(g);
	const char *wake = graph_ring_row(&g->wc[0], 1);
	const void *rows[BLAME_NODES] = {
		[BLAME_FETCH] = graph_node_row(g, &g->f, 1),
		[BLAME_DISPATCH] = graph_node_row(g, &g->d, 1),
		[BLAME_WAKE] = wake,
		[BLAME_COMMIT] = wake + graph_half_bytes(g),
	};
	for (unsigned n = 0; n < BLAME_NODES; n++)
		time[n] = g->base[0] + graph_get_lane(g, rows[n], 0) - g->origin;
}
