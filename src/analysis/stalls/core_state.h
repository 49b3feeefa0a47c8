/* The sensors' state, private to src/analysis/stalls/core*.c.
 *
 * A ring holds the last instructions: consumers pop the stalls of their producers, which are at most a window away,
 * and these those of theirs. An instruction waits in it until it can be processed, in commit order.
 *
 * A stall history stays what the record says until somebody asks, and mostly that is enough: no stall at all, or one
 * wait for one producer, is a shape; only the others get a list of items. All stalls of an instruction are popped in
 * one order, most recent first, then its execution; whoever takes some of them has been offered all that come
 * before. So a single number, `spent`, says which of them have been accumulated. Only an item that others reach past
 * this order (a line that merged accesses wait for, what kept an issue-queue entry) has leaf events with numbers of
 * their own, and the engine's bits say which of these have been. */
#ifndef CULPRIT_ANALYSIS_STALLS_CORE_STATE_H
#define CULPRIT_ANALYSIS_STALLS_CORE_STATE_H

#include "analysis/stalls/core_params.h"
#include "culprit/record.h"

/* Ids of the types, relative to the first: fixed rows, with one for each operation class where the table says so. */
enum stall_id {
	STALL_BEFORE_FIRST = CULPRIT_STALL_OWN_TYPES - 1,
#define STALL(set, name, kind, class, label, meaning) STALL_##set##_##name,
#define STALL_OP(set, name, kind, class, label, meaning) \
	STALL_##set##_##name, STALL_##set##_##name##_last = STALL_##set##_##name + CULPRIT_OP_COUNT - 1,
#include "analysis/stalls/core.def"
	STALL_FIXED_END
};

/* The base class of events behind a leaf. */
enum stall_class {
#define EVENT_CLASS(name, base, what) STALL_CLASS_##name = CULPRIT_EVENT_##name,
#include "culprit/event_class.def"
	STALL_CLASS_none = CULPRIT_EVENT_COUNT,
	STALL_CLASS_by_op
};

/* A part of an instruction's history: a run of leaf events, or (chain 0) a wait for the producer `distance` back. */
struct stalls_item {
	culprit_stall_chain chain;
	uint32_t length; /* cycles */
	union {
		uint64_t first; /* leaf event; 0 = not numbered, see above */
		struct {
			uint32_t distance, type;
		} wait;
	};
};

/* Up to 3 registers and a store, each with a rest; selection; data, translation, line, MSHR, bandwidth. */
enum { STALLS_ITEMS = 2 * 4 + 1 + 5 };

enum stalls_shape {
	STALLS_UNKNOWN = 0,
	STALLS_NO_WAIT,	 /* no stall */
	STALLS_ONE_WAIT, /* `wait` cycles, until it was ready, for the producer `source` back */
	STALLS_LIST,	 /* as its struct stalls_history says */
};

/* The part of a record that stalls follow from, laid out as there, so that it is copied in large pieces; and its
 * history. Two cache lines. */
struct stalls_insn {
	uint64_t fetch, dispatch, ready, issue, complete, commit;
	uint32_t mem_producer, order_waited, primary_miss, dmiss;
	uint16_t dtlb, mshr_wait, bandwidth_wait;
	uint8_t dlevel, dtlb_level;
	uint32_t producer[3], previous_holder;
	union {
		uint32_t imiss;
		uint32_t wait; /* of one wait, once it has been processed: cycles */
	};
	uint16_t itlb, redirect;
	uint8_t ilevel, itlb_level, istray, window;
	uint16_t exec_latency, wakeup, commit_wait, flags;
	uint8_t unit, queue, dest, contended, contender, predictor, dstray, branch;
	uint8_t mem_size, commit_stop, length, op_class;

	uint32_t spent; /* so many of its most recent stalls, then cycles of execution, have been accumulated */
	uint16_t source;
	uint8_t shape;	 /* enum stalls_shape */
	uint8_t unusual; /* has a weight that is not one: see stalls_core.weights */
};

