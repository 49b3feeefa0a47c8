/* Stretches of the stream, and the way past what is neither late nor makes anything late. */
#include "interval/profile/overlap.h"
#include "interval/profile/overlap_state.h"

#include <stdlib.h>
#include <string.h>

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
			interval_overlap_step(o, e);
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
