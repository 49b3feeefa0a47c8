#include "interval/flow/sets.h"

#include <stdlib.h>

enum { WAYS_OF_FULL = 16 };

bool flow_sets_create(struct flow_sets *s, uint64_t entries, uint32_t ways)
{
	*s = (struct flow_sets){.ways = 0};
	if (!entries)
		return true;
	if (!ways)
		ways = entries < WAYS_OF_FULL ? (uint32_t)entries : WAYS_OF_FULL;
	uint64_t sets = entries / ways;
	while (sets & (sets - 1)) /* a fully associative one of any size */
		sets &= sets - 1;
	s->with = calloc(sets * ways, sizeof *s->with);
	s->without = calloc(sets * ways, sizeof *s->without);
	s->mask = sets - 1;
	s->ways = ways;
	return s->with && s->without;
}

void flow_sets_free(struct flow_sets *s)
{
	free(s->with);
	free(s->without);
	s->with = s->without = NULL;
}

void flow_sets_forget(struct flow_sets *s)
{
	size_t size = (s->mask + 1) * s->ways * sizeof *s->with;
	if (!s->ways)
		return;
	memset(s->with, 0, size);
	memset(s->without, 0, size);
}
