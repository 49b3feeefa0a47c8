/* Slots are kept for 16 lanes of each quarter that is limited by bandwidth: all combinations of the first four classes
 * inside (dl1, shalu, dmiss, bmisp when there are such) with and without win. The remaining two (lgalu, imiss) hardly move contention: lanes
 * that differ in them wait as long. Measured against slots in all 128 lanes: see docs/graph.md. */
#include "analysis/graph_state.h"

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

/* Fields in the order of their importance, should the bits not suffice for all. */
static void create_fields(struct graph_slots *s, const struct culprit_graph_params *p)
{
	unsigned used = 0;
	uint32_t width = p->issue_width ? p->issue_width : UINT32_MAX;
	if (p->issue_width && p->issue_width < 4096)
		add_field(s, &s->all, p->issue_width, &used);
	for (uint32_t q = 0; q < p->queue_count; q++)
		if (p->queue_width[q] && p->queue_width[q] < width)
			add_field(s, &s->queue[q], p->queue_width[q], &used);
	for (uint32_t u = 0; u < p->unit_count; u++) {
		uint32_t queue = p->units[u].queue;
		uint32_t most = queue < p->queue_count && p->queue_width[queue] ? p->queue_width[queue] : width;
		if (p->units[u].count && p->units[u].count < (most < width ? most : width))
			add_field(s, &s->unit[u], p->units[u].count, &used);
	}
}

static size_t run_sets(void)
{
	return (size_t)GRAPH_SLOT_SETS * (CULPRIT_GRAPH_UNITS + 1);
}

bool graph_slots_create(struct culprit_graph *g)
{
	if (!g->params.issue_slots)
		return true;
	create_fields(&g->slots, &g->params);
	g->slots.words = calloc((size_t)SLOT_LANES * GRAPH_SLOT_STRIDE, sizeof *g->slots.words);
	size_t bytes = run_sets() * sizeof *g->slots.runs;
	g->slots.runs = aligned_alloc(GRAPH_ALIGN, bytes);
	if (!g->slots.words || !g->slots.runs)
		return false;
	memset(g->slots.runs, 0, bytes);
	for (size_t lane = 0; lane < SLOT_LANES; lane++)
		g->slots.limits[lane] = (uint32_t)g->origin + GRAPH_SLOT_SPAN;
	g->slots.largest_limit = (uint32_t)g->origin + GRAPH_SLOT_SPAN;
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
		g->slots.limits[lane] -= (uint32_t)graph_get_lane(g, delta, row_lane(lane));
		note_limit(&g->slots, g->slots.limits[lane]);
	}
	rebase_runs(g, delta);
}

void graph_slots_hold(const struct graph_slot_use *u, size_t lane, uint32_t issue)
{
	uint32_t *words = graph_slots_words(u, lane), limit = u->limits[lane];
	for (uint32_t i = 1; i < u->interval && issue + i < limit; i++)
		if (!((words[(issue + i) % GRAPH_SLOT_SPAN] + u->bias) & u->unit_full))
			words[(issue + i) % GRAPH_SLOT_SPAN] += u->unit_take;
}

uint32_t graph_slots_search(const struct graph_slot_use *u, size_t lane, uint32_t ready)
{
	const uint32_t *words = graph_slots_words(u, lane);
	struct graph_slot_runs *runs = &u->runs[lane / GRAPH_SLOT_LANES];
	uint32_t *first = &runs->first[lane % GRAPH_SLOT_LANES], *end = &runs->end[lane % GRAPH_SLOT_LANES];
	uint32_t limit = u->limits[lane], t = ready;
	while (t < limit && ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->full))
		t = t >= *first && t < *end ? *end : t + 1;
	if (t > limit)
		t = limit;
	if (ready <= *end && t >= *end) {
		*first = ready < *first ? ready : *first;
		*end = t;
	} else if (t - ready > *end - *first) {
		*first = ready;
		*end = t;
	}
	return t;
}

static const struct graph_slot_field *queue_field(const struct culprit_graph *g, uint32_t queue)
{
	static const struct graph_slot_field none;
	return queue < g->params.queue_count ? &g->slots.queue[queue] : &none;
}

/* What a run says holds for one unit of one queue. Records that mix them otherwise share a set, for as long as they ask
 * for the same. */
static struct graph_slot_runs *find_runs(struct culprit_graph *g, const struct culprit_record *r, uint32_t full)
{
	struct graph_slots *s = &g->slots;
	if (r->unit < g->params.unit_count &&
	    queue_field(g, g->params.units[r->unit].queue) == queue_field(g, r->queue))
		return s->runs + (size_t)GRAPH_SLOT_SETS * r->unit;
	struct graph_slot_runs *others = s->runs + (size_t)GRAPH_SLOT_SETS * CULPRIT_GRAPH_UNITS;
	if (full != s->others_full)
		memset(others, 0, GRAPH_SLOT_SETS * sizeof *others);
	s->others_full = full;
	return others;
}

void graph_slots_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	static const struct graph_slot_field none;
	const struct graph_slot_field *unit = r->unit < g->params.unit_count ? &g->slots.unit[r->unit] : &none;
	const struct graph_slot_field *queue = queue_field(g, r->queue);
	struct graph_slot_use *u = &s->slots;
	u->full = g->slots.all.full | queue->full | unit->full;
	u->take = g->slots.all.take + queue->take + unit->take;
	u->words = u->full ? g->slots.words : NULL;
	u->limits = g->slots.limits;
	u->bias = g->slots.bias;
	u->runs = find_runs(g, r, u->full);
	u->unit_full = unit->full;
	u->unit_take = unit->take;
	u->interval = unit->take ? g->params.interval[r->op_class] : 0;
}

/* Zero the words of cycles from <= t < to. */
static void clear(uint32_t *words, uint64_t from, uint64_t to)
{
	if (to - from >= GRAPH_SLOT_SPAN) {
		memset(words, 0, GRAPH_SLOT_SPAN * sizeof *words);
		return;
	}
	uint64_t first = from % GRAPH_SLOT_SPAN, last = to % GRAPH_SLOT_SPAN;
	if (first <= last) {
		memset(words + first, 0, (last - first) * sizeof *words);
		return;
	}
	memset(words + first, 0, (GRAPH_SLOT_SPAN - first) * sizeof *words);
	memset(words, 0, last * sizeof *words);
}

void graph_slots_advance(struct culprit_graph *g)
{
	const char *dispatched = graph_ring_row(&g->d, 1);
	for (size_t lane = 0; lane < SLOT_LANES; lane++) {
		if (unused(g, lane))
			continue;
		uint64_t limit = g->slots.limits[lane];
		uint64_t next = graph_get_lane(g, dispatched, row_lane(lane)) + GRAPH_SLOT_SPAN;
		if (next < limit + GRAPH_SLOT_SPAN / 4)
			continue;
		clear(g->slots.words + lane * GRAPH_SLOT_STRIDE, limit, next);
		g->slots.limits[lane] = (uint32_t)next;
		note_limit(&g->slots, (uint32_t)next);
	}
}
