/* The functional executor: threaded code over decoded blocks.
 *
 * Every decoded instruction holds the address of its handler (a label below, one per row of instructions.def), so going
 * on is one load and one indirect jump, in a place of its own for each handler, which the host predicts well. Blocks
 * are chained through `taken` and `fallthrough`. Instructions are counted per block at its entry; a block that does not
 * fit in what is left to execute goes one instruction at a time through riscv_step, so the limit is exact. */
#include "riscv/code.h"

#define NOTE_ADDRESS(address) (void)0
#define NOTE_BLOCK (void)0
#define NOTE_TAKEN (void)0
#define TRACE_PARAMETER
#define TRACE_LOCALS
#define TRACE_END (void)0
#define TRACE_CUT (void)0
#define LEAVE_FOR_FENCE (void)0

/* What is left to execute ends within this block. */
static enum riscv_stop step_on(struct riscv_hart *hart, const struct riscv_block *block, struct address_space *as,
			       uint64_t left, struct riscv_outcome *out)
{
	for (const struct riscv_insn *insn = block->insns; left; insn++, left--) {
		enum riscv_stop stop = riscv_step(hart, insn, as, out);
		if (stop)
			return stop;
	}
	return RISCV_STOP_LIMIT;
}

#include "riscv/run_body.h"

enum riscv_stop riscv_run(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
			  uint64_t max_insns, struct riscv_outcome *out)
{
	enum riscv_stop stop;

	out->mem_addr = 0;
	out->taken = false;
	stop = interpret(hart, code, as, max_insns, out, NULL);
	out->next_pc = hart->pc;
	return stop;
}

const void *const *riscv_run_handlers(void)
{
	const void *const *handlers;

	interpret(NULL, NULL, NULL, 0, NULL, &handlers);
	return handlers;
}
