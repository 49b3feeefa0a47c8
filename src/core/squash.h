/* Squash: the youngest instructions leave the pipeline and everything they held is given back. */
#ifndef CULPRIT_CORE_SQUASH_H
#define CULPRIT_CORE_SQUASH_H

#include "core/state.h"

/* The mispredicted branch at `index` has completed: back to its right path. */
void squash_mispredicted(struct core *c, uint64_t index);
/* The load at `index` went ahead of an older store to the same place: it and all younger are fetched again. */
void squash_violation(struct core *c, uint64_t index);

#endif
