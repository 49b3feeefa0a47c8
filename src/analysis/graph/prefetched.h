/* Accesses, because of which a prefetcher asks for lines (prefetched.c), and the rings of rows they are kept in. */
#ifndef CULPRIT_ANALYSIS_GRAPH_PREFETCHED_H
#define CULPRIT_ANALYSIS_GRAPH_PREFETCHED_H

#include "analysis/graph/ring.h"
#include "analysis/graph/step.h"
#include "culprit/record.h"

enum { GRAPH_MARGIN = 4096 }; /* times older than F by more than this may be raised to F - GRAPH_MARGIN */
/* A line that came so long before the fetch of its first use, or longer, came just then. Rows of accesses are raised
 * as others are (GRAPH_MARGIN), and this hides it. */
enum { GRAPH_IN_TIME = GRAPH_MARGIN / 2 };

/* When the last loads and stores had looked into the L1D, by number: a row each, and as recorded. */
enum { GRAPH_ACCESSES = 1024 };
struct graph_accesses {
	struct graph_ring looked; /* no rows: not asked for */
	uint64_t planned, done;	  /* those of `done` have gone through the kernel */
	uint64_t addr[GRAPH_ACCESSES], time[GRAPH_ACCESSES];
};

struct culprit_graph;
/* Last of an instruction's plan: is it one? */
void graph_accesses_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* After the step of instruction number `done`, if it is one. */
void graph_accesses_hold(struct culprit_graph *g, const struct graph_step *s);
/* When the line was there that r used at `done` for the first time: as recorded. */
static inline uint64_t graph_prefetched_there(const struct culprit_record *r, uint64_t done)
{
	return done > r->prefetch_slack ? done - r->prefetch_slack : 0;
}

#endif
