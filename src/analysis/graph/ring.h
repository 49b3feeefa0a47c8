/* A ring of rows: one node's times in every lane, of the last instructions. */
#ifndef CULPRIT_ANALYSIS_GRAPH_RING_H
#define CULPRIT_ANALYSIS_GRAPH_RING_H

#include <stddef.h>
#include <stdint.h>

/* Rows of one node, the last `rows` instructions. Those of W and C are as many as are asked for, so that they stay
 * in the host's cache, and one more of zeros, for what has no source; all others are a power of two, and found by
 * the instruction's number. */
struct graph_ring {
	char *base;
	size_t stride; /* bytes from row to row, a power of two */
	unsigned shift;
	uint32_t rows;
	uint32_t at; /* W and C: row of instruction number `done`; the newest finished one is 1 back */
};

#endif
