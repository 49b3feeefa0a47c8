/* See the header. A heap for each pool: the lanes of the graph need rows in order, one lane does not. */
#include "analysis/critical/room.h"

#include <stdlib.h>

static bool create(struct critical_entries *e, uint32_t count)
{
	e->count = count;
	e->heap = count ? calloc(count, sizeof *e->heap) : NULL;
	return e->heap || !count;
}

bool critical_room_create(struct critical_room *room, const struct culprit_graph_params *p)
{
	bool good = create(&room->stores, p->store_writes ? p->sq : 0);
	for (uint32_t q = 0; q < p->queue_count && good; q++) {
		room->counted = room->counted || p->queue_entries[q];
		good = create(&room->queues[q], p->queue_entries[q]);
	}
	return good;
}

void critical_room_destroy(struct critical_room *room)
{
	free(room->stores.heap);
	for (unsigned q = 0; q < CULPRIT_GRAPH_QUEUES; q++)
		free(room->queues[q].heap);
}

/* An unused entry, or the first free one in place of the top. */
static void take(struct critical_entries *e, struct critical_entry until)
{
	uint32_t at;
	if (e->used < e->count) {
		for (at = e->used++; at && e->heap[(at - 1) / 2].free > until.free; at = (at - 1) / 2)
			e->heap[at] = e->heap[(at - 1) / 2];
	} else {
		uint32_t child;
		for (at = 0; (child = 2 * at + 1) < e->count; at = child) {
			child += child + 1 < e->count && e->heap[child + 1].free < e->heap[child].free;
			if (e->heap[child].free >= until.free)
				break;
			e->heap[at] = e->heap[child];
		}
	}
	e->heap[at] = until;
}

/* A store's write, as in graph/writes.c. */
static struct critical_entry write(struct critical_room *room, const struct culprit_graph_params *p,
				   const struct culprit_record *r, uint64_t index, uint64_t committed)
{
	uint64_t done = r->commit + p->write_hit + r->write_dtlb + r->write_miss;
	bool covered = r->write_merged && done <= room->recorded;
	uint32_t cycles = p->write_hit + r->write_dtlb + (covered ? r->write_miss != 0 : r->write_miss);
	room->recorded = done > room->recorded ? done : room->recorded;
	struct critical_entry own = {committed + cycles, index, cycles};
	if (!cycles)
		return own;
	if (own.free > room->released.free)
		room->released = own;
	return room->released;
}

void critical_room_remember(struct critical_room *room, const struct culprit_graph_params *p,
			    const struct culprit_record *r, uint64_t index, uint64_t issued, uint64_t committed)
{
	if (r->queue < p->queue_count && room->queues[r->queue].count)
		take(&room->queues[r->queue], (struct critical_entry){issued, index, 0});
	if ((r->flags & CULPRIT_STORE) && room->stores.count)
		take(&room->stores, write(room, p, r, index, committed));
}
