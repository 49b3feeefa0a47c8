/* Branch target buffer; the model is described in btb.h.
 * Full associativity is a linear search: meant for the small buffers that are built so. */
#include "machine/btb.h"

#include <stdlib.h>
#include <string.h>

enum { MAP_FIRST_CAPACITY = 256, TARGET_BITS = 39, TAG_BITS_MAX = 38 };

static bool arrays_create(struct btb *b, size_t entries)
{
	b->pc = malloc(entries * sizeof *b->pc);
	b->target = calloc(entries, sizeof *b->target);
	b->used = calloc(entries, sizeof *b->used);
	if (!b->pc || !b->target || !b->used)
		return false;
	memset(b->pc, 0xff, entries * sizeof *b->pc);
	return true;
}

bool btb_create(struct btb *b, const struct machine *m, struct error *err)
{
	uint32_t entries = m->branch_btb_entries;
	*b = (struct btb){.perfect = entries == 0};
	if (b->perfect) {
		b->capacity = MAP_FIRST_CAPACITY;
	} else {
		b->ways = m->branch_btb_ways ? m->branch_btb_ways : entries;
		b->sets = entries / b->ways;
		if (b->sets * b->ways != entries || (b->sets & (b->sets - 1)))
			return error_set(err, ERROR_INPUT,
					 "branch.btb_entries: %u entries of %u ways do not make a power of two of sets",
					 entries, b->ways);
	}
	if (!arrays_create(b, b->perfect ? b->capacity : entries))
		return error_set(err, ERROR_SYSTEM, "branch.btb_entries: out of memory for %u entries", entries);
	return true;
}

void btb_destroy(struct btb *b)
{
	free(b->pc);
	free(b->target);
	free(b->used);
}

uint64_t btb_storage_bits(const struct btb *b)
{
	if (b->perfect)
		return 0;
	uint64_t set_bits = (uint64_t)__builtin_popcount(b->sets - 1);
	uint64_t lru_bits = b->ways > 1 ? 32 - (uint64_t)__builtin_clz(b->ways - 1) : 0;
	return (uint64_t)b->sets * b->ways * (TAG_BITS_MAX - set_bits + TARGET_BITS + lru_bits + 1);
}

/* The perfect buffer's map: linear probing, at most half full; the slot of pc or the empty one where it goes. */
static uint64_t map_slot(const struct btb *b, uint64_t pc)
{
	uint64_t slot = (pc * 0x9e3779b97f4a7c15u >> 20) & (b->capacity - 1);
	while (b->pc[slot] != pc && b->pc[slot] != BTB_EMPTY)
		slot = (slot + 1) & (b->capacity - 1);
	return slot;
}

/* Twice the room. When the host has none, the map stays as it is and new branches are not remembered. */
static void map_grow(struct btb *b)
{
	struct btb bigger = {.perfect = true, .capacity = 2 * b->capacity, .count = b->count};
	if (!arrays_create(&bigger, bigger.capacity)) {
		btb_destroy(&bigger);
		return;
	}
	for (uint64_t i = 0; i < b->capacity; i++) {
		if (b->pc[i] == BTB_EMPTY)
			continue;
		uint64_t slot = map_slot(&bigger, b->pc[i]);
		bigger.pc[slot] = b->pc[i];
		bigger.target[slot] = b->target[i];
	}
	btb_destroy(b);
	*b = bigger;
}

static void map_train(struct btb *b, uint64_t pc, uint64_t target)
{
	uint64_t slot = map_slot(b, pc);
	if (b->pc[slot] != pc) {
		if (2 * (b->count + 1) > b->capacity)
			map_grow(b);
		if (2 * (b->count + 1) > b->capacity)
			return;
		slot = map_slot(b, pc);
		b->pc[slot] = pc;
		b->count++;
	}
	b->target[slot] = target;
}

/* First entry of pc's set. */
static size_t set_of(const struct btb *b, uint64_t pc)
{
	return (size_t)(pc >> 1 & (b->sets - 1)) * b->ways;
}

size_t btb_find(const struct btb *b, uint64_t pc)
{
	size_t set = set_of(b, pc);
	for (uint32_t way = 0; way < b->ways; way++)
		if (b->pc[set + way] == pc)
			return set + way;
	return BTB_NO_ENTRY;
}

bool btb_lookup(const struct btb *b, uint64_t pc, uint64_t *target)
{
	if (b->perfect) {
		uint64_t slot = map_slot(b, pc);
		*target = b->target[slot];
		return b->pc[slot] == pc;
	}
	size_t entry = btb_find(b, pc);
	if (entry == BTB_NO_ENTRY)
		return false;
	*target = b->target[entry];
	return true;
}

/* The entry that holds pc, else the one used longest ago (never-used ones have time 0 and go first). */
static size_t entry_for(const struct btb *b, uint64_t pc)
{
	size_t set = set_of(b, pc);
	size_t oldest = set;
	for (size_t i = set; i < set + b->ways; i++) {
		if (b->pc[i] == pc)
			return i;
		if (b->used[i] < b->used[oldest])
			oldest = i;
	}
	return oldest;
}

void btb_train(struct btb *b, uint64_t pc, uint64_t target)
{
	if (b->perfect) {
		map_train(b, pc, target);
		return;
	}
	size_t i = entry_for(b, pc);
	b->pc[i] = pc;
	b->target[i] = target;
	b->used[i] = ++b->clock;
}
