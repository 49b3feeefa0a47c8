/* The instruction record: what the pipeline did with one committed instruction, and why.
 *
 * One record for each committed instruction, in commit order. This is the interface between anything that can say
 * how instructions moved through a pipeline (Culprit's own core, another simulator) and every analysis. Causes are
 * written down where they happen; an analysis never guesses a cause from a latency.
 *
 * Times are absolute cycles of one core clock and never decrease along fetch <= dispatch <= ready <= issue <= complete
 * <= commit (complete == issue when the latency is idealised to zero). Distances count back in the committed stream:
 * the other instruction is `seq - distance`; 0 means none. A producer outside the stream (before its start) is 0. */
#ifndef CULPRIT_RECORD_H
#define CULPRIT_RECORD_H

#include "culprit/types.h"

#include <stddef.h>

CULPRIT_C_BEGIN

/* 2: fields in another order; the writes of stores. 3: commit_wait, commit_stop. 4: weights. 5: stray_wait. 6: port_wait.
 * 7: prefetch_trigger, prefetch_slack, prefetch_level */
#define CULPRIT_RECORD_VERSION 8

enum culprit_record_flag {
	CULPRIT_TAKEN = 1 << 0,		  /* control transfer taken */
	CULPRIT_MISPREDICTED = 1 << 1,	  /* fetch went on down the wrong path (or had none) until this completed */
	CULPRIT_DIRECTION_WRONG = 1 << 2, /* part of MISPREDICTED: taken against not taken; else the target was wrong */
	/* predicted taken, but late: a bubble in fetch followed. Found only at decode, or by a slower part than the
	 * first-level BTB */
	CULPRIT_BTB_MISS = 1 << 3,
	CULPRIT_FETCH_BREAK_TAKEN = 1 << 4, /* the group before this one ended at the taken-branch limit */
	CULPRIT_FETCH_BREAK_LINE = 1 << 5,  /* ... at the end of a line or block, or where a block has another branch */
	CULPRIT_GROUP_START = 1 << 6,	    /* first instruction of its fetch group */
	CULPRIT_LOAD = 1 << 7,
	CULPRIT_STORE = 1 << 8,
	CULPRIT_FORWARDED = 1 << 9,    /* load data came from the store at mem_producer */
	CULPRIT_MERGED = 1 << 10,      /* the line was already on its way: see primary_miss */
	CULPRIT_PREFETCHED = 1 << 11,  /* the load is the first use of a line that a prefetcher brought */
	CULPRIT_SERIALISING = 1 << 12, /* fetch waited for this one to commit */
	CULPRIT_AT_HEAD = 1 << 13,     /* could issue only as the oldest instruction (atomics, fences, serialising) */
	CULPRIT_REPLAYED = 1 << 14,    /* was squashed by a memory-order violation and fetched again */
	CULPRIT_VIOLATED = 1 << 15,    /* first of what a memory-order violation squashed (order in feed-records.md) */
};

/* Structures whose being full can hold an instruction at dispatch. */
enum culprit_window {
	CULPRIT_WINDOW_NONE = 0,
	CULPRIT_WINDOW_ROB = 1,
	CULPRIT_WINDOW_QUEUE = 2, /* issue queue */
	CULPRIT_WINDOW_LQ = 3,
	CULPRIT_WINDOW_SQ = 4,
	CULPRIT_WINDOW_LSQ = 5,
	CULPRIT_WINDOW_INT_REGS = 6,
	CULPRIT_WINDOW_FP_REGS = 7,
	CULPRIT_WINDOW_BRANCHES = 8,
	CULPRIT_WINDOW_COUNT
};

/* What part of a branch predictor decided. */
enum culprit_predictor {
	CULPRIT_PREDICTOR_STATIC = 0, /* nobody knew the branch */
	CULPRIT_PREDICTOR_BIMODAL = 1,
	CULPRIT_PREDICTOR_GSHARE = 2,
	CULPRIT_PREDICTOR_TAGE = 3,
	CULPRIT_PREDICTOR_LOOP = 4,
	CULPRIT_PREDICTOR_CORRECTOR = 5,
	CULPRIT_PREDICTOR_ORACLE = 6,
	CULPRIT_PREDICTOR_BTB = 7,
	CULPRIT_PREDICTOR_RAS = 8,
	CULPRIT_PREDICTOR_ITTAGE = 9,
	CULPRIT_PREDICTOR_PLUGIN = 10, /* one of the user's own: culprit/plugin.h */
	CULPRIT_PREDICTOR_COUNT
};

