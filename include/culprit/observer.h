/* The observer: an analysis that is told cycle by cycle what committed instructions alone do not tell (wrong paths,
 * the state of a cycle in which nothing committed). Culprit's core does not call it: a replay (src/analysis/replay)
 * reads records and log and does. Another simulator may call it directly. Cycles that are alike are told once with a
 * length. Within one cycle the order is: commit, squash, issue, dispatch, fetch, then `cycles`.
 *
 * `seq` counts fetched instructions of the path being followed: an instruction that commits keeps its number, and
 * numbers of squashed ones are used again by what is fetched after the squash. */
#ifndef CULPRIT_OBSERVER_H
#define CULPRIT_OBSERVER_H

#include "culprit/record.h"

CULPRIT_C_BEGIN

/* Why the fetch stage delivered what it did in a cycle. */
enum culprit_fetch_state {
	CULPRIT_FETCH_DELIVERED = 0,	    /* at least one instruction */
	CULPRIT_FETCH_BUFFER_FULL = 1,	    /* back-pressure: the front end has no room */
	CULPRIT_FETCH_SERVED_BY_CACHE = 2,  /* waiting for a line from L2 (or L3) */
	CULPRIT_FETCH_SERVED_BY_MEMORY = 3, /* waiting for a line from memory */
	CULPRIT_FETCH_ITLB_MISS = 4,
	CULPRIT_FETCH_PORT = 5,		   /* the line is there, but the L1I's port is taken */
	CULPRIT_FETCH_MISPREDICT = 6,	   /* redirect after a squash, or a branch without predicted target */
	CULPRIT_FETCH_DECODE_REDIRECT = 7, /* BTB miss of a predicted-taken branch */
	CULPRIT_FETCH_WRONG_PATH_STOP = 8, /* the wrong path faulted, made a system call or left executable memory */
	CULPRIT_FETCH_SERIALISE = 9,	   /* waiting for a serialising instruction to commit */
	CULPRIT_FETCH_VIOLATION = 10,	   /* redirect after a memory-order squash */
	CULPRIT_FETCH_END = 11,		   /* the program or the region ends here */
	CULPRIT_FETCH_STATE_COUNT
};

/* Why dispatch moved fewer than its width (or nothing). */
enum culprit_dispatch_state {
	CULPRIT_DISPATCH_WIDTH = 0, /* moved the full width */
	CULPRIT_DISPATCH_EMPTY = 1, /* nothing (more) had come through the front end */
	CULPRIT_DISPATCH_ROB = 2,
	CULPRIT_DISPATCH_QUEUE = 3,
	CULPRIT_DISPATCH_LQ = 4,
	CULPRIT_DISPATCH_SQ = 5,
	CULPRIT_DISPATCH_LSQ = 6,
	CULPRIT_DISPATCH_INT_REGS = 7,
	CULPRIT_DISPATCH_FP_REGS = 8,
	CULPRIT_DISPATCH_BRANCHES = 9,
	CULPRIT_DISPATCH_STATE_COUNT
};

/* What the oldest instruction in the window waits for, when it does not commit. */
enum culprit_head_state {
	CULPRIT_HEAD_COMMITTING = 0, /* commit moved its full width, or the head commits */
	CULPRIT_HEAD_EMPTY = 1,	     /* the window is empty: see why_empty */
	CULPRIT_HEAD_DISPATCH = 2,   /* just dispatched: dispatch-to-issue pipeline */
	CULPRIT_HEAD_OPERAND = 3,    /* issue-to-wakeup loop of an operand whose maker has left */
	CULPRIT_HEAD_CONTENTION = 4, /* ready, but no issue slot, unit or port */
	CULPRIT_HEAD_ORDER = 5,	     /* a load held by disambiguation; what issues only as the oldest, until it is */
	CULPRIT_HEAD_SHALU = 6,	     /* executing: one-cycle integer */
	CULPRIT_HEAD_LGALU = 7,	     /* executing: multi-cycle or floating point */
	CULPRIT_HEAD_DL1 = 8,	     /* executing: load, L1 hit part, or forwarding */
	CULPRIT_HEAD_PORT = 9,	     /* executing: load that hits, but the L1D's port is taken */
	CULPRIT_HEAD_SERVED_BY_CACHE = 10,  /* executing: load served by L2 or L3 */
	CULPRIT_HEAD_SERVED_BY_MEMORY = 11, /* executing: load served by memory */
	CULPRIT_HEAD_DTLB = 12,
	CULPRIT_HEAD_COMMIT_DELAY = 13,				  /* complete: complete-to-commit pipeline */
	CULPRIT_HEAD_WRONG_PATH = 14,				  /* a wrong path, whose branch has just committed */
	CULPRIT_HEAD_OTHER = 15,				  /* not known: the source does not say */
#define COMMIT_LIMIT(name, row, stall, what) CULPRIT_HEAD_##name, /* complete: a limit of commit's */
#include "culprit/commit_limit.def"
	CULPRIT_HEAD_STATE_COUNT
};

