/* Squash: the youngest instructions leave the pipeline and everything they held is given back. */
#ifndef CULPRIT_CORE_SQUASH_H
#define CULPRIT_CORE_SQUASH_H

#include "core/state.h"

/* The mispredicted branch at `index` has completed: back to its right path. */
void squash_mispredicted(struct core *c, uint64_t index);
/* Memory order is violated: a load went ahead of an older store to its bytes, or of an older load (load_order.h). */
struct violation {
	uint64_t first;	 /* it and all younger are fetched again: the load, or what follows the older one */
	uint32_t stores; /* how many are before it, free-running */
	uint32_t delay;	 /* cycles more than any redirect takes */
};
void squash_violation(struct core *c, const struct violation *v);

#endif
