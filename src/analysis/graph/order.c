/* Memory order that store sets learn: waits for the stores that each lane's tables name, which go into E, and the
 * tables' clearing. order_violated.c has what trains them. */
#include "analysis/graph/plan.h"

#include <stdlib.h>

/* How often clearing is looked at: instructions. */
enum { CLEAR_STEP = 1024 };

bool graph_order_create(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	if (!p->store_set_entries || !p->store_sets)
		return true;
	struct graph_order *o = g->order = calloc(1, sizeof *o);
	if (!o || !order_sets_create(o, p->store_set_entries, p->store_sets))
		return false;
	o->mask = g->facts.mask;
	o->seen = calloc(o->mask + 1, sizeof *o->seen);
	/* a load that is fetched again */
	g->least_growth += (uint64_t)p->order_redirect + p->frontend_stages + p->dispatch_to_issue;
	return o->seen != NULL;
}

void graph_order_destroy(struct culprit_graph *g)
{
	if (!g->order)
		return;
	order_sets_destroy(g->order);
	free(g->order->seen);
	free(g->order);
}

/* The store that the recorded run waited for; where it had left the window and so was not waited for, the one that the
 * tables name: another lane may be there sooner. 0 = none: a wrong path had taken its place in the tables. */
static uint32_t recorded_wait(const struct culprit_graph *g, const struct culprit_record *r)
{
	const struct order_told *told = &g->order->told;
	const uint32_t named = told->any ? told->store.recorded : 0, waited = graph_order_named(g, r);
	if (waited || !named)
		return waited;
	const uint32_t distance = (uint32_t)g->count + 1 - named;
	return record_fact(&g->facts, g->count, distance)->commit <= r->dispatch ? distance : 0;
}

bool graph_order_plan(struct culprit_graph *g, const struct culprit_record *r)
{
	struct graph_order *o = g->order;
	o->told.any = false;
	if ((r->flags & CULPRIT_AT_HEAD) || !(r->flags & (CULPRIT_LOAD | CULPRIT_STORE)))
		return false;
	order_sets_predict(o, r->pc, g->count, r->flags & CULPRIT_STORE, g->furthest);
	return graph_order_parted(g) || recorded_wait(g, r);
}

/* Lanes whose tables name this store. */
static const void *lanes_of(struct culprit_graph *g, uint32_t store)
{
	void *mask = g->scratch[SCRATCH_TOLD_MASK];
	for (unsigned lane = 0; lane < GRAPH_LANES; lane++)
		graph_set_lane(g, mask, lane, g->order->told.store.lane[lane] == store ? UINT32_MAX : 0);
	return mask;
}

/* Where lanes wait for different stores: lanes by the store that they name, each store once. */
static void own_waits(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	struct graph_order *o = g->order;
	const struct order_column *store = &o->told.store;
	struct floor own = {g, SCRATCH_TOLD, {false, false}};
	bool done[GRAPH_LANES] = {false};
	graph_catch_up(g);
	for (unsigned lane = 0; lane < GRAPH_LANES; lane++) {
		const uint32_t named = store->lane[lane];
		if (done[lane])
			continue;
		for (unsigned i = lane; i < GRAPH_LANES; i++)
			done[i] |= store->lane[i] == named;
		const uint32_t own_wait = named ? (uint32_t)g->count + 1 - named : 0;
		const uint32_t distance = named == store->recorded ? recorded_wait(g, r) : own_wait;
		if (distance)
			floor_node(&own, NODE_WAKE, distance, 0, lanes_of(g, named));
	}
	const void *told = floor_done(&own);
	if (told)
		floor_row(f, told, 0, graph_mask(g, 0));
	o->told.row = told;
}

void graph_order_floor(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	const uint32_t wait = g->order ? recorded_wait(g, r) : graph_order_named(g, r);
	if (graph_order_parted(g))
		own_waits(g, r, f);
	else if (wait)
		floor_node(f, NODE_WAKE, wait, 0, graph_mask(g, 0));
	if (graph_order_data_wait(g, r))
		floor_node(f, NODE_WAKE, r->mem_producer, 0, graph_mask(g, 0));
}

void graph_order_remember(struct culprit_graph *g, const struct culprit_record *r)
{
	const uint64_t woken = r->issue + r->wakeup, wake = woken > r->complete ? woken : r->complete;
	g->order->seen[g->count & g->order->mask] = (struct order_seen){
		.pc = r->pc,
		.latency = (uint32_t)(wake - r->issue),
		.missing = graph_order_chain(g, r) + (r->flags & CULPRIT_LOAD ? r->dmiss : 0),
		.event = (uint8_t)graph_execution_class(r),
		.base = r->producer[0],
	};
}

/* Once for each period, from the first load or store on that is dispatched after it; here up to CLEAR_STEP
 * instructions later. */
void graph_order_clear(struct culprit_graph *g)
{
	struct graph_order *o = g->order;
	const uint64_t period = g->params.store_set_clear;
	if (!period || g->count % CLEAR_STEP)
		return;
	const uint64_t recorded = g->last->dispatch - g->start, phase = period - g->start % period;
	bool cleared = false;
	graph_catch_up(g);
	for (unsigned lane = 0; lane <= GRAPH_LANES; lane++) {
		uint64_t now = recorded;
		if (lane < GRAPH_LANES && !graph_order_recorded(g, lane))
			now = g->base[lane] + graph_get_lane(g, graph_node_row(g, &g->d, 1), lane) - g->origin;
		if (now < phase + o->lanes[lane].clearings * period)
			continue;
		while (now >= phase + o->lanes[lane].clearings * period)
			o->lanes[lane].clearings++;
		order_sets_clear(o, lane);
		cleared = true;
	}
	if (cleared)
		order_sets_compare(o);
}

void graph_order_swap(struct culprit_graph *g, unsigned a, unsigned b)
{
	for (unsigned lane = 0; g->order && lane < GRAPH_LANES; lane++)
		if ((lane >> a & 1) && !(lane >> b & 1))
			order_sets_swap(g->order, lane, lane ^ (1u << a | 1u << b));
}
