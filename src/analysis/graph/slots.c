/* Slots are kept for 16 lanes of each quarter that is limited by bandwidth: all combinations of the first four
 * classes inside, with and without win. Which classes these are sharing.c says: those that move contention most.
 * Lanes that differ in the remaining two wait as long, but for long operations on a unit that one of their kind can
 * hold: what they wait for is over with its latency (glpsol on boom-large, lgalu: 43.9 % of the time by simulation,
 * without this 17.0). That is so for those that do not hold it themselves, too (cc1 from 5 million instructions on,
 * eyerman2009-4w, whose multiplications wait for divisions: 44.1 by simulation, without this 37.5). */
#include "analysis/graph/plan.h"
#include "analysis/graph/slots_planes.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_LANES = GRAPH_SLOT_SETS * GRAPH_SLOT_LANES };

static uint32_t queue_row(const struct culprit_graph *g, uint32_t queue)
{
	return queue < g->params.queue_count ? queue : CULPRIT_GRAPH_QUEUES;
}

static void create_use(struct culprit_graph *g, struct graph_slot_use *u, uint32_t unit, uint32_t queue)
{
	static const struct graph_slot_field none;
	struct graph_slots *s = &g->slots;
	bool known = unit < g->params.unit_count;
	const struct graph_slot_field *of = known ? &s->unit[unit] : &none;
	const struct graph_slot_field *in = queue_row(g, queue) < CULPRIT_GRAPH_QUEUES ? &s->queue[queue] : &none;
	*u = (struct graph_slot_use){
		.words = s->words,
		.planes = s->planes,
		.limits = s->limits,
		.runs = s->runs + (u - s->uses) * GRAPH_SLOT_SETS,
		.beyond = known ? s->beyond[unit] : NULL,
		.bias = s->bias,
		.full = s->all.full | in->full | of->full,
		.take = s->all.take + in->take + of->take,
		.unit_full = of->full,
		.unit_take = of->take,
	};
	graph_planes_use(u, &s->all, in, of);
}

static bool create_beyond(struct graph_slots *s, const struct culprit_graph_params *p)
{
	for (uint32_t unit = 0; unit < p->unit_count; unit++) {
		if (!s->unit[unit].take || !graph_slots_any_long(p, unit))
			continue;
		s->beyond[unit] = graph_beyond_create(p->units[unit].count);
		if (!s->beyond[unit])
			return false;
	}
	return true;
}

/* Cycles are kept up to here when nothing is dispatched before `dispatch` any more. */
static uint32_t limit_after(uint64_t dispatch)
{
	return (uint32_t)((dispatch + GRAPH_SLOT_SPAN) / GRAPH_BEYOND_LINE * GRAPH_BEYOND_LINE);
}

static size_t run_sets(void)
{
	return (size_t)GRAPH_SLOT_SETS * (GRAPH_SLOT_WIDTH + 1);
}

bool graph_slots_create(struct culprit_graph *g)
{
	struct graph_slots *s = &g->slots;
	if (!g->params.issue_slots)
		return true;
	graph_slots_create_fields(s, &g->params);
	size_t bytes = run_sets() * sizeof *s->runs;
	s->runs = aligned_alloc(GRAPH_ALIGN, bytes);
	if (g->kernels->slot_planes)
		s->planes = graph_planes_create(s);
	else
		s->words = calloc((size_t)SLOT_LANES * GRAPH_SLOT_STRIDE, sizeof *s->words);
	if (!s->runs || !(g->kernels->slot_planes ? (void *)s->planes : s->words))
		return false;
	memset(s->runs, 0, bytes);
	if (!create_beyond(s, &g->params))
		return false;
	for (uint32_t unit = 0; unit < g->params.unit_count; unit++)
		create_use(g, &s->uses[unit], unit, g->params.units[unit].queue);
	create_use(g, &s->uses[GRAPH_SLOT_WIDTH], CULPRIT_GRAPH_UNITS, CULPRIT_GRAPH_QUEUES);
	for (size_t lane = 0; lane < SLOT_LANES; lane++)
		s->limits[lane] = limit_after(g->origin);
	s->largest_limit = limit_after(g->origin);
	g->top = s->largest_limit;
	return true;
}

