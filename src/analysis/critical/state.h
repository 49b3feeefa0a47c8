/* State of the criticality pass, private to src/analysis/critical/.
 *
 * The buffer holds history (times only), the chunk to analyse, and what lies beyond it. A node is numbered
 * slot * EDGE_NODES + node, which is a topological order: every edge goes from a lower number to a higher one. An
 * edge is kept with its target, as the difference of the two numbers, so that the buffer can be moved. */
#ifndef CULPRIT_ANALYSIS_CRITICAL_STATE_H
#define CULPRIT_ANALYSIS_CRITICAL_STATE_H

#include "base/map.h"
#include "analysis/edges/nodes.h"
#include "culprit/critical.h"

enum { CRITICAL_EDGES = 40 }; /* into one instruction's nodes, at most */
enum { CRITICAL_BLOCK = 64 };
enum { CRITICAL_KIND_BITS = 6 };
#define CRITICAL_NOBODY UINT32_MAX
enum { CRITICAL_ORIGIN = 1 };
/* time of the first fetch: any edge arrives after 0 */ /* longer waits between two records are no edges */

struct critical_edge {
	uint32_t back : 26; /* target's number - source's */
	uint32_t kind : 6;  /* enum culprit_critical_kind; of an instruction's own latency the unit's */
	uint32_t lag;	    /* cycles by which it arrives before the last one */
};

/* One instruction in the buffer. */
struct critical_slot {
	uint32_t edges;		  /* its first edge; they are sorted by target */
	uint8_t ends[EDGE_NODES]; /* number of edges up to each target, this one's included */
	/* the edge that arrives last, of several the first: back << KIND_BITS | kind; 0 = none */
	uint32_t last[EDGE_NODES];
	uint32_t row; /* static instruction */
	/* the mispredicted branch that the path into F comes from, through fetches only: its row, or CRITICAL_NOBODY */
	uint32_t refill;
	struct edge_parts parts;
};

/* Edges that cross a cut of the graph and may replace the one being taken away: slack rising, source falling. */
struct critical_detour {
	uint32_t slack, source;
};

struct critical_transition {
	uint32_t from, to; /* rows; from = UINT32_MAX: empty */
	uint32_t kind;
	uint64_t count;
};

/* Per static instruction beside the public part. */
struct critical_row {
	struct culprit_critical_row public;
	uint64_t loop_end;   /* as a loop's first instruction: end of the last branch back to it; 0 = none */
	uint64_t iterations; /* branches back to it */
};

struct culprit_critical {
	struct edge_history history;
	uint32_t chunk, lookahead, kept; /* instructions; kept: of which times are, in front of the chunk */

	uint64_t *time; /* by node, from CRITICAL_ORIGIN on */
	uint32_t *slack;
	uint8_t *starts; /* edges without slack out of each node */
	struct critical_slot *slots;
	struct critical_edge *edges;
	uint32_t *longest; /* latency in each CRITICAL_BLOCK slots; of use while analysing */
	uint32_t edge_count;
	uint32_t watch;	     /* one of this many windows is watched */
	uint64_t windows;    /* so far */
	bool watched[2];     /* the window being filled, the next one */
	uint32_t begin, end; /* slots in use behind the history: begin <= slot < end */

	struct critical_detour *detours; /* sorted */
	uint32_t detour_count;

	bool seam;	    /* a window came before: its path ended here ... */
	uint32_t seam_node; /* ... at this node */
	uint64_t seam_time;

	struct critical_row *rows;
	size_t row_count, row_room;
	struct map index; /* pc -> row + 1 */
	struct critical_transition *transitions;
	size_t transition_count, transition_mask;

	struct culprit_critical_totals totals;
	struct culprit_critical_loop hottest; /* end 0: there is none */
	bool finished, failed;
	char error[200];
};

bool critical_fail(struct culprit_critical *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* place.c: a record's edges and times into slot c->end, and all that later records ask of it. */
/* Does the slot being filled belong to a watched window, as chunk or as lookahead? */
static inline bool critical_needs_edges(const struct culprit_critical *c)
{
	const bool further = c->lookahead >
			     c->chunk; /* into windows of which it is not known yet whether they are watched */
	return c->watched[0] || (c->watched[1] && c->end - c->begin >= c->chunk) || (c->watch > 1 && further);
}
bool critical_place(struct culprit_critical *c, const struct culprit_record *r);

/* path.c: the path of a window. Results of slots below `until` are kept. */
#define CRITICAL_NOWHERE UINT32_MAX
enum critical_tie { TIE_UNKNOWN, TIE_NONE, TIE_BROKEN }; /* could the path as well have gone elsewhere? */
struct critical_path {
	struct culprit_critical *c;
	uint32_t until;
	uint32_t at;	    /* where it goes through next; CRITICAL_NOWHERE = it has ended */
	bool seam;	    /* it has come below `until`: at ... */
	uint32_t seam_node; /* ... this node */
	uint64_t late;	    /* cycles of the next latency that its reader did not wait for */
};
/* From `at` to the node in front of it. */
void critical_path_step(struct critical_path *p, enum critical_tie in_node, enum critical_tie on_edge);
void critical_path_trace(struct critical_path *p); /* back to the window before */
void critical_path_join(struct critical_path *p);  /* ... and there */
/* slack.c: the same with slack, cost and ties. */
void critical_slack(struct critical_path *p);

/* rows.c: static instructions. UINT32_MAX: out of memory. */
uint32_t critical_row_of(struct culprit_critical *c, uint64_t pc);
bool critical_rows_create(struct culprit_critical *c);
void critical_rows_destroy(struct culprit_critical *c);
/* Of the path: from one instruction to another. */
void critical_rows_step(struct culprit_critical *c, uint32_t from, uint32_t to, enum culprit_critical_kind kind);

/* loop.c: c->hottest. False: out of memory. */
bool critical_find_hottest(struct culprit_critical *c);

#endif
