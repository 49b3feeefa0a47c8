/* Rows of the ROB (params.dispatch_rows), by lane.
 *
 * What is dispatched together forms a group: from where dispatch gets to its first instruction, those that the front
 * end has by then, up to the end of the row. A group takes a row of the ROB, which is free again when its last
 * instruction has committed. A lane that waits less for the front end fills its rows better. (With the weights of the
 * records in place of this, in every lane: cc1 on boom-large, 500 thousand instructions after 9 million, bmisp 27.1 %
 * by simulation, 19.8 by the graph.) */
#ifndef CULPRIT_ANALYSIS_GRAPH_ROB_ROWS_H
#define CULPRIT_ANALYSIS_GRAPH_ROB_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct culprit_graph;
struct culprit_record;
struct graph_step;

struct graph_rob_rows {
	uint32_t count; /* rows; 0 = there are none */
	uint16_t *at;	/* by lane: the row of the last instruction, modulo count */
	/* When the row's last instruction committed, by row and lane: times since the lane began (graph->base), so that
	 * neither a rebase nor another lane width changes them. */
	uint64_t *committed;
};

bool graph_rob_rows_create(struct culprit_graph *g);
void graph_rob_rows_destroy(struct culprit_graph *g);
void graph_rob_rows_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* Two bits of a lane's number within a quarter change places. */
void graph_rob_rows_swap(struct culprit_graph *g, unsigned a, unsigned b);

/* The instruction begins a row in this lane, and the last one committed at `commit`. Returns from when the row is
 * free. */
static inline uint64_t graph_rob_rows_take(const struct graph_rob_rows *r, size_t lane, size_t lanes, uint64_t commit)
{
	uint32_t at = r->at[lane];
	r->committed[at * lanes + lane] = commit;
	at = at + 1 == r->count ? 0 : at + 1;
	r->at[lane] = (uint16_t)at;
	return r->committed[at * lanes + lane];
}

#endif
