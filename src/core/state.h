/* The core's state, private to src/core.
 *
 * Every instruction fetched has an index: its position on the path being followed. Indices run on along the committed
 * stream; those of squashed instructions are used again. In order of age (oldest first):
 *
 *     head <= left_window <= dispatched <= fetched <= tail
 *
 *   [head, left_window)   have left ROB, load queue and registers, and not committed: behind a load that misses, where
 *                         window.released allows it; else there are none
 *   [head, dispatched)    in the window (ROB); the oldest commits
 *   [dispatched, fetched) in the front end
 *   [fetched, tail)       executed functionally, squashed by a memory-order violation, to be fetched again
 *
 * One ring of slots, indexed by index & mask, holds them all; nothing is allocated or cleared per instruction. */
#ifndef CULPRIT_CORE_STATE_H
#define CULPRIT_CORE_STATE_H

#include "core/core.h"
#include "core/divide.h"
#include "culprit/log.h"
#include "machine/machine_idealised.h"
#include "machine/predictor.h"

#include <stddef.h>

#define NEVER UINT64_MAX
#define NO_SLOT UINT32_MAX

enum { OPERANDS = 4, ADDEND = 2, MEMORY_OPERAND = 3 }; /* three registers and memory */

enum slot_state {
	SLOT_FRONT,   /* fetched, not dispatched */
	SLOT_WAITING, /* dispatched; some operand's time is not known yet */
	SLOT_TIMED,   /* every operand's time is known: in the wheel at `ready` */
	SLOT_READY,   /* may issue: its bit in the ready set is on */
	SLOT_PARKED,  /* a load held by memory order: in the parked list, looked at when a store issues or commits */
	SLOT_ISSUED,  /* `complete` is known */
};

/* The first five are enum riscv_insn_flag's bits, so that a slot takes them over as they are. */
enum slot_flag {
	SLOT_LOAD = 1,
	SLOT_STORE = 2,
	SLOT_BRANCH = 4,
	SLOT_SERIALISE = 8, /* fetch waits for its commit */
	SLOT_AT_HEAD = 16,  /* issues only as the oldest */
	SLOT_FROM_INSN = 31,
	SLOT_WRONG_PATH = 32,
	SLOT_MISPREDICTED = 64, /* squashes when it completes */
	SLOT_EVENT = 128,	/* in the wheel after issue: resolves a branch or a violation */
};
_Static_assert((int)SLOT_LOAD == (int)RISCV_LOAD && (int)SLOT_STORE == (int)RISCV_STORE, "taken over as they are");
_Static_assert((int)SLOT_BRANCH == (int)RISCV_BRANCH && (int)SLOT_SERIALISE == (int)RISCV_SERIALISING, "likewise");
_Static_assert((int)SLOT_AT_HEAD == (int)RISCV_AT_HEAD, "likewise");

/* What happened at fetch before an instruction; nearly always nothing, so it is copied and cleared as a whole. */
struct fetch_note {
	/* as in the record */
	uint32_t imiss;		    /* cycles */
	uint16_t itlb;		    /* cycles */
	uint16_t redirect;	    /* cycles */
	uint8_t ilevel, itlb_level; /* enum culprit_level */
	uint8_t stray;		    /* enum culprit_level: see the record's istray */
	uint8_t window;		    /* enum culprit_window that held it at dispatch; NONE at fetch */

	uint8_t breaks;	     /* CULPRIT_GROUP_START, and CULPRIT_FETCH_BREAK_* of the group before */
	uint8_t why;	     /* enum culprit_fetch_state that delayed it */
	uint16_t stray_wait; /* as in the record */
};

/* One instruction in flight. Times are cycles. Fields that only loads, stores or branches have are valid only there:
 * nothing is cleared for the others. Four host cache lines. Every instruction uses the first two; the third is that of
 * loads, stores and branches; the fourth is for records, and for what few machines have. Runs of fields that a record
 * copies as a whole have its order (record.h checks it). */