void graph_slots_destroy(struct culprit_graph *g)
{
	free(g->slots.words);
	free(g->slots.runs);
	graph_planes_destroy(g->slots.planes);
	for (size_t unit = 0; unit < CULPRIT_GRAPH_UNITS; unit++)
		graph_beyond_destroy(g->slots.beyond[unit]);
}

/* The row's lane that slot lane `lane` stands for. */
static size_t row_lane(size_t lane)
{
	return lane / GRAPH_SLOT_LANES * GRAPH_QUARTER + lane % GRAPH_SLOT_LANES;
}

/* Where bandwidth is idealised in exactly the upper quarters, these take no slots. */
static bool unused(const struct culprit_graph *g, size_t lane)
{
	return g->split && lane / GRAPH_SLOT_LANES % 2;
}

static void note_limit(struct graph_slots *s, uint32_t limit)
{
	s->largest_limit = limit > s->largest_limit ? limit : s->largest_limit;
}

static void rebase_beyond(struct graph_slots *s, size_t lane, uint32_t by)
{
	for (size_t unit = 0; unit < CULPRIT_GRAPH_UNITS; unit++)
		if (s->beyond[unit])
			graph_beyond_rebase(s->beyond[unit], (unsigned)lane, s->limits[lane], by);
}

static void restart_beyond(struct graph_slots *s, size_t lane)
{
	for (size_t unit = 0; unit < CULPRIT_GRAPH_UNITS; unit++)
		if (s->beyond[unit])
			graph_beyond_restart(s->beyond[unit], (unsigned)lane);
}

static void rebase_runs(struct culprit_graph *g, const void *delta)
{
	for (size_t i = 0; i < run_sets(); i++) {
		struct graph_slot_runs *runs = &g->slots.runs[i];
		for (size_t lane = 0; lane < GRAPH_SLOT_LANES; lane++) {
			size_t row = row_lane(i % GRAPH_SLOT_SETS * GRAPH_SLOT_LANES + lane);
			uint32_t by = (uint32_t)graph_get_lane(g, delta, row);
			runs->first[lane] = runs->first[lane] > by ? runs->first[lane] - by : 0;
			runs->end[lane] = runs->end[lane] > by ? runs->end[lane] - by : 0;
		}
	}
}

uint64_t graph_slots_top(const struct culprit_graph *g)
{
	uint64_t top = g->slots.largest_limit;
	for (size_t unit = 0; unit < CULPRIT_GRAPH_UNITS; unit++)
		for (size_t lane = 0; g->slots.beyond[unit] && lane < SLOT_LANES; lane++) {
			uint64_t end = graph_beyond_end(g->slots.beyond[unit], (unsigned)lane);
			top = end > top ? end : top;
		}
	return top;
}

void graph_slots_rebase(struct culprit_graph *g, const void *delta)
{
	if (!g->params.issue_slots)
		return;
	g->slots.largest_limit = 0;
	for (size_t lane = 0; lane < SLOT_LANES; lane++) {
		if (unused(g, lane))
			continue;
		uint32_t by = (uint32_t)graph_get_lane(g, delta, row_lane(lane));
		rebase_beyond(&g->slots, lane, by);
		/* times can outrun the limit between two advances; the next one clears all cycles then */
		g->slots.limits[lane] = g->slots.limits[lane] > by ? g->slots.limits[lane] - by : 0;
		note_limit(&g->slots, g->slots.limits[lane]);
		if (g->slots.planes)
			graph_planes_rebase(g->slots.planes, lane, by);
	}
	rebase_runs(g, delta);
}

/* A word is a cycle. */
static uint32_t scan(const struct graph_slot_use *u, size_t lane, uint32_t t, uint32_t first, uint32_t end)
{
	const uint32_t *words = graph_slots_words(u, lane), limit = u->limits[lane];
	while (t < limit && ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->full))
		t = t >= first && t < end ? end : t + 1;
	return t < limit ? t : limit;
}

