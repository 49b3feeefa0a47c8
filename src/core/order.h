/* Memory order: what a load waits for among the stores before it.
 *
 *   perfect       only the store that forwards to it (an ordinary operand)
 *   conservative  every older store has completed, so its address is known
 *   speculative   nothing
 *   store sets    the store that its store set predicts (Chrysos and Emer, ISCA 1998)
 *
 * With the last two going ahead of the true store is a violation that squashes from the load on; with lsq.store_data:
 * apart only if its base register was not there yet: else the load waits for its data.
 *
 * A load that may not issue yet is parked and looked at again when a store issues or commits. */
#ifndef CULPRIT_CORE_ORDER_H
#define CULPRIT_CORE_ORDER_H

#include "core/state.h"

struct store_sets;

bool order_create(struct core *c, struct error *err);
void order_destroy(struct core *c);

/* At dispatch: distance back to the store that the load (or store, in its set) must wait for; 0 = none. */
uint32_t order_predict(struct core *c, struct slot *s, uint64_t index);
/* Is the address of the store `index`, which is in flight, known to loads? */
bool order_address_known(struct core *c, uint64_t index);
/* At the load's issue: the cycle from which it may issue as far as older stores go; NEVER = not known yet. If that is
 * not now, order_park parks it, or lets it sleep until then. */
uint64_t order_allows_from(struct core *c, struct slot *load, uint64_t index);
void order_park(struct core *c, struct slot *load, uint64_t index, uint64_t from);
void order_unpark(struct core *c, uint64_t index);
/* Parked loads that may go on become ready at cycle `when`: when a store commits, and when order_store_issued says so.
 * Nothing else lets a parked load go. */
void order_wake_parked(struct core *c, uint64_t when);
/* True: that was what the next ones waited for. */
bool order_store_issued(struct core *c, uint64_t index);
/* May the load go now? Mostly there is nothing to ask for. */
static inline bool order_free(const struct core *c, const struct slot *load)
{
	if (load->mem_producer)
		return false;
	return c->m.lsq_disambiguation != disambiguation_conservative ||
	       ((int32_t)(load->store_number - c->stores_unissued) <= 0 && c->stores_complete <= c->now);
}
/* Train the store sets: load and store collided. */
void order_train(struct core *c, const struct slot *load, const struct slot *store);
/* Stores from number `stores` on have left or will come again. */
void order_rewind(struct core *c, uint32_t stores);
/* What store sets know, to bytes and back; lessons are not kept. */
void order_archive(struct core *c, struct archive *a);

#endif
