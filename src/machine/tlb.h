/* Address translation: a first-level TLB for each side (instructions, data), one second level shared by both or none,
 * and page walkers. Pages are identity-mapped, so that only the time counts. All levels replace least recently used.
 *
 * A page on its way sits in its set already, marked with the cycle at which the translation is there: a later miss to
 * it waits for that cycle. Both times are counted from the first-level miss: second-level hit `l2_latency`, walk
 * `walk_latency` (which therefore contains the failed look-up of the second level). Walks do not access the caches. A
 * page replaced before it has come is walked again, and without a second level the two sides walk each for itself. */
#ifndef CULPRIT_MACHINE_TLB_H
#define CULPRIT_MACHINE_TLB_H

#include "machine/cache_mshr.h"
#include "machine/cache_sets.h"
#include "machine/machine.h"
#include "machine/memory_access.h"

struct tlb_shared {
	struct cache_sets sets; /* no ways when there is no second level */
	uint32_t l2_latency, walk_latency;
	struct mshrs walkers;
	struct tlb_statistics *stats;
};

struct tlb {
	struct cache_sets sets;
	bool perfect; /* every access hits at once: no entries configured, or idealised */
	struct tlb_shared *shared;
	struct tlb_statistics *stats;
};

struct tlb_request {
	uint64_t page;
	uint64_t seq;
	bool wrong_path;
	bool timeless; /* warm-up */
};

bool tlb_init(struct tlb *t, const char *what, uint32_t entries, uint32_t ways, struct error *err);
bool tlb_shared_init(struct tlb_shared *t, const struct machine *m, struct error *err);
void tlb_free(struct tlb *t);
void tlb_shared_free(struct tlb_shared *t);
void tlb_settle(struct tlb *t);
void tlb_shared_settle(struct tlb_shared *t);

/* The cycle at which the translation is there, and from which level (enum culprit_level). */
uint64_t tlb_translate(struct tlb *t, const struct tlb_request *r, uint64_t cycle, uint8_t *level);

#endif
