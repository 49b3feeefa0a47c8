/* Lines of planes in and out of windows, and slots taken lane by lane: what kernels do not do for many lanes
 * together. */
#include "analysis/graph/slots_planes.h"

#include "analysis/graph/state.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = GRAPH_SLOT_SETS * GRAPH_SLOT_LANES };

/* The planes of cycles first <= t < end, at most 64; bit 0 is `first`. */
struct piece {
	uint64_t *words, first, end;
	size_t stride; /* from plane to plane */
};

static uint64_t line_begin(uint64_t t)
{
	return t - t % GRAPH_SLOT_LINE;
}

/* --- windows --- */

static uint64_t *far_line(const struct graph_slot_planes *p, size_t lane, uint64_t t)
{
	return p->far + lane * p->stride + (t + p->moved[lane]) / GRAPH_SLOT_LINE % GRAPH_SLOT_FAR_LINES * p->count;
}

static struct graph_slot_set *set_of(const struct graph_slot_planes *p, size_t lane)
{
	return &p->sets[lane / GRAPH_SLOT_LANES];
}

static uint64_t *window_first(const struct graph_slot_planes *p, size_t lane, unsigned window)
{
	return &set_of(p, lane)->first[window][lane % GRAPH_SLOT_LANES];
}

static struct piece find_piece(const struct graph_slot_planes *p, size_t lane, uint64_t t)
{
	struct graph_slot_set *set = set_of(p, lane);
	struct piece far = {far_line(p, lane, t), line_begin(t), line_begin(t) + GRAPH_SLOT_LINE, 1};
	for (unsigned window = 0; window < GRAPH_SLOT_WINDOWS; window++) {
		uint64_t first = *window_first(p, lane, window), word = (t - first) / GRAPH_SLOT_LINE;
		if (t - first < GRAPH_SLOT_WINDOW) {
			first += word * GRAPH_SLOT_LINE;
			return (struct piece){&set->words[0][2 * window + word][lane % GRAPH_SLOT_LANES], first,
					      first + GRAPH_SLOT_LINE, GRAPH_SLOT_WORDS * GRAPH_SLOT_LANES};
		}
		if (first > t && first < far.end)
			far.end = first;
	}
	return far;
}

/* 64 cycles of a plane from t on. */
static uint64_t get_far(const struct graph_slot_planes *p, size_t lane, uint32_t plane, uint64_t t)
{
	unsigned shift = t % GRAPH_SLOT_LINE;
	uint64_t low = far_line(p, lane, t)[plane] >> shift;
	return shift ? low | far_line(p, lane, t + GRAPH_SLOT_LINE)[plane] << (GRAPH_SLOT_LINE - shift) : low;
}

static void put_far(const struct graph_slot_planes *p, size_t lane, uint32_t plane, uint64_t t, uint64_t cycles)
{
	unsigned shift = t % GRAPH_SLOT_LINE;
	uint64_t *low = far_line(p, lane, t) + plane, *high = far_line(p, lane, t + GRAPH_SLOT_LINE) + plane;
	*low = (*low & ~(UINT64_MAX << shift)) | cycles << shift;
	if (shift)
		*high = (*high & UINT64_MAX << shift) | cycles >> (GRAPH_SLOT_LINE - shift);
}

#define EACH_PLANE(p, plane)                                                                               \
	for (uint32_t left_ = (p)->in_use, plane; left_ && (plane = (uint32_t)__builtin_ctz(left_), true); \
	     left_ &= left_ - 1)

static void note_reached(struct graph_slot_set *set, size_t i, uint64_t end)
{
	if (set->reached[i] < end)
		set->reached[i] = end;
}

/* Window 1 into `far`. */
static void give_back(const struct graph_slot_planes *p, size_t lane, uint64_t dispatch)
{
	struct graph_slot_set *set = set_of(p, lane);
	size_t i = lane % GRAPH_SLOT_LANES;
	uint64_t first = set->first[1][i];
	set->first[1][i] = GRAPH_SLOT_NOWHERE;
	if (first == GRAPH_SLOT_NOWHERE || first + GRAPH_SLOT_WINDOW <= dispatch)
		return;
	note_reached(set, i, first + GRAPH_SLOT_WINDOW);
	EACH_PLANE(p, plane)
	for (unsigned w = 0; w < 2; w++)
		put_far(p, lane, plane, first + w * GRAPH_SLOT_LINE, set->words[plane][2 + w][i]);
}

