/* Which registers a vector instruction reads and writes, for a pipeline: from its row, its fields and vtype. */
#include "riscv/rows.h"
#include "riscv/vector_unit.h"

static uint32_t group(unsigned first, unsigned registers)
{
	return (uint32_t)(((1ull << registers) - 1) << first);
}

static uint32_t group_bytes(const struct vector_unit *u, int lmul)
{
	return lmul >= 0 ? u->v->vlenb << lmul : u->v->vlenb >> -lmul;
}

static bool has_operand(const struct vector_unit *u, char letter)
{
	for (const char *at = riscv_rows[u->insn->op].operands; *at; at++)
		if (*at == letter)
			return true;
	return false;
}

/* Of the multiply-adds vs2 stands last; slides and compressions leave a part of vd as it is. */
static bool reads_destination(const struct vector_unit *u, const struct vector_row *row)
{
	const char *operands = riscv_rows[u->insn->op].operands;
	bool multiply_add = operands[0] == 'w' && (operands[1] == 'p' || operands[1] == 's' || operands[1] == 'S') &&
			    operands[2] == 'v';

	return multiply_add || row->execute == vector_slide || row->execute == vector_compress ||
	       (row->execute == vector_first_element && has_operand(u, 'w'));
}

/* Is something of the old destination to be left undisturbed? */
static bool keeps_destination(const struct vector_unit *u, uint64_t most)
{
	bool tail_agnostic = u->v->vtype >> 6 & 1, mask_agnostic = u->v->vtype >> 7 & 1;

	return (!tail_agnostic && u->v->vl < most) || (!mask_agnostic && u->masked && has_operand(u, 'n'));
}

/* How large the groups of vd, vs2 and vs1 are; masks and single elements are in one register. */
struct groups {
	int dest, source, first;
};

static struct groups groups_of(const struct vector_unit *u, const struct vector_row *row)
{
	struct groups g = {u->lmul, u->lmul, u->lmul};

	if (row->execute == vector_elements || row->execute == vector_float_elements)
		return (struct groups){row->shape.to_mask ? 0 : u->lmul + row->shape.dest, u->lmul + row->shape.source,
				       u->lmul};
	if (row->execute == vector_masks || row->execute == vector_mask_count || row->execute == vector_mask_first ||
	    row->execute == vector_first_element)
		return (struct groups){0, 0, 0};
	if (row->execute == vector_reduce || row->execute == vector_float_reduce)
		return (struct groups){0, u->lmul, 0};
	if (row->execute == vector_iota)
		g.source = 0;
	if (row->execute == vector_compress)
		g.first = 0;
	if (u->insn->op == RISCV_OP_vrgatherei16_vv)
		g.first = u->lmul + 1 - u->sew;
	if (row->execute == vector_whole)
		g.dest = g.source = __builtin_ctz((u->insn->raw >> 15 & 31) + 1);
	return g;
}

static int largest(int a, int b)
{
	return a > b ? a : b;
}

static void arithmetic_operands(const struct vector_unit *u, const struct vector_row *row,
				struct riscv_vector_operands *o)
{
	struct groups g = groups_of(u, row);
	uint64_t most = vector_most(u->v, u->sew, u->lmul);

	if (has_operand(u, 'w'))
		o->writes = group(u->vd, vector_registers(g.dest));
	if (has_operand(u, 'v'))
		o->reads |= group(u->vs2, vector_registers(g.source));
	if (has_operand(u, 'p'))
		o->reads |= group(u->vs1, vector_registers(g.first));
	if (has_operand(u, 'h') || (u->masked && has_operand(u, 'n')))
		o->reads |= 1;
	if (row->execute != vector_whole && (reads_destination(u, row) || keeps_destination(u, most)))
		o->reads |= o->writes;
	o->reads_vl = row->execute != vector_whole;
	o->bytes = group_bytes(u, largest(g.dest, largest(g.source, has_operand(u, 'p') ? g.first : g.dest)));
	o->whole = row->execute == vector_reduce || row->execute == vector_float_reduce ||
		   row->execute == vector_mask_count || row->execute == vector_slide || row->execute == vector_gather ||
		   row->execute == vector_compress;
	if (u->insn->op == RISCV_OP_vfredosum_vs || u->insn->op == RISCV_OP_vfwredosum_vs)
		o->serial = (uint32_t)u->v->vl;
}

static void memory_operands(const struct vector_unit *u, const struct vector_row *row, struct riscv_vector_operands *o)
{
	unsigned registers;
	int index_lmul;
	bool plain = row->memory == V_WHOLE || row->memory == V_BITS;

	if (!vector_memory_group(u, row, &registers, &index_lmul))
		return;
	uint32_t data = group(u->vd, registers);
	o->reads_vl = row->memory != V_WHOLE;
	o->writes_vl = row->memory == V_FIRST;
	o->bytes = registers * u->v->vlenb;
	if (row->memory == V_INDEXED)
		o->reads |= group(u->vs2, vector_registers(index_lmul));
	if (u->masked && !plain)
		o->reads |= 1;
	if (u->insn->flags & RISCV_STORE) {
		o->reads |= data;
		return;
	}
	o->writes = data;
	if (!plain && keeps_destination(u, vector_most(u->v, u->sew, u->lmul)))
		o->reads |= data;
}

void riscv_vector_operands(const struct riscv_hart *hart, const struct riscv_insn *insn,
			   struct riscv_vector_operands *operands)
{
	const struct vector_row *row = vector_row_of(insn->op);
	struct vector_unit u;

	vector_begin(&u, hart, insn);
	*operands = (struct riscv_vector_operands){.reads_vl = false};
	if (row->execute == vector_configure) {
		operands->writes_vl = true;
		operands->reads_vl = insn->op != RISCV_OP_vsetivli && !insn->rs1 && insn->rd == RISCV_NO_DEST;
	} else if (row->execute == vector_memory) {
		memory_operands(&u, row, operands);
	} else {
		arithmetic_operands(&u, row, operands);
	}
}
