/* A store-wait predictor (lsq.wait_block), in whose rhythm loads of the Xuantie C910 are taken back: which load has to
 * wait for which store. Nothing ever clears it.
 *
 * A few entries, replaced first in, first out. An entry belongs to the block of code of its store and names one store
 * and one load, those that collided last: pairs whose stores share a block push each other out. Fetch reads the
 * entries, so what a violation writes comes too late for the first group that is fetched after it: that group finds
 * the entry as it was before. A load that commits and had to wait makes its entry rest until the two collide again:
 * every second time it goes ahead. */
#ifndef CULPRIT_CORE_STORE_WAIT_H
#define CULPRIT_CORE_STORE_WAIT_H

#include "core/state.h"

struct store_wait;

struct store_wait *store_wait_create(uint32_t entries, uint32_t block);
void store_wait_destroy(struct store_wait *w);
void store_wait_archive(struct store_wait *w, struct archive *a);

/* At dispatch: distance back to the store that the load must wait for; 0 = none. */
uint32_t store_wait_predict(struct core *c, struct store_wait *w, const struct slot *s, uint64_t index);
/* The load and the store at these addresses collided; the load is fetched again from the cycle `refetched` on. */
void store_wait_train(struct store_wait *w, uint64_t load, uint64_t store, uint64_t refetched);
/* The load commits, and has waited. */
void store_wait_waited(struct store_wait *w, const struct slot *load);

#endif
