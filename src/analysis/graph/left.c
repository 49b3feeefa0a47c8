/* When instructions leave the window, where that is before they commit (params.released): a row for each, beside its
 * step's. What made room in the window is asked here in place of C. */
#include "analysis/graph/plan.h"

/* Of the step that the kernel has just done. How many leave in a cycle is not asked: commit_width limits them, and
 * dispatch takes no more than that. */
void graph_left_note(struct culprit_graph *g, const struct graph_step *s)
{
	const uint32_t number = (uint32_t)g->done;
	char *row = graph_power_row(&g->left, number), *before = graph_power_row(&g->left, number - 1);
	const char *from = s->leaves ? graph_power_row(&g->e, number) : g->scratch[SCRATCH_LAST_P];
	const uint32_t after = s->leaves ? s->leaves : g->params.commit_delay;
	const void *always = graph_mask(g, 0);
	for (unsigned half = 0; half < 2; half++) {
		const size_t at = half * graph_half_bytes(g);
		g->kernel->edge(row + at, from + at, after, always, true);
	}
	if (s->leaves)
		g->kernel->latency(row, s->leaves_exec, s->exec_mask, false);
	for (unsigned half = 0; half < 2; half++) {
		const size_t at = half * graph_half_bytes(g);
		g->kernel->edge(row + at, before + at, 0, always, false);
	}
}

const char *graph_left_row(const struct culprit_graph *g, unsigned half, uint64_t distance)
{
	if (!distance || distance >= g->left.rows)
		return NULL;
	return graph_power_row(&g->left, (uint32_t)(g->count - distance)) + half * graph_half_bytes(g);
}
