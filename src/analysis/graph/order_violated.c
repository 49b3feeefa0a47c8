/* Violations of memory order: who went ahead of a store.
 *
 * After a load's step each lane is asked whether it issued before the store to its bytes. Then the lane's tables are
 * trained, and the load is fetched again when the store has completed, as all that follow it. What had been fetched by
 * then has issued once: its lines are there.
 *
 * Where the recorded run violated memory order, the lanes that do not are found before the step, from what of the
 * load's first fetch is known: the instructions in front of it. */
#include "analysis/graph/plan.h"

/* Chains of misses are counted from the beginning of a block of so many instructions on, which is the same in all
 * lanes. With 4096: bwa's win on zen4 is 7.3 instead of 13.2; by simulation 15.9. */
enum { CHAIN_BLOCK = 512 };

static const struct order_seen *seen_at(const struct culprit_graph *g, uint64_t number)
{
	return &g->order->seen[number & g->order->mask];
}

/* Does the lane's table say of the last load or store what the recorded run's says? */
static bool agrees(const struct order_told *told, unsigned lane)
{
	return !told->any || told->store.same || told->store.lane[lane] == told->store.recorded;
}

static void train(struct culprit_graph *g, uint64_t load, uint64_t store, unsigned lane)
{
	if (!order_sets_train(g->order, load, store, lane))
		graph_fail(g, "out of memory for store sets");
}

/* --- who goes ahead --- */

/* Lanes in which the load, ready at the time in the scratch row, is so before the store's address is known: before it
 * issues, its W less its latency; or before the W of its base. Is there any? */
static bool find_ahead(struct culprit_graph *g, uint64_t number, uint32_t distance, bool *ahead)
{
	char *row = g->scratch[SCRATCH_ORDER];
	const struct order_seen *store = seen_at(g, number - distance);
	const bool apart = g->params.store_data_apart;
	const uint64_t back = g->done - (number - distance) + (apart ? store->base : 0);
	bool any = false;
	if (apart && !store->base)
		return false;
	if (!apart)
		g->kernel->latency(row, store->latency,
				   graph_mask_at(g, (enum culprit_event_class)store->event, store->pc), false);
	for (unsigned half = 0; half < 2; half++) {
		const char *wake = graph_wake_row(g, half, back);
		const char *mine = row + half * graph_half_bytes(g);
		if (!wake || !graph_half_owned(g, half) || !g->kernel->any_later(wake, mine))
			continue;
		for (unsigned lane = 0; lane < GRAPH_HALF; lane++)
			ahead[half * GRAPH_HALF + lane] = graph_get_lane(g, wake, lane) > graph_get_lane(g, mine, lane);
		any = true;
	}
	return any;
}

/* Into the scratch row: when the operands of instruction `number` are there. */
static void operands(struct culprit_graph *g, const struct culprit_record *r, uint64_t number, unsigned half)
{
	char *row = g->scratch[SCRATCH_ORDER] + half * graph_half_bytes(g);
	const void *always = graph_mask(g, 0);
	const uint64_t distances[] = {r->producer[0], r->producer[1], r->producer[2],
				      graph_order_parted(g) ? 0 : graph_order_named(g, r)};
	for (unsigned i = 0; i < 4; i++) {
		const char *wake = distances[i] ? graph_wake_row(g, half, g->done - (number - distances[i])) : NULL;
		if (wake)
			g->kernel->edge(row, wake, 0, always, false);
	}
}

/* Of the recorded run: would the load, its operands there, have gone ahead of that store? */
static bool recorded_ahead(const struct culprit_graph *g, const struct culprit_record *r, uint64_t number,
			   uint32_t distance)
{
	const uint64_t distances[] = {r->producer[0], r->producer[1], r->producer[2], graph_order_named(g, r)};
	const struct order_seen *store = seen_at(g, number - distance);
	uint64_t rest = r->dispatch + g->params.dispatch_to_issue;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t wake = distances[i] ? record_wake(&g->facts, number, distances[i]) : 0;
		rest = wake > rest ? wake : rest;
	}
	if (g->params.store_data_apart)
		return store->base && record_wake(&g->facts, number, distance + store->base) > rest;
	return record_wake(&g->facts, number, distance) > rest + store->latency;
}

