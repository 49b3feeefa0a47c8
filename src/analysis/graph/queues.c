/* Issue queues: an instruction is dispatched when its queue has an entry, which it holds until it issues. Entries free
 * up in another order in every lane, so that records cannot say whose entry it is. With the window idealised there is
 * always one. */
#include "analysis/graph/plan.h"

#include <string.h>

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
	s->again = record_issues_again(&g->params, r) ? r->exec_latency : 0;
	s->d_free = graph_pool_first(queue);
	s->rare |= STEP_QUEUE | (s->again ? STEP_P_OUT : 0);
	s->rare |= queue->halves == 1 && !g->params.late_rename ? STEP_D_FREE : 0;
}

/* When the load issues again, by lane: no sooner than the first time. */
static const void *issued_again(struct culprit_graph *g, const struct graph_step *s, const char *issued)
{
	char *row = g->scratch[SCRATCH_AGAIN];
	const size_t half = graph_half_bytes(g);
	memcpy(row, g->scratch[SCRATCH_LAST_P], 2 * half);
	g->kernel->latency(g->scratch[SCRATCH_AGAIN_BEFORE], s->again, s->exec_mask, true);
	g->kernel->rebase(row, 1, 0, g->scratch[SCRATCH_AGAIN_BEFORE], GRAPH_LANES);
	for (unsigned h = 0; h < 2; h++)
		g->kernel->edge(row + h * half, issued + h * half, 0, graph_mask(g, 0), false);
	return row;
}

void graph_queues_hold(struct culprit_graph *g, const struct graph_step *s)
{
	const char *issued = graph_power_row(&g->e, (uint32_t)g->done);
	graph_pool_take(g, s->queue, s->again ? issued_again(g, s, issued) : issued);
}
