/* See the header. Tables are indexed as the core's (core/order.c), aliases included. */
#include "analysis/order_learnt.h"

#include <stdlib.h>

enum { GRANULE = 8, STORES = 1 << 16 };

/* The last store to a granule; number 0 = none. */
struct learnt_store {
	uint64_t number, pc, granule, first, end;
};

struct order_learnt {
	uint32_t ssit_entries, lfst_entries, window;
	uint32_t *ssit; /* set + 1; 0 = none */
	uint64_t *lfst; /* number of the set's last store; 0 = none */
	struct learnt_store *stores;
	uint64_t count;
};

struct order_learnt *order_learnt_create(uint32_t ssit_entries, uint32_t lfst_entries, uint32_t window)
{
	struct order_learnt *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	*o = (struct order_learnt){.ssit_entries = ssit_entries, .lfst_entries = lfst_entries, .window = window};
	o->ssit = calloc(ssit_entries, sizeof *o->ssit);
	o->lfst = calloc(lfst_entries, sizeof *o->lfst);
	o->stores = calloc(STORES, sizeof *o->stores);
	if (o->ssit && o->lfst && o->stores)
		return o;
	order_learnt_destroy(o);
	return NULL;
}

void order_learnt_destroy(struct order_learnt *o)
{
	if (!o)
		return;
	free(o->ssit);
	free(o->lfst);
	free(o->stores);
	free(o);
}

static uint32_t *set_of(struct order_learnt *o, uint64_t pc)
{
	return &o->ssit[(pc >> 1) % o->ssit_entries];
}

/* Both into one set, as a violation does. */
static void train(struct order_learnt *o, uint64_t load, uint64_t store)
{
	uint32_t *l = set_of(o, load), *s = set_of(o, store), fresh = (uint32_t)((load >> 1) % o->lfst_entries) + 1;
	if (!*l && !*s)
		*l = *s = fresh;
	else if (!*l)
		*l = *s;
	else if (!*s)
		*s = *l;
	else
		*l = *s = *l < *s ? *l : *s;
}

static uint64_t last_granule(const struct culprit_record *r)
{
	return (r->mem_addr + (r->mem_size ? r->mem_size - 1 : 0)) / GRANULE;
}

static const struct learnt_store *youngest(const struct order_learnt *o, const struct culprit_record *load)
{
	const struct learnt_store *found = NULL;
	for (uint64_t granule = load->mem_addr / GRANULE; granule <= last_granule(load); granule++) {
		const struct learnt_store *s = &o->stores[granule % STORES];
		bool overlaps = s->first < load->mem_addr + load->mem_size && s->end > load->mem_addr;
		if (s->number && s->granule == granule && overlaps && (!found || s->number > found->number))
			found = s;
	}
	return found;
}

static void note_store(struct order_learnt *o, const struct culprit_record *r)
{
	for (uint64_t granule = r->mem_addr / GRANULE; granule <= last_granule(r); granule++)
		o->stores[granule % STORES] = (struct learnt_store){.number = o->count,
								    .pc = r->pc,
								    .granule = granule,
								    .first = r->mem_addr,
								    .end = r->mem_addr + r->mem_size};
}

/* For the last store of its set, unless the load waits for that one anyway. */
static void wait(struct order_learnt *o, struct culprit_record *r)
{
	uint32_t set = *set_of(o, r->pc);
	uint64_t store = set ? o->lfst[set - 1] : 0, distance = o->count - store;
	if (set && (r->flags & CULPRIT_STORE))
		o->lfst[set - 1] = o->count;
	if (!store || distance > o->window || r->order_waited || distance == r->mem_producer)
		return;
	r->order_waited = (uint32_t)distance;
}

void order_learnt_apply(struct order_learnt *o, struct culprit_record *r, bool ahead)
{
	o->count++;
	if (r->flags & CULPRIT_AT_HEAD) { /* issues as the oldest: every store before it has left */
		if (r->flags & CULPRIT_STORE)
			note_store(o, r);
		return;
	}
	const struct learnt_store *s = ahead ? youngest(o, r) : NULL;
	if (s)
		train(o, r->pc, s->pc);
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		wait(o, r);
	if (r->flags & CULPRIT_STORE)
		note_store(o, r);
}
