/* Criticality from one pass over instruction records: which instructions the run's longest dependence path goes
 * through, and how far from it the others are. The graph is that of culprit/graph.h with nothing idealised and waits
 * for issue as recorded; docs/explanation/critical.md has the definitions.
 *
 *     c = culprit_critical_create(&params, &why);
 *     culprit_critical_push(c, records, count);       as often as there are records
 *     culprit_critical_finish(c, &totals);            once, at the end
 *     culprit_critical_row(c, i, &row);               i from 0 to totals.rows - 1
 *
 * Memory grows with the number of different instructions (by address), not with the number executed. */
#ifndef CULPRIT_CRITICAL_H
#define CULPRIT_CRITICAL_H

#include "culprit/graph.h"

CULPRIT_C_BEGIN

enum culprit_critical_kind {
#define CRITICAL_KIND(name, label, base, what) CULPRIT_CRITICAL_##name,
#include "culprit/critical_kind.def"
	CULPRIT_CRITICAL_KINDS
};

struct culprit_critical_params {
	struct culprit_graph_params graph; /* classes, kernel and issue_slots are not looked at */
	uint32_t chunk;	    /* instructions analysed at a time; 0 = four times `lookahead`, at least 8192 */
	uint32_t lookahead; /* instructions seen beyond them; 0 = eight ROBs */
	uint32_t watch;	    /* slack, cost and ties in one of this many windows; 0 = 1 = in all */
};

/* One static instruction. Cycles of the path are integers and add up to the total over all rows and kinds. */
struct culprit_critical_row {
	uint64_t pc;
	uint64_t executions;
	uint64_t path;				 /* cycles of the critical path that are its own */
	uint64_t cycles[CULPRIT_CRITICAL_KINDS]; /* the same by kind */
	uint64_t visits;			 /* times that the path went through it */
	uint64_t calls;				 /* times that a call went to it: a function begins here */

	/* in watched windows */
	uint64_t watched;      /* executions */
	uint64_t watched_path; /* part of `path` */
	uint64_t tied;	       /* part of that which an equally long path avoids */
	uint64_t cost;	/* Tune's: cycles by which the run would be shorter were its latency 0, each execution alone */
	uint64_t saved; /* ... were its latency one cycle shorter */
	uint64_t zero_slack; /* executions that cannot be delayed at all */
	uint64_t slack_sum;  /* cycles, over the executions */
	uint32_t slack_min;
};

struct culprit_critical_totals {
	uint64_t instructions;
	uint64_t cycles; /* length of the path = the graph's time */
	uint64_t visits;
	uint64_t by_kind[CULPRIT_CRITICAL_KINDS]; /* cycles; without the seams' */
	uint64_t hops[CULPRIT_CRITICAL_KINDS];	  /* edges of the path by kind, whatever their length */
	uint64_t watched, watched_path, tied, cost, zero_slack, slack_sum; /* as in the rows */
	uint64_t seams;	     /* places where two windows' paths had to meet */
	uint64_t seams_off;  /* ... and did not: 0 = the path is exact */
	int64_t seam_cycles; /* cycles = sum of by_kind + seam_cycles */
	size_t rows;
};

/* The hottest loop: of all targets of backward direct branches, the one whose own body (without loops inside it)
 * carries most of the path. Its chain: the cycle of most frequent steps from instruction to instruction. */
enum { CULPRIT_CRITICAL_CHAIN = 64 };
struct culprit_critical_step {
	size_t row;
	enum culprit_critical_kind next; /* the edge to the next step (from the last one to the first) */
	uint64_t taken;			 /* times that the path took that edge */
};
struct culprit_critical_loop {
	uint64_t first, end;   /* addresses of the body: first <= pc < end */
	uint64_t iterations;   /* backward branches taken */
	uint64_t cycles;       /* of the path, own body */
	uint64_t chain_cycles; /* of the path, in the chain's instructions */
	size_t steps;	       /* 0 = no cycle of steps within the body */
	struct culprit_critical_step chain[CULPRIT_CRITICAL_CHAIN];
};

struct culprit_critical;

const char *culprit_critical_kind_name(enum culprit_critical_kind kind);    /* JSON key */
const char *culprit_critical_kind_label(enum culprit_critical_kind kind);   /* for readers */
const char *culprit_critical_kind_meaning(enum culprit_critical_kind kind); /* a few words */
/* The base event class of a kind; CULPRIT_EVENT_COUNT = none. */
unsigned culprit_critical_kind_class(enum culprit_critical_kind kind);

/* NULL: *why (may be NULL) names the parameter that is wrong. */
struct culprit_critical *culprit_critical_create(const struct culprit_critical_params *params, const char **why);
void culprit_critical_destroy(struct culprit_critical *c);

/* Records in commit order, `seq` rising by one. False: a record contradicts itself or the stream (or memory ran out);
 * nothing more is taken, and culprit_critical_error says which record and why. */
bool culprit_critical_push(struct culprit_critical *c, const struct culprit_record *records, size_t count);
const char *culprit_critical_error(const struct culprit_critical *c);

/* Analyse what is left. False after an error. Afterwards nothing more can be pushed. */
bool culprit_critical_finish(struct culprit_critical *c, struct culprit_critical_totals *totals);
/* Rows in the order in which their instructions were first executed. False past the end. */
bool culprit_critical_row(const struct culprit_critical *c, size_t index, struct culprit_critical_row *row);
/* False: no loop carries any of the path. */
bool culprit_critical_hottest(const struct culprit_critical *c, struct culprit_critical_loop *loop);

CULPRIT_C_END

#endif
