/* Which cycles are sampled: one in each period, at a place that a hash of seed, series and period draws. So the
 * number of samples before any cycle is known without a history, and no loop of the program can keep step with the
 * samples. */
#ifndef CULPRIT_ANALYSIS_PROFILERS_SAMPLING_H
#define CULPRIT_ANALYSIS_PROFILERS_SAMPLING_H

#include "analysis/profilers/types.h"

/* The finaliser of splitmix64. */
static inline uint64_t sampling_hash(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* The sampled cycle of period `number`. */
static inline uint64_t sampling_point(const struct profilers_params *p, unsigned series, uint64_t number)
{
	uint64_t place = sampling_hash(sampling_hash(p->seed * PROFILER_SERIES + series) + number) % p->period;
	return number * p->period + place;
}

/* A profiler's way through the cycles: what lies before `at` has been blamed on somebody. */
struct cursor {
	uint64_t at;
	uint64_t next[PROFILER_SERIES]; /* the next sampled cycle; [0] is not used */
	uint64_t least;			/* of them */
};

static inline void cursor_find_least(struct cursor *c)
{
	c->least = c->next[1];
	for (unsigned s = 2; s < PROFILER_SERIES; s++)
		c->least = c->next[s] < c->least ? c->next[s] : c->least;
}

static inline void cursor_begin(struct cursor *c, const struct profilers_params *p)
{
	c->at = 0;
	for (unsigned s = 1; s < PROFILER_SERIES; s++)
		c->next[s] = sampling_point(p, s, 0);
	cursor_find_least(c);
}

/* Goes on to `to`: how many samples of each series are passed, added to `samples`. */
static inline void cursor_take(struct cursor *c, const struct profilers_params *p, uint64_t to,
			       uint64_t samples[PROFILER_SERIES])
{
	if (to <= c->at)
		return;
	samples[0] += to - c->at;
	c->at = to;
	if (c->least >= to)
		return;
	for (unsigned s = 1; s < PROFILER_SERIES; s++)
		for (; c->next[s] < to; samples[s]++)
			c->next[s] = sampling_point(p, s, c->next[s] / p->period + 1);
	cursor_find_least(c);
}

#endif
