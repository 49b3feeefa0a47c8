/* An FP move or conversion from one kind of registers to the other (issue.int_to_fp, issue.fp_to_int): the move has its
 * own latency, a conversion has that in addition, as it is two operations, one of which is the move. */
#ifndef CULPRIT_CORE_CROSSING_H
#define CULPRIT_CORE_CROSSING_H

#include "core/state.h"

enum { FP_REGISTERS = 32 }; /* the first of them, in an instruction */

static inline uint32_t issue_crossing(const struct core *c, const struct riscv_insn *insn, uint32_t latency)
{
	const bool move = insn->op_class == CULPRIT_OP_fp_move, to_int = insn->rd < FP_REGISTERS;
	if (!latency || !(move || insn->op_class == CULPRIT_OP_fp_cvt) || to_int == (insn->rs1 < FP_REGISTERS))
		return latency;
	const uint32_t crossing = to_int ? c->m.issue_fp_to_int : c->m.issue_int_to_fp;
	return move ? (crossing ? crossing : latency) : latency + crossing;
}

#endif
