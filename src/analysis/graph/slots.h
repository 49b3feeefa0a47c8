/* Issue slots: which cycles of a lane still have room for an instruction of some kind.
 *
 * Bit fields count one cycle's issues: all together, from each queue, by each kind of unit; only what can limit has a
 * field. A 32-bit word holds four cycles where 8 bits are enough for all fields and the kernel looks at many lanes
 * together: one look at a word finds the first of them with room. Else it holds one (lane by lane four cost 400 ns instead
 * of 310 a record; two in a word, with 16 bits, 261 instead of 213). Words are read and written whole, so that a host forwards what it has just stored.
 *
 * Taking instructions in program order and giving each the first cycle from its readiness on that has room is
 * oldest-first selection, because a younger one never keeps a slot from an older one. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_H

#include "culprit/graph.h"

enum { GRAPH_SLOT_LANES = 16, GRAPH_SLOT_SETS = 4 }; /* of each quarter that have slots of their own; quarters */
/* Cycles kept. A backlog fills the window: 2560 instructions of a 128-entry ROB idealised were 1800 cycles, and
 * with 1024 kept the rest met no contention. Divisions can queue up for longer: see `backlog`. Rebasing moves times by multiples of it. */
enum { GRAPH_SLOT_SPAN = 4096 };
enum { GRAPH_SLOT_STRIDE = GRAPH_SLOT_SPAN + 16 }; /* words from lane to lane, of one cycle each */
/* Cycles first <= t < end of a quarter's lanes, known to be full for one kind of unit. */
struct graph_slot_runs {
	uint32_t first[GRAPH_SLOT_LANES], end[GRAPH_SLOT_LANES];
};

/* How cycles lie in words. */
struct graph_slot_layout {
	uint32_t cycles_log; /* of a word */
	uint32_t bits_log;   /* of a cycle */
	uint32_t tops;	     /* the highest bit of each cycle */
	uint32_t
		stride; /* words from lane to lane; a power of two put all lanes into the same cache sets: 3 times slower */
};

/* What one instruction takes. */
struct graph_slot_use {
	uint32_t *words;	      /* lane after lane */
	const uint32_t *lanes;	      /* where the lanes of a quarter begin in its words */
	uint32_t *limits;	      /* by lane: cycles are kept up to here; beyond them only a backlog contends */
	struct graph_slot_runs *runs; /* by quarter, of this instruction's unit */
	uint32_t *
		backlog; /* by lane: of operations that hold the unit and found it taken up to the limit, when the last is done */
	uint32_t instances;
	struct graph_slot_layout layout;
	uint32_t bias;		       /* added to a word: a field without room carries into its bit of `full` */
	uint32_t full, take;	       /* `take` in a word's first cycle, all others in each cycle of a word */
	uint32_t unit_full, unit_take; /* a unit that is not pipelined stays taken */
};

/* A bit field: take = one slot, full = the bit that says none is left; take 0 = never limits. */
struct graph_slot_field {
	uint32_t take, full;
};
struct graph_slots {
	uint32_t *words;
	uint32_t lanes[GRAPH_SLOT_LANES] __attribute__((aligned(64)));
	uint32_t limits[GRAPH_SLOT_SETS * GRAPH_SLOT_LANES];
	uint32_t largest_limit; /* nothing waits for longer */
	struct graph_slot_runs *runs;
	uint32_t backlog[CULPRIT_GRAPH_UNITS + 1][GRAPH_SLOT_SETS * GRAPH_SLOT_LANES];
	struct graph_slot_layout layout;
	uint32_t bias; /* of one cycle */
	struct graph_slot_field all, unit[CULPRIT_GRAPH_UNITS], queue[CULPRIT_GRAPH_QUEUES];
	struct graph_slot_use uses[CULPRIT_GRAPH_UNITS + 1]; /* of each unit by its queue; of anything else */
};

/* The first cycle from t on with room, at most the lane's limit. */
uint32_t graph_slots_scan(const struct graph_slot_use *u, size_t lane, uint32_t t);

/* The same, and the run of full cycles from `ready` on is kept. Cycles do not become less full, so the next search
 * through a run takes one step. Without runs, lanes with a backlog search hundreds of cycles for every instruction. */
uint32_t graph_slots_search(const struct graph_slot_use *u, size_t lane, uint32_t ready);

static inline uint32_t *graph_slots_words(const struct graph_slot_use *u, size_t lane)
{
	return u->words + lane * u->layout.stride;
}

/* The word of a lane in which cycle t is. */
static inline uint32_t *graph_slots_word(const struct graph_slot_use *u, size_t lane, uint32_t t)
{
	return graph_slots_words(u, lane) + (t % GRAPH_SLOT_SPAN >> u->layout.cycles_log);
}

/* Where a cycle's bits begin in its word. */
static inline uint32_t graph_slots_shift(const struct graph_slot_layout *l, uint32_t t)
{
	return (t & ((1u << l->cycles_log) - 1)) << l->bits_log;
}

/* The highest bits of those cycles of t's word that are not before t and in which none of the fields `full` is full. */
static inline uint32_t graph_slots_room(const struct graph_slot_use *u, uint32_t word, uint32_t full, uint32_t t)
{
	const struct graph_slot_layout *l = &u->layout;
	uint32_t filled = (word + u->bias) & full, tops = l->tops;
	filled |= (filled & ~tops) + ~tops; /* a cycle's highest bit, if it has any */
	return ~filled & tops << graph_slots_shift(l, t);
}

/* The first cycle of t's word with room, of a `room` that is not empty. */
static inline uint32_t graph_slots_first(const struct graph_slot_layout *l, uint32_t room, uint32_t t)
{
	return (t >> l->cycles_log << l->cycles_log) + ((uint32_t)__builtin_ctz(room) >> l->bits_log);
}

/* As graph_slots_take, however cycles are packed. A unit that is not pipelined must be free for all of `interval` cycles,
 * which are taken. Once one finds the unit taken up to the limit, it and those after it queue up beyond, one after the other,
 * until the queue is shorter than the time to their readiness. */
uint32_t graph_slots_take_long(const struct graph_slot_use *u, size_t lane, uint32_t ready, uint32_t interval);

/* Issue at the first cycle from `ready` on with room: returns the cycles waited. The unit takes no other for `interval`
 * cycles, where its latency is not idealised. For kernels that do not pack cycles. */
static inline __attribute__((always_inline)) uint32_t graph_slots_take(const struct graph_slot_use *u, size_t lane,
								       uint32_t ready, uint32_t interval)
{
	uint32_t *words = u->words + lane * GRAPH_SLOT_STRIDE, limit = u->limits[lane], t = ready;
	if (interval > 1)
		return graph_slots_take_long(u, lane, ready, interval);
	if (t < limit && ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->full))
		t = graph_slots_search(u, lane, t);
	if (t < limit)
		words[t % GRAPH_SLOT_SPAN] += u->take;
	return t - ready;
}

#endif
