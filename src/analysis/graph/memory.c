/* Dependences through memory that the record cannot know: records name the store that was in flight when the load was
 * fetched, but a window twenty times larger keeps older stores in flight, too. A table by 8-byte granule holds the last
 * store; what collides is forgotten, which loses an edge of lanes with win idealised and nothing else. */
#include "analysis/graph/state.h"

#include <stdlib.h>

struct graph_store {
	uint64_t granule; /* + 1; 0 = empty */
	uint64_t index;
	uint64_t first, end; /* bytes written */
};

enum { ENTRIES = 2048 };

static struct graph_store *entry(const struct culprit_graph *g, uint64_t granule)
{
	return &g->stores[(granule ^ granule >> 11) % ENTRIES];
}

bool graph_memory_create(struct culprit_graph *g)
{
	g->stores = calloc(ENTRIES, sizeof *g->stores);
	return g->stores != NULL;
}

void graph_memory_destroy(struct culprit_graph *g)
{
	free(g->stores);
}

void graph_memory_store(struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t end = r->mem_addr + r->mem_size;
	for (uint64_t granule = r->mem_addr / 8; r->mem_size && granule <= (end - 1) / 8; granule++)
		*entry(g, granule) = (struct graph_store){granule + 1, g->count, r->mem_addr, end};
}

uint32_t graph_memory_producer(const struct culprit_graph *g, const struct culprit_record *r, bool *whole)
{
	uint64_t end = r->mem_addr + r->mem_size;
	const struct graph_store *youngest = NULL;
	for (uint64_t granule = r->mem_addr / 8; r->mem_size && granule <= (end - 1) / 8; granule++) {
		const struct graph_store *s = entry(g, granule);
		bool overlaps = s->granule == granule + 1 && s->first < end && s->end > r->mem_addr;
		if (overlaps && (!youngest || s->index > youngest->index))
			youngest = s;
	}
	*whole = youngest && youngest->first <= r->mem_addr && youngest->end >= end;
	uint64_t distance = youngest ? g->count - youngest->index : 0;
	return distance > UINT32_MAX ? 0 : (uint32_t)distance;
}