/* --- lines that squashed loads have brought --- */

/* Is nothing of the machine's bandwidth in its way in this lane? */
static bool unlimited(struct culprit_graph *g, unsigned lane)
{
	return !graph_get_lane(g, graph_mask(g, g->everywhere & g->owners[CULPRIT_EVENT_bw]), lane);
}

/* The load of instruction number `number` is taken back after so many cycles: what has been fetched meanwhile, no
 * further than the window reaches. */
static void note_squashed(struct culprit_graph *g, uint64_t number, uint32_t distance, unsigned lane, uint64_t cycles)
{
	struct order_lane *l = &g->order->lanes[lane];
	const uint64_t window = number - distance + g->reach[lane / GRAPH_HALF];
	const uint64_t fetched = number + 1 + cycles * g->params.dispatch_width;
	const bool fast = !g->params.dispatch_width || unlimited(g, lane);
	const uint64_t last = fast || fetched > window ? window : fetched;
	l->ahead = cycles;
	l->squashed = last > l->squashed ? last : l->squashed;
	g->order->squashed = last > g->order->squashed ? last : g->order->squashed;
}

uint32_t graph_order_chain(const struct culprit_graph *g, const struct culprit_record *r)
{
	const uint32_t distances[] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer};
	const uint64_t block = g->count % CHAIN_BLOCK;
	uint32_t most = 0;
	for (unsigned i = 0; i < 4; i++) {
		bool near = distances[i] && distances[i] <= block && distances[i] <= g->order->mask;
		uint32_t missing = near ? seen_at(g, g->count - distances[i])->missing : 0;
		most = missing > most ? missing : most;
	}
	return most;
}

const void *graph_order_missing(struct culprit_graph *g, const struct culprit_record *r, const void *mask)
{
	const struct graph_order *o = g->order;
	if (!o || g->count > o->squashed)
		return mask;
	void *row = g->scratch[SCRATCH_SQUASHED];
	const uint64_t missing = (uint64_t)graph_order_chain(g, r) + r->dmiss;
	graph_catch_up(g);
	for (unsigned lane = 0; lane < GRAPH_LANES; lane++) {
		const struct order_lane *l = &o->lanes[lane];
		bool there = g->count <= l->squashed && missing <= l->ahead;
		graph_set_lane(g, row, lane, there ? 0 : graph_get_lane(g, mask, lane));
	}
	return row;
}

/* --- violations that only lanes have --- */

/* How long a load that has nothing of the store's, and did not wait for it, had been ready when that was done. The
 * scratch row has the time at which the load was ready; without params.store_data_apart the store's latency on top. */
static uint64_t ready_before(struct culprit_graph *g, uint64_t number, uint32_t distance, unsigned lane)
{
	const struct order_seen *store = seen_at(g, number - distance);
	const unsigned half = lane / GRAPH_HALF, at = lane % GRAPH_HALF;
	const void *takes = graph_mask_at(g, (enum culprit_event_class)store->event, store->pc);
	const uint64_t stored = graph_get_lane(g, graph_wake_row(g, half, g->done - (number - distance)), at);
	const uint64_t ready = graph_get_lane(g, g->scratch[SCRATCH_ORDER], lane);
	return stored - ready + (!g->params.store_data_apart && graph_get_lane(g, takes, lane) ? store->latency : 0);
}

