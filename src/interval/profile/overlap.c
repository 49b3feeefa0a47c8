/* See the header. Times are in units of one miss latency, from the start of the region.
 *
 * - A time is a vector of lanes that never changes once made: registers, words and lines name it by its number in a ring of
 *   the last 2048. At most one is made by an instruction, and a value older than 1024 instructions is there for every
 *   window (what it waited for has committed), so that a ring entry is never reused while somebody names it.
 * - Commit times move only at misses: all other values come from one, which is older and commits before. So the commit
 *   time of the instruction W back, at which an instruction enters, is that of the last miss at least W back.
 * - Of a stream with gaps, stretches are measured: behind a gap nothing is in flight, and what comes before a stretch (its
 *   lead) only sets the misses going; what counts is how far the commit time moves in the stretch.
 * - A branch that is mispredicted and waits for a miss holds back all that follows, in the lanes of `broken`. */
#include "interval/profile/overlap.h"

#include "interval/profile/map.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_BROKEN = INTERVAL_WINDOWS,
	FIRST_MSHR = 2 * INTERVAL_WINDOWS,
	USED_LANES = FIRST_MSHR + INTERVAL_MSHR_WINDOWS * INTERVAL_MSHRS,
	LANES = (USED_LANES + 7) / 8 * 8,
	REACH = 1024, /* the largest window */
	RING = 2 * REACH,
	MSHRS_MOST = 16,
	NO_TIME = UINT32_MAX,
	LIMIT_LEAST = 256,
	LIMIT_MOST = INTERVAL_MAP_MOST - 8,
};

typedef int32_t part __attribute__((vector_size(32)));
enum { PARTS = LANES / 8 };

struct times {
	part v[PARTS];
};

struct miss_record {
	struct times commit; /* of everything up to this miss */
	uint64_t at;
};

struct interval_overlap_pass {
	struct times now;     /* commit time of what has been pushed */
	struct times barrier; /* nothing enters before */
	struct times made[RING];
	uint64_t born[RING]; /* instruction number of the latest miss that a time comes from */
	uint32_t made_count;
	uint64_t tainted; /* bit r: register r is */
	uint32_t of_register[64];
	struct interval_map words, lines;  /* -> number of a time */
	uint32_t words_limit, lines_limit; /* entries at which they are pruned */
	struct miss_record misses[RING];
	uint64_t miss_count;
	uint64_t behind[INTERVAL_WINDOWS]; /* misses at least W back */
	int32_t busy[INTERVAL_MSHR_WINDOWS][INTERVAL_MSHRS][MSHRS_MOST];
	uint64_t at; /* number of the present instruction */
	uint64_t quiet_from;
	struct interval_overlap counts; /* all but the times */
	bool measuring;			/* the stretch began at these: */
	struct interval_overlap begun;
	uint64_t next;		      /* number of the instruction behind the last one pushed */
	struct interval_overlap done; /* earlier stretches */
	uint8_t bit;
	uint8_t line_shift;
};

static int32_t lane(const struct times *t, size_t i)
{
	return t->v[i / 8][i % 8];
}

static void set_lane(struct times *t, size_t i, int32_t value)
{
	t->v[i / 8][i % 8] = value;
}

static void later(struct times *a, const struct times *b)
{
	for (size_t i = 0; i < PARTS; i++) {
		part more = b->v[i] > a->v[i];
		a->v[i] = (b->v[i] & more) | (a->v[i] & ~more);
	}
}

struct interval_overlap_pass *interval_overlap_create(enum interval_chain chain, uint32_t line)
{
	struct interval_overlap_pass *o = aligned_alloc(64, (sizeof *o + 63) & ~(size_t)63);
	if (!o)
		return NULL;
	memset(o, 0, sizeof *o);
	o->bit = (uint8_t)(1u << chain);
	o->line_shift = (uint8_t)__builtin_ctz(line);
	o->words_limit = o->lines_limit = LIMIT_LEAST;
	o->at = RING; /* so that no number minus a window wraps */
	o->next = UINT64_MAX;
	interval_map_clear(&o->words);
	interval_map_clear(&o->lines);
	return o;
}

void interval_overlap_destroy(struct interval_overlap_pass *o)
{
	free(o);
}

/* --- times --- */

/* Numbers go up for ever; the ring holds the last ones. What has left it was made more than REACH instructions ago. */
static bool is_late(const struct interval_overlap_pass *o, uint32_t number)
{
	return o->made_count - number <= RING && o->at - o->born[number % RING] < REACH;
}

static const struct times *made(const struct interval_overlap_pass *o, uint32_t number)
{
	return &o->made[number % RING];
}

