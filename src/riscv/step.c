/* One instruction at a time, for the timing core: a function per row, found by op. Functions rather than one switch,
 * because most rows then need no stack frame. Rows that access memory come twice: the slow function has the general
 * check, a call, and so a frame; the fast one starts over there when its short check fails. */
#include "riscv/semantics.h"

#define PC pc
#define LINK (pc + insn->length)
#define COUNT_SO_FAR (void)0
#define NOTE_ADDRESS(address) out->mem_addr = (address)
#define STOP(reason, what)           \
	do {                         \
		out->value = (what); \
		out->next_pc = pc;   \
		return reason;       \
	} while (0)
#define TRANSFER(target)           \
	do {                       \
		next = (target);   \
		out->taken = true; \
	} while (0)
#define TRANSFER_INDIRECT(target) TRANSFER(target)
#define BRANCH_IF(condition)                          \
	do {                                          \
		if (condition)                        \
			TRANSFER(pc + (uint64_t)IMM); \
	} while (0)
#define FENCE_I result = RISCV_STOP_FENCE_I

#define STEP_BODY(...)                           \
	uint64_t pc = hart->pc, next = LINK;     \
	enum riscv_stop result = RISCV_CONTINUE; \
                                                 \
	out->mem_addr = 0;                       \
	out->taken = false;                      \
	__VA_ARGS__;                             \
	out->next_pc = next;                     \
	hart->pc = next;                         \
	hart->instret++;                         \
	return result

#define STEP_PARAMETERS \
	struct riscv_hart *hart, const struct riscv_insn *insn, struct address_space *as, struct riscv_outcome *out

#define ACCESS_SLOWLY(address, size, perm, reason)                  \
	do {                                                        \
		if (!address_space_allows(as, address, size, perm)) \
			STOP(reason, address);                      \
	} while (0)
#define INSN(id, mnemonic, operands, match, mask, op_class, flags, size, ...)                     \
	__attribute__((cold, noinline, unused)) static enum riscv_stop slow_##id(STEP_PARAMETERS) \
	{                                                                                         \
		STEP_BODY(__VA_ARGS__);                                                           \
	}
#define VINSN(...)
#include "riscv/instructions.def"
#undef ACCESS_SLOWLY

#define ACCESS_SLOWLY(address, size, perm, reason) goto slow
#define INSN(id, mnemonic, operands, match, mask, op_class, flags, size, ...) \
	static enum riscv_stop step_##id(STEP_PARAMETERS)                     \
	{                                                                     \
		STEP_BODY(__VA_ARGS__);                                       \
	slow:                                                                 \
		__attribute__((unused));                                      \
		return slow_##id(hart, insn, as, out);                        \
	}
#define VINSN(...)
#include "riscv/instructions.def"

static enum riscv_stop step_vector(STEP_PARAMETERS)
{
	STEP_BODY(VECTOR);
}

static enum riscv_stop step_place(STEP_PARAMETERS)
{
	uint64_t pc = hart->pc;

	(void)insn, (void)as;
	STOP(RISCV_STOP_PLACE, 0);
}

riscv_step_function *const riscv_step_functions[RISCV_OP_ALL] = {
	[RISCV_OP_PLACE] = step_place,
#define INSN(id, ...) [RISCV_OP_##id] = step_##id,
#define VINSN(id, ...) [RISCV_OP_##id] = step_vector,
#include "riscv/instructions.def"
};
