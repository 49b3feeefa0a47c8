/* Units that are not pipelined, and younger operations that hold them. */
#ifndef CULPRIT_ANALYSIS_GRAPH_HELD_H
#define CULPRIT_ANALYSIS_GRAPH_HELD_H

#include "analysis/graph/ring.h"
#include "culprit/graph.h"

#include <stdbool.h>

/* As recorded: a unit was taken until `end` by an operation of this number that had begun before some older one was
 * ready. */
struct graph_hold {
	uint64_t end, holder; /* UINT64_MAX: on a wrong path */
};

/* The last of one unit: more than one can be between the first that waited for it and the last, since what waits at
 * the same time lies up to a window apart. */
enum { GRAPH_HOLDS = 16 };
struct graph_unit_holds {
	struct graph_hold last[GRAPH_HOLDS];
	uint64_t count;
	uint64_t free;	  /* as recorded: after all operations so far */
	uint32_t longest; /* cycles for which an operation holds it; at most 1: none does */
	uint8_t event;	  /* the class of what holds it longest */
	bool followed;	  /* there is one such unit, of which each lane keeps when it is free */
};

struct graph_holds {
	struct graph_unit_holds units[CULPRIT_GRAPH_UNITS];
	/* by unit, of those that are followed: when it is free, after all operations so far. No rows: there is none */
	struct graph_ring freed;
};

struct culprit_graph;
struct graph_step;
void graph_held_size(struct culprit_graph *g);
/* The kernel has just done the step: when its unit is free. */
void graph_held_free(struct culprit_graph *g, const struct graph_step *s);

#endif
