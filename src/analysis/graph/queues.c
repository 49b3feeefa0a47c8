/* Issue queues: an instruction is dispatched when its queue has an entry, which it holds until it issues. Entries free
 * up in another order in every lane, so that records cannot say whose entry it is. With the window idealised there is
 * always one. */
#include "analysis/graph/plan.h"

void graph_queues_size(struct culprit_graph *g)
{
	for (uint32_t q = 0; q < g->params.queue_count; q++) {
		g->queues[q].count = g->params.queue_entries[q];
		g->queues[q].halves = g->window_halves ? 1 : 2;
		g->queues_kept = g->queues_kept || g->params.queue_entries[q];
	}
	g->queues_named = g->params.issue_queues && !g->queues_kept && !g->params.late_rename;
}

void graph_queues_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_pool *queue = &g->queues[r->queue < g->params.queue_count ? r->queue : 0];
	if (r->queue >= g->params.queue_count || !queue->count)
		return;
	s->queue = queue;
	s->d_free = graph_pool_first(queue);
	s->rare |= STEP_QUEUE | (queue->halves == 1 && !g->params.late_rename ? STEP_D_FREE : 0);
}

void graph_queues_hold(struct culprit_graph *g, const struct graph_step *s)
{
	graph_pool_take(g, s->queue, graph_power_row(&g->e, (uint32_t)g->done));
}
