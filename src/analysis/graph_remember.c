/* What later records ask of an instruction, kept after its step. */
#include "analysis/graph_plan.h"

static void recent_push(struct culprit_graph *g, enum graph_recent_kind kind)
{
	struct graph_recent *r = &g->recent[kind];
	if (r->size)
		r->seq[r->count++ & r->mask] = g->count;
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
	if (r->flags & CULPRIT_TAKEN)
		recent_push(g, RECENT_TAKEN);
	if (r->flags & CULPRIT_LOAD)
		recent_push(g, RECENT_LQ);
	if (r->flags & CULPRIT_STORE) {
		graph_memory_store(g, r);
		recent_push(g, RECENT_SQ);
		recent_push(g, RECENT_STORE);
	}
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		recent_push(g, RECENT_LSQ);
	if (r->dest >= 1 && r->dest < 32)
		recent_push(g, RECENT_INT);
	else if (r->dest >= 32 && r->dest < 64)
		recent_push(g, RECENT_FP);
	g->last = (struct graph_last){r->seq, r->pc, r->fetch, r->commit, r->flags, r->length};
}
