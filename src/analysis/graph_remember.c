/* What later records ask of an instruction, kept after its step. */
#include "analysis/graph_plan.h"

uint32_t graph_kinds(const struct culprit_record *r)
{
	uint32_t kinds = 0;
	if (r->flags & CULPRIT_TAKEN)
		kinds |= 1u << RECENT_TAKEN;
	if (r->flags & CULPRIT_LOAD)
		kinds |= 1u << RECENT_LQ | 1u << RECENT_LSQ;
	if (r->flags & CULPRIT_STORE)
		kinds |= 1u << RECENT_SQ | 1u << RECENT_LSQ | 1u << RECENT_STORE;
	if (r->dest >= 1 && r->dest < 32)
		kinds |= 1u << RECENT_INT;
	else if (r->dest >= 32 && r->dest < 64)
		kinds |= 1u << RECENT_FP;
	return kinds;
}

/* The latest completion of all stores so far. */
static void remember_store(struct culprit_graph *g)
{
	for (unsigned half = 0; half < 2; half++)
		g->kernel->edge(g->scratch[SCRATCH_STORES] + half * graph_half_bytes(g), g->step.half[half].w_out, 0,
				(const char *)graph_mask(g, 0) + half * graph_half_bytes(g), false);
}

void graph_remember(struct culprit_graph *g, const struct culprit_record *r)
{
	if (g->params.ordered_loads && (r->flags & CULPRIT_STORE))
		remember_store(g);
	g->facts[g->count & g->fact_mask] = (struct graph_fact){
		.wake = r->issue + r->wakeup > r->complete ? r->issue + r->wakeup : r->complete,
		.complete = r->complete,
		.commit = r->commit,
		.miss = r->dmiss,
		.flags = r->flags,
	};
	for (uint32_t kinds = g->kinds; kinds; kinds &= kinds - 1) {
		struct graph_recent *recent = &g->recent[__builtin_ctz(kinds)];
		recent->seq[recent->count++ & recent->mask] = g->count;
	}
	if (r->flags & CULPRIT_STORE)
		graph_memory_store(g, r);
	g->last = (struct graph_last){r->seq, r->pc, r->fetch, r->commit, r->flags, r->length};
}
