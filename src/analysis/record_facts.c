/* See the header. */
#include "analysis/record_facts.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

struct record_store {
	uint64_t granule;    /* + 1; 0 = empty */
	uint64_t number;     /* of the instruction */
	uint64_t first, end; /* bytes written */
};
enum { STORES = 2048, GRANULE = 8 };

bool record_facts_create(struct record_facts *f, uint32_t reach)
{
	uint64_t entries = power_of_two_from(reach + 1 > 64 ? reach + 1 : 64);
	f->mask = entries - 1;
	f->facts = calloc(entries, sizeof *f->facts);
	f->wakes = calloc(entries, sizeof *f->wakes);
	f->stores = calloc(STORES, sizeof *f->stores);
	return f->facts && f->wakes && f->stores;
}

void record_facts_destroy(struct record_facts *f)
{
	free(f->facts);
	free(f->wakes);
	free(f->stores);
}

void record_facts_reset(struct record_facts *f)
{
	memset(f->facts, 0, (f->mask + 1) * sizeof *f->facts);
	memset(f->wakes, 0, (f->mask + 1) * sizeof *f->wakes);
	memset(f->stores, 0, STORES * sizeof *f->stores);
	f->left = 0;
}

/* --- stores --- */

static struct record_store *entry(const struct record_facts *f, uint64_t granule)
{
	return &f->stores[(granule ^ granule >> 11) % STORES];
}

void record_facts_note_store(struct record_facts *f, uint64_t count, const struct culprit_record *r)
{
	uint64_t end = r->mem_addr + r->mem_size;
	for (uint64_t granule = r->mem_addr / GRANULE; r->mem_size && granule <= (end - 1) / GRANULE; granule++)
		*entry(f, granule) = (struct record_store){granule + 1, count, r->mem_addr, end};
}

static bool overlaps(const struct culprit_record *load, uint64_t first, uint64_t end)
{
	return first < load->mem_addr + load->mem_size && end > load->mem_addr;
}

static bool covers(const struct culprit_record *load, uint64_t first, uint64_t end)
{
	return first <= load->mem_addr && end >= load->mem_addr + load->mem_size;
}

/* The youngest older store to the load's bytes; NULL = none known. */
static const struct record_store *youngest_store(const struct record_facts *f, const struct culprit_record *r)
{
	uint64_t end = r->mem_addr + r->mem_size;
	const struct record_store *youngest = NULL;
	for (uint64_t granule = r->mem_addr / GRANULE; r->mem_size && granule <= (end - 1) / GRANULE; granule++) {
		const struct record_store *s = entry(f, granule);
		if (s->granule == granule + 1 && overlaps(r, s->first, s->end) &&
		    (!youngest || s->number > youngest->number))
			youngest = s;
	}
	return youngest;
}

uint32_t record_near_store(const struct record_facts *f, uint64_t count, const struct culprit_record *r, uint32_t block)
{
	const uint64_t begin = r->mem_addr & -(uint64_t)block;
	const uint64_t end = (r->mem_addr + r->mem_size + block - 1) & -(uint64_t)block;
	const uint64_t data = r->mem_producer ? r->mem_producer : f->mask;
	uint64_t near = data;
	for (uint64_t granule = begin / GRANULE; r->mem_size && granule * GRANULE < end; granule++) {
		const struct record_store *s = entry(f, granule);
		if (s->granule == granule + 1 && s->first < end && s->end > begin && count - s->number < near)
			near = count - s->number;
	}
	return near < data ? (uint32_t)near : 0;
}

uint32_t record_violator(const struct record_facts *f, const struct culprit_graph_params *p, uint64_t count,
			 const struct culprit_record *r)
{
	const uint32_t near = p->check_bytes ? record_near_store(f, count, r, p->check_bytes) : 0;
	const uint64_t again = r->fetch - r->imiss - r->itlb;
	if (r->mem_producer && record_fact(f, count, r->mem_producer)->complete + r->redirect == again)
		return r->mem_producer;
	if (count && record_fact(f, count, 1)->complete + r->redirect == again)
		return 1;
	return near ? near : r->mem_producer;
}

struct record_stores record_load_stores(const struct record_facts *f, uint64_t count, const struct culprit_record *r)
{
	struct record_stores stores = {.data = r->mem_producer};
	if (r->mem_producer) {
		const struct record_fact *s = record_fact(f, count, r->mem_producer);
		if (!(r->flags & CULPRIT_FORWARDED) && record_wake(f, count, r->mem_producer) > r->issue)
			stores.data = 0; /* it left before its wake-up loop was over: the load reads the cache */
		uint64_t end = s->addr + s->size;
		bool known = r->mem_producer <= f->mask && s->size && r->mem_size;
		if (known && overlaps(r, s->addr, end) && !covers(r, s->addr, end))
			stores.leaves = r->mem_producer;
		return stores;
	}
	const struct record_store *s = youngest_store(f, r);
	uint64_t distance = s ? count - s->number : 0;
	if (!s || distance > f->mask)
		return stores;
	*(covers(r, s->first, s->end) ? &stores.data : &stores.leaves) = (uint32_t)distance;
	return stores;
}

/* --- waits --- */

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The time at which the edges into E allow the issue, as recorded. */
static uint64_t explained_ready(const struct record_facts *f, const struct culprit_graph_params *p, uint64_t count,
				const struct culprit_record *r, uint64_t last_commit, uint32_t leaves)
{
	uint64_t t = record_through(f, p, r);
	const uint32_t distances[] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer};
	for (unsigned i = 0; i < 4; i++)
		t = latest(t, record_wake(f, count, distances[i]));
	if (!p->ordered_loads)
		t = latest(t, record_wake(f, count, r->order_waited));
	if ((r->flags & CULPRIT_AT_HEAD) && count)
		t = latest(t, last_commit);
	if (leaves)
		t = latest(t, record_fact(f, count, leaves)->commit);
	return t;
}

uint32_t record_unexplained(const struct record_facts *f, const struct culprit_graph_params *p, uint64_t count,
			    const struct culprit_record *r, uint64_t last_commit, uint32_t leaves)
{
	if (r->ready <= explained_ready(f, p, count, r, last_commit, leaves))
		return 0;
	if (r->order_waited && p->ordered_loads)
		return 0; /* an older store's address: each load has that edge */
	uint64_t rest = r->ready - record_through(f, p, r);
	return rest > UINT32_MAX ? UINT32_MAX : (uint32_t)rest;
}
