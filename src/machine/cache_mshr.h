/* A pool of identical servers, each busy until some cycle: the MSHRs of a cache, the walkers of the TLBs.
 * A request that finds none free waits for the one that frees first. Of the free ones it takes the one that was
 * busy last, so that requests which reach back in time still find the others free. */
#ifndef CULPRIT_MACHINE_CACHE_MSHR_H
#define CULPRIT_MACHINE_CACHE_MSHR_H

#include "base/error.h"

#include <stdint.h>

struct mshrs {
	uint32_t count;	 /* 0 = unlimited */
	uint64_t *until; /* busy until, in ascending order */
};

bool mshrs_init(struct mshrs *m, uint32_t count, struct error *err);
void mshrs_free(struct mshrs *m);
/* All are free from cycle 0. */
void mshrs_settle(struct mshrs *m);
/* The cycle at which a request of this cycle gets a server, and which. */
uint64_t mshrs_take(const struct mshrs *m, uint64_t cycle, uint32_t *which);
/* The server taken is busy until then; `which` is good for one hold after its take. */
void mshrs_hold(struct mshrs *m, uint32_t which, uint64_t until);
/* Servers busy at this cycle. */
uint32_t mshrs_busy(const struct mshrs *m, uint64_t cycle);

#endif
