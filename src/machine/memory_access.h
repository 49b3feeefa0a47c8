/* The answer to one access, and what caches and TLBs count. */
#ifndef CULPRIT_MACHINE_MEMORY_ACCESS_H
#define CULPRIT_MACHINE_MEMORY_ACCESS_H

#include "culprit/types.h"

#include <stdbool.h>
#include <stdint.h>

struct memory_access {
	uint64_t done;		  /* cycle at which the data are usable = start + tlb + hit + miss */
	uint32_t tlb_cycles;	  /* translation beyond a first-level TLB hit */
	uint32_t hit_cycles;	  /* the L1's hit latency (0 when dl1 is idealised) */
	uint32_t miss_cycles;	  /* everything beyond: levels, MSHR wait, bandwidth wait, wait on a line in flight */
	uint32_t mshr_wait;	  /* part of miss_cycles: waiting for a free MSHR at any level */
	uint32_t first_wait;	  /* part of mshr_wait: of the first level */
	uint32_t bandwidth_wait;  /* part of miss_cycles: waiting for a cache port below L1 or the memory bus */
	uint64_t primary_miss;	  /* merged: sequence number of the instruction that missed first */
	uint8_t level;		  /* enum culprit_level where the line was (or is coming from, when merged) */
	uint8_t stray;		  /* first right-path use of a line that a wrong path brought: level it came from */
	uint8_t tlb_level;	  /* enum culprit_level: L1 hit, L2 hit, MEMORY = walk */
	bool merged;		  /* the line was already on its way */
	bool prefetched;	  /* first use on the right path of a line that a prefetcher brought (or is bringing) */
	uint8_t prefetch_level;	  /* ... of the first level's: enum culprit_level where that was */
	int32_t prefetch_trigger; /* ... from this address to that of the access that made it ask; 0 = far */
	uint64_t prefetch_slack;  /* ... cycles for which the line had been here */
	/* from where a prefetcher had brought the line into the level below the first; the three above are of that line
	 * where prefetch_level is 0 */
	uint8_t prefetch_below;
};

/* Per cache level: counts of demand accesses and misses, right and wrong path apart. */
struct cache_statistics {
	uint64_t accesses[2]; /* [wrong path?] */
	uint64_t misses[2];
	uint64_t merged[2]; /* part of misses: line already on its way */
	uint64_t writebacks;
	uint64_t prefetches;	  /* issued */
	uint64_t prefetches_used; /* first demand use of a prefetched line */
	uint64_t prefetches_late; /* part of used: still on its way */
};
struct tlb_statistics {
	uint64_t accesses[2], misses[2];
};
struct hierarchy_statistics {
	struct cache_statistics l1i, l1d, l2, l3;
	uint64_t l2_instruction_misses[2], l2_data_misses[2];
	struct tlb_statistics itlb, dtlb, tlb2;
	uint64_t memory_reads, memory_writes; /* lines */
};

/* What warm-up met below the first level, by where the line or the page was. */
enum hierarchy_warmer { HIERARCHY_WARM_FETCH, HIERARCHY_WARM_LOAD, HIERARCHY_WARM_STORE, HIERARCHY_WARM_COUNT };
struct hierarchy_warmed {
	uint64_t line[HIERARCHY_WARM_COUNT][CULPRIT_LEVEL_COUNT]; /* enum culprit_level */
	uint64_t page[HIERARCHY_WARM_COUNT][CULPRIT_LEVEL_COUNT];
};

#endif