struct stalls_history {
	uint8_t count, before_issue;
	uint8_t miss;	       /* the item that waits for the line, + 1; 0 = none */
	uint64_t execution[2]; /* first leaf event of its shortest time, of what is beyond; 0 = not numbered */
	struct stalls_item items[STALLS_ITEMS]; /* oldest first */
};

/* Slots that an instruction takes. */
struct stalls_weights {
	uint8_t dispatch, commit;
};

/* A step of a walk through producers. */
struct stalls_frame {
	struct stalls_insn *insn;
	uint32_t age;		 /* instructions from it to the last that arrived, + 1 */
	uint32_t wanted, passed; /* cycles */
	uint32_t item;		 /* of a list: the last one looked at, + 1 */
	uint32_t type;		 /* of its wait for the next frame */
};

/* Commit lost the cycles from `cycle` on to a chain; it is marked spent if its events may count but once. */
struct stalls_loss {
	uint64_t cycle;
	uint32_t length;
	culprit_stall_chain chain;
};

enum { STALLS_TEXT = 112 };
enum { STALLS_HORIZON = 256 }; /* cycles */

/* An empty stall's last event is of the cycle before `end`. */
struct stalls_front {
	struct culprit_stall_run run;
	uint64_t end;
};

struct stalls_core {
	struct stalls_core_params params;
	struct culprit_stalls *engine;
	uint32_t accumulator;

	/* types, as the engine takes them: the table's rows with one for each operation class, units, queues */
	struct culprit_stall_type *types;
	struct culprit_stall_set *sets;
	char (*texts)[STALLS_TEXT];
	uint8_t *classes;	      /* of each type: enum stall_class */
	uint32_t unit_ids, queue_ids; /* of the first: taken and busy of each unit; full and width of each queue */

	struct stalls_insn *ring;	  /* the last `reach` + 1 that arrived; a power of two */
	uint64_t reach;			  /* how far back, and the mask of its places */
	struct stalls_history *histories; /* of the same, those that have a list */
	struct stalls_frame *frames;	  /* one, and as many as the ring has places: producers are older */
	uint64_t arrived, next;		  /* the one being processed; all before it have been */
	uint64_t *pcs;			  /* of the ring, where opportunities are restricted to a place */
	uint64_t dispatch, commit;	  /* cycles of the instruction before `next`; UINT64_MAX: there is none */
	/* Slots up to where that cycle of dispatch, of commit began: stalls_slots_dispatched, stalls_slots_retired.
	 * With weights of one a slot is an instruction; `more`: slots beyond one of each before `next`, mod 2^64. */
	uint64_t dispatched, retired;
	uint64_t more_dispatched, more_retired;
	struct stalls_weights *weights; /* of the ring, where an instruction is unusual */
	uint64_t commit_cycles;		/* in which something committed */

	/* What commit lost: a ring, in order of cycles, of twice as many as there are instructions in the other,
	 * which are several times the ROB's. The counts are free-running; what is before the cursor ends before
	 * dispatch's last full stall. */
	struct stalls_loss *losses;
	uint64_t loss_mask, loss_count, loss_cursor;
	uint64_t short_cycle, short_lost; /* this cycle lost less than its width */

	/* empty stalls that came down to the ROB and were not accumulated, oldest first: a ring */
	struct stalls_front front[STALLS_HORIZON]; /* each run has a cycle of its own, so more are never near enough */
	uint32_t front_head, front_tail;	   /* free-running */
	uint64_t horizon;			   /* empty stalls of earlier cycles are forgotten */
	struct culprit_stall_run recent;	   /* the most recent of those; length 0 = none */
	struct culprit_stall_run flush;		   /* right before it; length 0 = none */
	struct culprit_stall_run last_blocked;	   /* the last full stall of dispatch */

	uint64_t lost;
	bool unlimited; /* commit */
};

bool stalls_core_types(struct stalls_core *s);

/* Slots that the instructions before `next` took. */
static inline uint64_t stalls_slots_dispatched(const struct stalls_core *s)
{
	return s->next + s->more_dispatched;
}

