/* The data misses of one cache: bursts, and what a simple prefetcher could have had of them. */
#ifndef CULPRIT_INTERVAL_PROFILE_MISSES_H
#define CULPRIT_INTERVAL_PROFILE_MISSES_H

#include "interval/profile/profile.h"

enum { MISSES_RECENT = 32, MISSES_STRIDES = 1024, MISSES_ENDINGS = 256 };

/* An instruction's misses, by its pc: the table is direct-mapped. */
struct miss_stride {
	uint64_t pc, line;
	int64_t stride;
};

struct interval_misses {
	uint32_t line_shift;
	uint32_t newest;		/* index into recent */
	uint64_t recent[MISSES_RECENT]; /* lines missed last, +1; 0 = none */
	uint8_t recent_with
		[MISSES_ENDINGS]; /* of them, how many end in these bits: most lines looked for are not there */
	struct miss_stride strides[MISSES_STRIDES];
	uint64_t block[INTERVAL_CLUSTERS]; /* the block of instructions being counted */
	uint64_t in_block[INTERVAL_CLUSTERS];
	uint64_t busy_blocks[INTERVAL_CLUSTERS]; /* blocks with misses, closed */
};

void interval_misses_init(struct interval_misses *m, uint32_t line_shift);
/* A miss of the instruction at pc, the `at`-th of the region. Counts into *to. */
void interval_misses_note(struct interval_misses *m, uint64_t pc, uint64_t address, uint64_t at,
			  struct interval_level *to);
void interval_misses_restart(struct interval_misses *m);
/* The last block, and the blocks without misses. */
void interval_misses_finish(const struct interval_misses *m, uint64_t instructions, struct interval_level *to);

#endif