static uint32_t make(struct interval_overlap_pass *o, const struct times *t, uint64_t born)
{
	o->made_count += o->made_count == NO_TIME;
	uint32_t number = o->made_count++;
	o->made[number % RING] = *t;
	o->born[number % RING] = born;
	return number;
}

/* The latest of several times: one of the ring as long as they are one and the same, else a new one. */
struct value {
	uint32_t number; /* NO_TIME: nothing late so far */
	bool mixed;	 /* `times` and `born` hold it, not `number` */
	uint64_t born;
	struct times times;
};

static void gather(const struct interval_overlap_pass *o, struct value *v, uint32_t number)
{
	if (number == NO_TIME || number == v->number || !is_late(o, number))
		return;
	if (v->number == NO_TIME) {
		v->number = number;
		return;
	}
	if (!v->mixed) {
		v->mixed = true;
		v->times = *made(o, v->number);
		v->born = o->born[v->number % RING];
	}
	later(&v->times, made(o, number));
	if (o->born[number % RING] > v->born)
		v->born = o->born[number % RING];
}

static const struct times *times_of(const struct interval_overlap_pass *o, const struct value *v)
{
	return v->mixed ? &v->times : v->number == NO_TIME ? NULL : made(o, v->number);
}

/* Keep only what is late, when that may be less than half of a table; it is at most what 1024 instructions can have put
 * there. */
static void prune(struct interval_overlap_pass *o, struct interval_map *m, uint32_t *limit)
{
	struct interval_map_entry kept[INTERVAL_MAP_MOST];
	uint32_t count = 0;
	if (m->used < *limit)
		return;
	for (size_t i = 0; i < INTERVAL_MAP_SLOTS; i++)
		if (m->slots[i].generation == m->generation && m->slots[i].value != NO_TIME &&
		    is_late(o, m->slots[i].value))
			kept[count++] = m->slots[i];
	interval_map_clear(m);
	for (uint32_t i = 0; i < count; i++)
		interval_map_put(m, kept[i].key, kept[i].value);
	*limit = 2 * count < LIMIT_LEAST ? LIMIT_LEAST : 2 * count < LIMIT_MOST ? 2 * count : LIMIT_MOST;
}

/* --- one instruction --- */

static inline uint64_t last_byte(const struct interval_event *e)
{
	return e->address + (e->size ? e->size - 1 : 0);
}

static void operands(const struct interval_overlap_pass *o, const struct interval_event *e, struct value *v)
{
	for (size_t i = 0; i < 3; i++)
		if (o->tainted >> e->rs[i] & 1)
			gather(o, v, o->of_register[e->rs[i]]);
}

static void gather_found(const struct interval_overlap_pass *o, struct value *v, const uint32_t *found)
{
	if (found)
		gather(o, v, *found);
}

static void from_memory(struct interval_overlap_pass *o, const struct interval_event *e, struct value *v)
{
	for (uint64_t word = e->address >> 3; word <= last_byte(e) >> 3; word++)
		gather_found(o, v, interval_map_find(&o->words, word));
	for (uint64_t line = e->address >> o->line_shift; line <= last_byte(e) >> o->line_shift; line++)
		gather_found(o, v, interval_map_find(&o->lines, line));
}

static void to_memory(struct interval_overlap_pass *o, const struct interval_event *e, uint32_t time)
{
	for (uint64_t word = e->address >> 3; word <= last_byte(e) >> 3; word++) {
		uint32_t *held = interval_map_find(&o->words, word);
		if (held)
			*held = time;
		else if (time != NO_TIME)
			interval_map_put(&o->words, word, time);
	}
	prune(o, &o->words, &o->words_limit);
}

/* The commit time of the instruction `window` back: that of the last miss up to there. */
static const struct times *committed(struct interval_overlap_pass *o, size_t window)
{
	uint64_t until = o->at - interval_windows[window];
	uint64_t *n = &o->behind[window];
	while (*n < o->miss_count && o->misses[*n % RING].at <= until)
		(*n)++;
	return *n ? &o->misses[(*n - 1) % RING].commit : NULL;
}

static size_t mshr_window(size_t index)
{
	size_t w = 0;
	while (interval_windows[w] != interval_mshr_windows[index])
		w++;
	return w;
}

/* When the present instruction enters, in every lane. */
static void entry(struct interval_overlap_pass *o, struct times *t)
{
	*t = o->barrier;
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++) {
		const struct times *c = committed(o, w);
		if (!c)
			continue;
		set_lane(t, w, lane(c, w));
		if (lane(c, FIRST_BROKEN + w) > lane(t, FIRST_BROKEN + w))
			set_lane(t, FIRST_BROKEN + w, lane(c, FIRST_BROKEN + w));
	}
	for (size_t i = 0; i < INTERVAL_MSHR_WINDOWS; i++) {
		const struct times *c = committed(o, mshr_window(i));
		for (size_t k = FIRST_MSHR + i * INTERVAL_MSHRS; c && k < FIRST_MSHR + (i + 1) * INTERVAL_MSHRS; k++)
			set_lane(t, k, lane(c, k));
	}
}