uint32_t graph_slots_search(const struct graph_slot_use *u, size_t lane, uint32_t ready)
{
	const struct graph_slot_runs *runs = &u->runs[lane / GRAPH_SLOT_LANES];
	uint32_t t = scan(u, lane, ready, runs->first[lane % GRAPH_SLOT_LANES], runs->end[lane % GRAPH_SLOT_LANES]);
	graph_slots_note_run(u, lane, ready, t);
	return t;
}

/* A cycle from `issue` on in which the unit is taken before it would be done; the limit or beyond: none. */
static uint32_t next_taken(const struct graph_slot_use *u, size_t lane, uint32_t issue, uint32_t interval)
{
	const uint32_t *words = graph_slots_words(u, lane), limit = u->limits[lane];
	uint32_t end = limit - issue < interval ? limit : issue + interval;
	for (uint32_t t = issue + 1; t < end; t++)
		if ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->unit_full)
			return t;
	return limit;
}

/* An older operation has the unit from its issue on already: a younger one that would still be at work then comes
 * after it. In the simulator it is the younger that goes first and the older that waits. Letting both have the unit
 * made the base time of povray on fields2003 0.11 % short. */
uint32_t graph_slots_take_long(const struct graph_slot_use *u, size_t lane, uint32_t ready, uint32_t interval,
			       uint32_t recorded)
{
	const uint32_t limit = u->limits[lane];
	uint32_t t = ready;
	while (t < limit) {
		t = graph_slots_search(u, lane, t);
		uint32_t taken = t < limit ? next_taken(u, lane, t, interval) : limit;
		if (taken >= limit)
			break;
		t = taken;
	}
	if (t + interval > limit && (t >= limit || !graph_beyond_reach(u->beyond, (unsigned)lane, limit, t + interval)))
		return (uint32_t)graph_beyond_take(u->beyond, (unsigned)lane, limit, t, interval, recorded) - ready;
	uint32_t *words = graph_slots_words(u, lane);
	words[t % GRAPH_SLOT_SPAN] += u->take;
	for (uint32_t i = 1; i < interval && t + i < limit; i++)
		words[(t + i) % GRAPH_SLOT_SPAN] += u->unit_take;
	return t - ready;
}

/* An instruction whose unit and queue do not belong together: its runs hold for as long as others like it ask for the
 * same. */
static struct graph_slot_use *unusual(struct culprit_graph *g, const struct culprit_record *r)
{
	struct graph_slot_use *u = &g->slots.uses[CULPRIT_GRAPH_UNITS];
	uint32_t before = u->full;
	graph_catch_up(g); /* others like it may still have to take theirs */
	create_use(g, u, r->unit, r->queue);
	if (u->full != before)
		memset(u->runs, 0, GRAPH_SLOT_SETS * sizeof *u->runs);
	return u;
}

/* For how many cycles it holds its unit. Whoever holds one may do so beyond the cycles that are kept: a record may take
 * a unit that by the parameters nobody holds, such as a vector's access across params.split. */
static uint32_t held(struct culprit_graph *g, const struct culprit_record *r, struct graph_slot_use *u)
{
	const uint32_t cycles = u->unit_take ? graph_slots_held(&g->params, r) : 0;
	if (cycles <= 1 || u->beyond)
		return cycles;
	struct graph_beyond **beyond = &g->slots.beyond[r->unit];
	if (!*beyond)
		*beyond = graph_beyond_create(g->params.units[r->unit].count);
	u->beyond = *beyond;
	if (!u->beyond)
		graph_fail(g, "out of memory for issue slots");
	return u->beyond ? cycles : 1;
}

void graph_slots_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_slot_use *u;
	if (r->unit < g->params.unit_count && queue_row(g, g->params.units[r->unit].queue) == queue_row(g, r->queue))
		u = &g->slots.uses[r->unit];
	else
		u = unusual(g, r);
	s->interval = held(g, r, u);
	s->slots = u->full ? u : NULL;
	s->contention = u->full ? s->contention : 0;
	if (g->slots.planes)
		g->slots.planes->in_use |= u->in_use;
	const graph_owners sharing = (GRAPH_ALWAYS - 1) & ~(GRAPH_SLOT_LANES - 1);
	bool shared = u->beyond && (g->owners[graph_execution_class(r)] & sharing);
	bool lasts = shared && culprit_execution_class(r->op_class, r->exec_latency) == CULPRIT_EVENT_lgalu;
	s->slot_mask = lasts ? s->exec_mask : NULL;
}

