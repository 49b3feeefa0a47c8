/* Slots are kept for 16 lanes of each half: all combinations of the first four classes inside (dl1, shalu, dmiss,
 * bmisp when there are such) with and without win. The remaining two (lgalu, imiss) hardly move contention: lanes
 * that differ in them wait as long. Measured against slots in all 128 lanes: see docs/graph.md. */
#include "analysis/graph_state.h"

#include <stdlib.h>
#include <string.h>

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

bool graph_slots_create(struct culprit_graph *g)
{
	if (!g->params.issue_slots)
		return true;
	size_t lanes = 2 * GRAPH_SLOT_LANES;
	create_fields(&g->slots, &g->params);
	g->slots.words = calloc(lanes * GRAPH_SLOT_STRIDE, sizeof *g->slots.words);
	g->slots.runs = calloc(lanes * (CULPRIT_GRAPH_UNITS + 1), sizeof *g->slots.runs);
	for (size_t lane = 0; lane < lanes; lane++)
		g->slots.limits[lane] = (uint32_t)g->origin + GRAPH_SLOT_SPAN;
	g->slots.largest_limit = (uint32_t)g->origin + GRAPH_SLOT_SPAN;
	return g->slots.words && g->slots.runs;
}

void graph_slots_destroy(struct culprit_graph *g)
{
	free(g->slots.words);
	free(g->slots.runs);
}

/* The row's lane that slot lane `lane` stands for. */
static size_t row_lane(size_t lane)
{
	return lane / GRAPH_SLOT_LANES * GRAPH_HALF + lane % GRAPH_SLOT_LANES;
}

static void note_limit(struct graph_slots *s, uint32_t limit)
{
	s->largest_limit = limit > s->largest_limit ? limit : s->largest_limit;
}

void graph_slots_rebase(struct culprit_graph *g, const void *delta)
{
	size_t lanes = 2 * GRAPH_SLOT_LANES;
	if (!g->slots.words)
		return;
	g->slots.largest_limit = 0;
	for (size_t lane = 0; lane < lanes; lane++) {
		g->slots.limits[lane] -= (uint32_t)graph_get_lane(g, delta, row_lane(lane));
		note_limit(&g->slots, g->slots.limits[lane]);
	}
	for (size_t i = 0; i < lanes * (CULPRIT_GRAPH_UNITS + 1); i++) {
		struct graph_slot_run *run = &g->slots.runs[i];
		uint32_t by = (uint32_t)graph_get_lane(g, delta, row_lane(i % lanes));
		run->first = run->first > by ? run->first - by : 0;
		run->end = run->end > by ? run->end - by : 0;
	}
}

uint32_t graph_slots_search(const struct graph_slot_use *u, size_t lane, uint32_t ready)
{
	const uint32_t *words = u->words + lane * GRAPH_SLOT_STRIDE;
	struct graph_slot_run *run = &u->runs[lane];
	uint32_t limit = u->limits[lane], t = ready;
	while (t < limit && ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->full))
		t = t >= run->first && t < run->end ? run->end : t + 1;
	if (t > limit)
		t = limit;
	if (ready <= run->end && t >= run->end) {
		run->first = ready < run->first ? ready : run->first;
		run->end = t;
	} else if (t - ready > run->end - run->first) {
		*run = (struct graph_slot_run){ready, t};
	}
	return t;
}

void graph_slots_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	static const struct graph_slot_field none;
	bool known = r->unit < g->params.unit_count;
	const struct graph_slot_field *unit = known ? &g->slots.unit[r->unit] : &none;
	const struct graph_slot_field *queue = r->queue < g->params.queue_count ? &g->slots.queue[r->queue] : &none;
	s->slots = (struct graph_slot_use){
		.words = g->slots.words,
		.limits = g->slots.limits,
		.runs = g->slots.runs + (size_t)2 * GRAPH_SLOT_LANES * (known ? r->unit : CULPRIT_GRAPH_UNITS),
		.bias = g->slots.bias,
		.full = g->slots.all.full | queue->full | unit->full,
		.take = g->slots.all.take + queue->take + unit->take,
		.unit_full = unit->full,
		.unit_take = unit->take,
		.interval = unit->take ? g->params.interval[r->op_class] : 0,
	};
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
	for (size_t lane = 0; lane < 2 * GRAPH_SLOT_LANES; lane++) {
		uint64_t limit = g->slots.limits[lane];
		uint64_t next = graph_get_lane(g, dispatched, row_lane(lane)) + GRAPH_SLOT_SPAN;
		if (next < limit + GRAPH_SLOT_SPAN / 4)
			continue;
		clear(g->slots.words + lane * GRAPH_SLOT_STRIDE, limit, next);
		g->slots.limits[lane] = (uint32_t)next;
		note_limit(&g->slots, (uint32_t)next);
	}
}
