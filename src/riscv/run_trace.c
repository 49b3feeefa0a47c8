/* The functional executor with a trace: see trace.h. One entry is written when a block is entered, where each access
 * went with it; nothing is checked on the way, because the arrays hold as much as can be executed. */
#include "riscv/trace.h"

#include "riscv/code.h"

#define NOTE_ADDRESS(where) (*accesses++ = (struct riscv_trace_access){.address = (where), .insn = insn})
#define NOTE_BLOCK (*entry++ = (struct riscv_trace_entry){.block = block, .count = block->count})
#define NOTE_TAKEN (entry[-1].taken = true)
#define TRACE_PARAMETER , struct riscv_trace *trace
#define TRACE_LOCALS                                                     \
	struct riscv_trace_entry *entry = trace ? trace->entries : NULL; \
	struct riscv_trace_access *accesses = trace ? trace->accesses : NULL;
#define TRACE_END                                                           \
	do {                                                                \
		trace->entry_count = (size_t)(entry - trace->entries);      \
		trace->access_count = (size_t)(accesses - trace->accesses); \
	} while (0)
#define TRACE_CUT                                                  \
	do {                                                       \
		entry[-1].count = (uint32_t)(insn - block->insns); \
		TRACE_END;                                         \
	} while (0)
#define LEAVE_FOR_FENCE                       \
	do {                                  \
		TRACE_END;                    \
		hart->pc = next;              \
		hart->instret = limit - left; \
		return RISCV_STOP_FENCE_I;    \
	} while (0)

/* The last block does not fit: its beginning is the caller's business. */
static enum riscv_stop step_on(struct riscv_hart *hart, const struct riscv_block *block, struct address_space *as,
			       uint64_t left, struct riscv_outcome *out)
{
	(void)hart, (void)block, (void)as, (void)left, (void)out;
	return RISCV_STOP_LIMIT;
}

#include "riscv/run_body.h"

void riscv_code_trace(struct riscv_code *code, bool on)
{
	const void *const *handlers = NULL;

	if (on)
		interpret(NULL, NULL, NULL, 0, NULL, &handlers, NULL);
	code->handlers = on ? handlers : riscv_run_handlers();
	riscv_code_forget_all(code);
	riscv_code_reclaim(code);
}

/* Fewer instructions are left than the block at the pc has: execute its beginning one by one. */
static enum riscv_stop trace_beginning(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
				       uint64_t left, struct riscv_trace *trace, struct riscv_outcome *out)
{
	struct riscv_block *block = riscv_code_block(code, hart->pc);
	struct riscv_trace_entry *entry = &trace->entries[trace->entry_count++];

	*entry = (struct riscv_trace_entry){.block = block};
	while (entry->count < left) {
		const struct riscv_insn *insn = &block->insns[entry->count];
		enum riscv_stop stop = riscv_step(hart, insn, as, out);
		if (stop)
			return stop;
		if (insn->flags & (RISCV_LOAD | RISCV_STORE))
			trace->accesses[trace->access_count++] =
				(struct riscv_trace_access){.address = out->mem_addr, .insn = insn};
		entry->count++;
	}
	return RISCV_STOP_LIMIT;
}

enum riscv_stop riscv_trace_run(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
				uint64_t max_insns, bool exact, struct riscv_trace *trace, struct riscv_outcome *out)
{
	uint64_t start = hart->instret;
	enum riscv_stop stop;

	out->mem_addr = 0;
	out->taken = false;
	stop = interpret(hart, code, as, max_insns, out, NULL, trace);
	if (stop == RISCV_STOP_LIMIT && exact && hart->instret - start < max_insns)
		stop = trace_beginning(hart, code, as, max_insns - (hart->instret - start), trace, out);
	out->next_pc = hart->pc;
	return stop;
}
