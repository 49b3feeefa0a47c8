/* Two-bit counters by pc that tell fetch a direction before the direction predictor does.
 *
 * With branch.early_entries they are the first stage of an overriding predictor. They decide nothing: where
 * they were wrong, fetch starts anew a little later. They
 * start weakly taken and train at commit. */
#ifndef CULPRIT_MACHINE_EARLY_COUNTERS_H
#define CULPRIT_MACHINE_EARLY_COUNTERS_H

#include "base/error.h"
#include "machine/machine.h"

struct early_counters {
	uint8_t *counter; /* NULL: there are none */
	uint32_t mask;
	uint8_t bubble;
};

bool early_counters_create(struct early_counters *e, const struct machine *m, struct error *err);
void early_counters_destroy(struct early_counters *e);
void early_counters_train(struct early_counters *e, uint64_t pc, bool taken);

/* Cycles that fetch loses because the direction predictor says otherwise. */
static inline uint8_t early_counters_bubble(const struct early_counters *e, uint64_t pc, bool taken)
{
	return e->counter && (e->counter[pc >> 1 & e->mask] >= 2) != taken ? e->bubble : 0;
}

#endif
