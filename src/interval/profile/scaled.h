/* Last levels of caches with other numbers of sets than the reference machine's, fed by the same misses. */
#ifndef CULPRIT_INTERVAL_PROFILE_SCALED_H
#define CULPRIT_INTERVAL_PROFILE_SCALED_H

#include "machine/cache_sets.h"
#include "machine/machine.h"

enum { INTERVAL_SCALED = 4 }; /* a quarter, half, twice, four times as many */

struct interval_scaled {
	struct cache_sets sets[INTERVAL_SCALED];
	bool there[INTERVAL_SCALED];
	uint32_t shift;
};

bool interval_scaled_init(struct interval_scaled *s, const struct machine *m, struct error *err);
void interval_scaled_free(struct interval_scaled *s);
/* A miss that the last level sees: the chains (bits) of those that miss, too. */
uint8_t interval_scaled_use(struct interval_scaled *s, uint64_t address);

#endif
