/* One instruction at a time, for the timing core. */
#include "riscv/semantics.h"

#define PC pc
#define LINK (pc + insn->length)
#define COUNT_SO_FAR (void)0
#define NOTE_ADDRESS(address) out->mem_addr = (address)
#define STOP(reason, what)            \
	do {                          \
		out->value = (what);  \
		out->next_pc = pc;    \
		return reason;        \
	} while (0)
#define TRANSFER(target)         \
	do {                     \
		next = (target); \
		out->taken = true; \
	} while (0)
#define TRANSFER_INDIRECT(target) TRANSFER(target)
#define BRANCH_IF(condition)                            \
	do {                                            \
		if (condition)                          \
			TRANSFER(pc + (uint64_t)IMM);   \
	} while (0)
#define FENCE_I result = RISCV_STOP_FENCE_I

enum riscv_stop riscv_step(struct riscv_hart *hart, const struct riscv_insn *insn, struct address_space *as,
			   struct riscv_outcome *out)
{
	uint64_t pc = hart->pc, next = LINK;
	enum riscv_stop result = RISCV_CONTINUE;

	out->mem_addr = 0;
	out->taken = false;
	switch (insn->op) {
#define INSN(id, mnemonic, operands, match, mask, op_class, flags, size, ...) \
	case RISCV_OP_##id:                                                   \
		__VA_ARGS__;                                                  \
		break;
#include "riscv/instructions.def"
	default:
		ILLEGAL;
	}
	out->next_pc = next;
	hart->pc = next;
	hart->instret++;
	return result;
}
