/* Times of one instruction, and what a miss does to them. */
#include "interval/profile/overlap_state.h"

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

void interval_overlap_step(struct interval_overlap_pass *o, const struct interval_event *e)
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
