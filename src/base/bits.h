/* Whole numbers in binary. */
#ifndef CULPRIT_BASE_BITS_H
#define CULPRIT_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* The least power of two that is not below `least` (at most 2^63). */
static inline uint64_t power_of_two_from(uint64_t least)
{
	uint64_t n = 1;
	while (n < least)
		n *= 2;
	return n;
}

#endif
