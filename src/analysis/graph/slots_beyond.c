#include "analysis/graph/slots_beyond.h"

#include "analysis/graph/slots.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = GRAPH_SLOT_SETS * GRAPH_SLOT_LANES };

struct beyond_lane {
	uint64_t moved;		       /* by rebasing: a cycle's place stays */
	uint64_t end;		       /* after the last cycle taken */
	uint64_t full_first, full_end; /* cycles known to be full */
};

/* Planes are kept as what differs from those of a line in which nothing is taken. */
struct graph_beyond {
	uint32_t planes;
	uint64_t empty[GRAPH_BEYOND_PLANES];
	struct beyond_lane lanes[LANES];
	uint64_t words[]; /* by lane, line and plane */
};

struct graph_beyond *graph_beyond_create(uint32_t instances)
{
	uint32_t planes = 1;
	while (1u << (planes - 1) < instances)
		planes++;
	struct graph_beyond *b = calloc(1, sizeof *b + sizeof(uint64_t) * LANES * GRAPH_BEYOND_LINES * planes);
	if (!b)
		return NULL;
	b->planes = planes;
	for (uint32_t plane = 0; plane < planes; plane++)
		b->empty[plane] = ((1u << (planes - 1)) - instances) >> plane & 1 ? UINT64_MAX : 0;
	return b;
}

void graph_beyond_destroy(struct graph_beyond *b)
{
	free(b);
}

static uint64_t *line_of(struct graph_beyond *b, unsigned lane, uint64_t t)
{
	uint64_t line = (t + b->lanes[lane].moved) / GRAPH_BEYOND_LINE % GRAPH_BEYOND_LINES;
	return b->words + (lane * GRAPH_BEYOND_LINES + line) * b->planes;
}

static uint64_t line_end(uint64_t t)
{
	return t - t % GRAPH_BEYOND_LINE + GRAPH_BEYOND_LINE;
}

/* Of the line of cycle t, the cycles from t on in which all instances are held; bit 0 is t. */
static uint64_t full_from(struct graph_beyond *b, unsigned lane, uint64_t t)
{
	uint32_t top = b->planes - 1;
	return (line_of(b, lane, t)[top] ^ b->empty[top]) >> t % GRAPH_BEYOND_LINE;
}

/* The first cycle from t on, before `last`, that is not full. */
static uint64_t find_room(struct graph_beyond *b, unsigned lane, uint64_t t, uint64_t last)
{
	struct beyond_lane *l = &b->lanes[lane];
	uint64_t ready = t;
	while (t < last && t < l->end) {
		uint64_t room = ~full_from(b, lane, t) & UINT64_MAX >> t % GRAPH_BEYOND_LINE;
		if (room) {
			t += (uint64_t)__builtin_ctzll(room);
			break;
		}
		t = line_end(t);
		t = t >= l->full_first && t < l->full_end ? l->full_end : t;
	}
	bool meet = ready <= l->full_end && t >= l->full_end;
	if (meet || t - ready > l->full_end - l->full_first) {
		l->full_first = meet && l->full_first < ready ? l->full_first : ready;
		l->full_end = t;
	}
	return t;
}

/* The first full cycle from t on, before `end`; `end`: none. */
static uint64_t next_full(struct graph_beyond *b, unsigned lane, uint64_t t, uint64_t end)
{
	uint64_t stop = end < b->lanes[lane].end ? end : b->lanes[lane].end;
	while (t < stop) {
		uint64_t full = full_from(b, lane, t);
		uint64_t next = full ? t + (uint64_t)__builtin_ctzll(full) : line_end(t);
		if (full)
			return next < end ? next : end;
		t = next;
	}
	return end;
}

static void hold(struct graph_beyond *b, unsigned lane, uint64_t t, uint64_t end)
{
	b->lanes[lane].end = b->lanes[lane].end > end ? b->lanes[lane].end : end;
	while (t < end) {
		uint64_t *line = line_of(b, lane, t), stop = line_end(t) < end ? line_end(t) : end;
		uint64_t cycles = UINT64_MAX >> (GRAPH_BEYOND_LINE - (stop - t)) << t % GRAPH_BEYOND_LINE;
		for (uint32_t plane = 0; plane < b->planes; plane++) {
			uint64_t carry = (line[plane] ^ b->empty[plane]) & cycles;
			line[plane] ^= cycles;
			cycles = carry;
		}
		t = stop;
	}
}

uint64_t graph_beyond_take(struct graph_beyond *b, unsigned lane, uint64_t limit, uint64_t ready, uint64_t interval,
			   uint64_t recorded)
{
	const uint64_t last = limit + (uint64_t)GRAPH_BEYOND_LINES * GRAPH_BEYOND_LINE;
	uint64_t t = ready > limit ? ready : limit;
	while (t + interval <= last) {
		t = find_room(b, lane, t, last);
		uint64_t taken = next_full(b, lane, t, t + interval);
		if (taken == t + interval)
			break;
		t = taken;
	}
	if (t + interval > last)
		return ready + recorded;
	hold(b, lane, t, t + interval);
	return t;
}

bool graph_beyond_reach(struct graph_beyond *b, unsigned lane, uint64_t limit, uint64_t end)
{
	const uint64_t last = limit + (uint64_t)GRAPH_BEYOND_LINES * GRAPH_BEYOND_LINE;
	end = end < last ? end : last;
	if (next_full(b, lane, limit, end) < end)
		return false;
	hold(b, lane, limit, end);
	return true;
}

bool graph_beyond_move(struct graph_beyond *b, unsigned lane, uint64_t first, uint64_t *line)
{
	uint64_t *from = line_of(b, lane, first), taken = 0;
	for (uint32_t plane = 0; plane < b->planes; plane++)
		taken |= from[plane];
	if (!taken)
		return false;
	for (uint32_t plane = 0; plane < b->planes; plane++) {
		line[plane] = from[plane] ^ b->empty[plane];
		from[plane] = 0;
	}
	return true;
}

uint64_t graph_beyond_end(const struct graph_beyond *b, unsigned lane)
{
	return b->lanes[lane].end;
}

static uint64_t less(uint64_t t, uint64_t by)
{
	return t > by ? t - by : 0;
}

void graph_beyond_rebase(struct graph_beyond *b, unsigned lane, uint64_t limit, uint64_t by)
{
	struct beyond_lane *l = &b->lanes[lane];
	uint64_t gone[GRAPH_BEYOND_PLANES];
	for (uint64_t t = limit; t < by && t < l->end; t += GRAPH_BEYOND_LINE)
		graph_beyond_move(b, lane, t, gone);
	l->moved += by;
	l->end = less(l->end, by);
	l->full_first = less(l->full_first, by);
	l->full_end = less(l->full_end, by);
}

void graph_beyond_restart(struct graph_beyond *b, unsigned lane)
{
	size_t words = (size_t)GRAPH_BEYOND_LINES * b->planes;
	struct beyond_lane *l = &b->lanes[lane];
	if (l->end)
		memset(b->words + lane * words, 0, words * sizeof *b->words);
	l->end = l->full_first = l->full_end = 0;
}
