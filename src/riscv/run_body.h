/* The functional executor's body: threaded code over decoded blocks, compiled twice, plain (run.c) and with a trace of
 * what was executed (run_trace.c). Whoever includes it defines the hooks
 *   NOTE_ADDRESS(address) NOTE_BLOCK NOTE_TAKEN    a memory access; a block is entered; a conditional branch is taken
 *   TRACE_PARAMETER TRACE_LOCALS TRACE_END TRACE_CUT    a parameter, its locals, the end; the end inside a block
 *   LEAVE_FOR_FENCE                                what fence.i does before the code is dropped
 * all empty in the plain one. */
#ifndef CULPRIT_RISCV_RUN_BODY_H
#define CULPRIT_RISCV_RUN_BODY_H

#include "riscv/code.h"
#include "riscv/semantics.h"

#if defined(__GNUC__) && !defined(__clang__)
/* One indirect jump per handler is the point: keep gcc from merging them. Aligned, or each change of any other file
 * may cost 8%. */
#define THREADED __attribute__((noinline, aligned(64), optimize("no-gcse", "no-crossjumping")))
#else
#define THREADED __attribute__((noinline, aligned(64)))
#endif

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define PC ((block->pc & ~(uint64_t)UINT32_MAX) | insn->pc_low)
#define LINK (PC + insn->length)
/* instret as it is before insn: the block's whole count has been taken off `left` at its entry. */
#define EXECUTED (limit - left - (block->count - (uint64_t)(insn - block->insns)))
#define COUNT_SO_FAR hart->instret = EXECUTED
#define ACCESS_SLOWLY(address, size, perm, reason)                  \
	do {                                                        \
		if (!address_space_allows(as, address, size, perm)) \
			STOP(reason, address);                      \
	} while (0)

#define STOP(reason, what)           \
	do {                         \
		out->value = (what); \
		stop = reason;       \
		goto stopped;        \
	} while (0)

#define ENTER(to)                                  \
	do {                                       \
		block = (to);                      \
		if (UNLIKELY(left < block->count)) \
			goto short_of;             \
		left -= block->count;              \
		insn = block->insns;               \
		NOTE_BLOCK;                        \
		goto * insn->handler;              \
	} while (0)

/* Go on at the block chained in `link`; look it up at `target` the first time. */
#define CHAIN(link, target)                   \
	do {                                  \
		if (UNLIKELY(!block->link)) { \
			next = (target);      \
			chain = &block->link; \
			goto look_up;         \
		}                             \
		ENTER(block->link);           \
	} while (0)

#define TRANSFER(target) CHAIN(taken, target)
#define TRANSFER_INDIRECT(target)                                        \
	do {                                                             \
		next = (target);                                         \
		chain = &block->taken;                                   \
		if (UNLIKELY(!block->taken || block->taken->pc != next)) \
			goto look_up;                                    \
		ENTER(block->taken);                                     \
	} while (0)
#define BRANCH_IF(condition)                              \
	do {                                              \
		if (condition) {                          \
			NOTE_TAKEN;                       \
			CHAIN(taken, PC + (uint64_t)IMM); \
		} else {                                  \
			CHAIN(fallthrough, LINK);         \
		}                                         \
	} while (0)
#define FENCE_I goto fence_i

/* Called without a hart it only tells the handlers' addresses, which no other function can name. */
THREADED static enum riscv_stop interpret(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
					  uint64_t max_insns, struct riscv_outcome *out,
					  const void *const **handlers TRACE_PARAMETER)
{
	TRACE_LOCALS
	static const void *const labels[] = {
#define INSN(id, ...) [RISCV_OP_##id] = &&run_##id,
#define VINSN(id, ...) [RISCV_OP_##id] = &&run_vector,
#include "riscv/instructions.def"
		[RISCV_OP_BLOCK_END] = &&run_block_end,
		[RISCV_OP_PLACE] = &&run_place,
	};
	struct riscv_block *block, **chain;
	const struct riscv_insn *insn;
	uint64_t limit, left, next;
	enum riscv_stop stop;

	if (!hart) {
		*handlers = labels;
		return RISCV_CONTINUE;
	}
	limit = hart->instret + max_insns;
	left = max_insns;
	next = hart->pc;
	chain = NULL;

look_up:
	block = code_lookup(code, next);
	if (UNLIKELY(!block)) {
		if (riscv_code_full(code))
			goto forget;
		block = riscv_code_block(code, next);
		if (!block) {
			TRACE_END;
			hart->pc = next;
			hart->instret = limit - left;
			if (!left)
				return RISCV_STOP_LIMIT;
			out->value = riscv_code_fault_address(code, next);
			return RISCV_STOP_FETCH_FAULT;
		}
	}
	if (chain)
		*chain = block;
	ENTER(block);

#define INSN(id, mnemonic, operands, match, mask, op_class, flags, size, ...) \
	run_##id : __VA_ARGS__;                                               \
	insn++;                                                               \
	goto * insn->handler;
#define VINSN(...)
#include "riscv/instructions.def"

run_vector:
	VECTOR;
	if (insn->flags & (RISCV_LOAD | RISCV_STORE))
		NOTE_ADDRESS(out->mem_addr);
	insn++;
	goto * insn->handler;

run_place:
	STOP(RISCV_STOP_PLACE, 0);

run_block_end:
	CHAIN(fallthrough, PC);

short_of:
	hart->pc = block->pc;
	hart->instret = limit - left;
	TRACE_END;
	return step_on(hart, block, as, left, out);

fence_i:
	/* fence.i ends its block: everything counted so far has been executed. */
	next = LINK;
forget:
	LEAVE_FOR_FENCE;
	riscv_code_flush(code);
	riscv_code_reclaim(code);
	chain = NULL;
	goto look_up;

stopped:
	TRACE_CUT;
	hart->pc = PC;
	hart->instret = EXECUTED;
	return stop;
}

#endif
