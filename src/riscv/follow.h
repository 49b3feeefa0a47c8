/* Following a trace: where the program goes, and what it touches, is the trace's; everything else is executed as far as
 * registers and memory are known. What a trace tells teaches them: a written value, a stored value, an address (which
 * is a base register's value), a loaded value (which is memory's). So wrong paths run on what is known. */
#ifndef CULPRIT_RISCV_FOLLOW_H
#define CULPRIT_RISCV_FOLLOW_H

#include "riscv/riscv.h"

enum riscv_follow_flag {
	RISCV_FOLLOW_ADDRESS = 1, /* of its load or store */
	RISCV_FOLLOW_VALUE = 2,	  /* what its destination holds afterwards */
	RISCV_FOLLOW_STORED = 4,  /* `value` is what it stores */
	RISCV_FOLLOW_LOADED = 8,  /* `value` is what it finds in memory, without sign */
};

struct riscv_follow_step {
	uint64_t pc;
	uint64_t address;
	uint64_t value;
	uint32_t bits; /* its encoding; 0 = not told */
	uint32_t flags;
};

/* What the trace did not tell of the steps so far. */
struct riscv_follow_gaps {
	uint64_t accesses, addresses; /* loads and stores, and those of them without an address */
	uint64_t results, values;     /* registers written, and those of them that were computed from what is known */
	uint64_t jumps;		      /* times that the next instruction is not where the one before leads */
};

struct riscv_follow {
	const struct riscv_follow_step *steps;
	size_t count, next;
	struct riscv_follow_gaps gaps;
};

/* Before the first step: the memory that the trace will touch is there, for wrong paths, too, which come to some of it
 * first. */
void riscv_follow_memory(const struct riscv_follow *f, struct address_space *as);

/* The instruction at hart->pc, which is that of the next step. *out as of riscv_step. *jumps: the program went
 * elsewhere than the instruction leads (a trap, an interrupt, a part that is missing); hart->pc is there. */
void riscv_follow(struct riscv_follow *f, struct riscv_hart *hart, const struct riscv_insn *insn,
		  struct address_space *as, struct riscv_outcome *out, bool *jumps);

#endif
