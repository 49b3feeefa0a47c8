/* Random numbers of the shotgun profiler: splitmix64 (Steele, Lea and Flood, OOPSLA 2014). The same seed gives the same
 * samples on every host. */
#ifndef CULPRIT_ANALYSIS_SHOTGUN_RANDOM_H
#define CULPRIT_ANALYSIS_SHOTGUN_RANDOM_H

#include <stdint.h>

static inline uint64_t shotgun_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 .. n-1, n > 0; the bias of n / 2^64 does not matter here. */
static inline uint64_t shotgun_random_below(uint64_t *state, uint64_t n)
{
	return (uint64_t)((unsigned __int128)shotgun_random(state) * n >> 64);
}

#endif
