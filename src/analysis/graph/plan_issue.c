/* Rarer edges into E: memory order, the wait that no edge explains, units that younger operations hold. */
#include "analysis/graph/plan.h"

/* The time at which the edges known so far allow the issue, as recorded. */
static uint64_t explained_ready(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t t = r->dispatch + g->params.dispatch_to_issue;
	const uint32_t distances[GRAPH_PRODUCERS] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer};
	for (unsigned i = 0; i < GRAPH_PRODUCERS; i++) {
		uint64_t wake = g->wakes[(g->count - distances[i]) & g->fact_mask];
		wake = distances[i] - 1 < g->fact_mask ? wake : 0; /* 0 = none */
		t = wake > t ? wake : t;
	}
	if (r->order_waited && !g->params.ordered_loads && r->order_waited <= g->fact_mask) {
		uint64_t wake = g->wakes[(g->count - r->order_waited) & g->fact_mask];
		t = wake > t ? wake : t;
	}
	if ((r->flags & CULPRIT_AT_HEAD) && g->count && g->last->commit > t)
		t = g->last->commit;
	return t;
}

/* Does the store in flight when the load was fetched write all that the load reads? */
static bool covered(const struct culprit_graph *g, const struct culprit_record *r)
{
	bool whole;
	return graph_memory_producer(g, r, &whole) == r->mem_producer && whole;
}

/* Waits of loads that are neither operands nor contention. Returns cycles that no edge explains. The store that
 * disambiguation says is waited for in every lane. */
static uint32_t order_edges(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	uint64_t explained = explained_ready(g, r);
	bool waited = r->order_waited && r->order_waited <= g->fact_mask;
	if (r->order_waited && !g->params.ordered_loads)
		floor_node(f, NODE_WAKE, r->order_waited, 0, graph_mask(g, 0));
	if (r->ready <= explained)
		return 0;
	const struct graph_fact *partial = NULL;
	uint64_t woken = waited ? g->wakes[(g->count - r->order_waited) & g->fact_mask] : 0;
	if (r->mem_producer && r->mem_producer <= g->fact_mask && !(r->flags & CULPRIT_FORWARDED))
		partial = &g->facts[(g->count - r->mem_producer) & g->fact_mask];
	if (partial && covered(g, r))
		partial = NULL; /* left before the load issued: it reads the cache and has waited for something else */
	if (partial && partial->commit <= r->ready && partial->commit > explained) {
		floor_node(f, NODE_COMMIT, r->mem_producer, graph_clip_edge(r->ready - partial->commit),
			   graph_mask(g, 0));
		return 0;
	}
	if (waited && g->params.ordered_loads)
		return 0;
	if (waited && woken >= explained && woken <= r->ready) {
		floor_node(f, NODE_WAKE, r->order_waited, graph_clip_edge(r->ready - woken), graph_mask(g, 0));
		return 0;
	}
	uint64_t rest = r->ready - r->dispatch - g->params.dispatch_to_issue;
	return rest > UINT32_MAX ? UINT32_MAX : (uint32_t)rest;
}

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

void graph_plan_order(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, bool partial)
{
	struct floor f = {g, SCRATCH_E_FLOOR, {false, false}};
	if (partial) { /* a store writes only some of the load's bytes: until it has left */
		bool whole;
		floor_node(&f, NODE_COMMIT, graph_memory_producer(g, r, &whole), 0, graph_mask(g, 0));
	}
	if (r->flags & CULPRIT_AT_HEAD)
		floor_node(&f, NODE_COMMIT, 1, 0, graph_mask(g, 0));
	s->dispatch_to_issue += order_edges(g, r, &f);
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
