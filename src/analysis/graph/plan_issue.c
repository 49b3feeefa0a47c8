/* Rarer edges into E: memory order, the wait that no edge explains, units that younger operations hold. */
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

/* On a unit that is not pipelined a younger operation may have begun before an older one was ready. In program order nobody knows that
 * when the older one asks for its slot: what the record says of it stays, in lanes that have long operations, and where a wrong
 * path may have had the unit, mispredictions. So do others wait that came while this one did, whoever they waited for in the end.
 * Without: eyerman2009-4w, a program with a division in twenty instructions, base time 2.2 % short. */
void graph_plan_held(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	if (r->unit >= CULPRIT_GRAPH_UNITS)
		return;
	uint64_t *until = &g->held_until[r->unit];
	bool younger = r->contended == CULPRIT_CONTENTION_BUSY && r->contender;
	if (younger && r->issue > *until)
		*until = r->issue;
	if (*until <= r->ready || *until > r->issue)
		return;
	uint8_t owners = graph_owners_at(g, CULPRIT_EVENT_bw, r->pc) | graph_owners_at(g, CULPRIT_EVENT_lgalu, r->pc);
	if (younger && r->contender == CULPRIT_CONTENDER_FAR)
		owners |= graph_owners_at(g, CULPRIT_EVENT_bmisp, r->pc);
	s->held = (uint32_t)(*until - r->ready);
	s->held_mask = graph_mask(g, owners);
	s->rare |= STEP_HELD;
}
