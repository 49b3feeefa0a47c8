/* Replacement: exact LRU and FIFO by stamps, tree PLRU by one bit for each inner node, 2-bit SRRIP (hit priority:
 * a hit predicts near re-reference, an insertion long), and random by an xorshift that the array owns, so that a run
 * repeats to the last bit. */
#include "machine/cache_sets.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { HINTS_MAX = 4096, NARROW = 16 };

static bool check_shape(const struct cache_sets *s, const char *what, uint64_t entries, struct error *err)
{
	if (!s->ways || entries % s->ways || !is_power_of_two(entries / s->ways))
		return error_set(err, ERROR_INPUT,
				 "%s: %llu entries in %u ways do not make a power of two of whole sets", what,
				 (unsigned long long)entries, s->ways);
	if (entries > INT32_MAX)
		return error_set(err, ERROR_INPUT, "%s: more than 2^31 entries", what);
	if (s->policy == replacement_plru && (!is_power_of_two(s->ways) || s->ways > PLRU_WAYS_MAX))
		return error_set(err, ERROR_INPUT, "%s: tree PLRU takes a power of two of at most %d ways, not %u",
				 what, PLRU_WAYS_MAX, s->ways);
	return true;
}

static uint64_t hint_count(uint64_t entries)
{
	uint64_t n = 1;
	while (n < entries && n < HINTS_MAX)
		n *= 2;
	return n;
}

void cache_sets_free(struct cache_sets *s)
{
	free(s->tags);
	free(s->lines);
	free(s->hints);
	free(s->trees);
	free(s->filled);
	free(s->turns);
	*s = (struct cache_sets){0};
}

/* All ways are looked at: the host mispredicts an early way out more dearly than it compares a few tags. */
static uint32_t search_narrow(const uint64_t *tags, uint32_t ways, uint64_t line)
{
	uint32_t found = CACHE_NO_INDEX;
	for (uint32_t way = 0; way < ways; way++)
		found = tags[way] == line ? way : found;
	return found;
}

static uint32_t search_wide(const uint64_t *tags, uint32_t ways, uint64_t line)
{
	for (uint32_t way = 0; way < ways; way++)
		if (tags[way] == line)
			return way;
	return CACHE_NO_INDEX;
}

uint32_t cache_sets_search(const struct cache_sets *s, uint64_t line)
{
	uint32_t base = cache_sets_base(s, line);
	uint32_t way = s->ways <= NARROW ? search_narrow(s->tags + base, s->ways, line)
					 : search_wide(s->tags + base, s->ways, line);
	if (way == CACHE_NO_INDEX)
		return CACHE_NO_INDEX;
	s->hints[line & s->hint_mask] = base + way;
	return base + way;
}

/* A use of a way turns every node on the way to its leaf away from it. */
static void plan_tree_turns(struct cache_sets *s)
{
	for (uint32_t way = 0; way < s->ways; way++) {
		for (uint32_t node = way + s->ways; node > 1; node >>= 1) {
			uint64_t parent = (uint64_t)1 << (node >> 1);
			s->turns[way].nodes |= parent;
			s->turns[way].right |= node & 1 ? 0 : parent;
		}
	}
}

bool cache_sets_init(struct cache_sets *s, const char *what, uint64_t entries, uint32_t ways, enum replacement policy,
		     struct error *err)
{
	*s = (struct cache_sets){.ways = ways ? ways : (uint32_t)entries, .policy = policy, .hinted = true};
	s->random = 0x9e3779b97f4a7c15u;
	TRY(check_shape(s, what, entries, err));
	uint64_t sets = entries / s->ways, hints = hint_count(entries);
	s->set_mask = sets - 1;
	s->hint_mask = hints - 1;
	s->tags = malloc(entries * sizeof *s->tags);
	s->lines = calloc(entries, sizeof *s->lines);
	s->hints = calloc(hints, sizeof *s->hints);
	s->trees = calloc(sets, sizeof *s->trees);
	s->filled = calloc(sets, sizeof *s->filled);
	s->turns = calloc(PLRU_WAYS_MAX, sizeof *s->turns);
	if (!s->tags || !s->lines || !s->hints || !s->trees || !s->filled || !s->turns) {
		cache_sets_free(s);
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for %llu entries", what,
				 (unsigned long long)entries);
	}
	memset(s->tags, 0xff, entries * sizeof *s->tags);
	if (policy == replacement_plru)
		plan_tree_turns(s);
	return true;
}

static uint32_t tree_victim(const struct cache_sets *s, uint32_t set)
{
	uint32_t node = 1;
	while (node < s->ways)
		node = 2 * node + (uint32_t)(s->trees[set] >> node & 1);
	return node - s->ways;
}

static uint32_t oldest(const struct cache_line *lines, uint32_t ways)
{
	uint32_t victim = 0;
	uint64_t least = lines[0].stamp;
	for (uint32_t way = 1; way < ways; way++) { /* without branches: which way it is cannot be predicted */
		bool less = lines[way].stamp < least;
		victim = less ? way : victim;
		least = less ? lines[way].stamp : least;
	}
	return victim;
}

/* The first distant way; while there is none, all age. Ageing by the difference to the most distant one at once. */
static uint32_t srrip_victim(struct cache_line *lines, uint32_t ways)
{
	uint32_t victim = 0;
	for (uint32_t way = 1; way < ways; way++)
		if (lines[way].stamp > lines[victim].stamp)
			victim = way;
	uint64_t age = SRRIP_DISTANT - lines[victim].stamp;
	for (uint32_t way = 0; age && way < ways; way++)
		lines[way].stamp += age;
	return victim;
}

static uint32_t random_way(struct cache_sets *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)((s->random >> 32) * s->ways >> 32);
}

uint32_t cache_sets_victim(struct cache_sets *s, uint64_t line)
{
	uint32_t set = (uint32_t)(line & s->set_mask), base = set * s->ways;
	if (s->filled[set] < s->ways)
		return base + s->filled[set];
	switch (s->policy) {
	case replacement_plru:
		return base + tree_victim(s, set);
	case replacement_random:
		return base + random_way(s);
	case replacement_srrip:
		return base + srrip_victim(s->lines + base, s->ways);
	case replacement_lru:
	case replacement_fifo:
		break;
	}
	return base + oldest(s->lines + base, s->ways);
}

struct cache_line *cache_sets_fill(struct cache_sets *s, uint32_t index, uint64_t line)
{
	if (s->tags[index] == CACHE_NO_LINE)
		s->filled[line & s->set_mask]++;
	s->tags[index] = line;
	s->hints[line & s->hint_mask] = index;
	s->lines[index].stamp = s->policy == replacement_srrip ? SRRIP_INSERTED : ++s->clock;
	if (s->policy == replacement_plru)
		cache_sets_touch_tree(s, index);
	return &s->lines[index];
}

void cache_sets_settle(struct cache_sets *s)
{
	uint64_t entries = s->timed ? (s->set_mask + 1) * s->ways : 0; /* sampling settles thousands of times */
	for (uint64_t i = 0; i < entries; i++)
		s->lines[i].arrival = 0;
	s->timed = false;
}
