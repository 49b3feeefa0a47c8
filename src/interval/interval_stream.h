/* The instruction stream as the collectors of a profile see it: one event for each executed instruction, in program
 * order and in batches, with what the reference machine's caches and predictor said of it (interval_reference.h). */
#ifndef CULPRIT_INTERVAL_INTERVAL_STREAM_H
#define CULPRIT_INTERVAL_INTERVAL_STREAM_H

#include "interval/interval_profile.h"
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
	uint8_t chains; /* bit n: this load is a long event of chain n (interval_chain.def) */
};
enum { EVENT_NO_REGISTER = 64, EVENT_BATCH = 4096 };

/* A line (or page) that missed in a cache of the reference machine: an access to the next level. */
struct interval_fill {
	uint64_t address;
	uint8_t kind;  /* enum interval_kind */
	uint8_t level; /* enum culprit_level that served it */
};

/* `events[count].pc` is where the program goes on. At most EVENT_BATCH events. */
struct interval_batch {
	uint64_t first; /* number of the first event in the stream, warm-up included, from 0 */
	size_t count, fill_count, walk_count;
	struct interval_event events[EVENT_BATCH + 1];
	struct interval_fill fills[4 * EVENT_BATCH]; /* L1 misses, in order */
	struct interval_fill walks[4 * EVENT_BATCH]; /* first-level TLB misses */
};

static inline bool event_is_load(const struct interval_event *e)
{
	return e->flags & EVENT_LOAD;
}

/* The kind of a data access: what may write is a store. */
static inline enum interval_kind event_kind(const struct interval_event *e)
{
	return e->flags & EVENT_STORE ? INTERVAL_STORE : INTERVAL_LOAD;
}

static inline struct branch_query event_query(const struct interval_event *e)
{
	return (struct branch_query){
		.pc = e->pc,
		.direct_target = e->pc + (uint64_t)(int64_t)e->imm,
		.actual_next = e[1].pc,
		.actual_taken = e->flags & EVENT_TAKEN,
		.length = e->length,
		.kind = e->branch,
		.link_register = !!(e->flags & EVENT_POPS),
	};
}

#endif