/* What fetching it again takes beyond its wait for the store. `ready`: for so long it had not waited. */
static void fetch_again(struct culprit_graph *g, uint64_t number, uint32_t distance, unsigned lane, uint64_t ready)
{
	const struct culprit_graph_params *p = &g->params;
	const unsigned half = lane / GRAPH_HALF, at = lane % GRAPH_HALF;
	char *fetch = graph_power_row(&g->f, (uint32_t)number), *dispatch = graph_power_row(&g->d, (uint32_t)number);
	char *wake = graph_ring_row(&g->wc[half], (uint32_t)(g->done - number)), *commit = wake + graph_half_bytes(g);
	const uint64_t stored = graph_get_lane(g, graph_wake_row(g, half, g->done - (number - distance)), at);
	const uint64_t before = graph_get_lane(g, dispatch, lane), ahead = stored > before ? stored - before : 0;
	const uint32_t rob = half ? graph_rob_far(p) : p->rob;
	const uint64_t squash = p->squash_width && !unlimited(g, lane) ? graph_squash_cycles(g, ahead, rob) : 0;
	const uint64_t fetched = stored + p->order_redirect, refilled = fetched + p->frontend_stages;
	const uint64_t dispatched = refilled > stored + squash ? refilled : stored + squash;
	const uint64_t more = dispatched + p->dispatch_to_issue - stored + ready;
	note_squashed(g, number, distance, lane, ahead);
	if (fetched > graph_get_lane(g, fetch, lane))
		graph_set_lane(g, fetch, lane, fetched);
	char *arrived = g->arrived.rows ? graph_power_row(&g->arrived, (uint32_t)number) : NULL;
	if (arrived && fetched > graph_get_lane(g, arrived, lane))
		graph_set_lane(g, arrived, lane, fetched);
	if (dispatched > before)
		graph_set_lane(g, dispatch, lane, dispatched);
	graph_set_lane(g, wake, at, graph_get_lane(g, wake, at) + more);
	graph_set_lane(g, commit, at, graph_get_lane(g, commit, at) + more);
}

/* What the recorded run knew already, though no record says since when. */
static void train_as_recorded(struct culprit_graph *g, uint64_t load, uint64_t store)
{
	struct graph_order *o = g->order;
	for (unsigned lane = 0; lane < GRAPH_LANES; lane++)
		if (agrees(&o->told, lane))
			train(g, load, store, lane);
	train(g, load, store, ORDER_LANES);
	order_sets_compare(o);
}

/* Into the scratch row: when the load was ready in each lane but for that store. */
static void ready_without_store(struct culprit_graph *g, const struct culprit_record *r, uint64_t number)
{
	const struct graph_order *o = g->order;
	const uint32_t pipeline = g->steps[number % GRAPH_STEPS].dispatch_to_issue;
	const char *dispatched = graph_power_row(&g->d, (uint32_t)number);
	const void *always = graph_mask(g, 0);
	for (unsigned half = 0; half < 2; half++) {
		const size_t offset = half * graph_half_bytes(g);
		char *row = g->scratch[SCRATCH_ORDER] + offset;
		g->kernel->edge(row, dispatched + offset, pipeline, always, true);
		operands(g, r, number, half);
		if (graph_order_parted(g) && o->told.row)
			g->kernel->edge(row, (const char *)o->told.row + offset, 0, always, false);
	}
}

/* Who goes ahead of the store is trained. `knows`: the recorded run would have gone ahead, but waited. */
static bool train_ahead(struct culprit_graph *g, const struct culprit_record *r, uint32_t distance, bool beside,
			bool knows)
{
	const uint64_t number = g->count - 1, store = seen_at(g, number - distance)->pc;
	bool ahead[GRAPH_LANES] = {false}, trained = false;
	uint64_t ready[GRAPH_LANES] = {0};
	if (!find_ahead(g, number, distance, ahead))
		return false;
	for (unsigned lane = 0; beside && lane < GRAPH_LANES; lane++)
		ready[lane] = ahead[lane] ? ready_before(g, number, distance, lane) : 0;
	if ((g->params.squash_width || beside) && !graph_rows_reserve(g, 2 * GRAPH_MARGIN))
		return false;
	for (unsigned lane = 0; lane < GRAPH_LANES; lane++) {
		if (!ahead[lane] || graph_order_recorded(g, lane) || (knows && agrees(&g->order->told, lane)))
			continue;
		fetch_again(g, number, distance, lane, graph_clip_edge(ready[lane]));
		train(g, r->pc, store, lane);
		trained = true;
	}
	return trained;
}

