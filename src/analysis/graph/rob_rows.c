#include "analysis/graph/rob_rows.h"

#include "analysis/graph/plan.h"

#include <stdlib.h>

enum { MOST_ROWS = UINT16_MAX };

bool graph_rob_rows_create(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	struct graph_rob_rows *rows = &g->rob_rows;
	const uint32_t count = p->dispatch_rows && p->dispatch_width ? p->rob / p->dispatch_width : 0;
	if (!count || count > MOST_ROWS)
		return true;
	rows->at = calloc(GRAPH_LANES, sizeof *rows->at);
	rows->committed = calloc((size_t)count * GRAPH_LANES, sizeof *rows->committed);
	rows->count = count;
	return rows->at && rows->committed;
}

void graph_rob_rows_destroy(struct culprit_graph *g)
{
	free(g->rob_rows.at);
	free(g->rob_rows.committed);
}

/* Rows of the front end begin anew where it was sent elsewhere, in lanes where it was. The lanes of a violation are
 * copied, since the same record's memory order may take their row. */
static const void *begun_anew(struct culprit_graph *g, const struct culprit_record *r)
{
	if (r->flags & CULPRIT_VIOLATED) {
		graph_catch_up(g);
		return memcpy(g->scratch[SCRATCH_ROW_BEGIN], g->violated, 2 * graph_half_bytes(g));
	}
	if (g->count && g->last->flags & CULPRIT_MISPREDICTED)
		return graph_mask_at(g, CULPRIT_EVENT_bmisp, g->last->pc);
	return g->scratch[SCRATCH_ZERO];
}

void graph_rob_rows_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const graph_owners bw = graph_owners_at(g, CULPRIT_EVENT_bw, r->pc), all = g->owners[CULPRIT_EVENT_bw];
	s->rows_begin = begun_anew(g, r);
	s->rows_again = NULL;
	s->rows_mask = graph_mask(g, bw);
	s->rob_mask = graph_mask(g, bw | graph_owners_at(g, CULPRIT_EVENT_rob, r->pc));
	/* what is idealised at this place does not wait, and takes a row all the same */
	s->rob_kept = graph_mask(g, (all | g->owners[CULPRIT_EVENT_rob]) & g->everywhere);
	s->rare |= STEP_ROWS;
}

void graph_rob_rows_swap(struct culprit_graph *g, unsigned a, unsigned b)
{
	if (!g->rob_rows.count)
		return;
	const size_t other = (size_t)1 << a | (size_t)1 << b;
	for (size_t lane = 0; lane < GRAPH_LANES; lane++) {
		if (!(lane >> a & 1) || (lane >> b & 1))
			continue;
		for (uint32_t row = 0; row < g->rob_rows.count; row++) {
			uint64_t *of = g->rob_rows.committed + (size_t)row * GRAPH_LANES, kept = of[lane];
			of[lane] = of[lane ^ other];
			of[lane ^ other] = kept;
		}
		uint16_t *at = g->rob_rows.at, kept = at[lane];
		at[lane] = at[lane ^ other];
		at[lane ^ other] = kept;
	}
}
