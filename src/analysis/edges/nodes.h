/* What edges lead between, and what the time spent in and between an instruction's own nodes is made of. */
#ifndef CULPRIT_ANALYSIS_EDGES_NODES_H
#define CULPRIT_ANALYSIS_EDGES_NODES_H

#include "analysis/edges/history.h"
#include "culprit/critical.h"

#define EDGES_INLINE inline __attribute__((always_inline)) /* a copy of all edges for each sink */

/* Fetch, dispatch, issue; complete, dependents woken, commit: in this order, of which every edge goes upwards. */
enum edge_node { NODE_F, NODE_D, NODE_E, NODE_P, NODE_W, NODE_C, EDGE_NODES };
enum { EDGE_MARGIN = 4096 }; /* longer waits between two records are no edges */

struct edge_parts {
	uint8_t exec_kind, miss_kind, fetch_kind;
	uint32_t imiss, itlb;	     /* spent in F, after all its edges */
	uint32_t contention;	     /* spent in E, after all its edges */
	uint32_t unexplained;	     /* part of the edge D -> E */
	uint32_t exec, dtlb, miss;   /* parts of the edge E -> P */
	struct record_stores stores; /* that a load waits for */
	struct edge_rename renamed;
	struct edge_ask asked;
};

#endif