struct slot {
	_Alignas(256) const struct riscv_insn *insn;
	uint64_t pc, fetch; /* as in the record */
	uint64_t ready;	    /* the latest of what is known so far */
	uint64_t complete;
	uint64_t wake;		  /* from when dependents may issue; valid once issued */
	uint64_t previous_writer; /* of `dest`, for a squash: index + 1 */
	/* written by dispatch, all at once */
	uint8_t state;	 /* enum slot_state */
	uint8_t pending; /* operands whose time is not known */
	uint8_t linked;	 /* bit per operand: it was put on its producer's list, and is there until that has issued */
	bool waits_head; /* one of `pending` is becoming the oldest */
	uint8_t flags;	 /* enum slot_flag */
	uint8_t dest;	 /* register 1..63 or RISCV_NO_DEST */
	uint16_t record_flags; /* enum culprit_record_flag, collected on the way */

	uint64_t source[OPERANDS]; /* index + 1 of what each operand waits for, 0 = nothing; may be long gone. The
				    * memory operand is the store that disambiguation says, see mem_producer for
				    * the true one; valid for loads and stores only */
	/* This slot's operands' links in their producers' lists. Dispatch is in order and lists are pushed at the
	 * front, so the youngest is first and a squash pops it in O(1). */
	uint32_t next[OPERANDS];
	uint32_t consumers; /* list of operand links waiting for this one: slot * 4 + operand, NO_SLOT ends */
	uint32_t wheel_next, wheel_prev; /* slots in the same bucket, NO_SLOT ends */
	struct machine_place place;
	uint16_t exec_latency; /* only where records are told, and with window.released */

	/* loads and stores; as in the record: mem_producer to dtlb_level */
	uint64_t mem_addr;
	uint32_t mem_producer; /* loads: distance to the youngest older overlapping store, 0 = none in flight */
	uint32_t order_waited; /* distance */
	/* loads: what the access met, only where exec_latency is; dtlb and dtlb_level of stores too (translate.h) */
	uint32_t primary_miss; /* distance */
	uint32_t dmiss;
	uint16_t dtlb, mshr_wait, bandwidth_wait;
	uint8_t dlevel, dtlb_level;
	uint8_t stray, prefetch_level; /* enum culprit_level: see the record's dstray and prefetch_level */
	uint16_t prefetch_slack;
	int32_t prefetch_trigger;
	bool partial, written;	/* loads: mem_producer covers only part of it, and it waited until that was written */
	uint8_t prefetch_below; /* as prefetch_level */
	/* loads, stores and branches */
	uint32_t store_number; /* how many stores are older, free-running: place in the store ring */
	/* stores, loads: index + 1 of the oldest that is fetched again because of it (load_order.h); 0 = none */
	uint64_t violated;

	_Alignas(64) uint64_t dispatch; /* these two only where records are told, and with window.released */
	uint64_t issue;
	uint8_t contended, contender; /* see the record; only where somebody takes records */
	uint16_t early; /* divisions: cycles spared of latency and interval (divide.h); valid where they are on */
	uint32_t previous_holder; /* distance */
	struct fetch_note note;
	uint8_t shadow;	     /* short_branch.h; 0 = no business of such a branch */
	uint8_t row_share;   /* dispatch.rows: of a row's first, with the slots that nobody has; window.fold: of who
			      * shares an entry that an older one has, CULPRIT_WEIGHT_NONE; else 0: one */
	uint32_t row;	     /* dispatch.rows, window.fold: of the ROB, free-running */
	uint32_t near_store; /* lsq.check_bytes: distance to a store that the load is checked against besides
			      * mem_producer, 0 = none; valid for loads where the key is on */
};
_Static_assert(sizeof(struct slot) == 256, "four lines");
_Static_assert(offsetof(struct slot, source) == 64 && offsetof(struct slot, mem_addr) == 128, "line by line");

/* What a branch needs between fetch and commit, beside its slot. */
struct branch_note {
	struct branch_query query;
	uint64_t actual_next;
	bool actual_taken;
	bool held; /* mispredicted, and fetch waits for it */
	struct prediction prediction;
};

