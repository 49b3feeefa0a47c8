/* The fields of a detailed sample, from a record. */
#ifndef CULPRIT_ANALYSIS_SHOTGUN_DETAIL_H
#define CULPRIT_ANALYSIS_SHOTGUN_DETAIL_H

#include "culprit/shotgun.h"

/* The lowest so many bits. */
static inline uint64_t shotgun_bits(unsigned count)
{
	return (1ull << count) - 1;
}

/* All but the signature bits around it and a branch's target, which are not known yet. `stray`: levels from which a
 * wrong path brought the lines that the record is the first to use, of data and of instructions. */
void shotgun_detail_fill(struct culprit_detail *d, const struct culprit_record *r, const uint8_t stray[2]);

#endif
