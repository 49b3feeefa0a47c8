/* Issue slots: which cycles of a lane still have room for an instruction of some kind.
 *
 * Fields of a few bits count one cycle's issues: all together, from each queue, by each kind of unit; only what can
 * limit has a field. A count begins so that its top bit says full. How fields are kept is the kernel's matter: as a
 * 32-bit word for each cycle, written whole so that a host forwards what it has just stored (slots.c), or as planes
 * of bits, 64 cycles in a word, of which many lanes can be searched together (slots_planes.h).
 *
 * Taking instructions in program order and giving each the first cycle from its readiness on that has room is
 * oldest-first selection, because a younger one never keeps a slot from an older one. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_H

#include "analysis/graph/slots_beyond.h"
#include "culprit/graph.h"

#include <string.h>

enum { GRAPH_SLOT_LANES = 16, GRAPH_SLOT_SETS = 4 }; /* of each quarter that have slots of their own; quarters */
/* Cycles kept. A backlog fills the window: 2560 instructions of a 128-entry ROB idealised were 1800 cycles, and with
 * 1024 kept the rest met no contention. Divisions can queue up for longer: see slots_beyond.h. Rebasing moves times
 * by multiples of it. */
enum { GRAPH_SLOT_SPAN = 4096 };
enum {
	GRAPH_SLOT_STRIDE = GRAPH_SLOT_SPAN + 16
}; /* words from lane to lane; a power of two put all lanes into the same
						    * cache sets: 3 times slower */
enum { GRAPH_SLOT_WIDTH = CULPRIT_GRAPH_UNITS + 1 }; /* the use of the width alone */
enum { GRAPH_SLOT_FIELDS = 3 }; /* that one instruction takes at most: of all, of its queue, of its unit */

/* Cycles first <= t < end of a quarter's lanes, known to be full for one kind of unit. */
struct graph_slot_runs {
	uint32_t first[GRAPH_SLOT_LANES], end[GRAPH_SLOT_LANES];
};

/* A bit field: take = one slot, full = the bit that says none is left; take 0 = never limits. */
struct graph_slot_field {
	uint32_t take, full;
};

/* Where a field's bits are among the planes. */
struct graph_slot_range {
	uint32_t first, end;
};

/* What one instruction takes. */
struct graph_slot_use {
	uint32_t *words;	      /* lane after lane */
	uint32_t *limits;	      /* by lane: cycles are kept up to here, a multiple of GRAPH_BEYOND_LINE */
	struct graph_slot_runs *runs; /* by quarter, of this instruction's unit */
	struct graph_beyond *beyond;  /* ... and of operations that hold it, from the limits on; NULL: none does */
	uint32_t bias;		      /* added to a word: a field without room carries into its bit of `full` */
	uint32_t full, take;
	uint32_t unit_full, unit_take; /* a unit that is not pipelined stays taken */
	struct graph_slot_planes *planes;
	struct graph_slot_range fields[GRAPH_SLOT_FIELDS], unit;
	uint32_t field_count, in_use; /* ... and which planes they are */
};

struct graph_slots {
	uint32_t *words; /* one of the two is NULL */
	struct graph_slot_planes *planes;
	uint32_t limits[GRAPH_SLOT_SETS * GRAPH_SLOT_LANES];
	uint32_t largest_limit; /* nothing waits for longer */
	struct graph_slot_runs *runs;
	struct graph_beyond *beyond[CULPRIT_GRAPH_UNITS];
	uint32_t bits;
	uint32_t bias; /* of one cycle */
	struct graph_slot_field all, unit[CULPRIT_GRAPH_UNITS], queue[CULPRIT_GRAPH_QUEUES];
	/* of each unit by its queue; of anything else; of a slot of the width alone */
	struct graph_slot_use uses[CULPRIT_GRAPH_UNITS + 2];
};

/* Does a unit take operations that hold it? */
bool graph_slots_any_long(const struct culprit_graph_params *p, uint32_t unit);
/* False: the bits do not suffice. */
bool graph_slots_create_fields(struct graph_slots *s, const struct culprit_graph_params *p);
/* Are there fields for all that limits issue? If not, the last units take any number. */
bool graph_slots_suffice(const struct culprit_graph_params *p);

/* The first cycle from `ready` on with room, at most the lane's limit. The run of full cycles from `ready` on is
 * kept. Cycles do not become less full, so the next search through a run takes one step. Without runs, lanes with a
 * backlog search hundreds of cycles for every instruction. */
