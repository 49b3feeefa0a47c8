/* A unit that is not pipelined may be held by a younger operation, which began before an older one was ready. In
 * program order the older one asks first, and nobody knows that; its record tells.
 *
 * Where operations follow one another on the unit without a gap, the younger one waited until the unit was free. So it
 * does in each lane: when the older operations are done and the older one in question is not ready, a younger one goes.
 * Each lane therefore keeps when the unit is free. (With the wait as recorded, eyerman2009-4w: two divisions in each
 * round of a loop, one of which depends on the round before. The younger one begins a few cycles before the older one
 * is ready. In a lane in which that one is ready a little sooner or later the unit was idle for most of a division:
 * shalu -42.0 % of the time, by re-simulation 0.)
 *
 * Otherwise the wait stays as recorded, in lanes that have long operations, and where a wrong path may have had the
 * unit, mispredictions. The first to go then is told of it; so did others wait that came meanwhile, whoever they waited
 * for in the end. Without: eyerman2009-4w, a program with a division in twenty instructions, base time 2.2 % short;
 * with the last hold alone, another one 7.7 % long. */
#include "analysis/graph/plan.h"

/* Turns of younger operations in a row, and their cycles, that are followed. */
enum { MOST_TURNS = 8, MOST_CYCLES = GRAPH_MARGIN / 4 };

static uint32_t ops_of(const struct culprit_graph_params *p, unsigned unit)
{
	return p->unit_ops[unit] ? p->unit_ops[unit] : UINT32_MAX;
}

static void find_holders(struct graph_unit_holds *u, const struct culprit_graph_params *p, unsigned unit)
{
	u->event = CULPRIT_EVENT_slow;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		const uint32_t interval = p->interval[op];
		if (!(ops_of(p, unit) & 1u << op) || interval <= u->longest)
			continue;
		u->longest = interval;
		u->event = (uint8_t)culprit_execution_part((uint8_t)op, 2);
	}
	u->followed = p->issue_slots && u->longest > 1 && unit < p->unit_count && p->units[unit].count == 1;
}

void graph_held_size(struct culprit_graph *g)
{
	struct graph_holds *h = &g->holds;
	for (unsigned unit = 0; unit < CULPRIT_GRAPH_UNITS; unit++) {
		find_holders(&h->units[unit], &g->params, unit);
		if (h->units[unit].followed)
			h->freed.rows = CULPRIT_GRAPH_UNITS;
	}
}

/* Keeps what the record says of a younger operation that had the unit. */
static void note_hold(const struct culprit_graph *g, struct graph_unit_holds *u, const struct culprit_record *r)
{
	const bool wrong = r->contender == CULPRIT_CONTENDER_WRONG_PATH;
	struct graph_hold hold = {r->issue, wrong ? UINT64_MAX : g->count + r->contender};
	u->last[u->count++ % GRAPH_HOLDS] = hold;
}

/* The last that ended while i waited, of a younger operation: it began before i was ready, since later i would have
 * gone first. */
static const struct graph_hold *find_hold(const struct culprit_graph *g, const struct graph_unit_holds *u,
					  const struct culprit_record *r)
{
	const struct graph_hold *found = NULL;
	for (uint64_t i = 0; i < GRAPH_HOLDS && i < u->count; i++) {
		const struct graph_hold *h = &u->last[i];
		if (h->holder > g->count && h->end > r->ready && h->end <= r->issue && (!found || h->end > found->end))
			found = h;
	}
	return found;
}

/* The younger operations that had the unit one after the other, from when the older ones were done: how many, and for
 * how long each; as few as fit. One that may end early is taken to have begun then, if it can have lasted so long.
 * False: there were gaps, or they were not alike. */
static bool find_turns(const struct culprit_graph *g, unsigned unit, const struct graph_hold *hold,
		       struct graph_step *s)
{
	const struct culprit_graph_params *p = &g->params;
	const struct graph_unit_holds *u = &g->holds.units[unit];
	const uint64_t cycles = hold->end - u->free;
	if (!u->followed || hold->end <= u->free || cycles > MOST_CYCLES)
		return false;
	s->held_turns = 0;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		const uint32_t interval = p->interval[op];
		if (!(ops_of(p, unit) & 1u << op) || interval <= 1)
			continue;
		const uint64_t turns = p->longest[op] && cycles < interval ? 1
				       : cycles % interval		   ? 0
									   : cycles / interval;
		if (!turns || turns > MOST_TURNS || (s->held_turns && s->held_turns <= turns))
			continue;
		s->held = (uint32_t)(cycles / turns);
		s->held_turns = (uint32_t)turns;
	}
	s->held_free = graph_power_row(&g->holds.freed, unit);
	return s->held_turns != 0;
}

static void plan_hold(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_unit_holds *u = &g->holds.units[r->unit];
	if (r->contended == CULPRIT_CONTENTION_BUSY && r->contender)
		note_hold(g, u, r);
	const struct graph_hold *hold = find_hold(g, u, r);
	if (!hold)
		return;
	graph_owners owners = graph_owners_at(g, CULPRIT_EVENT_bw, r->pc);
	owners |= graph_owners_at(g, (enum culprit_event_class)u->event, r->pc);
	if (hold->holder == UINT64_MAX)
		owners |= graph_owners_at(g, CULPRIT_EVENT_bmisp, r->pc);
	s->held_mask = graph_mask(g, owners);
	s->rare |= STEP_HELD;
	if (find_turns(g, r->unit, hold, s))
		return;
	s->held = (uint32_t)(hold->end - r->ready);
	s->held_turns = 0;
}

void graph_held_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	s->frees = NULL;
	if (r->unit >= CULPRIT_GRAPH_UNITS)
		return;
	struct graph_unit_holds *u = &g->holds.units[r->unit];
	if (r->contended)
		plan_hold(g, r, s);
	if (!u->followed)
		return;
	const uint32_t cycles = graph_slots_held(&g->params, r);
	s->frees = graph_power_row(&g->holds.freed, r->unit);
	s->frees_after = cycles ? cycles : 1;
	u->free = r->issue + s->frees_after > u->free ? r->issue + s->frees_after : u->free;
}

void graph_held_free(struct culprit_graph *g, const struct graph_step *s)
{
	const char *issued = graph_power_row(&g->e, (uint32_t)g->done);
	for (unsigned half = 0; half < 2; half++) {
		const size_t at = half * graph_half_bytes(g);
		g->kernel->edge(s->frees + at, issued + at, s->frees_after, (const char *)s->exec_mask + at, false);
	}
}
