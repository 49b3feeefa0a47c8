/* Lines that wrong paths bring: from where, and which use of the right path is the one that would miss again. */
#ifndef CULPRIT_MACHINE_STRAY_LINE_H
#define CULPRIT_MACHINE_STRAY_LINE_H

#include "machine/cache_sets.h"

/* The sequence number of a wrong path's access is that of its branch, with this bit. (In warm-up it is 0.) */
#define WRONG_PATH_SEQ (1ull << 63)

/* Instruction `seq` of the right path uses a line that a wrong path brought; at most `in_flight` are under way at once.
 * The level from which the line came, if the use would be the one that misses were the branch predicted right; else 0.
 *
 * One in front of the branch was late: it waited for something else, while the wrong path went ahead. Were the branch
 * predicted right, others behind it would go ahead in the same way. So the first of those is meant, as long as it can
 * be in flight together with the late one. Example: in bwa a load and a branch behind it wait for the same miss; behind
 * the branch, on either path, others read the load's line at once. With the load marked as the one that misses, the
 * graph had both misses one after the other in lanes without mispredictions: bmisp 3 to 4 points too low. */
static inline uint8_t stray_line_use(struct cache_line *l, uint64_t seq, uint32_t in_flight)
{
	const int64_t behind = (int64_t)(seq - (l->primary_miss & ~WRONG_PATH_SEQ));
	if (behind < 0 && behind > -(int64_t)in_flight) {
		l->used_late = true;
		return CULPRIT_LEVEL_NONE;
	}
	const uint8_t level = l->used_late && behind > in_flight ? CULPRIT_LEVEL_NONE : l->stray;
	l->stray = CULPRIT_LEVEL_NONE;
	return level;
}

#endif
