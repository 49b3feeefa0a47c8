/* A hash map from 64-bit keys to 32-bit values other than 0, which grows: open addressing, linear probing, at most half
 * full. All zero is an empty one. */
#ifndef CULPRIT_BASE_MAP_H
#define CULPRIT_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct map_slot {
	uint64_t key;
	uint32_t value; /* 0: free */
};

struct map {
	struct map_slot *slots;
	size_t room, used; /* room: a power of two, or 0 */
};

/* The key's slot, or the free one where it would go. */
static inline struct map_slot *map_slot(const struct map *m, uint64_t key)
{
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (m->room - 1);
	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->room - 1);
	return &m->slots[i];
}

/* 0: the key is not there. */
static inline uint32_t map_get(const struct map *m, uint64_t key)
{
	return m->room ? map_slot(m, key)->value : 0;
}

static inline bool map_grow(struct map *m)
{
	struct map larger = {.room = m->room ? 2 * m->room : 2048, .used = m->used};
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < m->room; i++)
		if (m->slots[i].value)
			*map_slot(&larger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = larger;
	return true;
}

/* False: no memory, and nothing is put. */
static inline bool map_put(struct map *m, uint64_t key, uint32_t value)
{
	if (2 * m->used >= m->room && !map_grow(m))
		return false;
	struct map_slot *slot = map_slot(m, key);
	m->used += !slot->value;
	*slot = (struct map_slot){key, value};
	return true;
}

static inline void map_destroy(struct map *m)
{
	free(m->slots);
	*m = (struct map){NULL, 0, 0};
}

#endif
