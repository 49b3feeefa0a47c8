/* See interval_sweep.h. Tags are 32 bits, so that the order of a set is one line of the host's cache. */
#include "interval/interval_sweep.h"

#include <stdlib.h>
#include <string.h>

enum { EMPTY = UINT32_MAX };

bool lru_sweep_init(struct lru_sweep *s, uint32_t first, uint32_t sets, struct error *err)
{
	*s = (struct lru_sweep){.first = first, .sets = sets, .last = UINT64_MAX};
	for (uint32_t n = 0; n < sets; n++) {
		size_t bytes = (sizeof(uint32_t) * INTERVAL_WAYS) << (first + n);
		s->tags[n] = aligned_alloc(64, bytes);
		if (!s->tags[n])
			return error_set(err, ERROR_SYSTEM, "no memory for the cache sweep");
		memset(s->tags[n], 0xff, bytes);
	}
	return true;
}

void lru_sweep_free(struct lru_sweep *s)
{
	for (uint32_t n = 0; n < INTERVAL_SETS; n++)
		free(s->tags[n]);
}

/* The depth of `tag` in its set's order, INTERVAL_WAYS when it is not there; it goes to the front. */
static uint32_t to_front(uint32_t *order, uint32_t tag)
{
	uint32_t depth = 1;
	while (depth < INTERVAL_WAYS && order[depth] != tag)
		depth++;
	uint32_t last = depth < INTERVAL_WAYS ? depth : INTERVAL_WAYS - 1;
	for (uint32_t d = last; d > 0; d--)
		order[d] = order[d - 1];
	order[0] = tag;
	return depth;
}

void lru_sweep_use(struct lru_sweep *s, uint64_t line, uint32_t tag, enum interval_kind kind)
{
	uint32_t n = 0;
	s->accesses[kind]++;
	if (line == s->last) {
		s->newest[kind][0]++;
		return;
	}
	s->last = line;
	for (; n < s->sets; n++) {
		uint64_t set = line & ((1ull << (s->first + n)) - 1);
		uint32_t *order = &s->tags[n][set * INTERVAL_WAYS];
		if (order[0] == tag)
			break;
		uint32_t depth = to_front(order, tag);
		if (depth < INTERVAL_WAYS)
			s->hits[kind][n][depth]++;
	}
	s->newest[kind][n]++;
}

void lru_sweep_restart(struct lru_sweep *s)
{
	memset(s->accesses, 0, sizeof s->accesses);
	memset(s->newest, 0, sizeof s->newest);
	memset(s->hits, 0, sizeof s->hits);
}

uint64_t lru_sweep_hits(const struct lru_sweep *s, enum interval_kind kind, uint32_t sets, uint32_t depth)
{
	uint64_t total = 0;
	if (depth)
		return s->hits[kind][sets][depth];
	for (uint32_t n = 0; n <= sets; n++)
		total += s->newest[kind][n];
	return total;
}
