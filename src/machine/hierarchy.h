/* Caches, TLBs, memory and prefetchers as the core sees them: a request goes in, the cycle at which its data are
 * usable comes out, with the parts of the latency by cause. State (tags, lines in flight, MSHRs, buses) is real;
 * the request is answered at once, so nothing has to be polled. Requests come in nearly non-decreasing time order.
 *
 * A line in flight sits in its set already, marked with the cycle it arrives and with the instruction whose miss
 * brings it: a later access to it waits for that cycle (`merged`, `misser`). */
#ifndef CULPRIT_MACHINE_HIERARCHY_H
#define CULPRIT_MACHINE_HIERARCHY_H

#include "machine/machine.h"

struct hierarchy;

struct memory_access {
	uint64_t done;		 /* cycle at which the data are usable = start + tlb + hit + miss */
	uint32_t tlb_cycles;	 /* translation beyond a first-level TLB hit */
	uint32_t hit_cycles;	 /* the L1's hit latency (0 when dl1 is idealised) */
	uint32_t miss_cycles;	 /* everything beyond: levels, MSHR wait, bandwidth wait, wait on a line in flight */
	uint32_t mshr_wait;	 /* part of miss_cycles: waiting for a free MSHR at any level */
	uint32_t bandwidth_wait; /* part of miss_cycles: waiting for a cache port below L1 or the memory bus */
	uint64_t misser;	 /* merged: sequence number of the instruction that missed first */
	uint8_t level;		 /* enum culprit_level where the line was (or is coming from, when merged) */
	uint8_t stray;		 /* first right-path use of a line that a wrong path brought: level it came from */
	uint8_t tlb_level;	 /* enum culprit_level: L1 hit, L2 hit, MEMORY = walk */
	bool merged;		 /* the line was already on its way */
	bool prefetched;	 /* first use of a line that a prefetcher brought (or is bringing) */
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

struct hierarchy *hierarchy_create(const struct machine *m, struct error *err);
void hierarchy_destroy(struct hierarchy *h);

/* One access that starts (has its address) at `cycle`. `seq`, `pc`: the instruction, for misser and prefetch
 * training. An access that crosses a line takes the later of both lines. */
void hierarchy_load(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		    bool wrong_path, struct memory_access *out);
/* A committed store writes the L1D (write-allocate, write-back). */
void hierarchy_store(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		     struct memory_access *out);
/* Fetch of the line at addr. */
void hierarchy_fetch(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, bool wrong_path,
		     struct memory_access *out);

/* Functional warm-up: same state changes, no time (every line arrives at once). */
void hierarchy_warm_data(struct hierarchy *h, uint64_t pc, uint64_t addr, uint32_t size, bool store);
void hierarchy_warm_fetch(struct hierarchy *h, uint64_t addr);
/* Idealise these event classes from now on (machine.ideal is where it starts): for variants that go on from one
 * warmed-up state. Call it when nothing is in flight. */
void hierarchy_idealise(struct hierarchy *h, culprit_event_set ideal);
/* After warm-up: nothing is in flight, clocks of ports and buses are at zero, statistics are cleared. */
void hierarchy_settle(struct hierarchy *h);

const struct hierarchy_statistics *hierarchy_statistics(const struct hierarchy *h);

/* Would a demand access to addr hit the L1D now (no state change)? For tests. */
bool hierarchy_l1d_has(const struct hierarchy *h, uint64_t addr);

#endif