static void load_word(const struct graph_slot_planes *p, size_t lane, unsigned word, uint64_t t)
{
	struct graph_slot_set *set = set_of(p, lane);
	size_t i = lane % GRAPH_SLOT_LANES;
	bool empty = set->reached[i] <= t;
	EACH_PLANE(p, plane)
	set->words[plane][word][i] = empty ? p->empty[plane] : get_far(p, lane, plane, t);
}

/* Window 0, which keeps what it has of the cycles from `to` on; those before are over. */
static void go_on(const struct graph_slot_planes *p, size_t lane, uint64_t to)
{
	struct graph_slot_set *set = set_of(p, lane);
	size_t i = lane % GRAPH_SLOT_LANES;
	uint64_t by = to - set->first[0][i], words[2][GRAPH_SLOT_PLANES];
	set->first[0][i] = to;
	EACH_PLANE(p, plane)
	for (unsigned w = 0; w < 2; w++)
		words[w][plane] = set->words[plane][w][i];
	for (unsigned w = by < GRAPH_SLOT_LINE; w < 2; w++)
		load_word(p, lane, w, to + w * GRAPH_SLOT_LINE);
	if (by >= GRAPH_SLOT_WINDOW)
		return;
	const unsigned shift = by % GRAPH_SLOT_LINE, from = (unsigned)(by / GRAPH_SLOT_LINE);
	const uint64_t stay = UINT64_MAX >> shift;
	EACH_PLANE(p, plane)
	{
		uint64_t *low = &set->words[plane][0][i], *high = &set->words[plane][1][i];
		uint64_t last = words[1][plane] >> shift,
			 between = words[1][plane] << (GRAPH_SLOT_LINE - 1 - shift) << 1;
		if (from) {
			*low = (*low & ~stay) | last;
		} else {
			*low = words[0][plane] >> shift | between;
			*high = (*high & ~stay) | last;
		}
	}
}

static bool within(const struct graph_slot_planes *p, size_t lane, unsigned window, uint64_t t)
{
	return t - *window_first(p, lane, window) < GRAPH_SLOT_WINDOW;
}

/* Does a window that begins at `to` share cycles with another one? */
static bool overlap(uint64_t to, uint64_t other)
{
	return to - other < GRAPH_SLOT_WINDOW || other - to < GRAPH_SLOT_WINDOW;
}

/* A window for a cycle that is in neither. No window goes beyond the cycles kept. */
static void cover(const struct graph_slot_planes *p, size_t lane, uint64_t t, uint64_t dispatch)
{
	struct graph_slot_set *set = set_of(p, lane);
	const size_t i = lane % GRAPH_SLOT_LANES;
	const uint64_t near = set->first[0][i], last = set->missed[i];
	const bool follows = t - dispatch < GRAPH_SLOT_WINDOW;
	uint64_t to = follows ? dispatch : t - GRAPH_SLOT_LINE / 2;
	set->missed[i] = t;
	if (!follows && !overlap(t, last))
		return; /* some are alone */
	if (!follows && overlap(to, near))
		to = t < near ? near - GRAPH_SLOT_WINDOW : near + GRAPH_SLOT_WINDOW;
	if (to + GRAPH_SLOT_WINDOW > p->limits[lane])
		return;
	if (!follows || overlap(to, set->first[1][i]))
		give_back(p, lane, dispatch);
	if (follows) {
		go_on(p, lane, to);
		return;
	}
	set->first[1][i] = to;
	load_word(p, lane, 2, to);
	load_word(p, lane, 3, to + GRAPH_SLOT_LINE);
}

/* --- slots --- */

static uint64_t full_cycles(const struct graph_slot_use *u, const struct piece *at)
{
	uint64_t full = 0;
	for (uint32_t f = 0; f < u->field_count; f++)
		full |= at->words[(u->fields[f].end - 1) * at->stride];
	return full;
}

static void count(const struct piece *at, struct graph_slot_range field, uint64_t cycles)
{
	for (uint32_t plane = field.first; plane < field.end; plane++) {
		uint64_t *word = &at->words[plane * at->stride], before = *word;
		*word = before ^ cycles;
		cycles &= before;
	}
}

