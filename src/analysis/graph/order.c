/* Lanes in which a load would go ahead of the store that it takes its data from, though it came after it in the
 * recorded run: its other operands are there before the store's data. The simulator would violate memory order there,
 * take the load back, and have it wait for such stores from then on. The lane itself has the load wait this once. */
#include "analysis/graph/plan.h"

/* When the load could have issued but for the store, into a scratch row. */
static const char *without_store(struct culprit_graph *g, const struct culprit_record *r, unsigned half)
{
	char *row = g->scratch[SCRATCH_ORDER] + half * graph_half_bytes(g);
	const void *always = graph_mask(g, 0);
	const char *dispatched = graph_power_row(&g->d, (uint32_t)g->done - 1) + half * graph_half_bytes(g);
	g->kernel->edge(row, dispatched, g->params.dispatch_to_issue, always, true);
	for (unsigned i = 0; i < 3; i++) {
		const char *wake = r->producer[i] ? graph_wake_row(g, half, r->producer[i] + 1ull) : NULL;
		if (wake)
			g->kernel->edge(row, wake, 0, always, false);
	}
	return row;
}

void graph_order_note(struct culprit_graph *g, const struct culprit_record *r, uint32_t store)
{
	bool ahead[GRAPH_LANES] = {false}, any = false;
	graph_catch_up(g);
	for (unsigned half = 0; half < 2; half++) {
		const char *data = graph_wake_row(g, half, store + 1ull);
		const char *rest = data ? without_store(g, r, half) : NULL;
		for (size_t lane = 0; data && lane < GRAPH_HALF; lane++) {
			ahead[half * GRAPH_HALF + lane] = graph_get_lane(g, data, lane) > graph_get_lane(g, rest, lane);
			any |= ahead[half * GRAPH_HALF + lane];
		}
	}
	if (!any || ahead[0]) /* the recorded run had it wait, too */
		return;
	g->went_ahead = true;
	for (size_t lane = 0; lane < GRAPH_LANES; lane++)
		g->reordered[lane] |= ahead[lane];
}

bool graph_order_went_ahead(const struct culprit_graph *g)
{
	return g->went_ahead;
}

void graph_order_swap(struct culprit_graph *g, unsigned a, unsigned b)
{
	for (size_t lane = 0; lane < GRAPH_LANES; lane++) {
		size_t other = lane ^ (1u << a | 1u << b);
		if (!(lane >> a & 1) || lane >> b & 1)
			continue;
		bool kept = g->reordered[lane];
		g->reordered[lane] = g->reordered[other];
		g->reordered[other] = kept;
	}
}
