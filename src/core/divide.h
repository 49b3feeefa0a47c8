/* Divisions and square roots that end early (keys divide.*): how many cycles sooner than the longest, by operands.
 *
 * A divider finds `divide.bits` bits of the quotient in a cycle, from its first one that is not 0 on, and ends when no
 * remainder is left. It keeps its last results: a division or remainder with the operands of one of them finds none.
 * Results are kept in the order in which instructions are fetched, on wrong paths, too. */
#ifndef CULPRIT_CORE_DIVIDE_H
#define CULPRIT_CORE_DIVIDE_H

#include "machine/machine.h"
#include "riscv/riscv.h"

enum { DIVIDE_RESULTS = 16 };

struct divider {
	struct divide_operands {
		uint64_t dividend, divisor; /* as the operation sees them: magnitudes */
		uint8_t signs;
	} kept[DIVIDE_RESULTS];
	uint32_t count, next;
};

/* Cycles spared of those that a quotient of 64 bits takes; at least one of the latency is left. */
uint16_t divide_early(struct divider *d, const struct machine *m, const struct riscv_insn *insn, uint64_t dividend,
		      uint64_t divisor);

/* Likewise of an FP division or square root of x (by y): of the cycles that a double takes which does not end. */
uint16_t divide_fp_early(const struct machine *m, const struct riscv_insn *insn, uint64_t x, uint64_t y);

/* Does an operation of that class end early here? */
static inline bool divide_ends_early(const struct machine *m, unsigned op)
{
	return op == CULPRIT_OP_int_div ? m->divide_bits != 0
					: m->divide_fp_bits && (op == CULPRIT_OP_fp_div || op == CULPRIT_OP_fp_sqrt);
}

#endif
