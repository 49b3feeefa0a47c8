/* A small hash map from addresses to numbers, emptied at once: open addressing, linear probing. An entry belongs to the
 * map's present content when its generation is the map's. The user keeps it at most three quarters full. */
#ifndef CULPRIT_INTERVAL_PROFILE_MAP_H
#define CULPRIT_INTERVAL_PROFILE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INTERVAL_MAP_LOG2 = 12, INTERVAL_MAP_SLOTS = 1 << INTERVAL_MAP_LOG2, INTERVAL_MAP_MOST = 3 << 10 };

struct interval_map_entry {
	uint64_t key;
	uint32_t generation, value;
};

struct interval_map {
	uint32_t generation, used;
	uint64_t homes[INTERVAL_MAP_SLOTS /
		       64]; /* bit n: some key put here hashes to slot n. Most keys looked for are not
						  * there, and this is small enough to stay near the host's core. */
	struct interval_map_entry slots[INTERVAL_MAP_SLOTS];
};

static inline void interval_map_clear(struct interval_map *m)
{
	m->used = 0;
	for (size_t i = 0; i < INTERVAL_MAP_SLOTS / 64; i++)
		m->homes[i] = 0;
	if (++m->generation)
		return;
	for (size_t i = 0; i < INTERVAL_MAP_SLOTS; i++) /* the numbers have come round */
		m->slots[i].generation = 0;
	m->generation = 1;
}

static inline uint64_t interval_map_home(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15 >> (64 - INTERVAL_MAP_LOG2);
}

/* The key's slot, or the free one where it would go. */
static inline struct interval_map_entry *interval_map_slot(struct interval_map *m, uint64_t key)
{
	uint64_t i = interval_map_home(key);
	while (m->slots[i].generation == m->generation && m->slots[i].key != key)
		i = (i + 1) & (INTERVAL_MAP_SLOTS - 1);
	return &m->slots[i];
}

/* False: the key is not there. */
static inline bool interval_map_may_hold(const struct interval_map *m, uint64_t key)
{
	uint64_t home = interval_map_home(key);
	return m->homes[home >> 6] >> (home & 63) & 1;
}

/* The key's value, or NULL. */
static inline uint32_t *interval_map_find(struct interval_map *m, uint64_t key)
{
	if (!interval_map_may_hold(m, key))
		return NULL;
	struct interval_map_entry *e = interval_map_slot(m, key);
	return e->generation == m->generation ? &e->value : NULL;
}

static inline void interval_map_put(struct interval_map *m, uint64_t key, uint32_t value)
{
	struct interval_map_entry *e = interval_map_slot(m, key);
	uint64_t home = interval_map_home(key);
	m->homes[home >> 6] |= 1ull << (home & 63);
	m->used += e->generation != m->generation;
	*e = (struct interval_map_entry){.key = key, .generation = m->generation, .value = value};
}

#endif