/* The first cycle from t on, before the limit, with room; else the limit. */
static uint64_t search(const struct graph_slot_use *u, size_t lane, uint64_t t)
{
	const uint64_t limit = u->limits[lane];
	while (t < limit) {
		struct piece at = find_piece(u->planes, lane, t);
		uint64_t room = ~full_cycles(u, &at) >> (t - at.first);
		uint64_t next = room ? t + (uint64_t)__builtin_ctzll(room) : at.end;
		t = next < at.end ? next : at.end;
		if (next < at.end)
			break;
	}
	return t < limit ? t : limit;
}

static void take(const struct graph_slot_use *u, size_t lane, const struct piece *at, struct graph_slot_range field,
		 uint64_t cycles)
{
	if (at->stride == 1)
		note_reached(set_of(u->planes, lane), lane % GRAPH_SLOT_LANES, at->end);
	count(at, field, cycles);
}

static void take_at(const struct graph_slot_use *u, size_t lane, uint64_t t)
{
	struct piece at = find_piece(u->planes, lane, t);
	for (uint32_t f = 0; f < u->field_count; f++)
		take(u, lane, &at, u->fields[f], UINT64_C(1) << (t - at.first));
}

uint64_t graph_planes_take(const struct graph_slot_use *u, size_t lane, uint64_t t, uint64_t dispatch,
			   uint64_t recorded)
{
	const uint64_t limit = u->limits[lane];
	if (t >= limit)
		return graph_slots_beyond(u, lane, t, recorded);
	if (!within(u->planes, lane, 0, t) && !within(u->planes, lane, 1, t))
		cover(u->planes, lane, t, dispatch);
	uint64_t ready = t;
	t = search(u, lane, t);
	if (t > ready)
		graph_slots_note_run(u, lane, (uint32_t)ready, (uint32_t)t);
	if (t >= limit)
		return graph_slots_beyond(u, lane, t, 0);
	take_at(u, lane, t);
	return t;
}

/* Of a piece's cycles those from t on and before `end`. */
static uint64_t cycles_between(const struct piece *at, uint64_t t, uint64_t end)
{
	uint64_t cycles = UINT64_MAX << (t - at->first);
	end = end < at->end ? end : at->end;
	return end - at->first < GRAPH_SLOT_LINE ? cycles & ~(UINT64_MAX << (end - at->first)) : cycles;
}

/* The first cycle from t on and before `end` in which the unit is taken; `end`: none. */
static uint64_t next_taken(const struct graph_slot_use *u, size_t lane, uint64_t t, uint64_t end)
{
	while (t < end) {
		struct piece at = find_piece(u->planes, lane, t);
		uint64_t taken = at.words[(u->unit.end - 1) * at.stride] & cycles_between(&at, t, end);
		if (taken)
			return at.first + (uint64_t)__builtin_ctzll(taken);
		t = at.end;
	}
	return end;
}

uint64_t graph_planes_take_long(const struct graph_slot_use *u, size_t lane, uint64_t t, uint64_t interval,
				uint64_t recorded)
{
	const uint64_t limit = u->limits[lane];
	uint64_t end = 0;
	while (t < limit) {
		t = search(u, lane, t);
		end = t + interval < limit ? t + interval : limit;
		uint64_t taken = t < limit ? next_taken(u, lane, t + 1, end) : end;
		if (taken >= end)
			break;
		t = taken;
	}
	if (t + interval > limit && (t >= limit || !graph_beyond_reach(u->beyond, (unsigned)lane, limit, t + interval)))
		return graph_beyond_take(u->beyond, (unsigned)lane, limit, t, interval, recorded);
	take_at(u, lane, t);
	for (uint64_t held = t + 1; held < end;) {
		struct piece at = find_piece(u->planes, lane, held);
		take(u, lane, &at, u->unit, cycles_between(&at, held, end));
		held = at.end;
	}
	return t;
}

void graph_planes_put_line(const struct graph_slot_use *u, size_t lane, uint64_t first, const uint64_t *planes)
{
	struct piece at = find_piece(u->planes, lane, first);
	note_reached(set_of(u->planes, lane), lane % GRAPH_SLOT_LANES, at.end);
	for (uint32_t plane = u->unit.first; plane < u->unit.end; plane++)
		at.words[plane * at.stride] = planes[plane - u->unit.first];
}

/* --- storage --- */

static struct graph_slot_range planes_of(const struct graph_slot_field *f)
{
	return (struct graph_slot_range){(uint32_t)__builtin_ctz(f->take), (uint32_t)__builtin_ctz(f->full) + 1};
}

