#include "core/store_wait.h"

#include "base/archive.h"

#include <stdlib.h>

struct wait_pair {
	uint64_t store, load; /* pcs; load 0: none */
	uint64_t last;	      /* index + 1 of the store's last dispatch */
	bool rests;	      /* the load has waited since they collided */
};

struct wait_entry {
	struct wait_pair now, before;
	uint64_t written; /* what was fetched up to this cycle finds `before` */
};

struct store_wait {
	uint32_t entries, oldest; /* the oldest goes next */
	uint64_t block;
	struct wait_entry entry[];
};

struct store_wait *store_wait_create(uint32_t entries, uint32_t block)
{
	struct store_wait *w = calloc(1, sizeof *w + entries * sizeof w->entry[0]);
	if (!w)
		return NULL;
	w->entries = entries;
	w->block = block;
	return w;
}

void store_wait_destroy(struct store_wait *w)
{
	free(w);
}

void store_wait_archive(struct store_wait *w, struct archive *a)
{
	archive_raw(a, w->entry, w->entries * sizeof w->entry[0]);
	ARCHIVE(a, w->oldest);
}

/* The store of a pair that is in flight before `index`. */
static uint32_t wait_distance(struct core *c, const struct wait_pair *p, uint64_t index)
{
	if (!p->last || p->last - 1 < c->head || p->last - 1 >= index)
		return 0;
	const struct slot *store = slot_at(c, p->last - 1); /* indices are used again after a squash */
	bool same = (store->flags & SLOT_STORE) && store->pc == p->store;
	return same ? (uint32_t)(index + 1 - p->last) : 0;
}

uint32_t store_wait_predict(struct core *c, struct store_wait *w, const struct slot *s, uint64_t index)
{
	uint32_t distance = 0;
	for (uint32_t i = 0; i < w->entries; i++) {
		struct wait_entry *e = &w->entry[i];
		struct wait_pair *p = s->fetch > e->written ? &e->now : &e->before;
		if ((s->flags & SLOT_LOAD) && p->load == s->pc && !p->rests && !distance)
			distance = wait_distance(c, p, index);
		if (!(s->flags & SLOT_STORE))
			continue;
		if (e->now.store == s->pc)
			e->now.last = index + 1;
		if (e->before.store == s->pc)
			e->before.last = index + 1;
	}
	return distance;
}

static struct wait_entry *wait_find(struct store_wait *w, uint64_t store)
{
	for (uint32_t i = 0; i < w->entries; i++)
		if (w->entry[i].now.load && w->entry[i].now.store / w->block == store / w->block)
			return &w->entry[i];
	struct wait_entry *e = &w->entry[w->oldest];
	w->oldest = w->oldest + 1 < w->entries ? w->oldest + 1 : 0;
	*e = (struct wait_entry){.written = 0};
	return e;
}

void store_wait_train(struct store_wait *w, uint64_t load, uint64_t store, uint64_t refetched)
{
	struct wait_entry *e = wait_find(w, store);
	e->before = e->now;
	e->now = (struct wait_pair){.store = store, .load = load};
	e->written = refetched;
}

void store_wait_waited(struct store_wait *w, const struct slot *load)
{
	for (uint32_t i = 0; i < w->entries; i++) {
		struct wait_entry *e = &w->entry[i];
		e->now.rests |= e->now.load == load->pc;
		e->before.rests |= e->before.load == load->pc;
	}
}
