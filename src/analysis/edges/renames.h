/* Cores that rename in the ROB (late_rename of culprit/graph.h), as recorded: from when there has been room in issue
 * queues and register files for all instructions so far. It is in program order, so that the latest room decides. The
 * interaction-cost graph and the other edges both ask here which waits for the issue are explained. */
#ifndef CULPRIT_ANALYSIS_EDGES_RENAMES_H
#define CULPRIT_ANALYSIS_EDGES_RENAMES_H

#include "analysis/edges/rooms.h"
#include "analysis/record_facts.h"

struct renames {
	struct edge_rooms rooms; /* of its queues alone, in recorded times */
	uint64_t room;
};

/* False: out of memory. In any case: destroy. */
bool renames_create(struct renames *x, const struct culprit_graph_params *params);
void renames_destroy(struct renames *x);
void renames_reset(struct renames *x);
/* The record of this number is the next; nothing of it is asked any more. */
void renames_note(struct renames *x, const struct culprit_graph_params *params, const struct culprit_record *r,
		  uint64_t number);

/* Who is `back` before number `count` must have committed; 0 = there is a register without that. */
static inline void renames_wait(struct renames *x, const struct record_facts *f, uint64_t count, uint64_t back)
{
	if (!back || back > f->mask)
		return; /* long gone */
	uint64_t commit = record_fact(f, count, back)->commit;
	x->room = commit > x->room ? commit : x->room;
}

/* ... and there is an entry of the issue queue: from then on it may be renamed. */
static inline uint64_t renames_room(struct renames *x, const struct culprit_graph_params *p,
				    const struct culprit_record *r)
{
	const struct edge_entry *entry = r->queue < p->queue_count ? edge_first_free(&x->rooms.queues[r->queue]) : NULL;
	if (entry && entry->free > x->room)
		x->room = entry->free;
	return x->room;
}

#endif
