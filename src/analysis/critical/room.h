/* Room in issue queues and the store queue, as the graph has it (graph/queues.c, graph/writes.c), in one lane. */
#ifndef CULPRIT_ANALYSIS_CRITICAL_ROOM_H
#define CULPRIT_ANALYSIS_CRITICAL_ROOM_H

#include "culprit/graph.h"

/* An entry's last holder, and when it was done with it. */
struct critical_entry {
	uint64_t free;	 /* graph time */
	uint64_t source; /* instruction whose E or C decides that ... */
	uint32_t weight; /* ... cycles before */
};

/* A heap: the entry that is free first is on top. */
struct critical_entries {
	struct critical_entry *heap;
	uint32_t count, used; /* 0 = unlimited; so far */
};

struct critical_room {
	struct critical_entries queues[CULPRIT_GRAPH_QUEUES], stores;
	bool counted;			/* some queue is limited, and who holds it is kept account of */
	struct critical_entry released; /* when the writes of all stores so far are done */
	uint64_t recorded;		/* the same, by the records */
};

bool critical_room_create(struct critical_room *room, const struct culprit_graph_params *p);
void critical_room_destroy(struct critical_room *room);

/* The entry that the next one takes; NULL: there are unused ones. */
static inline const struct critical_entry *critical_first_free(const struct critical_entries *e)
{
	return e->count && e->used == e->count ? e->heap : NULL;
}

/* What the instruction number `index`, issued and committed then, holds and for how long. */
void critical_room_remember(struct critical_room *room, const struct culprit_graph_params *p,
			    const struct culprit_record *r, uint64_t index, uint64_t issued, uint64_t committed);

#endif