/* What a squash brings back: the state right after the mispredicted branch, on its right path. */
struct checkpoint {
	uint64_t branch; /* index */
	struct riscv_hart hart;
	struct riscv_vector *vector; /* a copy, where the hart has them */
	size_t undo_mark;
	bool resumable; /* false: fetch had no predicted target, there is no wrong path */
	void *predictor;
};
enum { CHECKPOINTS = 32 }; /* nested unresolved mispredictions; fetch waits beyond */

struct undo_entry {
	uint64_t addr;
	uint64_t old;
	uint32_t size;
};

/* Why fetch stands still until something else happens. */
enum fetch_hold {
	HOLD_NONE,
	HOLD_SERIALISE,	 /* until `hold_index` commits */
	HOLD_NO_TARGET,	 /* until the branch at `hold_index` completes */
	HOLD_WRONG_PATH, /* until a squash */
	HOLD_DRAIN,	 /* until the pipeline is empty; then `drain` is done */
	HOLD_END,	 /* for good */
};
enum drain_work { DRAIN_NOTHING, DRAIN_FAULT, DRAIN_TURN };

struct unit_state {
	uint32_t busy;	   /* instances in `free_at`: taken by an operation with an interval above one cycle */
	uint64_t *free_at; /* when each of the busy ones is free again */

	/* only where records are told */
	/* index + 1 of the operation that each of the busy ones has; WRONG_PATH_SEQ added on a wrong path or if it was
	 * squashed */
	uint64_t *holder;
	uint64_t refused; /* the last cycle in which an instruction that was ready could not have the unit */
	uint8_t why;	  /* enum culprit_contention, then */
	uint64_t younger; /* index + 1 of the oldest holder younger than that instruction; 0 = none */
};

struct queue_state {
	uint32_t entries; /* UINT32_MAX = unlimited */
	uint32_t used;
	uint32_t seen, seen_before; /* entries used when dispatch began in this cycle and in the one before */
	/* only where records are told: ring of entries, index + 1 of the instruction whose issue freed each, in order
	 * of freeing */
	uint64_t *freed;
	uint32_t freed_head, freed_tail;
};

struct issue_room { /* what units and queues take in a cycle */
	uint32_t units[MACHINE_UNITS_MAX], queues[MACHINE_QUEUES_MAX];
};

#define WHEEL_BITS 12
#define WHEEL_SIZE (1u << WHEEL_BITS)
#define STORE_FILTER_BITS 12
#define RECORD_BATCH 64 /* 10 KB: still in the first-level cache when they are read */

/* A compilation for the many runs without vectors, places, a trace to follow and the keys that few machines use
 * (core_is_plain): there core_rare is false, and what it guards is not compiled at all. */
#ifndef LOOP_PLAIN
#define LOOP_PLAIN 0
#endif
static inline bool core_rare(bool condition)
{
	return !LOOP_PLAIN && __builtin_expect(condition, 0);
}

/* What a compilation of the loop tells, a constant there: a set. The log comes with records. */
enum loop_tells { TELL_RECORDS = 1, TELL_LOG = 2 };

/* Does the compilation keep what records have of an instruction's way: its times, what its access met? window.released
 * asks for that, too. */
static inline bool core_keeps(const unsigned tells)
{
	return (tells & TELL_RECORDS) || !LOOP_PLAIN;
}

struct core {
	struct machine m;
	struct guest *guest;
	struct riscv_hart *hart;
	struct address_space *memory;
	struct riscv_code *code;
	struct hierarchy *hierarchy;
	struct predictor *predictor;

	struct machine_idealised d;
	uint32_t split_bits; /* lsq.split; 63: none does */
	uint32_t line_bits;  /* of the L1I */
	uint32_t block_bits; /* of a block that a fetch group does not leave sequentially; 63: there are none */
	bool zero_latency;   /* some operation has none, or forwarding: consumers may become ready while others issue */
	bool late_wake;	     /* see register_wake */
	bool counted;	     /* some structure besides ROB and issue queues is limited */
	bool holders;	     /* some issue queue is */

