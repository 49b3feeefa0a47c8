#include "interval/profile/scaled.h"

#include "interval/profile/profile.h"

static const uint8_t chains[INTERVAL_SCALED] = {1u << INTERVAL_CHAIN_quarter, 1u << INTERVAL_CHAIN_half,
						1u << INTERVAL_CHAIN_twice, 1u << INTERVAL_CHAIN_four_times};

/* A last level with fewer or more sets; not there when that is less than one. */
static bool create(struct interval_scaled *s, const struct machine *m, uint32_t n, struct error *err)
{
	uint32_t size = m->l3_size ? m->l3_size : m->l2_size, line = m->l3_size ? m->l3_line : m->l2_line;
	uint32_t ways = m->l3_size ? m->l3_ways : m->l2_ways;
	uint64_t entries = (uint64_t)size / line;
	uint64_t sets = ways ? entries / ways : 1, scale = n < 2 ? 1u << n : 1u << (n + 1);
	s->there[n] = ways && sets * scale >= 4;
	s->shift = (uint32_t)__builtin_ctz(line);
	if (!s->there[n])
		return true;
	return cache_sets_init(&s->sets[n], "a last level of another size", entries * scale / 4, ways, replacement_lru,
			       err);
}

bool interval_scaled_init(struct interval_scaled *s, const struct machine *m, struct error *err)
{
	for (uint32_t n = 0; n < INTERVAL_SCALED; n++)
		TRY(create(s, m, n, err));
	return true;
}

void interval_scaled_free(struct interval_scaled *s)
{
	for (uint32_t n = 0; n < INTERVAL_SCALED; n++)
		if (s->there[n])
			cache_sets_free(&s->sets[n]);
}

static bool use(struct cache_sets *s, uint64_t line)
{
	uint32_t i = cache_sets_find(s, line);
	if (i != CACHE_NO_INDEX) {
		cache_sets_touch(s, i);
		return true;
	}
	cache_sets_fill(s, cache_sets_victim(s, line), line);
	return false;
}

uint8_t interval_scaled_use(struct interval_scaled *s, uint64_t address)
{
	uint8_t missed = 0;
	for (uint32_t n = 0; n < INTERVAL_SCALED; n++)
		if (s->there[n] && !use(&s->sets[n], address >> s->shift))
			missed |= chains[n];
	return missed;
}