void graph_slots_restart(struct culprit_graph *g, unsigned bit)
{
	const char *dispatched = graph_power_row(&g->d, (uint32_t)g->done - 1);
	for (size_t lane = 0; lane < SLOT_LANES; lane++) {
		if (unused(g, lane) || !(lane >> bit & 1))
			continue;
		if (g->slots.planes)
			graph_planes_restart(g->slots.planes, lane);
		else
			graph_slots_clear(g->slots.words + lane * GRAPH_SLOT_STRIDE, 0, GRAPH_SLOT_SPAN);
		g->slots.limits[lane] = limit_after(graph_get_lane(g, dispatched, row_lane(lane)));
		restart_beyond(&g->slots, lane);
		note_limit(&g->slots, g->slots.limits[lane]);
		for (size_t i = lane / GRAPH_SLOT_LANES; i < run_sets(); i += GRAPH_SLOT_SETS)
			g->slots.runs[i].first[lane % GRAPH_SLOT_LANES] =
				g->slots.runs[i].end[lane % GRAPH_SLOT_LANES] = 0;
	}
	if (g->slots.largest_limit > g->top)
		g->top = g->slots.largest_limit;
}

/* A line of a unit's planes, as graph_beyond_move gives them, into slots of which nothing is taken. */
static void put_line(const struct graph_slot_use *u, size_t lane, uint64_t first, const uint64_t *planes)
{
	if (u->planes) {
		graph_planes_put_line(u, lane, first, planes);
		return;
	}
	uint32_t *words = graph_slots_words(u, lane), field = 2 * u->unit_full - u->unit_take;
	for (uint32_t i = 0; i < GRAPH_BEYOND_LINE; i++) {
		uint32_t held = 0;
		for (uint32_t bit = u->unit_take, plane = 0; bit & field; bit <<= 1, plane++)
			held += planes[plane] >> i & 1 ? bit : 0;
		words[(first + i) % GRAPH_SLOT_SPAN] += held - (u->bias & field);
	}
}

/* What was beyond `limit` goes into slots, up to `next`. */
static void approach(struct graph_slots *s, size_t lane, uint64_t limit, uint64_t next)
{
	uint64_t planes[GRAPH_BEYOND_PLANES];
	for (size_t unit = 0; unit < CULPRIT_GRAPH_UNITS; unit++) {
		struct graph_beyond *b = s->beyond[unit];
		uint64_t end = b ? graph_beyond_end(b, (unsigned)lane) : 0;
		for (uint64_t t = limit; t < next && t < end; t += GRAPH_BEYOND_LINE)
			if (graph_beyond_move(b, (unsigned)lane, t, planes) && t + GRAPH_SLOT_SPAN >= next)
				put_line(&s->uses[unit], lane, t, planes);
	}
}

void graph_slots_advance(struct culprit_graph *g)
{
	const char *dispatched = graph_power_row(&g->d, (uint32_t)g->done - 1);
	for (size_t lane = 0; lane < SLOT_LANES; lane++) {
		if (unused(g, lane))
			continue;
		uint64_t limit = g->slots.limits[lane], dispatch = graph_get_lane(g, dispatched, row_lane(lane));
		uint64_t next = limit_after(dispatch);
		if (next < limit + GRAPH_SLOT_SPAN / 4)
			continue;
		if (g->slots.planes)
			graph_planes_advance(g->slots.planes, lane, dispatch, limit, next);
		else
			graph_slots_clear(g->slots.words + lane * GRAPH_SLOT_STRIDE, (uint32_t)limit, (uint32_t)next);
		approach(&g->slots, lane, limit, next);
		g->slots.limits[lane] = (uint32_t)next;
		note_limit(&g->slots, (uint32_t)next);
	}
	/* waiting for a slot ends at the lane's limit at the latest */
	if (g->slots.largest_limit > g->top)
		g->top = g->slots.largest_limit;
}
