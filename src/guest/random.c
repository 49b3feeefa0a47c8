/* Randomness from the seed alone: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
 * OOPSLA 2014). Good enough for hash seeds; not for secrets, of which a simulated guest has none. */
#include "guest/calls.h"
#include "guest/files.h"

static uint64_t random_next(struct guest *g)
{
	uint64_t z = g->random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

void random_seed(struct guest *g, uint64_t seed)
{
	g->random_state = seed;
}

void random_fill(struct guest *g, void *to, size_t size)
{
	uint8_t *at = to;

	while (size) {
		uint64_t value = random_next(g);
		size_t step = size < sizeof(value) ? size : sizeof(value);

		memcpy(at, &value, step);
		at += step;
		size -= step;
	}
}

int64_t sys_getrandom(struct guest *g, const uint64_t *args)
{
	uint64_t size = args[1] < RANDOM_MAX ? args[1] : RANDOM_MAX;
	uint64_t span = user_span(g, args[0], size, PAGE_WRITE);

	if (args[2] & ~7ull)
		return -GUEST_EINVAL;
	if (size && !span)
		return -GUEST_EFAULT;
	if (span)
		random_fill(g, address_space_host(&g->memory, args[0]), span);
	return (int64_t)span;
}