	/* head and dispatched are read together: side by side, compilers would read them as one vector, which the
	 * host cannot forward from two stores */
	uint64_t now, head;
	uint8_t fetch_state, dispatch_state; /* of this cycle: enum culprit_fetch_state, enum culprit_dispatch_state */
	uint16_t issued;		     /* in this cycle; only where the log is told */
	uint64_t dispatched;
	uint64_t left_window;
	uint64_t fetched, tail;
	uint64_t mask;
	struct slot *slots;
	struct branch_note *branches; /* per slot */

	struct core_place *places; /* whose classes are idealised there: mostly none */
	size_t place_count;

	/* time wheel: bucket = cycle mod WHEEL_SIZE; later ones go round again */
	uint32_t wheel[WHEEL_SIZE];
	uint64_t wheel_used[WHEEL_SIZE / 64];

	/* rename map, moved by dispatch and undone by squashes: index + 1 of each register's last writer */
	uint64_t last_writer[RISCV_REGISTERS];
	/* With an issue-to-wakeup loop so long that an operation can commit before it wakes its dependents
	 * (late_wake): when the last writer that committed does. */
	uint64_t register_wake[RISCV_REGISTERS];
	struct vector_state *vector; /* vector.h; NULL: the guest has no vectors */

	/* ready set: one bit per slot */
	uint64_t *ready;
	uint64_t *unit_ready[MACHINE_UNITS_MAX]; /* the same by unit, to pass over a full unit's as a whole */
	uint32_t ready_count;

	/* occupancy between dispatch and release */
	uint32_t lq_used, sq_used, lsq_used, branches_used, int_used, fp_used;

	struct divider divider;
	struct unit_state units[MACHINE_UNITS_MAX];
	struct queue_state queues[MACHINE_QUEUES_MAX];
	struct issue_room left, per_cycle; /* left: of this one */
	uint32_t units_busy;		   /* units with busy instances */

	/* stores in flight in program order, from fetch until commit: ring of indices */
	uint64_t *stores;
	uint32_t stores_mask, stores_head, stores_tail; /* free-running */
	uint32_t stores_unissued;			/* free-running: every older store has issued */
	uint64_t stores_complete; /* the latest completion of any store issued so far, squashed ones too */
	uint16_t store_filter[1u << STORE_FILTER_BITS]; /* stores in flight per hashed 8-byte granule */
	uint64_t *parked;				/* indices of parked loads, any order */
	uint32_t parked_count, parked_written;		/* all, and those that wait for a store's commit */
	struct restart *restarts;			/* lsq.restart: loads that issue again (restart.h), any order */
	uint32_t restart_count;
	/* store-queue entries still held after commit: release times, a FIFO */
	uint64_t *releases;
	/* lsq.line_interval: the line that the store queue wrote last, and from when it may write another */
	uint64_t written_line, write_from;
	/* lsq.stream_lines: stores have written all bytes from stream_begin to stream_end, in order */
	uint64_t stream_begin, stream_end;
	uint32_t releases_mask, releases_head, releases_tail;
	struct store_sets *store_sets;
	uint32_t cycle_stores, cycle_branches; /* committed in this cycle */
	/* Only where somebody takes records: the latest completion of a store that has committed, and that store;
	 * when the stores of the last window left, by slot. */
	uint64_t known_from, known_by;
	uint64_t *store_left;
	uint16_t commit_wait; /* cycles that a limit of commit's has kept the oldest instruction, */
	uint8_t commit_stop;  /* enum culprit_commit_stop: and which, last */