void graph_planes_use(struct graph_slot_use *u, const struct graph_slot_field *all,
		      const struct graph_slot_field *queue, const struct graph_slot_field *unit)
{
	if (all->take)
		u->fields[u->field_count++] = planes_of(all);
	if (queue->take)
		u->fields[u->field_count++] = planes_of(queue);
	if (unit->take)
		u->fields[u->field_count++] = u->unit = planes_of(unit);
	for (uint32_t f = 0; f < u->field_count; f++)
		u->in_use |= (uint32_t)((UINT64_C(1) << u->fields[f].end) - (UINT64_C(1) << u->fields[f].first));
}

static void clear_lines(const struct graph_slot_planes *p, size_t lane, uint64_t first, uint64_t lines)
{
	for (uint64_t i = 0; i < lines && i < GRAPH_SLOT_FAR_LINES; i++) {
		uint64_t *line = far_line(p, lane, first + i * GRAPH_SLOT_LINE);
		EACH_PLANE(p, plane)
		line[plane] = p->empty[plane];
	}
}

void graph_planes_restart(const struct graph_slot_planes *p, size_t lane)
{
	struct graph_slot_set *set = set_of(p, lane);
	clear_lines(p, lane, 0, GRAPH_SLOT_FAR_LINES);
	EACH_PLANE(p, plane)
	for (unsigned w = 0; w < GRAPH_SLOT_WORDS; w++)
		set->words[plane][w][lane % GRAPH_SLOT_LANES] = p->empty[plane];
	set->reached[lane % GRAPH_SLOT_LANES] = 0;
	for (unsigned window = 0; window < GRAPH_SLOT_WINDOWS; window++)
		set->first[window][lane % GRAPH_SLOT_LANES] = GRAPH_SLOT_NOWHERE;
}

struct graph_slot_planes *graph_planes_create(const struct graph_slots *s)
{
	struct graph_slot_planes *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->limits = s->limits;
	p->count = s->bits;
	p->stride = (size_t)GRAPH_SLOT_FAR_LINES * p->count + GRAPH_SLOT_LINE / sizeof(uint64_t);
	p->far = calloc(LANES * p->stride, sizeof *p->far);
	p->sets = aligned_alloc(GRAPH_ALIGN, GRAPH_SLOT_SETS * sizeof *p->sets);
	if (!p->far || !p->sets) {
		graph_planes_destroy(p);
		return NULL;
	}
	memset(p->sets, 0, GRAPH_SLOT_SETS * sizeof *p->sets);
	for (uint32_t plane = 0; plane < p->count; plane++)
		p->empty[plane] = s->bias >> plane & 1 ? UINT64_MAX : 0;
	p->in_use = (uint32_t)((UINT64_C(1) << p->count) - 1);
	for (size_t lane = 0; lane < LANES; lane++)
		graph_planes_restart(p, lane);
	p->in_use = 0;
	return p;
}

void graph_planes_destroy(struct graph_slot_planes *p)
{
	if (!p)
		return;
	free(p->far);
	free(p->sets);
	free(p);
}

static uint64_t less(uint64_t t, uint64_t by)
{
	return t > by ? t - by : 0;
}

void graph_planes_rebase(struct graph_slot_planes *p, size_t lane, uint64_t by)
{
	uint64_t *reached = &set_of(p, lane)->reached[lane % GRAPH_SLOT_LANES];
	p->moved[lane] += by;
	*reached = less(*reached, by);
	for (unsigned window = 0; window < GRAPH_SLOT_WINDOWS; window++) {
		uint64_t *first = window_first(p, lane, window);
		if (*first != GRAPH_SLOT_NOWHERE)
			*first = *first >= by ? *first - by : GRAPH_SLOT_NOWHERE; /* long over */
	}
}

/* Windows that are over are forgotten, lest they be written over later lines in the same place. */
void graph_planes_advance(struct graph_slot_planes *p, size_t lane, uint64_t dispatch, uint64_t limit, uint64_t next)
{
	for (unsigned window = 0; window < GRAPH_SLOT_WINDOWS; window++) {
		uint64_t *first = window_first(p, lane, window);
		if (*first != GRAPH_SLOT_NOWHERE && *first + GRAPH_SLOT_WINDOW <= dispatch)
			*first = GRAPH_SLOT_NOWHERE;
	}
	uint64_t from = line_begin(limit) + GRAPH_SLOT_LINE, end = line_begin(next) + GRAPH_SLOT_LINE;
	clear_lines(p, lane, from, (end - from) / GRAPH_SLOT_LINE);
}