/* The MSHR that is free first; it is taken from when the miss can start. */
static void take_mshr(int32_t *busy, size_t count, struct times *t, size_t i)
{
	size_t first = 0;
	for (size_t k = 1; k < count; k++)
		if (busy[k] < busy[first])
			first = k;
	if (busy[first] > lane(t, i))
		set_lane(t, i, busy[first]);
	busy[first] = lane(t, i) + 1;
}

static uint32_t miss(struct interval_overlap_pass *o, const struct interval_event *e, const struct times *ready)
{
	struct times t;
	entry(o, &t);
	if (ready)
		later(&t, ready);
	for (size_t i = 0; i < INTERVAL_MSHR_WINDOWS; i++)
		for (size_t k = 0; k < INTERVAL_MSHRS; k++)
			take_mshr(o->busy[i][k], interval_mshrs[k], &t, FIRST_MSHR + i * INTERVAL_MSHRS + k);
	for (size_t i = 0; i < PARTS; i++)
		t.v[i] += 1;
	later(&o->now, &t);
	struct miss_record *r = &o->misses[o->miss_count++ % RING];
	r->commit = o->now;
	r->at = o->at;
	o->counts.misses++;
	o->quiet_from = o->at + REACH;
	uint32_t time = make(o, &t, o->at);
	for (uint64_t line = e->address >> o->line_shift; line <= last_byte(e) >> o->line_shift; line++)
		interval_map_put(&o->lines, line, time);
	prune(o, &o->lines, &o->lines_limit);
	return time;
}

/* A misprediction, or a fetch that missed, when misses may be in flight. */
static void front_end(struct interval_overlap_pass *o, const struct interval_event *e, const struct times *ready)
{
	struct times enter;
	entry(o, &enter);
	bool mispredicted = e->flags & EVENT_MISPREDICTED;
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++) {
		int32_t entered = lane(&enter, FIRST_BROKEN + w);
		bool waits = ready && lane(ready, FIRST_BROKEN + w) > entered;
		bool covered = lane(&o->now, FIRST_BROKEN + w) > entered;
		o->counts.dependent_branches[w] += mispredicted && waits;
		o->counts.hidden_branches[w] += mispredicted && !waits && covered;
		o->counts.hidden_itlb[w] += e->itlb > CULPRIT_LEVEL_L1 && covered;
		o->counts.hidden_l2i[w] += e->ilevel == CULPRIT_LEVEL_MEMORY && covered;
		o->counts.hidden_l1i[w] += e->ilevel > CULPRIT_LEVEL_L1 && e->ilevel < CULPRIT_LEVEL_MEMORY && covered;
		if (mispredicted && waits)
			set_lane(&o->barrier, FIRST_BROKEN + w, lane(ready, FIRST_BROKEN + w));
	}
}

static inline bool is_front_end(const struct interval_event *e)
{
	return e->flags & EVENT_MISPREDICTED || e->ilevel > CULPRIT_LEVEL_L1 || e->itlb > CULPRIT_LEVEL_L1;
}

static inline void taint(struct interval_overlap_pass *o, uint8_t reg, uint32_t time)
{
	if (reg >= EVENT_NO_REGISTER)
		return;
	uint64_t bit = 1ull << reg;
	o->tainted = time == NO_TIME ? o->tainted & ~bit : o->tainted | bit;
	if (time != NO_TIME)
		o->of_register[reg] = time;
}

static void step(struct interval_overlap_pass *o, const struct interval_event *e)
{
	struct value v;
	v.number = NO_TIME;
	v.mixed = false;
	operands(o, e, &v);
	if (e->flags & EVENT_LOAD)
		from_memory(o, e, &v);
	if (is_front_end(e))
		front_end(o, e, times_of(o, &v));
	if (e->chains & o->bit)
		v.number = miss(o, e, times_of(o, &v));
	else if (v.mixed)
		v.number = make(o, &v.times, v.born);
	if (e->flags & EVENT_STORE)
		to_memory(o, e, v.number);
	taint(o, e->rd, v.number);
}

/* No miss in flight: whatever was late is there. */
static void forget(struct interval_overlap_pass *o)
{
	o->tainted = 0;
	interval_map_clear(&o->words);
	interval_map_clear(&o->lines);
}