	/* fetch */
	uint64_t fetch_resume;	   /* no fetch before this cycle */
	uint8_t fetch_reason;	   /* enum culprit_fetch_state while waiting for fetch_resume */
	uint64_t fetch_translated; /* before this cycle the wait is for the ITLB */
	uint8_t hold;		   /* enum fetch_hold */
	uint8_t drain;		   /* enum drain_work */
	uint64_t hold_index;
	struct loop_buffer {
		uint64_t first, end; /* pc of the loop's first instruction and of the branch that closes it */
		uint32_t rounds;     /* times it closed, one after the other */
	} loop;
	uint64_t group_begin, group_end; /* dispatch.whole_groups, or choice of units: the group under way */
	uint64_t row_base;		 /* dispatch.rows: where the front end's rows begin */
	uint32_t row;			 /* ... and the ROB's row that was begun last; window.fold: its entry, */
	uint64_t row_begin;		 /* begun by this instruction */
	uint64_t squashed_until;	 /* dispatch.squash_width: nothing is dispatched before */
	uint64_t seen_cycle;		 /* when the queues' fields `seen` were written */
	uint64_t recovers;  /* dispatch.recovery: index + 1 of the branch that has squashed, 0 = none ... */
	uint64_t recovered; /* ... and from when its right path may go; NEVER = not known yet */
	/* fetch.bank: where the group's block ends; and what comes behind a group without room for more, or NEVER */
	uint64_t fetch_end, fetch_goes_on;
	uint64_t shadow_branch, shadow_end; /* short_branch.h: the last such branch not taken, its target; 0 = none */
	struct fetch_enter {
		uint64_t pc;	    /* NEVER: where fetch begins next, after a squash */
		bool opens, branch; /* an entry may be made; a branch was fetched in the block */
	} enter;		    /* branch.l0_blocks: fetch_enter.h */
	uint64_t fetch_line;	    /* line number that the fetch stage holds, NEVER = none */
	struct fetch_note pending;  /* for the next instruction fetched */

	/* the path being executed functionally */
	uint64_t space; /* guest_space: what predictors take an address with */
	size_t program; /* guest_program, whose the cycles and instructions are since: */
	uint64_t program_cycle, program_insn;
	struct core_program *programs;
	size_t program_count;
	bool spaces;		   /* there was ever more than one: data have frames */
	struct riscv_block *block; /* cursor; NULL = look up */
	uint32_t block_next;
	struct checkpoint checkpoints[CHECKPOINTS];
	uint32_t checkpoint_count; /* > 0: on a wrong path */
	uint8_t wrong;		   /* SLOT_WRONG_PATH while on one, else 0 */
	struct undo_entry *undo;
	size_t undo_count, undo_capacity;
	uint64_t turn;				 /* correct-path instructions until the next thread's turn */
	uint64_t limit;				 /* index at which the region ends */
	uint64_t stop_pc, stop_left, stop_index; /* the region ends there, the n-th time; where it was there last */
	struct riscv_insn stop_insn; /* in place of RISCV_OP_PLACE: what has the encoding at which the region ends */
	enum riscv_stop fault;
	struct riscv_outcome fault_outcome;
	enum guest_state guest_state;
	struct riscv_follow *follow;	/* the right path is this trace's; NULL: it is executed */
	bool untrained;			/* core_train_branches */
	struct predictor *reference;	/* NULL: none was ever asked for */
	bool compares;			/* it is trained now */
	bool warms_by_line;		/* hierarchy_warms_by_line */
	struct stray_paths *strays;	/* core_warm_strays; NULL: wrong paths are not followed in core_warm */
	struct riscv_trace *warm_trace; /* of core_warm; NULL: not called yet */
	struct core_warmed warmed;	/* without accesses, which the hierarchy counts */

	uint64_t issue_full; /* the last cycle that issued the full width; only where records are told */
	uint8_t stopped;     /* enum culprit_commit_stop: of this cycle; only where the log is told */

	struct core_statistics stats;
	const struct culprit_record_sink *sink;
	struct culprit_log *log;
	struct culprit_record *batch, *own_batch;  /* where the sink says, or its own */
	struct culprit_record *record, *batch_end; /* in it, the next, and behind the last */
};

/* Hand over the records of the batch, and find room for the next (core.c). */
void core_flush_batch(struct core *c);

static inline struct slot *slot_at(struct core *c, uint64_t index)
{
	return &c->slots[index & c->mask];
}

static inline uint16_t clip16(uint64_t v)
{
	return v > UINT16_MAX ? UINT16_MAX : (uint16_t)v;
}

/* How far back another instruction is; 0: it is none of those before, but on a wrong path or younger. */
static inline uint32_t distance_back(uint64_t index, uint64_t other)
{
	return other < index && index - other <= UINT32_MAX ? (uint32_t)(index - other) : 0;
}

#endif
