/* Caches, TLBs, memory and prefetchers as the core sees them: a request goes in, the cycle at which its data are
 * usable comes out, with the parts of the latency by cause. State (tags, lines in flight, MSHRs, buses) is real;
 * the request is answered at once, so nothing has to be polled. Requests come in nearly non-decreasing time order.
 *
 * A line in flight sits in its set already, marked with the cycle it arrives and with the instruction whose miss
 * brings it: a later access to it waits for that cycle (`merged`, `primary_miss`). */
#ifndef CULPRIT_MACHINE_HIERARCHY_H
#define CULPRIT_MACHINE_HIERARCHY_H

#include "machine/machine.h"
#include "machine/memory_access.h"

struct hierarchy;

struct hierarchy *hierarchy_create(const struct machine *m, struct error *err);
void hierarchy_destroy(struct hierarchy *h);

/* One access that starts (has its address) at `cycle`. `seq`, `pc`: the instruction, for primary_miss and prefetch
 * training. An access that crosses a line takes the later of both lines. */
void hierarchy_load(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		    bool wrong_path, struct memory_access *out);
/* A committed store writes the L1D (write-allocate, write-back). */
void hierarchy_store(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		     struct memory_access *out);
/* A store's translation alone, before its write: the cycle at which it is there, and from which level. `at_once`: as
 * hierarchy_data_at_once. */
uint64_t hierarchy_translate(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, uint32_t size,
			     bool wrong_path, bool at_once, uint8_t *level);
/* The write of a store that has its translation. */
void hierarchy_write(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		     struct memory_access *out);
/* Fetch of the line at addr. */
void hierarchy_fetch(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, bool wrong_path,
		     struct memory_access *out);

/* The same for a load or store, and for a fetch, whose misses are idealised and nobody else's: a hit, whatever it takes
 * to make it one. Its line and its translation are there from now on, and have used nothing on their way. */
void hierarchy_data_at_once(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			    uint32_t size, bool wrong_path, bool store, struct memory_access *out);
void hierarchy_write_at_once(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			     uint32_t size, struct memory_access *out);
/* A store that goes on with a line which it fills as a whole (lsq.stream_lines): the line is there, too. What it has
 * prefetched takes its time. */
void hierarchy_store_filled(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			    uint32_t size, bool translated, struct memory_access *out);
void hierarchy_fetch_at_once(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, bool wrong_path,
			     struct memory_access *out);

/* Functional warm-up: same state changes, no time (every line arrives at once). hierarchy_settle comes before whatever
 * else uses the hierarchy. */
void hierarchy_warm_data(struct hierarchy *h, uint64_t pc, uint64_t addr, uint32_t size, bool store);
void hierarchy_warm_fetch(struct hierarchy *h, uint64_t addr);
/* Fetch from a wrong path: the cycles that it would take beyond a hit. */
uint64_t hierarchy_warm_stray(struct hierarchy *h, uint64_t addr);
/* As long as this is the same number, what fetch found at once it finds at once again. hierarchy_settle begins anew. */
uint64_t hierarchy_warm_changes(const struct hierarchy *h);
/* Of warm_fetch: does it change nothing to fetch from the line fetched from last once more? */
bool hierarchy_warms_by_line(const struct hierarchy *h);
/* What warm-up met so far; hierarchy_settle leaves it. */
const struct hierarchy_warmed *hierarchy_warmed(const struct hierarchy *h);
/* Idealise these event classes from now on (machine.ideal is where it starts): for variants that go on from one
 * warmed-up state. Call it when nothing is in flight. */
void hierarchy_idealise(struct hierarchy *h, culprit_event_set ideal);
/* After warm-up: nothing is in flight, clocks of ports and buses are at zero, statistics are cleared. */
void hierarchy_settle(struct hierarchy *h);

/* What hierarchy_settle leaves, to bytes and back, into the hierarchy of the same machine that has served nothing yet.
 * Not with a plug-in, whose state nobody knows. */
struct archive;
void hierarchy_archive(struct archive *a, struct hierarchy *h);

/* Accesses from now on are of this address space (from 0; the low 12 bits are its ASID): caches know lines by address,
 * which is to be a physical one, TLBs know pages by address and space. */
void hierarchy_enter_space(struct hierarchy *h, uint64_t number);

const struct hierarchy_statistics *hierarchy_statistics(const struct hierarchy *h);

/* Would a demand access to addr hit the L1D now (no state change)? For tests. */
bool hierarchy_l1d_has(const struct hierarchy *h, uint64_t addr);

#endif
