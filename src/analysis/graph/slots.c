/* Slots are kept for 16 lanes of each quarter that is limited by bandwidth: all combinations of the first four classes
 * inside, with and without win. Which classes these are sharing.c says: those that move contention most. Lanes
 * that differ in the remaining two wait as long, but for the wait of long operations for a unit that one of their kind can hold, which
 * is over with their latency (glpsol on boom-large, lgalu: 43.9 % of the time by simulation, without this 17.0). */
#include "analysis/graph/plan.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_LANES = GRAPH_SLOT_SETS * GRAPH_SLOT_LANES };

/* A field of b bits whose count starts at 2^(b-1) - slots, so that its top bit says full. False: no bits left. */
static bool add_field(struct graph_slots *s, struct graph_slot_field *f, uint32_t slots, unsigned *used)
{
	unsigned bits = 1;
	while (1u << (bits - 1) < slots)
		bits++;
	if (*used + bits > 32)
		return false;
	f->take = 1u << *used;
	f->full = 1u << (*used + bits - 1);
	s->bias += ((1u << (bits - 1)) - slots) << *used;
	*used += bits;
	return true;
}

/* One cycle's bits in all cycles of a word. */
static uint32_t in_each_cycle(const struct graph_slot_layout *l, uint32_t bits)
{
	for (uint32_t step = 1u << l->bits_log; step < 32; step *= 2)
		bits |= bits << step;
	return bits;
}

/* The most that can go to a unit in one cycle, its own count aside. */
static uint32_t unit_width(const struct culprit_graph_params *p, uint32_t unit)
{
	uint32_t width = p->issue_width ? p->issue_width : UINT32_MAX, queue = p->units[unit].queue;
	uint32_t most = queue < p->queue_count && p->queue_width[queue] ? p->queue_width[queue] : width;
	return most < width ? most : width;
}

/* Does a unit take operations that hold it? */
static bool any_long(const struct culprit_graph_params *p, uint32_t unit)
{
	uint32_t ops = p->unit_ops[unit] ? p->unit_ops[unit] : UINT32_MAX;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		if (p->interval[op] > 1 && ops & 1u << op)
			return true;
	return false;
}

/* Fields in the order of their importance, should the bits not suffice for all. A unit as wide as its queue has one only because
 * long operations may hold it: without, divisions on a queue one wide overlapped (glpsol on boom-large: 31 % short). */
static void create_fields(struct graph_slots *s, const struct culprit_graph_params *p, bool pack)
{
	unsigned used = 0;
	if (p->issue_width && p->issue_width < 4096)
		add_field(s, &s->all, p->issue_width, &used);
	for (uint32_t q = 0; q < p->queue_count; q++)
		if (p->queue_width[q] && p->queue_width[q] < (p->issue_width ? p->issue_width : UINT32_MAX))
			add_field(s, &s->queue[q], p->queue_width[q], &used);
	for (uint32_t u = 0; u < p->unit_count; u++)
		if (p->units[u].count && p->units[u].count < unit_width(p, u))
			add_field(s, &s->unit[u], p->units[u].count, &used);
	for (uint32_t u = 0; u < p->unit_count; u++)
		if (p->units[u].count && p->units[u].count == unit_width(p, u) && any_long(p, u))
			add_field(s, &s->unit[u], p->units[u].count, &used);
	struct graph_slot_layout *l = &s->layout;
	l->bits_log = pack && used <= 8 ? 3 : 5;
	l->cycles_log = 5 - l->bits_log;
	l->tops = in_each_cycle(l, 1u << ((1u << l->bits_log) - 1));
	l->stride = (GRAPH_SLOT_SPAN >> l->cycles_log) + GRAPH_SLOT_STRIDE - GRAPH_SLOT_SPAN;
}

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
		.lanes = s->lanes,
		.limits = s->limits,
		.runs = s->runs + (u - s->uses) * GRAPH_SLOT_SETS,
		.backlog = s->backlog[u - s->uses],
		.instances = known && g->params.units[unit].count ? g->params.units[unit].count : 1,
		.layout = s->layout,
		.bias = in_each_cycle(&s->layout, s->bias),
		.full = in_each_cycle(&s->layout, s->all.full | in->full | of->full),
		.take = s->all.take + in->take + of->take,
		.unit_full = in_each_cycle(&s->layout, of->full),
		.unit_take = of->take,
	};
}

static size_t run_sets(void)
{
	return (size_t)GRAPH_SLOT_SETS * (CULPRIT_GRAPH_UNITS + 1);
}