/* The state of an operation that executes and is no load. */
static inline enum culprit_head_state culprit_operation_state(uint8_t op_class, uint32_t latency)
{
	bool one_cycle = culprit_execution_class(op_class, latency) == CULPRIT_EVENT_shalu;
	return one_cycle ? CULPRIT_HEAD_SHALU : CULPRIT_HEAD_LGALU;
}

/* ... of a load beyond translation and hit latency, by the level that its line came from. */
static inline enum culprit_head_state culprit_miss_state(uint8_t level)
{
	static const uint8_t states[CULPRIT_LEVEL_COUNT] = {/* none, L1, L2, L3, memory */
							    CULPRIT_HEAD_OTHER, CULPRIT_HEAD_PORT,
							    CULPRIT_HEAD_SERVED_BY_CACHE, CULPRIT_HEAD_SERVED_BY_CACHE,
							    CULPRIT_HEAD_SERVED_BY_MEMORY};
	return (enum culprit_head_state)states[level];
}

/* A cycle, or several alike. */
struct culprit_cycle {
	uint64_t cycle;	   /* first of the run */
	uint64_t head_seq; /* oldest in the window after this cycle; of an empty one, the next to enter it */
	uint64_t length;   /* how many cycles alike */
	uint64_t next_seq; /* the next to enter the window */
	uint32_t rob;	   /* occupancy after this cycle */
	uint32_t front;	   /* instructions between fetch and dispatch, after this cycle */
	/* moved (0 in any run longer than 1): instructions, or the slots that they take where records have weights. A wrong
	 * path's take one each */
	uint16_t dispatched, issued, committed;
	uint16_t issued_wrong_path; /* part of `issued` */
	uint8_t fetch;		    /* enum culprit_fetch_state */
	uint8_t dispatch;	    /* enum culprit_dispatch_state */
	uint8_t head;		    /* enum culprit_head_state, as commit found it */
	uint8_t next_head; /* enum culprit_head_state: what the oldest left over waits for; COMMITTING = commit's full width moved */
	uint8_t issue; /* enum culprit_head_state: what the oldest instruction that has not issued waits for: the operation
			    * that makes its last operand, or DISPATCH, CONTENTION, ORDER, WRONG_PATH; EMPTY = all that were
			    * dispatched before this cycle have issued */
	uint64_t issue_seq; /* that instruction; of EMPTY, the first dispatched in this cycle */
	uint8_t why_empty; /* enum culprit_fetch_state: when dispatch found nothing or the window is empty, what kept fetch from
			      * delivering the next correct-path instruction in time (DELIVERED = front-end latency) */
	bool rob_full;
	bool fetch_wrong_path; /* fetch is on a wrong path */
};

enum culprit_squash { CULPRIT_SQUASH_MISPREDICT = 0, CULPRIT_SQUASH_VIOLATION = 1 };

/* All of these callbacks have to be there. */
struct culprit_observer {
	void *context;
	/* Each branch, and each instruction that an L1I or ITLB miss delayed (a branch that was delayed: the miss
	 * first). They belong to the cycle that `cycles` tells next. `ilevel`, `itlb_level`: enum culprit_level;
	 * NONE or L1 = no miss. */
	void (*branch_fetched)(void *context, uint64_t seq, bool mispredicted, bool wrong_path);
	void (*fetch_missed)(void *context, uint64_t seq, uint8_t ilevel, uint8_t itlb_level);
	/* A load that misses L1D or the first-level DTLB, as it issues. `level`, `tlb_level`: where its data will
	 * come from (enum culprit_level). `merged`: the line was already on its way. A store that is translated as it
	 * issues, too, if it misses the first-level DTLB: `level` is L1. */
	void (*load_missed)(void *context, uint64_t cycle, uint64_t seq, uint64_t completes, uint8_t level,
			    uint8_t tlb_level, bool merged);
	/* The same of a store, as it commits. `written`: when it is; its queue entry is free then, and not before an
	 * older store's. */
	void (*store_missed)(void *context, uint64_t cycle, uint64_t seq, uint64_t written, uint8_t level,
			     uint8_t tlb_level, bool merged);
	/* Everything with a number >= first left the pipeline. */
	void (*squashed)(void *context, uint64_t cycle, uint64_t first, enum culprit_squash why);
	void (*cycles)(void *context, const struct culprit_cycle *cycle);
};

CULPRIT_C_END

#endif
