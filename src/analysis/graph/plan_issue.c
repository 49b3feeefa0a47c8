/* Rarer edges into E: memory order, and the wait that no edge explains. */
#include "analysis/graph/plan.h"

static const void *ordered_floor(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	const void *merged = floor_done(f);
	if ((r->flags & CULPRIT_AT_HEAD) || !g->params.ordered_loads || !(r->flags & CULPRIT_LOAD))
		return merged;
	if (!merged)
		return g->scratch[SCRATCH_STORES];
	floor_row(f, g->scratch[SCRATCH_STORES], 0, graph_mask(g, 0));
	return floor_done(f);
}

void graph_plan_order(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t leaves)
{
	struct floor f = {g, SCRATCH_E_FLOOR, {false, false}};
	if (leaves)
		floor_node(&f, NODE_COMMIT, leaves, 0, graph_mask(g, 0));
	if (r->flags & CULPRIT_AT_HEAD)
		floor_node(&f, NODE_COMMIT, 1, 0, graph_mask(g, 0));
	if (r->order_waited &&
	    !g->params.ordered_loads) /* the store that disambiguation says is waited for in every lane */
		floor_node(&f, NODE_WAKE, r->order_waited, 0, graph_mask(g, 0));
	s->dispatch_to_issue += record_unexplained(&g->facts, &g->params, g->count, r, g->last->commit, leaves);
	s->e_floor = ordered_floor(g, r, &f);
	s->rare &= ~(uint32_t)STEP_E_FLOOR;
	s->rare |= s->e_floor ? STEP_E_FLOOR : 0;
}
