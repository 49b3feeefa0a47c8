/* See the header. */
#include "analysis/graph/plan.h"
#include "blame.h"

void blame_graph_times(struct culprit_graph *g, unsigned set, uint64_t time[BLAME_NODES])
{
	graph_catch_up(g);
	size_t lane = 0;
	for (unsigned k = 0; k < g->params.class_count; k++)
		lane |= (size_t)(set >> k & 1) << g->internal_bit[k];
	size_t half = lane / GRAPH_HALF, within = lane % GRAPH_HALF;
	const char *wake = graph_ring_row(&g->wc[half], 1);
	const struct {
		const void *row;
		size_t lane;
	} nodes[BLAME_NODES] = {
		[BLAME_FETCH] = {graph_node_row(g, g->arrived.rows ? &g->arrived : &g->f, 1), lane},
		[BLAME_DISPATCH] = {graph_node_row(g, &g->d, 1), lane},
		[BLAME_WAKE] = {wake, within},
		[BLAME_COMMIT] = {wake + graph_half_bytes(g), within},
	};
	for (unsigned n = 0; n < BLAME_NODES; n++)
		time[n] = g->base[lane] + graph_get_lane(g, nodes[n].row, nodes[n].lane) - g->origin;
}
