/* Functional execution that says what it executed: the blocks entered, and where their loads and stores went. For
 * analyses of the instruction stream that need no core. Almost as fast as riscv_run. */
#ifndef CULPRIT_RISCV_TRACE_H
#define CULPRIT_RISCV_TRACE_H

#include "riscv/riscv.h"

/* One run through (the beginning of) a block. Its accesses are the next ones of the trace's, one for each executed
 * instruction with RISCV_LOAD or RISCV_STORE: block->accesses of them when it was executed whole. The block stays valid
 * until the code is flushed and reclaimed. */
struct riscv_trace_entry {
	struct riscv_block *block;
	uint32_t count; /* instructions executed, from the block's first */
	bool taken;	/* the last one is a conditional branch whose condition holds */
};

struct riscv_trace_access {
	uint64_t address;
	const struct riscv_insn *insn;
};

/* The caller owns the arrays, each with room for as many as the instructions it asks for. */
struct riscv_trace {
	struct riscv_trace_entry *entries;
	struct riscv_trace_access *accesses;
	size_t entry_count, access_count; /* what a call wrote */
};

/* Decode blocks for riscv_trace_run from now on, or for riscv_run again. Flushes and reclaims the code: each of the two
 * must only be called on blocks decoded for it. */
void riscv_code_trace(struct riscv_code *code, bool on);

/* As riscv_run, writing the trace from its arrays' start. Differences: RISCV_STOP_LIMIT may come up to RISCV_BLOCK_MAX
 * - 1 instructions early, at the end of a block, unless `exact`; fence.i stops with RISCV_STOP_FENCE_I, executed, and
 * the caller drops the code when it no longer needs the trace's blocks. */
enum riscv_stop riscv_trace_run(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
				uint64_t max_insns, bool exact, struct riscv_trace *trace, struct riscv_outcome *out);

#endif