bool graph_slots_create(struct culprit_graph *g)
{
	if (!g->params.issue_slots)
		return true;
	create_fields(&g->slots, &g->params, g->kernels->packs_slots);
	for (uint32_t lane = 0; lane < GRAPH_SLOT_LANES; lane++)
		g->slots.lanes[lane] = lane * g->slots.layout.stride;
	g->slots.words = calloc((size_t)SLOT_LANES * g->slots.layout.stride, sizeof *g->slots.words);
	size_t bytes = run_sets() * sizeof *g->slots.runs;
	g->slots.runs = aligned_alloc(GRAPH_ALIGN, bytes);
	if (!g->slots.words || !g->slots.runs)
		return false;
	memset(g->slots.runs, 0, bytes);
	for (uint32_t unit = 0; unit < g->params.unit_count; unit++)
		create_use(g, &g->slots.uses[unit], unit, g->params.units[unit].queue);
	for (size_t lane = 0; lane < SLOT_LANES; lane++)
		g->slots.limits[lane] = (uint32_t)g->origin + GRAPH_SLOT_SPAN;
	g->slots.largest_limit = (uint32_t)g->origin + GRAPH_SLOT_SPAN;
	g->top = g->slots.largest_limit;
	return true;
}

void graph_slots_destroy(struct culprit_graph *g)
{
	free(g->slots.words);
	free(g->slots.runs);
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

static void rebase_backlog(struct graph_slots *s, size_t lane, uint32_t by)
{
	for (size_t use = 0; use <= CULPRIT_GRAPH_UNITS; use++)
		s->backlog[use][lane] = s->backlog[use][lane] > by ? s->backlog[use][lane] - by : 0;
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

void graph_slots_rebase(struct culprit_graph *g, const void *delta)
{
	if (!g->slots.words)
		return;
	g->slots.largest_limit = 0;
	for (size_t lane = 0; lane < SLOT_LANES; lane++) {
		if (unused(g, lane))
			continue;
		uint32_t by = (uint32_t)graph_get_lane(g, delta, row_lane(lane));
		/* times can outrun the limit between two advances; the next one clears all cycles then */
		g->slots.limits[lane] = g->slots.limits[lane] > by ? g->slots.limits[lane] - by : 0;
		note_limit(&g->slots, g->slots.limits[lane]);
		rebase_backlog(&g->slots, lane, by);
	}
	rebase_runs(g, delta);
}

uint32_t graph_slots_scan(const struct graph_slot_use *u, size_t lane, uint32_t t)
{
	const struct graph_slot_runs *runs = &u->runs[lane / GRAPH_SLOT_LANES];
	const uint32_t first = runs->first[lane % GRAPH_SLOT_LANES], end = runs->end[lane % GRAPH_SLOT_LANES];
	const uint32_t cycles = 1u << u->layout.cycles_log, limit = u->limits[lane];
	while (t < limit) {
		if (t >= first && t < end) {
			t = end;
			continue;
		}
		uint32_t room = graph_slots_room(u, *graph_slots_word(u, lane, t), u->full, t);
		if (room) {
			t = graph_slots_first(&u->layout, room, t);
			break;
		}
		t = (t | (cycles - 1)) + 1;
	}
	return t < limit ? t : limit;
}

/* The same, where a word is a cycle. */
static uint32_t scan_cycles(const struct graph_slot_use *u, size_t lane, uint32_t t, uint32_t first, uint32_t end)
{
	const uint32_t *words = graph_slots_words(u, lane), limit = u->limits[lane];
	while (t < limit && ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->full))
		t = t >= first && t < end ? end : t + 1;
	return t < limit ? t : limit;
}

uint32_t graph_slots_search(const struct graph_slot_use *u, size_t lane, uint32_t ready)
{
	struct graph_slot_runs *runs = &u->runs[lane / GRAPH_SLOT_LANES];
	uint32_t *first = &runs->first[lane % GRAPH_SLOT_LANES], *end = &runs->end[lane % GRAPH_SLOT_LANES];
	uint32_t t = u->layout.cycles_log ? graph_slots_scan(u, lane, ready)
					  : scan_cycles(u, lane, ready, *first, *end);
	if (ready <= *end && t >= *end) {
		*first = ready < *first ? ready : *first;
		*end = t;
	} else if (t - ready > *end - *first) {
		*first = ready;
		*end = t;
	}
	return t;
}

static bool unit_taken(const struct graph_slot_use *u, size_t lane, uint32_t t)
{
	const struct graph_slot_layout *l = &u->layout;
	const uint32_t one = u->unit_full & UINT32_MAX >> (32 - (1u << l->bits_log)); /* of one cycle */
	return (*graph_slots_word(u, lane, t) + u->bias) & one << graph_slots_shift(l, t);
}

/* A cycle from `issue` on in which the unit is taken before it would be done; the limit or beyond: none. */
static uint32_t next_taken(const struct graph_slot_use *u, size_t lane, uint32_t issue, uint32_t interval)
{
	uint32_t limit = u->limits[lane], end = limit - issue < interval ? limit : issue + interval;
	for (uint32_t t = issue + 1; t < end; t++)
		if (unit_taken(u, lane, t))
			return t;
	return limit;
}

static void take(const struct graph_slot_use *u, size_t lane, uint32_t t, uint32_t fields)
{
	*graph_slots_word(u, lane, t) += fields << graph_slots_shift(&u->layout, t);
}

/* At the end of a backlog; how fast it grows is all that is told of several instances. */
static uint32_t queue_up(const struct graph_slot_use *u, size_t lane, uint32_t t, uint32_t interval)
{
	u->backlog[lane] = t + (interval + u->instances - 1) / u->instances;
	return t;
}

/* An older operation has the unit from its issue on already: a younger one that would still be at work then comes after it. In
 * the simulator it is the younger that goes first and the older that waits. Letting both have the unit made the base time of
 * povray on fields2003 0.11 % short. */
uint32_t graph_slots_take_long(const struct graph_slot_use *u, size_t lane, uint32_t ready, uint32_t interval)
{
	uint32_t limit = u->limits[lane], t = ready;
	if (interval > 1 && u->backlog[lane] > ready)
		return queue_up(u, lane, u->backlog[lane], interval) - ready;
	while (t < limit) {
		t = graph_slots_search(u, lane, t);
		uint32_t taken = t < limit ? next_taken(u, lane, t, interval) : limit;
		if (taken >= limit)
			break;
		t = taken;
	}
	if (t >= limit)
		return (interval > 1 && ready < limit ? queue_up(u, lane, t, interval) : t) - ready;
	if (interval > 1 && t + interval > limit)
		queue_up(u, lane, t, interval);
	take(u, lane, t, u->take);
	for (uint32_t i = 1; i < interval && t + i < limit; i++)
		take(u, lane, t + i, u->unit_take);
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

void graph_slots_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct graph_slot_use *u;
	if (r->unit < g->params.unit_count && queue_row(g, g->params.units[r->unit].queue) == queue_row(g, r->queue))
		u = &g->slots.uses[r->unit];
	else
		u = unusual(g, r);
	s->interval = u->unit_take ? g->params.interval[r->op_class] : 0;
	s->slots = u->full ? u : NULL;
	bool shared = g->owners[CULPRIT_EVENT_lgalu] & ~(GRAPH_SLOT_LANES - 1);
	s->slot_mask = shared && s->interval > 1 && graph_execution_class(r) == CULPRIT_EVENT_lgalu ? s->exec_mask
												    : NULL;
}

/* Empties cycles from <= t < to, which do not wrap around. */
static void clear_straight(const struct graph_slot_layout *l, uint32_t *words, uint32_t from, uint32_t to)
{
	uint32_t first = from >> l->cycles_log, last = to >> l->cycles_log;
	uint32_t before = (1u << graph_slots_shift(l, from)) - 1, behind = UINT32_MAX << graph_slots_shift(l, to);
	uint32_t kept = words[first] & before;
	uint32_t edge = words[last] &
			behind; /* of cycles from `to` on; beyond the span lie words that are always empty */
	if (first < last) {
		memset(words + first, 0, (last - first) * sizeof *words);
		words[first] = kept;
		words[last] = edge;
	} else {
		words[first] = kept | edge;
	}
}

static void clear(struct graph_slots *s, size_t lane, uint64_t from, uint64_t to)
{
	uint32_t *words = s->words + lane * s->layout.stride;
	uint32_t first = from % GRAPH_SLOT_SPAN, last = to % GRAPH_SLOT_SPAN;
	if (to - from >= GRAPH_SLOT_SPAN) {
		first = 0;
		last = GRAPH_SLOT_SPAN;
	}
	if (first > last) {
		clear_straight(&s->layout, words, first, GRAPH_SLOT_SPAN);
		first = 0;
	}
	clear_straight(&s->layout, words, first, last);
}

void graph_slots_restart(struct culprit_graph *g, unsigned bit)
{
	const char *dispatched = graph_power_row(&g->d, (uint32_t)g->done - 1);
	for (size_t lane = 0; lane < SLOT_LANES; lane++) {
		if (unused(g, lane) || !(lane >> bit & 1))
			continue;
		clear(&g->slots, lane, 0, GRAPH_SLOT_SPAN);
		g->slots.limits[lane] = (uint32_t)graph_get_lane(g, dispatched, row_lane(lane)) + GRAPH_SLOT_SPAN;
		rebase_backlog(&g->slots, lane, UINT32_MAX);
		note_limit(&g->slots, g->slots.limits[lane]);
		for (size_t i = lane / GRAPH_SLOT_LANES; i < run_sets(); i += GRAPH_SLOT_SETS)
			g->slots.runs[i].first[lane % GRAPH_SLOT_LANES] =
				g->slots.runs[i].end[lane % GRAPH_SLOT_LANES] = 0;
	}
	if (g->slots.largest_limit > g->top)
		g->top = g->slots.largest_limit;
}

void graph_slots_advance(struct culprit_graph *g)
{
	const char *dispatched = graph_power_row(&g->d, (uint32_t)g->done - 1);
	for (size_t lane = 0; lane < SLOT_LANES; lane++) {
		if (unused(g, lane))
			continue;
		uint64_t limit = g->slots.limits[lane];
		uint64_t next = graph_get_lane(g, dispatched, row_lane(lane)) + GRAPH_SLOT_SPAN;
		if (next < limit + GRAPH_SLOT_SPAN / 4)
			continue;
		clear(&g->slots, lane, limit, next);
		g->slots.limits[lane] = (uint32_t)next;
		note_limit(&g->slots, (uint32_t)next);
	}
	/* waiting for a slot ends at the lane's limit at the latest */
	if (g->slots.largest_limit > g->top)
		g->top = g->slots.largest_limit;
}
