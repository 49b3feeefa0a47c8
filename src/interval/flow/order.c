/* What a load waits for among the stores before it, by the machine's rule (core/order.h). Store sets are learnt here as
 * the core learns them: a load that goes ahead of a store to the same place is squashed when the store has completed,
 * and the two share a set from then on; a load or store of a set waits for the set's last store, whether that is to the
 * same place or not. What wrong paths leave in the tables is not followed.
 *
 * With the part `violation` the sets are learnt from nothing. Without it they are as the last run that learnt has left
 * them, and no load goes ahead: so a flow can tell what learning takes, once for each time that the tables are cleared,
 * from what they cost all the time. The period of clearing is the caller's business. */
#include "base/store_sets.h"
#include "interval/flow/state.h"

#include <stdlib.h>
#include <string.h>

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

bool flow_store_sets_create(struct flow_store_sets *s, const struct machine *m)
{
	if (m->lsq_disambiguation != disambiguation_store_sets)
		return true;
	s->set_of = malloc(m->lsq_ssit_entries * sizeof *s->set_of);
	s->last_store = malloc(m->lsq_lfst_entries * sizeof *s->last_store);
	if (!s->set_of || !s->last_store)
		return false;
	memset(s->set_of, 0xff, m->lsq_ssit_entries * sizeof *s->set_of);
	return true;
}

void flow_store_sets_free(struct flow_store_sets *s)
{
	free(s->set_of);
	free(s->last_store);
}

void flow_store_sets_forget(struct flow *f)
{
	struct flow_store_sets *s = &f->store_sets;
	if (!s->set_of)
		return;
	memset(s->last_store, 0, f->m.lsq_lfst_entries * sizeof *s->last_store);
	if (flow_has(f, FLOW_violation))
		memset(s->set_of, 0xff, f->m.lsq_ssit_entries * sizeof *s->set_of);
}

static bool uses_store_sets(const struct flow *f)
{
	return f->store_sets.set_of && flow_has(f, FLOW_order);
}

/* Do loads go ahead? */
static bool speculates(const struct flow *f)
{
	return uses_store_sets(f) && flow_has(f, FLOW_violation);
}

static uint32_t *set_of(struct flow *f, const struct interval_sample *s)
{
	return &f->store_sets.set_of[s->pc % f->m.lsq_ssit_entries];
}

/* When the last store of its set wakes those that wait for it, if it is in flight; a store is the last from here on. */
static uint64_t set_ready(struct flow *f, const struct interval_sample *s, uint64_t i)
{
	struct flow_store_sets *sets = &f->store_sets;
	uint32_t set = *set_of(f, s);
	if (set == STORE_SETS_NONE || s->flags & SAMPLE_AT_HEAD)
		return 0;
	uint64_t store = sets->last_store[set], ready = 0;
	if (store && i - (store - 1) < FLOW_RING && f->commit[(store - 1) & (FLOW_RING - 1)] > f->dispatch_cycle)
		ready = f->wake[(store - 1) & (FLOW_RING - 1)];
	if (s->flags & SAMPLE_STORE)
		sets->last_store[set] = i + 1;
	return ready;
}

/* The place in the rings of the store that the load takes data from, while it is in flight at `now`. */
static bool store_in_flight(const struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back,
			    uint64_t now, uint64_t *store)
{
	*store = (i - s->mem_producer) & (FLOW_RING - 1);
	return (s->flags & SAMPLE_LOAD) && s->mem_producer && s->mem_producer <= back && f->commit[*store] > now;
}

/* lsq.store_data: from when on loads know where the store to the bytes of load number i writes. */
static uint64_t address_known(const struct flow *f, const struct interval_sample *load, uint64_t i, uint64_t back)
{
	const uint64_t distance = load->mem_producer, base = (load - distance)->producer[0];
	if (f->m.lsq_store_data == store_data_with_address)
		return f->issue[(i - distance) & (FLOW_RING - 1)];
	return base && distance + base <= back ? f->wake[(i - distance - base) & (FLOW_RING - 1)] : 0;
}

uint64_t flow_order_ready(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back, uint64_t ready)
{
	uint64_t store;
	if (flow_has(f, FLOW_order) && (s->flags & SAMPLE_AT_HEAD) && i)
		ready = later(ready, f->commit[(i - 1) & (FLOW_RING - 1)]);
	if (uses_store_sets(f) && (s->flags & (SAMPLE_LOAD | SAMPLE_STORE)))
		ready = later(ready, set_ready(f, s, i));
	if (flow_has(f, FLOW_order) && (s->flags & SAMPLE_LOAD) &&
	    f->m.lsq_disambiguation == disambiguation_conservative)
		ready = later(ready, f->stores_known);
	if (!store_in_flight(f, s, i, back, ready, &store) || (speculates(f) && address_known(f, s, i, back) > ready))
		return ready;
	/* a covering store forwards, another must commit first */
	return later(ready, s->covers ? f->complete[store] : f->commit[store] + f->d.partial_penalty);
}

uint64_t flow_forwarded(const struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back,
			uint64_t issue)
{
	uint64_t store;
	return s->covers && store_in_flight(f, s, i, back, issue, &store) ? later(issue, f->complete[store]) : 0;
}

static void share_set(struct flow *f, const struct interval_sample *load, const struct interval_sample *store)
{
	const uint64_t pc = (uint64_t)load->pc << 1; /* samples have it in halfwords */
	store_sets_train(set_of(f, load), set_of(f, store), pc, f->m.lsq_lfst_entries);
}

uint64_t flow_violated(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back)
{
	uint64_t store, issue = f->issue[i & (FLOW_RING - 1)];
	if (!speculates(f) || s->flags & SAMPLE_AT_HEAD || !store_in_flight(f, s, i, back, issue, &store) ||
	    address_known(f, s, i, back) <= issue)
		return 0;
	share_set(f, s, s - s->mem_producer);
	return f->complete[store];
}
