#include "riscv/static_insn.h"

#include "riscv/riscv.h"

/* dest = source[0] + offset: addi (with li), and mv, which adds x0. dest = constant: lui, auipc. */
static void describe_sum(const struct riscv_insn *i, uint64_t pc, struct culprit_static_insn *s)
{
	if (i->op == RISCV_OP_auipc || i->op == RISCV_OP_lui) {
		s->is_constant = true;
		s->constant = (i->op == RISCV_OP_auipc ? pc : 0) + (uint64_t)(int64_t)i->imm;
	}
	if (i->op == RISCV_OP_addi) {
		s->adds_offset = true;
		s->offset = i->imm;
	} else if (i->op == RISCV_OP_add && (!i->rs1 || !i->rs2)) {
		s->adds_offset = true;
		s->source[0] = i->rs1 ? i->rs1 : i->rs2;
		s->source[1] = 0;
	}
}

static uint16_t flags_of(const struct riscv_insn *i)
{
	return (uint16_t)((i->flags & RISCV_LOAD ? CULPRIT_LOAD : 0) | (i->flags & RISCV_STORE ? CULPRIT_STORE : 0) |
			  (i->flags & RISCV_SERIALISING ? CULPRIT_SERIALISING : 0) |
			  (i->flags & RISCV_AT_HEAD ? CULPRIT_AT_HEAD : 0));
}

bool riscv_static_insn(uint32_t raw, uint64_t pc, struct culprit_static_insn *s)
{
	struct riscv_insn i;
	if (!riscv_decode(raw, pc, &i))
		return false;
	*s = (struct culprit_static_insn){
		.flags = flags_of(&i),
		.mem_size = i.mem_size,
		.length = i.length,
		.op_class = i.op_class,
		.branch = i.branch,
		.dest = i.rd,
		.source = {i.rs1, i.rs2, i.rs3},
	};
	bool direct = i.branch == CULPRIT_BRANCH_CONDITIONAL || i.branch == CULPRIT_BRANCH_JUMP ||
		      i.branch == CULPRIT_BRANCH_CALL;
	if (direct)
		s->target = pc + (uint64_t)(int64_t)i.imm;
	if ((i.flags & (RISCV_LOAD | RISCV_STORE)) || (i.branch && !direct))
		s->offset = i.imm;
	else if (!i.branch)
		describe_sum(&i, pc, s);
	return true;
}
