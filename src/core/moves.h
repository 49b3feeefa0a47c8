/* dispatch.move_elimination: what needs the copy of a register move waits for the move's source, not for the move.
 *
 *   rename  the copy gets the name of the source: whoever needs it, unless the source gets a new name in the same group
 *   group   only the move's own group looks through it; whose source is written in the group as well is looked through
 *           for that instruction, even if it is a move itself. So does the Xuantie C910 (idu/rtl/ct_idu_ir_rt.v).
 *
 * A group is what dispatch takes as a whole, else of dispatch.width instructions in program order. */
#ifndef CULPRIT_CORE_MOVES_H
#define CULPRIT_CORE_MOVES_H

#include "core/state.h"

/* The source of a register move; 0 = it is none, or its source is x0. */
static inline uint8_t move_source(const struct riscv_insn *insn)
{
	if (insn->op == RISCV_OP_addi)
		return insn->imm ? 0 : insn->rs1;
	if (insn->op == RISCV_OP_add && !(insn->rs1 && insn->rs2))
		return insn->rs1 | insn->rs2;
	return insn->op == RISCV_OP_fsgnj_d && insn->rs1 == insn->rs2 ? insn->rs1 : 0;
}

/* The first of the instruction's group that is in flight. */
static inline uint64_t move_group(const struct core *c, uint64_t index)
{
	const uint64_t first = c->d.whole_groups ? c->group_begin : index - index % c->m.dispatch_width;
	return first > c->head ? first : c->head;
}

/* The last instruction from `first` on and before `end` that writes the register, + 1; 0 = none does. */
static inline uint64_t move_writer(struct core *c, uint8_t reg, uint64_t first, uint64_t end)
{
	while (end > first && slot_at(c, end - 1)->dest != reg)
		end--;
	return end > first ? end : 0;
}

/* rename: s has its name already. */
static inline void move_rename(struct core *c, const struct slot *s, uint64_t index)
{
	const uint8_t source = move_source(s->insn);
	if (source && source != s->dest && !move_writer(c, source, move_group(c, index), index))
		c->last_writer[s->dest] = c->last_writer[source];
}

/* group: whom the instruction `index` waits for, whose operand `writer` - 1 writes. */
static inline uint64_t moved_in_group(struct core *c, uint64_t index, uint64_t writer)
{
	const uint64_t first = move_group(c, index);
	if (writer <= first)
		return writer;
	const struct slot *move = slot_at(c, writer - 1);
	const uint8_t source = move_source(move->insn);
	if (!source || source == move->dest || move_writer(c, source, writer, index))
		return writer; /* no move, or the source has another value by now */
	const uint64_t before = move_writer(c, source, first, writer - 1);
	return before ? before : move->source[move->insn->rs1 == source ? 0 : 1];
}

#endif
