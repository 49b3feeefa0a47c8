/* The tables of store sets (Chrysos and Emer, ISCA 1998), as all who keep them index and train them: the core, the
 * interval model, the lanes of the interaction-cost graph. */
#ifndef CULPRIT_BASE_STORE_SETS_H
#define CULPRIT_BASE_STORE_SETS_H

#include <stdint.h>

#define STORE_SETS_NONE UINT32_MAX

/* The entry of the store-set id table for the load or store at `pc`. */
static inline uint32_t store_sets_entry(uint64_t pc, uint32_t entries)
{
	return (uint32_t)((pc >> 1) % entries);
}

/* Load and store collided, so their entries name one set: a new one of the `sets` there are, or the smaller of those
 * that they named before. */
static inline void store_sets_train(uint32_t *load, uint32_t *store, uint64_t load_pc, uint32_t sets)
{
	uint32_t smaller = *load < *store ? *load : *store; /* none is the largest */
	*load = *store = smaller == STORE_SETS_NONE ? store_sets_entry(load_pc, sets) : smaller;
}

#endif
