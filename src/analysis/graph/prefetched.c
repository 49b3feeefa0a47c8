/* Lines that a prefetch brings: when it asked for them, in each lane.
 *
 * A prefetcher asks because of an access, of which the record of a line's first use tells the address. The lanes keep
 * when the last accesses had looked into the L1D: loads a hit's cycles after their issue, stores' writes after
 * their commit. */
#include "analysis/graph/plan.h"

static uint8_t kind_of(const struct graph_accesses *a, const struct culprit_record *r)
{
	if (!a->looked.rows)
		return GRAPH_ACCESS_NONE;
	if (r->flags & CULPRIT_LOAD)
		return GRAPH_ACCESS_LOAD;
	return r->flags & CULPRIT_STORE ? GRAPH_ACCESS_STORE : GRAPH_ACCESS_NONE;
}

void graph_accesses_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_accesses *a = &g->accesses;
	s->access = kind_of(a, r);
	if (!s->access)
		return;
	const bool load = s->access == GRAPH_ACCESS_LOAD;
	const size_t at = a->planned++ & (GRAPH_ACCESSES - 1);
	a->addr[at] = r->mem_addr;
	a->time[at] = load ? r->issue + g->params.load_hit : r->commit + g->params.write_hit;
	s->access_mask = graph_mask_at(g, CULPRIT_EVENT_dl1, r->pc);
}

void graph_accesses_hold(struct culprit_graph *g, const struct graph_step *s)
{
	struct graph_accesses *a = &g->accesses;
	const bool load = s->access == GRAPH_ACCESS_LOAD;
	char *row = graph_power_row(&a->looked, (uint32_t)a->done++);
	for (unsigned half = 0; half < 2; half++) {
		const size_t at = half * graph_half_bytes(g);
		const char *begun = load ? graph_power_row(&g->e, (uint32_t)g->done) + at
					 : graph_ring_row(&g->wc[half], 0) + graph_half_bytes(g);
		memcpy(row + at, begun, graph_half_bytes(g));
	}
	g->kernel->latency(row, load ? g->params.load_hit : g->params.write_hit, s->access_mask, false);
}

/* The number of the last access to this address, or else to its line, that had looked into the L1D by then, as
 * recorded; UINT64_MAX: there is none any more. */
static uint64_t find(const struct culprit_graph *g, uint64_t addr, uint64_t then)
{
	const struct graph_accesses *a = &g->accesses;
	const uint64_t line = addr / g->params.l1_line;
	uint64_t beside = UINT64_MAX;
	for (uint64_t back = 1; back <= GRAPH_ACCESSES && back <= a->planned; back++) {
		const uint64_t number = a->planned - back, at = number & (GRAPH_ACCESSES - 1), other = a->addr[at];
		if (a->time[at] > then)
			continue;
		if (other == addr)
			return number;
		if (beside == UINT64_MAX && other / g->params.l1_line == line)
			beside = number;
	}
	return beside;
}

bool graph_prefetched_floor(struct culprit_graph *g, const struct culprit_record *r, uint64_t there, const void *mask,
			    struct floor *f)
{
	const struct graph_accesses *a = &g->accesses;
	if (!a->looked.rows || !r->prefetch_trigger)
		return false;
	const uint64_t trigger = r->mem_addr + (uint64_t)(int64_t)r->prefetch_trigger;
	const uint64_t number = find(g, trigger, r->dstray ? UINT64_MAX : there);
	if (number == UINT64_MAX)
		return false;
	/* A wrong path's was asked for at another time. */
	const uint64_t after = r->dstray ? g->params.miss_cycles[r->prefetch_level]
					 : there - a->time[number & (GRAPH_ACCESSES - 1)];
	if (after > GRAPH_IN_TIME)
		return false;
	graph_catch_up(g);
	floor_row(f, graph_power_row(&a->looked, (uint32_t)number), (uint32_t)after, mask);
	return true;
}
