/* The instruction stream as the collectors of a profile see it, in program order and in batches. Always: spans of
 * consecutive instructions, accesses to memory, and control transfers. Where the stream is looked at in detail also
 * one event for each instruction, with what the reference machine's caches and predictor said of it (reference.h). */
#ifndef CULPRIT_INTERVAL_PROFILE_STREAM_H
#define CULPRIT_INTERVAL_PROFILE_STREAM_H

#include "interval/profile/profile.h"
#include "machine/predictor.h"

#include <stddef.h>

enum interval_event_flag { /* those that enum riscv_insn_flag has too, with its numbers */
			   EVENT_LOAD = 1,
			   EVENT_STORE = 2,
			   EVENT_TAKEN = 4,
			   EVENT_SERIALISING = 8,
			   EVENT_AT_HEAD = 16,
			   EVENT_POPS = 32, /* branch_query.link_register */
			   EVENT_MISPREDICTED = 64,
			   EVENT_REDIRECT = 128,
			   EVENT_PREFETCHED = 256, /* the line is here since the L1D's prefetcher asked for it */
};

/* 40 bytes. */
struct interval_event {
	uint64_t pc;
	uint64_t address;     /* loads and stores */
	int32_t imm;	      /* direct branches: target - pc */
	uint8_t rs[3];	      /* register sources, 1..63; 0 = none (x0) */
	uint8_t rd;	      /* 1..63, or EVENT_NO_REGISTER */
	uint8_t op, branch;   /* enum culprit_op_class, enum culprit_branch */
	uint8_t length, size; /* bytes of the instruction; of the access */
	uint16_t flags;	      /* enum interval_event_flag */
	uint8_t dlevel, dtlb; /* as in struct interval_sample, from here on filled by the reference */
	uint8_t ilevel, itlb;
	uint8_t chains; /* bit n: this load is a long event of chain n (chain.def) */
};
enum { EVENT_NO_REGISTER = 64, EVENT_BATCH = 16384 };

/* A line (or page) that missed in a cache of the reference machine: an access to the next level. */
struct interval_fill {
	uint64_t address;
	uint8_t kind;  /* enum interval_kind */
	uint8_t level; /* enum culprit_level that served it */
};

/* Consecutive instructions; the first has number `at` in its batch. */
struct interval_span {
	uint64_t pc;
	uint64_t longs; /* bit n: instruction n is 4 bytes long, else 2 */
	uint16_t at, count, bytes;
};

/* A load or store. */
struct interval_access {
	uint64_t address, pc;
	uint16_t at;
	uint8_t flags; /* EVENT_LOAD, EVENT_STORE */
	uint8_t size;  /* bytes */
};

/* A branch, taken or not. */
struct interval_transfer {
	uint64_t pc, next; /* where the program went on */
	int32_t imm;	   /* as an event's */
	uint16_t at, flags;
	uint8_t branch, length;
};

/* Parts of the stream that are looked at in detail: which collectors want a batch's events. */
enum interval_detail {
	DETAIL_SAMPLED = 1, /* in a stretch of struct interval_sampling */
	DETAIL_LEAD = 2,    /* before one: misses that may be in flight at its beginning */
	DETAIL_FLOW = 4,    /* in or before a stretch of struct interval_samples */
};

/* At most EVENT_BATCH instructions; where there is detail, `events[count].pc` is where the program goes on. */
struct interval_batch {
	uint64_t first; /* number of the first instruction in the stream, warm-up included, from 0 */
	uint64_t place; /* the same in the region; 0 before it */
	size_t count;
	size_t most;  /* instructions it may take */
	bool bounded; /* the detail changes behind `most`: the batch must be filled that far, if the program goes on */
	uint8_t detail;	     /* enum interval_detail; 0: there are no events */
	uint8_t long_events; /* the chains of its events, together */
	size_t span_count, access_count, transfer_count, fill_count, walk_count;
	struct interval_span spans[EVENT_BATCH];
	struct interval_access accesses[EVENT_BATCH];
	struct interval_transfer transfers[EVENT_BATCH];
	struct interval_event events[EVENT_BATCH + 1];
	struct interval_fill fills[4 * EVENT_BATCH]; /* L1 misses, in order */
	struct interval_fill walks[4 * EVENT_BATCH]; /* first-level TLB misses */
};

static inline bool event_is_load(const struct interval_event *e)
{
	return e->flags & EVENT_LOAD;
}

/* The kind of a data access: what may write is a store. */
static inline enum interval_kind interval_kind_of(uint8_t flags)
{
	return flags & EVENT_STORE ? INTERVAL_STORE : INTERVAL_LOAD;
}

static inline uint64_t access_last_byte(const struct interval_access *a)
{
	return a->address + (a->size ? a->size - 1 : 0);
}

static inline struct branch_query transfer_query(const struct interval_transfer *t)
{
	return (struct branch_query){
		.pc = t->pc,
		.enter = t->pc, /* branch.l0_blocks: as if each branch had a block */
		.opens = true,
		.direct_target = t->pc + (uint64_t)(int64_t)t->imm,
		.actual_next = t->next,
		.actual_taken = t->flags & EVENT_TAKEN,
		.length = t->length,
		.kind = t->branch,
		.link_register = !!(t->flags & EVENT_POPS),
	};
}

#endif
