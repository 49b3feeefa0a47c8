/* The sensors' state, private to src/analysis/stalls_core*.c.
 *
 * A ring holds the last instructions' records with their stall histories: consumers pop those of their producers, which
 * are at most a window away, and these those of theirs. Records wait in it until they can be processed, in commit order. */
#ifndef CULPRIT_ANALYSIS_STALLS_CORE_STATE_H
#define CULPRIT_ANALYSIS_STALLS_CORE_STATE_H

#include "analysis/stalls_core.h"
#include "culprit/record.h"

/* Ids of the types, relative to the first: fixed rows, with one for each operation class where the table says so. */
enum stall_id {
	STALL_BEFORE_FIRST = CULPRIT_STALL_OWN_TYPES - 1,
#define STALL(set, name, kind, label, meaning) STALL_##set##_##name,
#define STALL_OP(set, name, kind, label, meaning) \
	STALL_##set##_##name, STALL_##set##_##name##_last = STALL_##set##_##name + CULPRIT_OP_COUNT - 1,
#include "analysis/stalls_core.def"
	STALL_FIXED_END
};

/* A part of an instruction's history: a run of leaf events, or (chain 0) a wait for the producer `distance` back.
 * Length 0: nothing. */
struct stalls_item {
	culprit_stall_chain chain;
	uint32_t length; /* cycles */
	union {
		uint64_t first; /* leaf event */
		struct {
			uint32_t distance, type;
		} wait;
	};
};

/* Shortest time, long execution; then up to 3 registers and a store, each with a rest; selection; data, translation, line,
 * MSHR, bandwidth. */
enum { STALLS_OWN_ITEMS = 2, STALLS_ITEMS = STALLS_OWN_ITEMS + 2 * 4 + 1 + 5 };

/* What histories are made of, in the record's order, so that it is copied in large pieces. Small, for many are looked at. */
struct stalls_insn {
	uint64_t dispatch, ready, issue, complete, commit;
	uint32_t producer[3], mem_producer, line_misser, queue_freer, order_waited, dmiss;
	uint16_t dtlb, exec_latency, wakeup, mshr_wait, bandwidth_wait, flags;
	uint8_t op_class, dlevel, dtlb_level, queue, unit, contended, contender;
	bool built; /* its history */
};

/* Made when somebody asks for it. */
struct stalls_history {
	uint8_t count, before_issue;
	uint8_t miss;				/* the item that waits for the line; 0 = none */
	uint32_t spent;				/* so many of the most recent cycles have been accumulated */
	struct stalls_item items[STALLS_ITEMS]; /* oldest first, but for its execution, which is popped last */
};

enum { STALLS_PENDING = 2 * (CULPRIT_CONTENDER_FAR + 1) };

/* A step of a walk through producers. */
struct stalls_frame {
	struct stalls_history *history;
	uint64_t place;
	uint32_t wanted, passed; /* cycles */
	uint32_t item;		 /* the last one looked at */
	uint32_t type;		 /* of its wait for the next frame */
};

/* Where cycles go: the first cycle, the stall at commit, opportunities lost in each. */
struct stalls_charge {
	uint64_t cycle, weight;
	uint32_t type;
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
	uint32_t unit_ids, queue_ids; /* of the first: taken and busy of each unit; full and width of each queue */

	struct stalls_insn *ring;
	struct stalls_history *histories; /* of the ring's instructions */
	uint64_t mask;
	struct stalls_frame *frames;		       /* as many as the ring has places: producers are older */
	uint64_t arrived, next;			       /* records; the one being processed, all before it have been */
	struct culprit_record pending[STALLS_PENDING]; /* those not processed, by place: they wait for younger ones */

	/* the instruction before `next` */
	uint64_t fetch, dispatch, commit;
	uint32_t fetch_slot, dispatch_slot, commit_slot; /* place in its cycle, from 0 */
	uint16_t flags;
	uint8_t branch, predictor;
	bool any;

	/* empty stalls that came down to the ROB and were not accumulated, oldest first: a ring */
	struct stalls_front front[STALLS_HORIZON]; /* each run has a cycle of its own, so more are never near enough */
	uint32_t front_head, front_tail;	   /* free-running */
	uint64_t horizon;			   /* empty stalls of earlier cycles are forgotten */
	struct culprit_stall_run recent;	   /* the most recent of those; length 0 = none */
	struct culprit_stall_run flush;		   /* right before it; length 0 = none */
	struct culprit_stall_run last_blocked;	   /* the last full stall of dispatch */

	uint64_t committed, lost;
	bool unlimited; /* commit */
};

bool stalls_core_types(struct stalls_core *s);

static inline struct stalls_insn *stalls_insn_at(struct stalls_core *s, uint64_t place)
{
	return &s->ring[place & s->mask];
}

/* The instruction `distance` back from the one at `place`; NULL when it is too far back, no longer in the ring, or before
 * the stream. */
static inline struct stalls_insn *stalls_back(struct stalls_core *s, uint64_t place, uint32_t distance)
{
	return distance && distance <= place && distance <= s->params.window && place - distance + s->mask >= s->arrived
		       ? stalls_insn_at(s, place - distance)
		       : NULL;
}

static inline struct stalls_history *stalls_history_at(struct stalls_core *s, uint64_t place)
{
	return &s->histories[place & s->mask];
}

static inline bool stalls_kept(const struct stalls_core *s, uint64_t place)
{
	return place + s->mask >= s->arrived;
}

/* The history of the instruction at `place`: made now, if that has not been done. */
struct stalls_history *stalls_insn_history(struct stalls_core *s, uint64_t place);
/* Up to `cycles` stalls of the instruction that commits next, most recent first; how many there were. */
uint32_t stalls_insn_take(struct stalls_core *s, const struct stalls_charge *c, uint32_t cycles);
/* The last event before the instruction at `place` issued: why its queue entry was not free. Length 0 = none. */
struct culprit_stall_run stalls_insn_held(struct stalls_core *s, uint64_t place);
/* The dispatch slots lost before it, and why. */
void stalls_front(struct stalls_core *s, const struct culprit_record *r);
/* Up to `cycles` of the most recent empty stalls, from `cycle` on; how many there were. */
uint32_t stalls_front_take(struct stalls_core *s, uint64_t cycle, uint32_t type, uint32_t cycles, uint64_t weight);

/* The shortest time that the operation can take: a cycle, or a load's hit or forwarding. */
static inline uint32_t stalls_minimum(const struct stalls_core *s, const struct stalls_insn *r)
{
	if (!(r->flags & CULPRIT_LOAD))
		return r->exec_latency ? 1 : 0;
	bool late = r->flags & CULPRIT_FORWARDED && r->exec_latency > s->params.forward_latency;
	return late ? s->params.forward_latency : r->exec_latency;
}

static inline uint32_t clip32(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

#endif