void graph_order_watch(struct culprit_graph *g, const struct culprit_record *r, uint32_t distance, bool beside)
{
	struct graph_order *o = g->order;
	const uint64_t number = g->count - 1, store = seen_at(g, number - distance)->pc;
	const bool told = o->told.any && o->told.store.recorded == (uint32_t)(number - distance) + 1;
	const bool knew = recorded_ahead(g, r, number, distance);
	graph_catch_up(g);
	ready_without_store(g, r, number);
	const bool trained = train_ahead(g, r, distance, beside, knew || told);
	if (knew && !told && !order_sets_know(o, r->pc, store))
		train_as_recorded(g, r->pc, store);
	else if (trained)
		order_sets_compare(o);
}

/* --- violations of the recorded run --- */

/* When the load was ready at first, as far as the instructions in front of it say. */
static void first_ready(struct culprit_graph *g, const struct culprit_record *r, const struct graph_step *s)
{
	const struct culprit_graph_params *p = &g->params;
	const void *bw = graph_mask_at(g, CULPRIT_EVENT_bw, r->pc), *always = graph_mask(g, 0);
	const bool queued = r->queue < p->queue_count && g->queues[r->queue].count;
	for (unsigned half = 0; half < 2; half++) {
		const size_t offset = half * graph_half_bytes(g);
		char *row = g->scratch[SCRATCH_ORDER] + offset;
		const uint64_t back = half ? g->most.far : g->most.near;
		const char *room = g->left.rows ? graph_left_row(g, half, back) : graph_commit_row(g, half, back);
		const char *mask = (const char *)bw + offset;
		g->kernel->edge(row, graph_node_row(g, &g->f, 1) + offset, p->frontend_stages, always, true);
		g->kernel->edge(row, (const char *)s->f_width + offset, p->frontend_stages + 1, mask, false);
		if (s->rare & STEP_ARRIVED)
			g->kernel->edge(row, (const char *)s->arrived + offset, p->frontend_stages, always, false);
		if (p->frontend_capacity)
			g->kernel->edge(row, graph_node_row(g, &g->d, p->frontend_capacity) + offset,
					p->frontend_stages, mask, false);
		g->kernel->edge(row, graph_node_row(g, &g->d, 1) + offset, 0, always, false);
		if (p->dispatch_width)
			g->kernel->edge(row, graph_node_row(g, &g->d, p->dispatch_width) + offset, 1, mask, false);
		if (room)
			g->kernel->edge(row, room, 0, always, false);
		if (queued && half < g->queues[r->queue].halves)
			g->kernel->edge(row, graph_pool_first(&g->queues[r->queue]) + offset, 0, always, false);
	}
	g->kernel->latency(g->scratch[SCRATCH_ORDER], p->dispatch_to_issue, always, false);
	g->order->told.any = false;
	for (unsigned half = 0; half < 2; half++)
		operands(g, r, g->count, half);
}

const void *graph_order_violated(struct culprit_graph *g, const struct culprit_record *r, const struct graph_step *s,
				 uint32_t distance)
{
	struct graph_order *o = g->order;
	bool ahead[GRAPH_LANES] = {false};
	if (!o || !distance || distance > o->mask)
		return graph_mask(g, 0);
	graph_catch_up(g);
	first_ready(g, r, s);
	find_ahead(g, g->count, distance, ahead);
	void *mask = g->scratch[SCRATCH_TOLD_MASK];
	const uint64_t store = seen_at(g, g->count - distance)->pc;
	for (unsigned lane = 0; lane < GRAPH_LANES; lane++) {
		ahead[lane] |= graph_order_recorded(g, lane);
		graph_set_lane(g, mask, lane, ahead[lane] ? UINT32_MAX : 0);
		if (ahead[lane])
			train(g, r->pc, store, lane);
	}
	train(g, r->pc, store, ORDER_LANES);
	order_sets_compare(o);
	return mask;
}
