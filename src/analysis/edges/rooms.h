/* Room in issue queues and the store queue, on one line of time. (The graph's, for all lanes: graph/queues.c,
 * graph/writes.c.) */
#ifndef CULPRIT_ANALYSIS_EDGES_ROOMS_H
#define CULPRIT_ANALYSIS_EDGES_ROOMS_H

#include "analysis/edges/posted.h"
#include "culprit/graph.h"

/* An entry's last holder, and when it was done with it. */
struct edge_entry {
	uint64_t free;	 /* graph time */
	uint64_t source; /* instruction whose E or C decides that ... */
	uint32_t weight; /* ... so many cycles before */
	uint8_t kind;	 /* enum culprit_critical_kind: what takes most of them; win: there are none */
};

/* A heap: the entry that is free first is on top. */
struct edge_entries {
	struct edge_entry *heap;
	uint32_t count, used; /* 0 = unlimited; so far */
};

struct edge_rooms {
	struct edge_entries queues[CULPRIT_GRAPH_QUEUES], stores;
	bool counted;		    /* some queue is limited, and who holds it is kept account of */
	struct edge_entry released; /* when the writes of all stores so far are done */
	uint64_t recorded;	    /* the same, by the records */
	uint64_t line, turn;	    /* write_interval: the last line written, + 1, and when its turn is over */
	bool posted;
	struct edge_entry *served; /* posted writes: when the last write_buffer of them left the buffer */
	uint64_t count;
	struct posted_writes by_records;
};

bool edge_rooms_create(struct edge_rooms *room, const struct culprit_graph_params *p);
void edge_rooms_destroy(struct edge_rooms *room);
void edge_rooms_reset(struct edge_rooms *room);

/* The entry that the next one takes; NULL: there are unused ones. */
static inline const struct edge_entry *edge_first_free(const struct edge_entries *e)
{
	return e->count && e->used == e->count ? e->heap : NULL;
}

/* late_rename: the latest room in queues and register files that was waited for: a node of that instruction. */
struct edge_rename {
	uint64_t time, source;
	uint8_t node;
};

/* fetch_asked: when an instruction's line was asked for, and what that waited for. */
struct edge_ask {
	uint64_t time, source; /* number of an instruction ... */
	uint8_t node, kind;    /* ... its node, and the kind of the edge from there */
};

/* What later instructions ask of one's own nodes. */
struct edge_stay {
	uint64_t issue, complete, commit;
	uint32_t exec_latency;		/* as in the record, or nothing of it */
	uint32_t write_hit, write_dtlb; /* parts of a store's write */
	uint32_t write_interval;	/* its turn, if it is of another line than the one before */
	bool write_misses;		/* a miss of the write takes time */
	struct edge_rename renamed;
	struct edge_ask asked;
};

/* What the instruction number `index` holds and for how long. */
void edge_rooms_note(struct edge_rooms *room, const struct culprit_graph_params *p, const struct culprit_record *r,
		     uint64_t index, const struct edge_stay *stay);

#endif