static inline uint64_t stalls_slots_retired(const struct stalls_core *s)
{
	return s->next + s->more_retired;
}

static inline uint32_t clip32(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static inline struct stalls_insn *stalls_insn_at(struct stalls_core *s, uint64_t place)
{
	return &s->ring[place & s->reach];
}

/* The instruction `distance` back from the one at `place`; NULL when it is too far back, no longer in the ring, or
 * before the stream. */
static inline struct stalls_insn *stalls_back(struct stalls_core *s, uint64_t place, uint32_t distance)
{
	return distance && distance <= place && distance <= s->params.window &&
			       place - distance + s->reach >= s->arrived
		       ? stalls_insn_at(s, place - distance)
		       : NULL;
}

/* Of the instruction that is being processed. */
static inline struct stalls_weights stalls_weights_of(const struct stalls_core *s, const struct stalls_insn *i)
{
	return i->unusual ? s->weights[s->next & s->reach] : (struct stalls_weights){1, 1};
}

static inline struct stalls_history *stalls_history_at(struct stalls_core *s, uint64_t place)
{
	return &s->histories[place & s->reach];
}

static inline bool stalls_kept(const struct stalls_core *s, uint64_t place)
{
	return place + s->reach >= s->arrived;
}

/* The shape of the instruction at `place`, from its record. */
void stalls_insn_shape(struct stalls_core *s, uint64_t place);
/* The history of the same as a list, whatever its shape. */
struct stalls_history *stalls_insn_list(struct stalls_core *s, uint64_t place);
/* Numbers leaf events: of `length` cycles, `before` of its stalls being more recent. The first number. */
uint64_t stalls_insn_number(struct stalls_core *s, const struct stalls_insn *i, uint32_t before, uint32_t length);
/* Up to `cycles` stalls of the instruction that commits next are lost from `cycle` on to `type`, most recent first;
 * how many there were. */
uint32_t stalls_insn_take(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles);
/* Then of its execution. */
uint32_t stalls_insn_take_execution(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles);
/* The last event before the instruction at `place` issued: why its queue entry was not free. Length 0 = none. */
struct culprit_stall_run stalls_insn_held(struct stalls_core *s, uint64_t place);
/* The dispatch slots lost before it, from cycle `from` on, and why. */
void stalls_front(struct stalls_core *s, const struct stalls_insn *i, uint64_t from);
/* There were none. */
void stalls_front_none(struct stalls_core *s, const struct stalls_insn *i);
/* Up to `cycles` of the most recent empty stalls, from `cycle` on; how many there were. */
uint32_t stalls_front_take(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles);
/* The instruction is the first of its cycle of commit: what has been lost since the cycle of the one before. `late`:
 * slots of dispatch were lost before it. */
void stalls_commits(struct stalls_core *s, const struct stalls_insn *i, bool late);
/* `cycles` opportunities from `cycle` on (of each cycle as many as it lost) were lost to a chain. */
void stalls_lose(struct stalls_core *s, uint64_t cycle, culprit_stall_chain chain, uint32_t cycles);

/* The shortest time that the operation can take: a cycle, or a load's hit or forwarding. */
static inline uint32_t stalls_minimum(const struct stalls_core *s, const struct stalls_insn *r)
{
	if (!(r->flags & CULPRIT_LOAD))
		return r->exec_latency ? 1 : 0;
	bool late = r->flags & CULPRIT_FORWARDED && r->exec_latency > s->params.forward_latency;
	return late ? s->params.forward_latency : r->exec_latency;
}

/* Cycles that it waits for its translation once it has issued. */
static inline uint32_t stalls_translates(const struct stalls_insn *r)
{
	return r->flags & (CULPRIT_LOAD | CULPRIT_STORE) ? r->dtlb : 0;
}

/* Execution beyond both; of a load it is in its history. */
static inline uint32_t stalls_longer(const struct stalls_core *s, const struct stalls_insn *r)
{
	if (r->flags & CULPRIT_LOAD)
		return 0;
	return clip32(r->complete - r->issue - stalls_translates(r) - stalls_minimum(s, r));
}

#endif
