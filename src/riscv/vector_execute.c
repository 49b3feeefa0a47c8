/* See vector.h: the state, and the way from an instruction to its row's function. */
#include "riscv/vector_unit.h"

#include <stdlib.h>

struct riscv_vector *riscv_vector_create(unsigned vlen)
{
	struct riscv_vector *v = calloc(1, sizeof *v + (size_t)4 * vlen);

	if (!v)
		return NULL;
	v->vlenb = vlen / 8;
	v->vtype = RISCV_VTYPE_ILL;
	return v;
}

const struct vector_row *vector_row_of(unsigned op)
{
	if (op >= RISCV_OP_vfadd_vv)
		return &vector_float_rows[op - RISCV_OP_vfadd_vv];
	if (op >= RISCV_OP_vadd_vv)
		return &vector_integer_rows[op - RISCV_OP_vadd_vv];
	return &vector_memory_rows[op - RISCV_OP_vsetvli];
}

/* Those that need no valid vtype look themselves. */
static bool needs_vtype(const struct vector_row *row)
{
	return row->execute != vector_configure && row->execute != vector_memory && row->execute != vector_whole;
}

void vector_begin(struct vector_unit *u, const struct riscv_hart *hart, const struct riscv_insn *insn)
{
	*u = (struct vector_unit){
		.hart = (struct riscv_hart *)hart,
		.v = hart->vector,
		.insn = insn,
		.vd = insn->raw >> 7 & 31,
		.vs1 = insn->raw >> 15 & 31,
		.vs2 = insn->raw >> 20 & 31,
		.masked = !(insn->raw >> 25 & 1),
		.sew = (int)(hart->vector->vtype >> 3 & 7),
		.lmul = riscv_vector_lmul(hart->vector->vtype),
		.fault = RISCV_CONTINUE,
	};
}

enum riscv_stop riscv_vector_execute(struct riscv_hart *hart, const struct riscv_insn *insn, struct address_space *as,
				     struct riscv_outcome *out)
{
	const struct vector_row *row = vector_row_of(insn->op);
	struct vector_unit u;

	vector_begin(&u, hart, insn);
	u.as = as;
	u.out = out;
	if ((needs_vtype(row) && (u.v->vtype & RISCV_VTYPE_ILL)) || !row->execute(&u, row)) {
		out->value = insn->raw;
		return RISCV_STOP_ILLEGAL;
	}
	return u.fault;
}
