/* Rarer edges into E: memory order, the wait that no edge explains, units that younger operations hold. */
#include "analysis/graph/plan.h"
#include "analysis/graph/slots_planes.h"

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

/* An operation that takes time may issue before its addend is there. */
static void floor_addend(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	char *addend = g->scratch[SCRATCH_ADDEND], *early = g->scratch[SCRATCH_EARLY];
	graph_catch_up(g);
	g->kernel->latency(early, g->params.late_addend, graph_mask_at(g, graph_execution_class(r), r->pc), true);
	for (unsigned half = 0; half < 2; half++) {
		const char *wake = graph_wake_row(g, half, r->producer[2]);
		const size_t at = half * graph_half_bytes(g);
		if (!wake)
			continue;
		memcpy(addend + at, wake, graph_half_bytes(g));
		g->kernel->rebase(addend + at, 1, 0, early + at, GRAPH_HALF);
		floor_edge(f, half, addend + at, 0, graph_mask(g, 0));
	}
}

void graph_plan_order(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t leaves)
{
	struct floor f = {g, SCRATCH_E_FLOOR, {false, false}};
	if (leaves)
		floor_node(&f, NODE_COMMIT, leaves, 0, graph_mask(g, 0));
	if (r->flags & CULPRIT_AT_HEAD)
		floor_node(&f, NODE_COMMIT, 1, 0, graph_mask(g, 0));
	if (!g->params.ordered_loads)
		graph_order_floor(g, r, &f);
	if (g->params.late_addend && r->producer[2])
		floor_addend(g, r, &f);
	s->dispatch_to_issue += record_unexplained(&g->facts, &g->params, g->count, r, g->last->commit, leaves);
	s->e_floor = ordered_floor(g, r, &f);
	s->rare &= ~(uint32_t)STEP_E_FLOOR;
	s->rare |= s->e_floor ? STEP_E_FLOOR : 0;
}

/* None: it waits as long as it did, and takes nothing from others. More: those after the first are of operations that
 * the record does not tell of. They go in the same cycle or later, by the width alone. */
void graph_plan_issue_slots(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	const struct graph_slot_use *width = &g->slots.uses[GRAPH_SLOT_WIDTH];
	const uint32_t slots = culprit_weight(r->issue_slots);
	if (!slots) {
		s->contention = record_contention(&g->facts, g->count, r, r->mem_producer);
		s->slots = NULL;
	}
	if (slots <= 1 || !s->slots || !width->full)
		return;
	s->more_slots = width;
	s->more = slots - 1;
	s->rare |= STEP_MORE_SLOTS;
	if (g->slots.planes)
		g->slots.planes->in_use |= width->in_use;
}

/* Slots are taken in each lane, and once more at the recorded times. */
void graph_plan_selection(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t data)
{
	if (!s->slots)
		return;
	const uint32_t contention = record_contention(&g->facts, g->count, r, data);
	const uint32_t waited = graph_selection_waited(&g->selection, r, r->issue - contention, s->slots, s->interval);
	if (s->rare & STEP_MORE_SLOTS)
		graph_selection_more(&g->selection, r, s->more_slots, s->more);
	const bool turn = g->params.load_turns && (r->flags & CULPRIT_LOAD);
	if (!waited || !(g->params.select || turn) || (s->rare & STEP_HELD && s->held >= waited))
		return;
	graph_owners owners = graph_owners_at(g, CULPRIT_EVENT_bw, r->pc);
	if (turn && !g->params.select)
		owners |= graph_owners_at(g, CULPRIT_EVENT_dl2, r->pc);
	s->held = waited;
	s->held_turns = 0;
	s->held_mask = graph_mask(g, owners);
	s->rare |= STEP_HELD;
}