static inline uint64_t registers(const struct interval_event *e)
{
	return 1ull << e->rs[0] | 1ull << e->rs[1] | 1ull << e->rs[2];
}

/* Nothing late in the memory that is accessed, nor on its way to it. */
static inline bool is_plain_access(const struct interval_overlap_pass *o, const struct interval_event *e)
{
	uint64_t last = last_byte(e);
	if (interval_map_may_hold(&o->words, e->address >> 3) || interval_map_may_hold(&o->words, last >> 3))
		return false;
	return !(e->flags & EVENT_LOAD) || !(interval_map_may_hold(&o->lines, e->address >> o->line_shift) ||
					     interval_map_may_hold(&o->lines, last >> o->line_shift));
}

/* Neither late nor making anything late. */
static inline bool is_plain(const struct interval_overlap_pass *o, const struct interval_event *e)
{
	if (o->tainted & registers(e) || e->chains & o->bit || is_front_end(e))
		return false;
	return !(e->flags & (EVENT_LOAD | EVENT_STORE)) || is_plain_access(o, e);
}

/* Everything so far, with the times. */
static struct interval_overlap measured(const struct interval_overlap_pass *o)
{
	struct interval_overlap m = o->counts;
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++) {
		m.units[w] = (uint64_t)lane(&o->now, w);
		m.broken[w] = (uint64_t)lane(&o->now, FIRST_BROKEN + w);
	}
	for (size_t i = 0; i < INTERVAL_MSHR_WINDOWS; i++)
		for (size_t k = 0; k < INTERVAL_MSHRS; k++)
			m.mshr[i][k] = (uint64_t)lane(&o->now, FIRST_MSHR + i * INTERVAL_MSHRS + k);
	return m;
}

_Static_assert(sizeof(struct interval_overlap) % sizeof(uint64_t) == 0, "nothing but counts");

/* *to += after - before */
static void add_difference(struct interval_overlap *to, const struct interval_overlap *after,
			   const struct interval_overlap *before)
{
	uint64_t *sum = (uint64_t *)(void *)to;
	const uint64_t *a = (const uint64_t *)(const void *)after, *b = (const uint64_t *)(const void *)before;
	for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
		sum[i] += a[i] - b[i];
}

static void end_stretch(struct interval_overlap_pass *o)
{
	struct interval_overlap end = measured(o);
	if (o->measuring)
		add_difference(&o->done, &end, &o->begun);
	o->measuring = false;
}

/* Nothing is in flight any more, and time begins. */
static void begin_time(struct interval_overlap_pass *o)
{
	forget(o);
	for (size_t w = 0; w < INTERVAL_WINDOWS; w++)
		o->behind[w] = 0;
	o->miss_count = 0;
	o->quiet_from = o->at;
	memset(&o->now, 0, sizeof o->now);
	memset(&o->barrier, 0, sizeof o->barrier);
	memset(o->busy, 0, sizeof o->busy);
	memset(&o->counts, 0, sizeof o->counts);
}

static void begin_batch(struct interval_overlap_pass *o, const struct interval_batch *b)
{
	bool sampled = b->detail & DETAIL_SAMPLED;
	if (b->first != o->next || (o->measuring && !sampled)) {
		end_stretch(o);
		begin_time(o);
	}
	if (sampled && !o->measuring) {
		o->begun = measured(o);
		o->measuring = true;
	}
	o->next = b->first + b->count;
}

/* No miss in the batch, nor in flight: all there is to do is to pass by. */
static bool is_quiet(struct interval_overlap_pass *o, const struct interval_batch *b)
{
	if (b->long_events & o->bit || o->at <= o->quiet_from)
		return false;
	o->at += b->count;
	return true;
}

void interval_overlap_push(struct interval_overlap_pass *o, const struct interval_batch *b)
{
	begin_batch(o, b);
	if (is_quiet(o, b))
		return;
	for (size_t i = 0; i < b->count; i++) {
		const struct interval_event *e = &b->events[i];
		if (o->at >= o->quiet_from && !(e->chains & o->bit)) {
			if (o->at == o->quiet_from)
				forget(o);
		} else if (is_plain(o, e)) {
			taint(o, e->rd, NO_TIME);
		} else {
			step(o, e);
		}
		o->at++;
	}
}

void interval_overlap_restart(struct interval_overlap_pass *o)
{
	begin_time(o);
	o->measuring = false;
	o->next = UINT64_MAX;
	memset(&o->done, 0, sizeof o->done);
}

void interval_overlap_finish(const struct interval_overlap_pass *o, struct interval_overlap *to)
{
	struct interval_overlap end = measured(o);
	*to = o->done;
	if (o->measuring)
		add_difference(to, &end, &o->begun);
}
