/* Operations that hold a unit which is not pipelined, beyond the cycles of which slots are kept.
 *
 * Such operations queue up for longer than any others: with the window idealised, a loop of divisions is tens of
 * thousands of cycles behind its dispatch. For every lane and cycle it is therefore counted how many instances of the
 * unit are held, for longer than slots are kept. The count is kept as slots_planes.h does: bit t of plane p is bit p of
 * cycle t's count, which begins so that the top bit says that all are held. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_BEYOND_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_BEYOND_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GRAPH_BEYOND_LINE = 64,	   /* cycles of a word */
	GRAPH_BEYOND_LINES = 4096, /* kept from the limit on */
	GRAPH_BEYOND_PLANES = 32,
};

struct graph_beyond;

/* A unit of so many instances; NULL: out of memory. */
struct graph_beyond *graph_beyond_create(uint32_t instances);
void graph_beyond_destroy(struct graph_beyond *b);

/* Issue of an operation that is ready at `ready` and holds the unit for `interval` cycles from then on, none of them
 * before `limit`: returns the cycle. The wait is `recorded` where it would end beyond all lines. A limit is the first
 * cycle of a line. */
uint64_t graph_beyond_take(struct graph_beyond *b, unsigned lane, uint64_t limit, uint64_t ready, uint64_t interval,
			   uint64_t recorded);
/* An operation that began before `limit` holds the unit up to `end`; false: it is taken by then. */
bool graph_beyond_reach(struct graph_beyond *b, unsigned lane, uint64_t limit, uint64_t end);
/* Moves the planes of the line that begins at `first` to `line`: false, and nothing moved, if nothing is taken. */
bool graph_beyond_move(struct graph_beyond *b, unsigned lane, uint64_t first, uint64_t *line);
/* After the last cycle taken. */
uint64_t graph_beyond_end(const struct graph_beyond *b, unsigned lane);
/* All of the lane's times are `by` less from now on, a multiple of a line; lines before `by` are gone. */
void graph_beyond_rebase(struct graph_beyond *b, unsigned lane, uint64_t limit, uint64_t by);
void graph_beyond_restart(struct graph_beyond *b, unsigned lane);

#endif
