/* See the header. A heap for each pool: the lanes of the graph need rows in order, one lane does not. */
#include "analysis/edges/rooms.h"

#include "analysis/edges/kinds.h"

#include <stdlib.h>

static bool create(struct edge_entries *e, uint32_t count)
{
	e->count = count;
	e->heap = count ? calloc(count, sizeof *e->heap) : NULL;
	return e->heap || !count;
}

bool edge_rooms_create(struct edge_rooms *room, const struct culprit_graph_params *p)
{
	bool good = create(&room->stores, p->store_writes ? p->sq : 0);
	for (uint32_t q = 0; q < p->queue_count && good; q++) {
		room->counted = room->counted || p->queue_entries[q];
		good = create(&room->queues[q], p->queue_entries[q]);
	}
	return good;
}

void edge_rooms_destroy(struct edge_rooms *room)
{
	free(room->stores.heap);
	for (unsigned q = 0; q < CULPRIT_GRAPH_QUEUES; q++)
		free(room->queues[q].heap);
}

void edge_rooms_reset(struct edge_rooms *room)
{
	for (unsigned q = 0; q < CULPRIT_GRAPH_QUEUES; q++)
		room->queues[q].used = 0;
	room->stores.used = 0;
	room->released = (struct edge_entry){.free = 0};
	room->recorded = 0;
}

/* An unused entry, or the first free one in place of the top. */
static void take(struct edge_entries *e, struct edge_entry until)
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

/* The part of a write that takes most of it: translation, a miss by its level, or the hit. */
static enum culprit_critical_kind write_kind(const struct edge_stay *stay, uint32_t miss, uint8_t level)
{
	if (miss >= stay->write_dtlb && miss >= stay->write_hit)
		return level_kind(level, CULPRIT_CRITICAL_dport);
	return stay->write_dtlb >= stay->write_hit ? CULPRIT_CRITICAL_dtlb : CULPRIT_CRITICAL_dl1;
}

/* A store's entry is free when its write and those of all older stores are done. A write whose line an older store
 * brings is done with that store's, which the order says already. */
static struct edge_entry write(struct edge_rooms *room, const struct culprit_graph_params *p,
			       const struct culprit_record *r, uint64_t index, const struct edge_stay *stay)
{
	uint64_t done = r->commit + p->write_hit + r->write_dtlb + r->write_miss;
	bool covered = r->write_merged && done <= room->recorded;
	uint32_t miss = covered ? r->write_miss != 0 : r->write_miss;
	miss = stay->write_misses ? miss : 0;
	uint32_t cycles = stay->write_hit + stay->write_dtlb + miss;
	room->recorded = done > room->recorded ? done : room->recorded;
	struct edge_entry own = {stay->commit + cycles, index, cycles, CULPRIT_CRITICAL_win};
	if (!cycles)
		return own;
	own.kind = (uint8_t)write_kind(stay, miss, r->write_level);
	if (own.free > room->released.free)
		room->released = own;
	return room->released;
}

void edge_rooms_note(struct edge_rooms *room, const struct culprit_graph_params *p, const struct culprit_record *r,
		     uint64_t index, const struct edge_stay *stay)
{
	if (r->queue < p->queue_count && room->queues[r->queue].count)
		take(&room->queues[r->queue], (struct edge_entry){stay->issue, index, 0, CULPRIT_CRITICAL_win});
	if ((r->flags & CULPRIT_STORE) && room->stores.count)
		take(&room->stores, write(room, p, r, index, stay));
}