/* Why an instruction whose operands were all there did not issue in the last cycle before it did. */
enum culprit_contention {
	CULPRIT_CONTENTION_NONE = 0,
	CULPRIT_CONTENTION_ISSUE = 1, /* issue width */
	CULPRIT_CONTENTION_QUEUE = 2, /* its issue queue's width */
	CULPRIT_CONTENTION_UNIT = 3,  /* all of its unit's instances took another this cycle */
	CULPRIT_CONTENTION_BUSY = 4,  /* a long operation holds an instance of its unit */
	CULPRIT_CONTENTION_COUNT
};

/* Of a contender: so far away or more; on a wrong path, or squashed. */
enum { CULPRIT_CONTENDER_FAR = 254, CULPRIT_CONTENDER_WRONG_PATH = 255 };

/* Why commit moved no more in a cycle: commit writes it down as it stops, and nobody else works it out. */
enum culprit_commit_stop {
	CULPRIT_STOP_WIDTH = 0,	     /* its full width moved: nobody looked at the next */
	CULPRIT_STOP_EMPTY = 1,	     /* the window is empty */
	CULPRIT_STOP_WRONG_PATH = 2, /* the oldest is on a wrong path */
	CULPRIT_STOP_DISPATCH = 3,   /* the oldest is still in the dispatch-to-issue pipeline */
	CULPRIT_STOP_OPERAND = 4, /* ... waits for an operand's issue-to-wakeup loop; what makes the operand has left */
	CULPRIT_STOP_ORDER =
		5, /* ... is held, or was until this cycle, by older instructions: memory order, or it issues
				  * only as the oldest */
	CULPRIT_STOP_READY = 6,	   /* ... could have issued before this cycle */
	CULPRIT_STOP_EXECUTES = 7, /* ... has issued, and is not complete */
	CULPRIT_STOP_DELAY = 8,	   /* ... is in the complete-to-commit pipeline */
				   /* From here on it could have left, but for a limit of commit's. */
#define COMMIT_LIMIT(name, row, stall, what) CULPRIT_STOP_##name,
#include "culprit/commit_limit.def"
	CULPRIT_STOP_COUNT
};

/* A weight: what a record takes of something that most instructions take one of. 0 means one, so that a cleared record
 * has the usual weights. */
enum { CULPRIT_WEIGHT_ONE = 0, CULPRIT_WEIGHT_MOST = 64, CULPRIT_WEIGHT_NONE = 255 };

/* 168 bytes. Fields that a core keeps together are together here, so that they can be copied as a whole. */
struct culprit_record {
	uint64_t seq; /* position in the committed stream, from 0 */

	/* Stores: the write, which begins at commit. The store-queue entry is free when it and those of all older
	 * stores are done, or before: `posted_writes` of graph.h. A source that does not know leaves zeros. */
	uint32_t write_miss; /* cycles beyond an L1D hit: levels, MSHRs, bandwidth, line in flight */
	/* translation beyond a first-level hit, of stores that translate at their write: dtlb has that of others */
	uint16_t write_dtlb;
	uint8_t write_level;  /* enum culprit_level of the line; 0 = not known */
	uint8_t write_merged; /* 1 = the line was already on its way: see primary_miss */
	uint64_t mem_addr;    /* virtual address of a load or store, else 0 */

	uint64_t pc;
	uint64_t fetch;	   /* left the fetch stage */
	uint64_t dispatch; /* entered the window (D) */
	uint64_t ready;	   /* all operands there, memory order over, dispatch-to-issue pipeline passed (R) */
	uint64_t issue;	   /* began to execute (E) */
	uint64_t complete; /* result usable (P) */
	uint64_t commit;   /* left in order (C) */

	/* Latencies by event class are in cycles. complete - issue = exec_latency + dtlb + dmiss. */

	/* loads and stores; 0 for others */
	uint32_t mem_producer; /* loads: distance to the youngest older store overlapping, when it was in flight */
	/* loads, and stores of a store set: distance to an older store that it had to wait for, if that was not done,
	 * only because of disambiguation; of a load that waited for the data of its own store, that one */
	uint32_t order_waited;
	uint32_t primary_miss; /* merged accesses (of stores: merged writes): distance to the instruction whose miss
				* brings the line (PP edge) */
	uint32_t dmiss;	       /* beyond the L1D hit latency: levels, MSHRs, bandwidth, line in flight */
	/* data translation beyond a first-level hit: of loads, and of stores that translate before they are complete */
	uint16_t dtlb;
	uint16_t mshr_wait;	 /* part of dmiss; of write_miss where the instruction only stores */
	uint16_t bandwidth_wait; /* part of dmiss */
	uint8_t dlevel;		 /* enum culprit_level of the data access */
	uint8_t dtlb_level;	 /* enum culprit_level: MEMORY = page walk */

