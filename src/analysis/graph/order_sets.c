/* The lanes' store-set tables. */
#include "analysis/graph/order.h"
#include "base/store_sets.h"

#include <stdlib.h>
#include <string.h>

bool order_sets_create(struct graph_order *o, uint32_t entries, uint32_t sets)
{
	o->entries = entries;
	o->sets = sets;
	o->entry_at = calloc(entries, sizeof *o->entry_at);
	o->last_at = calloc(sets, sizeof *o->last_at);
	return o->entry_at && o->last_at;
}

void order_sets_destroy(struct graph_order *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		free(o->columns[i]);
	free(o->columns);
	free(o->entry_at);
	free(o->last_at);
}

static uint32_t *in_lane(struct order_column *c, unsigned lane)
{
	return lane == ORDER_LANES ? &c->recorded : &c->lane[lane];
}

/* The column that `at` says, made if there is none. NULL: out of memory. */
static struct order_column *column(struct graph_order *o, uint32_t *at, uint32_t value)
{
	if (*at)
		return o->columns[*at - 1];
	if (o->count == o->room) {
		uint32_t room = o->room ? 2 * o->room : 64;
		struct order_column **more = realloc(o->columns, room * sizeof *more);
		if (!more)
			return NULL;
		o->columns = more;
		o->room = room;
	}
	struct order_column *c = malloc(sizeof *c);
	if (!c)
		return NULL;
	for (unsigned lane = 0; lane <= ORDER_LANES; lane++)
		*in_lane(c, lane) = value;
	c->same = true;
	o->columns[o->count++] = c;
	*at = o->count;
	return c;
}

static void compare(struct order_column *c)
{
	uint32_t other = 0;
	for (unsigned lane = 0; lane < ORDER_LANES; lane++)
		other |= c->lane[lane] ^ c->recorded;
	c->same = !other;
}

void order_sets_compare(struct graph_order *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		compare(o->columns[i]);
}

bool order_sets_train(struct graph_order *o, uint64_t load, uint64_t store, unsigned lane)
{
	uint32_t *load_at = &o->entry_at[store_sets_entry(load, o->entries)];
	uint32_t *store_at = &o->entry_at[store_sets_entry(store, o->entries)];
	struct order_column *l = column(o, load_at, STORE_SETS_NONE), *s = column(o, store_at, STORE_SETS_NONE);
	if (!l || !s)
		return false;
	store_sets_train(in_lane(l, lane), in_lane(s, lane), load, o->sets);
	return column(o, &o->last_at[*in_lane(l, lane)], 0) != NULL;
}

bool order_sets_know(const struct graph_order *o, uint64_t load, uint64_t store)
{
	uint32_t l = o->entry_at[store_sets_entry(load, o->entries)];
	uint32_t s = o->entry_at[store_sets_entry(store, o->entries)];
	uint32_t set = l ? o->columns[l - 1]->recorded : STORE_SETS_NONE;
	return l && s && set != STORE_SETS_NONE && set == o->columns[s - 1]->recorded;
}

/* The last store of the set; none if it is too far back for anybody to wait for. */
static uint32_t last_of(struct graph_order *o, uint32_t set, unsigned lane, uint32_t next, uint64_t furthest)
{
	uint32_t last = set == STORE_SETS_NONE ? 0 : *in_lane(o->columns[o->last_at[set] - 1], lane);
	return last && next - last <= furthest ? last : 0;
}

static void predict_all(struct graph_order *o, const struct order_column *entry, uint32_t next, uint64_t furthest)
{
	struct order_told *told = &o->told;
	const bool trained = entry->recorded != STORE_SETS_NONE;
	told->store.recorded = last_of(o, entry->recorded, ORDER_LANES, next, furthest);
	if (entry->same && (!trained || o->columns[o->last_at[entry->recorded] - 1]->same)) {
		told->store.same = true;
		return;
	}
	for (unsigned lane = 0; lane < ORDER_LANES; lane++)
		told->store.lane[lane] = last_of(o, entry->lane[lane], lane, next, furthest);
	compare(&told->store);
}

bool order_sets_predict(struct graph_order *o, uint64_t pc, uint64_t number, bool is_store, uint64_t furthest)
{
	const uint32_t at = o->entry_at[store_sets_entry(pc, o->entries)], next = (uint32_t)number + 1;
	o->told.any = at != 0;
	if (!at)
		return false;
	struct order_column *entry = o->columns[at - 1];
	predict_all(o, entry, next, furthest);
	for (unsigned lane = 0; is_store && lane <= ORDER_LANES; lane++) {
		uint32_t set = *in_lane(entry, lane);
		if (set == STORE_SETS_NONE)
			continue;
		struct order_column *last = o->columns[o->last_at[set] - 1];
		*in_lane(last, lane) = next;
		last->same &= entry->same;
	}
	if (is_store && entry->same && entry->recorded != STORE_SETS_NONE)
		o->columns[o->last_at[entry->recorded] - 1]->same = true;
	return true;
}

void order_sets_clear(struct graph_order *o, unsigned lane)
{
	for (uint32_t i = 0; i < o->entries; i++)
		if (o->entry_at[i])
			*in_lane(o->columns[o->entry_at[i] - 1], lane) = STORE_SETS_NONE;
	for (uint32_t i = 0; i < o->sets; i++)
		if (o->last_at[i])
			*in_lane(o->columns[o->last_at[i] - 1], lane) = 0;
}

void order_sets_swap(struct graph_order *o, unsigned a, unsigned b)
{
	for (uint32_t i = 0; i < o->count; i++) {
		uint32_t kept = o->columns[i]->lane[a];
		o->columns[i]->lane[a] = o->columns[i]->lane[b];
		o->columns[i]->lane[b] = kept;
	}
	struct order_lane kept = o->lanes[a];
	o->lanes[a] = o->lanes[b];
	o->lanes[b] = kept;
}
