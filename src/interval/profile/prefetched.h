/* What the prefetcher of the reference machine's L1D brings: a second L1D, with the prefetcher, beside the one
 * without. Both see the same accesses in program order. A prefetched line may wait for its use for longer than a
 * stretch of the sample is, and before one begins; so it is looked at all along. */
#ifndef CULPRIT_INTERVAL_PROFILE_PREFETCHED_H
#define CULPRIT_INTERVAL_PROFILE_PREFETCHED_H

#include "machine/cache_sets.h"
#include "machine/machine.h"
#include "machine/prefetch.h"

struct interval_prefetched {
	struct prefetch prefetch; /* of kind none: there is nothing to look at */
	struct cache_sets l1d;
	uint32_t shift;
};

bool interval_prefetched_init(struct interval_prefetched *p, const struct machine *m, struct error *err);
void interval_prefetched_free(struct interval_prefetched *p);
/* A load or store uses the line of `address`: is this the first use since the prefetcher brought it? */
bool interval_prefetched_use(struct interval_prefetched *p, uint64_t pc, uint64_t address);

#endif