	uint32_t producer[3];	  /* distance to the producers of register operands rs1, rs2, rs3 (PR edges) */
	uint32_t previous_holder; /* distance to the instruction whose issue freed the issue-queue entry; 0 = none */

	uint32_t imiss; /* fetch stall for this instruction's line beyond an L1I hit, without ITLB */
	uint16_t itlb;	/* instruction translation beyond a first-level hit */
	uint16_t
		redirect; /* for the instruction after a redirect: cycles from the cause (completion of the mispredicted
				* or serialising instruction, or the BTB-missing branch's fetch) to this fetch, without
				* I-cache parts */
	uint8_t ilevel;	  /* enum culprit_level of the fetch access that delayed this instruction */
	uint8_t itlb_level;
	uint8_t istray; /* as dstray, for the line fetched */
	uint8_t window; /* enum culprit_window: what held it at dispatch last, NONE if it was not held */

	uint16_t
		exec_latency; /* unit latency; for loads: address generation + L1D hit, or forwarding latency; with what a
				* partly forwarded load takes more */
	uint16_t wakeup; /* cycles from issue until dependents may issue = max(latency, issue-to-wakeup loop), 0 when
				* idealised; loads and merged misses: complete - issue */
	uint16_t commit_wait; /* last cycles before commit in which a limit of commit's kept it: commit_stop */
	uint16_t flags;	      /* enum culprit_record_flag */

	uint8_t unit;	   /* unit row index */
	uint8_t queue;	   /* issue queue index */
	uint8_t dest;	   /* destination register 1..63 (x, then f from 32), 64 = none */
	uint8_t contended; /* enum culprit_contention, when issue > ready */
	/* CULPRIT_CONTENTION_BUSY: distance forward to a younger instruction that held the unit (oldest such first);
	 * FAR = that far or more; WRONG_PATH = it was squashed; 0 = none was younger */
	uint8_t contender;
	uint8_t predictor; /* branches: enum culprit_predictor */
	/* enum culprit_level: from there a wrong path brought a data line, and this is the right path's use that would
	 * miss were the branch predicted right: the first, but for those in front of the branch, which were late; 0 = not
	 * such a use */
	uint8_t dstray;
	uint8_t branch;	     /* enum culprit_branch */
	uint8_t mem_size;    /* bytes of a load or store, else 0 */
	uint8_t commit_stop; /* enum culprit_commit_stop, from STORES on; valid when commit_wait is not 0 */
	/* bytes: 2 or 4; 0 = a later micro-operation of the instruction in front: `cracked` in graph.h */
	uint8_t length;
	uint8_t op_class; /* enum culprit_op_class */

	/* Weights, as 0 (one), 1 .. CULPRIT_WEIGHT_MOST, or CULPRIT_WEIGHT_NONE: none of an eliminated or fused instruction,
	 * two of one that is cracked and has one record. All slots of a stage but issue's are of one cycle. */
	uint8_t rob_entries;
	uint8_t dispatch_slots;
	uint8_t issue_slots; /* the first is its unit's, too; the others come in the same cycle or later */
	uint8_t commit_slots;
	/* part of imiss: until a refill that a wrong path had asked for gave its L1I MSHR back */
	uint16_t stray_wait;
	/* part of exec_latency, and of wakeup where that is no longer: the result waited for a completion port. 0 where
	 * `completion_ports` of graph.h is */
	uint16_t port_wait;

	/* The first use, by a load or by a store's write, of a line that a prefetcher had asked for: the L1D's, or one of
	 * the level below. */
	int32_t prefetch_trigger; /* from mem_addr to the address of the access that made it ask; 0 = not known */
	uint16_t
		prefetch_slack; /* cycles for which the line had been there; 0 = it came just then, or was waited for */
	uint8_t prefetch_level; /* enum culprit_level from where it was brought; 0 = not such a use, or not known */
	/* enum culprit_level from where a prefetcher had brought the line into the level below the L1D, for an access (or
	 * the L1D's prefetcher) that was the first to ask for it there; 0 = not so, or not known. Where prefetch_level is
	 * 0, trigger and slack are those of the line there */
	uint8_t prefetch_below;
};

/* How many a weight is. */
static inline uint32_t culprit_weight(uint8_t weight)
{
	return weight == CULPRIT_WEIGHT_NONE ? 0 : weight ? weight : 1;
}

/* Receives records in commit order, in batches. Returns nothing: a consumer that fails keeps its own error. */
struct culprit_record_sink {
	void *context;
	void (*records)(void *context, const struct culprit_record *records, size_t count);
	/* Or NULL: where the source may write the next records, and how many, so that nobody needs to copy them. Asked
	 * before the first and after each batch; a batch may be smaller. */
	struct culprit_record *(*room)(void *context, size_t *count);
};

CULPRIT_C_END

#endif
