/* Issue slots as planes of bits: bit t of plane p is bit p of cycle t's fields. A word of a plane has 64 cycles, so
 * that a search is a few operations on words, and counting is an addition with the carry going from plane to plane.
 *
 * Most instructions become ready soon after their dispatch; of the others most find a slot near the one before.
 * Every lane therefore has two windows of two words each, which lie side by side with the other lanes', for vectors:
 * window 0 follows dispatch, window 1 goes where it is needed. They begin at any cycle. All other cycles are in
 * `far`, in lines of 64; what a line has of a window's cycles is out of date. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_PLANES_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_PLANES_H

#include "analysis/graph/slots.h"

enum {
	GRAPH_SLOT_LINE = 64, /* cycles of a word */
	GRAPH_SLOT_PLANES = 32,
	GRAPH_SLOT_WINDOWS = 2,
	GRAPH_SLOT_WINDOW = 2 * GRAPH_SLOT_LINE,		      /* cycles */
	GRAPH_SLOT_WORDS = 2 * GRAPH_SLOT_WINDOWS,		      /* of all windows */
	GRAPH_SLOT_FOLLOW = 32,					      /* instructions between two moves of window 0 */
	GRAPH_SLOT_FAR_LINES = 2 * GRAPH_SLOT_SPAN / GRAPH_SLOT_LINE, /* the first and the last line kept differ */
};
#define GRAPH_SLOT_NOWHERE (UINT64_C(3) << 62) /* negative where signed: first cycle of a window that is not in use */

/* Sixteen lanes' windows. */
struct graph_slot_set {
	uint64_t first[GRAPH_SLOT_WINDOWS][GRAPH_SLOT_LANES]; /* cycle; window w has words 2w and 2w + 1 */
	uint64_t reached[GRAPH_SLOT_LANES];		      /* no cycle from here on is taken, but in the windows */
	uint64_t missed[GRAPH_SLOT_LANES];		      /* the last cycle asked for that was in neither window */
	uint64_t words[GRAPH_SLOT_PLANES][GRAPH_SLOT_WORDS][GRAPH_SLOT_LANES];
};

struct graph_slot_planes {
	struct graph_slot_set *sets;
	uint64_t *far; /* by lane, line and plane */
	size_t stride; /* words from lane to lane */
	const uint32_t *limits;
	uint32_t count;			   /* planes */
	uint32_t in_use;		   /* ... in which something has been taken; all others are empty */
	uint64_t empty[GRAPH_SLOT_PLANES]; /* a line in which nothing is taken */
	uint64_t moved[GRAPH_SLOT_SETS * GRAPH_SLOT_LANES]; /* by rebasing: a cycle's place in `far` stays */
};

struct graph_slot_planes *graph_planes_create(const struct graph_slots *s);
void graph_planes_destroy(struct graph_slot_planes *p);
void graph_planes_use(struct graph_slot_use *u, const struct graph_slot_field *all,
		      const struct graph_slot_field *queue, const struct graph_slot_field *unit);
/* Nothing is taken in this lane. */
void graph_planes_restart(const struct graph_slot_planes *p, size_t lane);
/* All of the lane's times are `by` less from now on. */
void graph_planes_rebase(struct graph_slot_planes *p, size_t lane, uint64_t by);
/* Nothing is dispatched before `dispatch` any more; cycles are kept up to `next` from now on, before up to `limit`. */
void graph_planes_advance(struct graph_slot_planes *p, size_t lane, uint64_t dispatch, uint64_t limit, uint64_t next);

/* Takes a slot in the first cycle from t on with room, at most the lane's limit, which is returned; wherever its
 * line is. Moves a window there. As graph_slots_take, but returns the cycle; so does the other. */
uint64_t graph_planes_take(const struct graph_slot_use *u, size_t lane, uint64_t t, uint64_t dispatch,
			   uint64_t recorded);
uint64_t graph_planes_take_long(const struct graph_slot_use *u, size_t lane, uint64_t t, uint64_t interval,
				uint64_t recorded);
/* The line that begins at `first`, of which nothing is taken, gets these planes of the unit. */
void graph_planes_put_line(const struct graph_slot_use *u, size_t lane, uint64_t first, const uint64_t *planes);

#endif