uint32_t graph_slots_search(const struct graph_slot_use *u, size_t lane, uint32_t ready);

/* Keeps the longest run known, or two that meet as one. It ends before the limit, so that who goes on behind it still
 * has to look whether that is full. */
static inline void graph_slots_note_run(const struct graph_slot_use *u, size_t lane, uint32_t ready, uint32_t t)
{
	t = t < u->limits[lane] ? t : u->limits[lane] - 1;
	struct graph_slot_runs *runs = &u->runs[lane / GRAPH_SLOT_LANES];
	uint32_t *first = &runs->first[lane % GRAPH_SLOT_LANES], *end = &runs->end[lane % GRAPH_SLOT_LANES];
	if (ready <= *end && t >= *end) {
		*first = ready < *first ? ready : *first;
		*end = t;
	} else if (t - ready > *end - *first) {
		*first = ready;
		*end = t;
	}
}

/* As graph_slots_take, for a unit that is not pipelined: it must be free for all of `interval` cycles, which are
 * taken, before the limit or beyond it. */
uint32_t graph_slots_take_long(const struct graph_slot_use *u, size_t lane, uint32_t ready, uint32_t interval,
			       uint32_t recorded);

/* Issue of an operation that takes one cycle of its unit, from t on, which is the limit or later. Who has the unit
 * there is known where others hold it for long; else it waits as long as was `recorded`. (Not so, with the window
 * idealised: multiplications that wait thousands of cycles for the divider left at the limit, base time 12 % off.) */
static inline uint64_t graph_slots_beyond(const struct graph_slot_use *u, size_t lane, uint64_t t, uint64_t recorded)
{
	return u->beyond ? graph_beyond_take(u->beyond, (unsigned)lane, u->limits[lane], t, 1, recorded) : t + recorded;
}

static inline uint32_t *graph_slots_words(const struct graph_slot_use *u, size_t lane)
{
	return u->words + lane * GRAPH_SLOT_STRIDE;
}

/* Issue at the first cycle from `ready` on with room: returns the cycles waited. The unit takes no other for
 * `interval` cycles, where its latency is not idealised. Who else issues beyond the cycles kept is not known: there
 * it waits as long as was `recorded`. (Not at all: boom-large with l1d.interval=31 and win idealised, base time 3.1
 * % short.) For kernels that keep words. */
static inline __attribute__((always_inline)) uint32_t
graph_slots_take(const struct graph_slot_use *u, size_t lane, uint32_t ready, uint32_t interval, uint32_t recorded)
{
	uint32_t *words = graph_slots_words(u, lane), limit = u->limits[lane], t = ready;
	if (interval > 1)
		return graph_slots_take_long(u, lane, ready, interval, recorded);
	if (t >= limit)
		return (uint32_t)graph_slots_beyond(u, lane, t, recorded) - ready;
	if ((words[t % GRAPH_SLOT_SPAN] + u->bias) & u->full)
		t = graph_slots_search(u, lane, t);
	if (t >= limit)
		return (uint32_t)graph_slots_beyond(u, lane, t, 0) - ready;
	words[t % GRAPH_SLOT_SPAN] += u->take;
	return t - ready;
}

/* A division that ends early leaves its unit as much sooner. */
static inline uint32_t graph_slots_held(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	uint32_t interval = p->interval[r->op_class], longest = p->longest[r->op_class];
	if (p->split && r->mem_size && ((r->mem_addr ^ (r->mem_addr + r->mem_size - 1)) & -(uint64_t)p->split))
		return interval + 1;
	if (r->exec_latency >= longest || interval <= 1)
		return interval;
	uint32_t early = longest - r->exec_latency;
	return interval > early ? interval - early : 1;
}

/* Empties a lane's cycles from <= t < to. */
static inline void graph_slots_clear(uint32_t *words, uint32_t from, uint32_t to)
{
	uint32_t first = from % GRAPH_SLOT_SPAN, last = to % GRAPH_SLOT_SPAN;
	if (to - from >= GRAPH_SLOT_SPAN) {
		first = 0;
		last = GRAPH_SLOT_SPAN;
	}
	if (first > last) {
		memset(words + first, 0, (GRAPH_SLOT_SPAN - first) * sizeof *words);
		first = 0;
	}
	memset(words + first, 0, (last - first) * sizeof *words);
}

#endif
