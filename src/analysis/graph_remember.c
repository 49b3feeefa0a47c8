/* What later records ask of an instruction, kept after its step. */
#include "analysis/graph_plan.h"

/* The latest completion of all stores so far. */
static void remember_store(struct culprit_graph *g)
{
	for (unsigned half = 0; half < 2; half++)
		g->kernel->edge(g->scratch[SCRATCH_STORES] + half * graph_half_bytes(g), g->step.half[half].wc_out, 0,
				(const char *)graph_mask(g, 0) + half * graph_half_bytes(g), false);
}

void graph_remember(struct culprit_graph *g, const struct culprit_record *r)
{
	if (g->params.ordered_loads && (r->flags & CULPRIT_STORE))
		remember_store(g);
	uint64_t at = g->count & g->fact_mask;
	g->wakes[at] = r->issue + r->wakeup > r->complete ? r->issue + r->wakeup : r->complete;
	g->facts[at] = (struct graph_fact){r->complete, r->commit, r->dmiss, r->flags};
	for (uint32_t asked = g->kinds_asked; asked; asked &= asked - 1) {
		unsigned kind = (unsigned)__builtin_ctz(asked);
		struct graph_recent *recent = &g->recent[kind];
		recent->seq[recent->count & recent->mask] = g->count; /* counts only if it is of the kind */
		recent->count += g->kinds >> kind & 1;
	}
	if (r->flags & CULPRIT_STORE)
		graph_memory_store(g, r);
	g->last = (struct graph_last){r->seq, r->pc, r->fetch, r->commit, r->pc + r->length - 1, r->flags};
}
