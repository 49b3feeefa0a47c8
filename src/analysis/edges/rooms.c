/* See the header. A heap for each pool: the lanes of the graph need rows in order, one lane does not. */
#include "analysis/edges/rooms.h"

#include "analysis/edges/kinds.h"
#include "analysis/record_facts.h"

#include <stdlib.h>
#include <string.h>

static bool create(struct edge_entries *e, uint32_t count)
{
	e->count = count;
	e->heap = count ? calloc(count, sizeof *e->heap) : NULL;
	return e->heap || !count;
}

bool edge_rooms_create(struct edge_rooms *room, const struct culprit_graph_params *p)
{
	bool good = create(&room->stores, p->store_writes ? p->sq : 0);
	room->posted = p->store_writes && p->posted_writes;
	if (room->posted) {
		room->served = calloc((size_t)p->write_buffer + 1, sizeof *room->served);
		good = good && room->served && posted_writes_create(&room->by_records, p);
	}
	for (uint32_t q = 0; q < p->queue_count && good; q++) {
		room->counted = room->counted || p->queue_entries[q];
		good = create(&room->queues[q], p->queue_entries[q]);
	}
	return good;
}

void edge_rooms_destroy(struct edge_rooms *room)
{
	free(room->stores.heap);
	free(room->served);
	posted_writes_destroy(&room->by_records);
	for (unsigned q = 0; q < CULPRIT_GRAPH_QUEUES; q++)
		free(room->queues[q].heap);
}

void edge_rooms_reset(struct edge_rooms *room)
{
	for (unsigned q = 0; q < CULPRIT_GRAPH_QUEUES; q++)
		room->queues[q].used = 0;
	room->stores.used = 0;
	room->released = (struct edge_entry){.free = 0};
	room->recorded = room->count = room->line = room->turn = 0;
	if (room->posted) {
		memset(room->served, 0, ((size_t)room->by_records.buffer + 1) * sizeof *room->served);
		posted_writes_reset(&room->by_records);
	}
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

/* Another line than the last one has to wait for its turn, for which the store keeps its entry. */
static struct edge_entry in_turn(struct edge_rooms *room, const struct culprit_graph_params *p, uint64_t addr,
				 const struct edge_stay *stay, struct edge_entry own)
{
	const uint64_t line = p->write_interval && p->l1_line ? addr / p->l1_line + 1 : room->line;
	if (line == room->line)
		return own;
	room->line = line;
	room->turn = (room->turn > stay->commit ? room->turn : stay->commit) + stay->write_interval;
	if (room->turn <= own.free)
		return own;
	const uint32_t weight = (uint32_t)(room->turn - stay->commit);
	return (struct edge_entry){room->turn, own.source, weight, CULPRIT_CRITICAL_commit};
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
	if (cycles)
		own.kind = (uint8_t)write_kind(stay, miss, r->write_level);
	own = in_turn(room, p, r->mem_addr, stay, own);
	if (!own.weight)
		return own;
	if (own.free > room->released.free)
		room->released = own;
	return room->released;
}

static struct edge_entry later(struct edge_entry a, struct edge_entry b)
{
	return a.free >= b.free ? a : b;
}

/* A posted write's entry is free when the buffer takes it (without one: when it is served), which is as long after the
 * commit of the store that decides it. */
static struct edge_entry post(struct edge_rooms *room, const struct culprit_graph_params *p,
			      const struct culprit_record *r, uint64_t index, const struct edge_stay *stay)
{
	const struct posted_write recorded = posted_writes_next(&room->by_records, p, r);
	const uint32_t lookup = stay->write_hit + stay->write_dtlb, waited = stay->write_misses ? recorded.waited : 0;
	struct edge_entry *left = &room->served[p->write_buffer ? room->count++ % p->write_buffer : 0];
	const struct edge_entry own = {stay->commit, index, 0, CULPRIT_CRITICAL_win};
	const struct edge_entry accepted = p->write_buffer ? later(own, *left) : own;
	struct edge_entry served = accepted;
	served.free += lookup;
	served.weight += lookup;
	if (lookup && served.kind == CULPRIT_CRITICAL_win)
		served.kind = (uint8_t)write_kind(stay, 0, r->write_level);
	served = later(served, room->released);
	served.free += waited;
	served.weight += waited;
	if (waited)
		served.kind = (uint8_t)write_kind(stay, waited, r->write_level);
	*left = room->released = served;
	return p->write_buffer ? accepted : served;
}

/* An entry of the issue queue. A load that issues again keeps it until then: for its miss. */
static struct edge_entry queued(const struct culprit_graph_params *p, const struct culprit_record *r, uint64_t index,
				const struct edge_stay *stay)
{
	struct edge_entry e = {stay->issue, index, 0, CULPRIT_CRITICAL_win};
	if (!record_issues_again(p, r) || stay->complete <= stay->issue + stay->exec_latency)
		return e;
	e.free = stay->complete - stay->exec_latency;
	e.weight = (uint32_t)(e.free - stay->issue);
	e.kind = (uint8_t)level_kind(r->dlevel, CULPRIT_CRITICAL_dport);
	return e;
}

void edge_rooms_note(struct edge_rooms *room, const struct culprit_graph_params *p, const struct culprit_record *r,
		     uint64_t index, const struct edge_stay *stay)
{
	if (r->queue < p->queue_count && room->queues[r->queue].count)
		take(&room->queues[r->queue], queued(p, r, index, stay));
	if (!(r->flags & CULPRIT_STORE) || !(room->posted || room->stores.count))
		return;
	const struct edge_entry entry = room->posted ? post(room, p, r, index, stay) : write(room, p, r, index, stay);
	if (room->stores.count)
		take(&room->stores, entry);
}
