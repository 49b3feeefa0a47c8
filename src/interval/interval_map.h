/* A small hash map from addresses to numbers, emptied at once: open addressing, linear probing. An entry belongs to the
 * map's present content when its generation is the map's. The user keeps it at most three quarters full. */
#ifndef CULPRIT_INTERVAL_INTERVAL_MAP_H
#define CULPRIT_INTERVAL_INTERVAL_MAP_H

#include <stddef.h>
#include <stdint.h>

enum { INTERVAL_MAP_LOG2 = 12, INTERVAL_MAP_SLOTS = 1 << INTERVAL_MAP_LOG2, INTERVAL_MAP_MOST = 3 << 10 };

struct interval_map_entry {
	uint64_t key;
	uint32_t generation, value;
};

struct interval_map {
	uint32_t generation, used;
	struct interval_map_entry slots[INTERVAL_MAP_SLOTS];
};

static inline void interval_map_clear(struct interval_map *m)
{
	m->used = 0;
	if (++m->generation)
		return;
	for (size_t i = 0; i < INTERVAL_MAP_SLOTS; i++) /* the numbers have come round */
		m->slots[i].generation = 0;
	m->generation = 1;
}

/* The key's slot, or the free one where it would go. */
static inline struct interval_map_entry *interval_map_slot(struct interval_map *m, uint64_t key)
{
	uint64_t i = key * 0x9e3779b97f4a7c15 >> (64 - INTERVAL_MAP_LOG2);
	while (m->slots[i].generation == m->generation && m->slots[i].key != key)
		i = (i + 1) & (INTERVAL_MAP_SLOTS - 1);
	return &m->slots[i];
}

/* The key's value, or NULL. */
static inline uint32_t *interval_map_find(struct interval_map *m, uint64_t key)
{
	struct interval_map_entry *e = interval_map_slot(m, key);
	return e->generation == m->generation ? &e->value : NULL;
}

static inline void interval_map_put(struct interval_map *m, uint64_t key, uint32_t value)
{
	struct interval_map_entry *e = interval_map_slot(m, key);
	m->used += e->generation != m->generation;
	*e = (struct interval_map_entry){.key = key, .generation = m->generation, .value = value};
}

#endif
