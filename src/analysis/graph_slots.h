/* Issue slots: which cycles of a lane still have room for an instruction of some kind.
 *
 * Bit fields of a word count one cycle's issues: all together, from each queue, by each kind of unit; only what
 * can limit
 * has a field. Taking instructions in program order and giving each the first cycle from its readiness on that has room
 * is oldest-first selection, because a younger one never keeps a slot from an older one. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_H

#include "culprit/graph.h"

enum { GRAPH_SLOT_LANES = 16, GRAPH_SLOT_SETS = 4 }; /* of each quarter that have slots of their own; quarters */
/* Cycles kept. A backlog fills the window: 2560 instructions of a 128-entry ROB idealised were 1800 cycles, and
 * with 1024 kept the rest met no contention. Rebasing moves times by multiples of it. */
enum { GRAPH_SLOT_SPAN = 4096 };
enum {
	GRAPH_SLOT_STRIDE = GRAPH_SLOT_SPAN + 16
}; /* a power of two put all lanes into the same cache sets: 3 times slower */

/* Cycles first <= t < end of a quarter's lanes, known to be full for one kind of unit. */
struct graph_slot_runs {
	uint32_t first[GRAPH_SLOT_LANES], end[GRAPH_SLOT_LANES];
};

/* What one instruction takes. */
struct graph_slot_use {
	uint32_t *words;	      /* lane after lane */
	uint32_t *limits;	      /* by lane: cycles are kept up to here; beyond them nothing contends */
	struct graph_slot_runs *runs; /* by quarter, of this instruction's unit */
	uint32_t bias;		      /* added to a word: a field without room carries into its bit of `full` */
	uint32_t full, take;
	uint32_t unit_full, unit_take; /* a unit that is not pipelined stays taken */
	bool held;		       /* there has been such an operation */
};

/* A bit field: take = one slot, full = the bit that says none is left; take 0 = never limits. */
struct graph_slot_field {
	uint32_t take, full;
};
struct graph_slots {
	uint32_t *words;
	uint32_t limits[GRAPH_SLOT_SETS * GRAPH_SLOT_LANES];
	uint32_t largest_limit; /* nothing waits for longer */
	struct graph_slot_runs *runs;
	uint32_t bias;
	struct graph_slot_field all, unit[CULPRIT_GRAPH_UNITS], queue[CULPRIT_GRAPH_QUEUES];
	struct graph_slot_use uses[CULPRIT_GRAPH_UNITS + 1]; /* of each unit by its queue; of anything else */
};

/* The first cycle from `ready` on with room, at most the lane's limit. Cycles do not become less full, so the next search
 * through a run takes one step. Without runs, lanes with a backlog search hundreds of cycles for every instruction. */
uint32_t graph_slots_search(const struct graph_slot_use *u, size_t lane, uint32_t ready);

static inline uint32_t *graph_slots_words(const struct graph_slot_use *u, size_t lane)
{
	return u->words + lane * GRAPH_SLOT_STRIDE;
}

/* The same for a unit that is not pipelined: it must be free for all of `interval` cycles, which are taken. */
uint32_t graph_slots_take_long(const struct graph_slot_use *u, size_t lane, uint32_t ready, uint32_t interval);

/* Issue at the first cycle from `ready` on with room: returns the cycles waited. The unit takes no other for `interval`
 * cycles, where its latency is not idealised. */
static inline __attribute__((always_inline)) uint32_t graph_slots_take(const struct graph_slot_use *u, size_t lane,
								       uint32_t ready, uint32_t interval)
{
	uint32_t *words = graph_slots_words(u, lane), limit = u->limits[lane], t = ready;
	if (interval > 1)
		return graph_slots_take_long(u, lane, ready, interval);
	if (t < limit && ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->full))
		t = graph_slots_search(u, lane, t);
	if (t < limit)
		words[t % GRAPH_SLOT_SPAN] += u->take;
	return t - ready;
}

#endif
