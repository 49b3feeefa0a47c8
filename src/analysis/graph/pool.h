/* A pool of identical entries (an issue queue, a store queue): when each is free again, in every lane. Whoever comes
 * takes the entry that is free first: the pool's first row. Which instruction had it before differs from lane to lane.
 *
 * Rows are in ascending order in every lane, but for this: what is put back goes into the first GRAPH_POOL_FRONT rows
 * only, which are merged with the others after as many takes. Until then the next entry to be free is among those that
 * were the first of all at the last merge and those put back since; that is, in the front: nothing is lost. */
#ifndef CULPRIT_ANALYSIS_GRAPH_POOL_H
#define CULPRIT_ANALYSIS_GRAPH_POOL_H

#include <stddef.h>
#include <stdint.h>

enum { GRAPH_POOL_HALVES = 3, GRAPH_POOL_FRONT = 1 << GRAPH_POOL_HALVES };

struct culprit_graph;

struct graph_pool {
	char *rows;	 /* of one half of the lanes, or of both halves */
	uint32_t count;	 /* entries; 0 = unlimited */
	uint32_t halves; /* 1: lanes of the lower half only */
	uint32_t taken;	 /* since the last merge */
	size_t stride;
};

static inline const char *graph_pool_first(const struct graph_pool *p)
{
	return p->rows;
}

/* The times of entry `number`, from 0, in ascending order. After graph_catch_up. */
const char *graph_pool_row(const struct culprit_graph *g, struct graph_pool *p, uint32_t number);
/* The first entry is taken, and free again at `until`, a row of as many halves. */
void graph_pool_take(const struct culprit_graph *g, struct graph_pool *p, const void *until);
/* Where the rows are, and how many bytes they take. */
size_t graph_pool_place(const struct culprit_graph *g, struct graph_pool *p, char *rows);

#endif
