/* What an instruction's edges lead back to, on one line of time: the last instructions of each kind, who holds which
 * entry, what records told of earlier instructions and lines, and the record in front. The edges themselves are in
 * emit.h. Times are those of the line, told by whoever keeps them. */
#ifndef CULPRIT_ANALYSIS_EDGES_HISTORY_H
#define CULPRIT_ANALYSIS_EDGES_HISTORY_H

#include "analysis/edges/renames.h"
#include "analysis/recent.h"
#include "analysis/record_facts.h"
#include "analysis/record_lines.h"
#include "analysis/starts.h"
#include "analysis/weights.h"

enum { EDGE_GROUP = 256 }; /* instructions of a fetch group of unlimited width */

/* Numbers of the last instructions of some kind. */
struct edge_recent {
	uint64_t *seq;
	uint64_t mask, count;
	uint32_t size; /* how far back is asked; 0 = never */
};

/* Of records with weights. */
struct edge_weighing {
	struct weights weights;
	struct weight_span rob, dispatch, commit;
};

/* From the record whose edges come, to the one that made room in the ROB, filled dispatch's width, and commit's;
 * 0 = none. */
struct edge_backs {
	uint64_t rob, dispatch, commit;
};

struct edge_history {
	struct culprit_graph_params params;
	uint64_t count;	     /* instructions so far = number of the next */
	uint32_t reach;	     /* the window: how far back an operand can matter; with weights, for the current record */
	uint32_t reach_most; /* ... at most, with the widths */
	struct edge_weighing weighing;
	struct edge_backs backs;
	struct edge_recent recent[RECENT_KINDS];
	struct starts starts;
	struct edge_ask *asks; /* the last ones; NULL: not kept */
	uint64_t ask_mask;
	struct edge_rooms rooms;
	struct edge_rename renamed; /* of all instructions so far; late_rename */
	struct renames renames;
	struct record_facts facts;
	uint32_t fact_reach;
	struct record_lines lines;
	uint64_t store_complete, store_latest; /* the latest P of all stores, and whose it is */
	struct {
		uint64_t seq, pc, fetch, commit;
		uint16_t flags;
		uint8_t length, branch;
	} last;
};

/* False: out of memory. In any case: destroy. */
bool edge_history_create(struct edge_history *h, const struct culprit_graph_params *params);
void edge_history_destroy(struct edge_history *h);
/* Nothing came before. */
void edge_history_reset(struct edge_history *h);
/* Before the record's edges are asked for. False: its weights cannot be, and *why says why not. */
bool edge_history_weigh(struct edge_history *h, const struct culprit_record *r, const char **why);
/* The record's edges are known; on to the next. */
void edge_history_note(struct edge_history *h, const struct culprit_record *r, const struct edge_stay *stay);

/* How far back the last but `back` - 1 of a kind is; 0 = there is none. */
static inline uint64_t edge_recent_distance(const struct edge_history *h, enum recent_kind kind, uint64_t back)
{
	const struct edge_recent *recent = &h->recent[kind];
	if (!back || back > recent->count)
		return 0;
	return h->count - recent->seq[(recent->count - back) & recent->mask];
}

/* When the line of the instruction `back` before this one was asked for. */
static inline const struct edge_ask *edge_asked(const struct edge_history *h, uint64_t back)
{
	return &h->asks[(h->count - back) & h->ask_mask];
}

/* Does the load miss, or would it, had no wrong path brought the line? */
static inline bool edge_brings_line(const struct edge_history *h, const struct culprit_record *r)
{
	return r->dmiss || (r->dstray < CULPRIT_LEVEL_COUNT && h->params.miss_cycles[r->dstray]);
}

#endif
