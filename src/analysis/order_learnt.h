/* What store sets would have loads and stores wait for, once they have learnt what idealisation makes them learn.
 *
 * Records tell of waits that the recorded run's store sets made. An idealised run issues other loads ahead of their
 * stores, violates memory order there, puts both into one set, and has them wait from then on. When, and for how
 * long, no record tells. This is one extreme: what goes ahead once, in any lane, is in one set from then on, and sets
 * are never cleared. The records as they are are the other: nothing is learnt. */
#ifndef CULPRIT_ANALYSIS_ORDER_LEARNT_H
#define CULPRIT_ANALYSIS_ORDER_LEARNT_H

#include "culprit/record.h"

#include <stdbool.h>
#include <stddef.h>

struct order_learnt;

/* Tables as the machine has them; a wait lies within `window` instructions. NULL: out of memory. */
struct order_learnt *order_learnt_create(uint32_t ssit_entries, uint32_t lfst_entries, uint32_t window);
void order_learnt_destroy(struct order_learnt *o);
/* In commit order: gives `r` the wait, where it has none. `ahead`: it went ahead of its store in some lane. */
void order_learnt_apply(struct order_learnt *o, struct culprit_record *r, bool ahead);

#endif
