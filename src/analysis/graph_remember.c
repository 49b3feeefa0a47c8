/* What later records ask of an instruction, kept after its step. */
#include "analysis/graph_plan.h"

void graph_remember(struct culprit_graph *g, const struct culprit_record *r)
{
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
