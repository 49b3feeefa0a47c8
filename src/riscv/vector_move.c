/* Operations that move elements about, and those that count or mark bits of a mask. */
#include "riscv/vector_unit.h"

static bool in_order(const struct vector_unit *u)
{
	return !u->v->vstart;
}

/* vcpop, vfirst */
bool vector_mask_count(struct vector_unit *u, const struct vector_row *row)
{
	const struct riscv_vector *v = u->v;
	uint64_t count = 0, first = UINT64_MAX;

	(void)row;
	if (!in_order(u))
		return false;
	for (uint64_t i = v->vl; i-- > 0;) {
		if (!vector_active(u, i) || !vector_bit(v, u->vs2, i))
			continue;
		count++;
		first = i;
	}
	u->hart->r[u->insn->rd] = u->insn->op == RISCV_OP_vcpop_m ? count : first;
	return true;
}

/* vmsbf, vmsof, vmsif: the bits before, at, up to the first one */
bool vector_mask_first(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	unsigned op = u->insn->op;
	bool seen = false;

	(void)row;
	if (!in_order(u) || u->vd == u->vs2 || (u->masked && u->vd == 0))
		return false;
	for (uint64_t i = 0; i < v->vl; i++) {
		if (!vector_active(u, i))
			continue;
		bool here = !seen && vector_bit(v, u->vs2, i);
		bool set = op == RISCV_OP_vmsof_m ? here : !seen && (op == RISCV_OP_vmsif_m || !here);
		vector_put_bit(v, u->vd, i, set);
		seen |= here;
	}
	return true;
}

bool vector_iota(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	uint64_t sum = 0;

	(void)row;
	if (!in_order(u) || !vector_aligned(u->vd, u->lmul) || (u->masked && u->vd == 0) ||
	    !vector_apart(u->vd, vector_registers(u->lmul), u->vs2, 1))
		return false;
	for (uint64_t i = 0; i < v->vl; i++) {
		if (!vector_active(u, i))
			continue;
		vector_put(v, u->vd, i, u->sew, sum);
		sum += vector_bit(v, u->vs2, i);
	}
	return true;
}

/* The element that goes to i, if one does. */
static bool slid_element(const struct vector_unit *u, uint64_t i, uint64_t by, uint64_t *value)
{
	const struct riscv_vector *v = u->v;
	uint64_t most = vector_most(v, u->sew, u->lmul);

	switch (u->insn->op) {
	case RISCV_OP_vslideup_vx:
	case RISCV_OP_vslideup_vi:
		if (i < by)
			return false;
		*value = vector_get(v, u->vs2, i - by, u->sew);
		return true;
	case RISCV_OP_vslidedown_vx:
	case RISCV_OP_vslidedown_vi:
		*value = by < most && i + by < most ? vector_get(v, u->vs2, i + by, u->sew) : 0;
		return true;
	case RISCV_OP_vslide1up_vx:
	case RISCV_OP_vfslide1up_vf:
		*value = i ? vector_get(v, u->vs2, i - 1, u->sew) : by;
		return true;
	default:
		*value = i + 1 < v->vl ? vector_get(v, u->vs2, i + 1, u->sew) : by;
		return true;
	}
}

static bool slides_up(unsigned op)
{
	return op == RISCV_OP_vslideup_vx || op == RISCV_OP_vslideup_vi || op == RISCV_OP_vslide1up_vx ||
	       op == RISCV_OP_vfslide1up_vf;
}

static bool is_float(const struct vector_unit *u)
{
	return vector_funct3(u) == 1 || vector_funct3(u) == 5;
}

bool vector_slide(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	uint64_t by = is_float(u) ? vector_float_scalar(u) : vector_scalar(u), value;

	(void)row;
	if (!vector_aligned(u->vd, u->lmul) || !vector_aligned(u->vs2, u->lmul) || (u->masked && u->vd == 0) ||
	    !vector_not_mask(u, u->vs2) || (slides_up(u->insn->op) && u->vd == u->vs2) ||
	    (is_float(u) && !vector_float_legal(u, 1, false)))
		return false;
	for (uint64_t i = v->vstart; i < v->vl; i++)
		if (vector_active(u, i) && slid_element(u, i, by, &value))
			vector_put(v, u->vd, i, u->sew, value);
	v->vstart = 0;
	return true;
}

bool vector_gather(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	unsigned registers = vector_registers(u->lmul);
	bool has_indices = vector_has_vs1(u);
	int width = u->insn->op == RISCV_OP_vrgatherei16_vv ? 1 : u->sew, index_lmul = u->lmul + width - u->sew;
	uint64_t most = vector_most(v, u->sew, u->lmul);

	(void)row;
	if (!vector_aligned(u->vd, u->lmul) || !vector_aligned(u->vs2, u->lmul) || (u->masked && u->vd == 0) ||
	    !vector_not_mask(u, u->vs2) || !vector_apart(u->vd, registers, u->vs2, registers))
		return false;
	if (has_indices && (index_lmul < -3 || !vector_not_mask(u, u->vs1) ||
			    !vector_may_share(u->vs1, index_lmul, width, u->vs2, u->lmul, u->sew) ||
			    !vector_aligned(u->vs1, index_lmul) ||
			    !vector_apart(u->vd, registers, u->vs1, vector_registers(index_lmul))))
		return false;
	for (uint64_t i = v->vstart; i < v->vl; i++) {
		if (!vector_active(u, i))
			continue;
		uint64_t index = has_indices ? vector_get(v, u->vs1, i, width) : vector_scalar(u);
		vector_put(v, u->vd, i, u->sew, index < most ? vector_get(v, u->vs2, index, u->sew) : 0);
	}
	v->vstart = 0;
	return true;
}

bool vector_compress(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	unsigned registers = vector_registers(u->lmul);
	uint64_t to = 0;

	(void)row;
	if (!in_order(u) || !vector_aligned(u->vd, u->lmul) || !vector_aligned(u->vs2, u->lmul) ||
	    !vector_apart(u->vd, registers, u->vs2, registers) || !vector_apart(u->vd, registers, u->vs1, 1) ||
	    !vector_apart(u->vs2, registers, u->vs1, 1))
		return false;
	for (uint64_t i = 0; i < v->vl; i++)
		if (vector_bit(v, u->vs1, i))
			vector_put(v, u->vd, to++, u->sew, vector_get(v, u->vs2, i, u->sew));
	return true;
}

/* Between element 0 and a scalar register. LMUL does not matter. */
bool vector_first_element(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	uint64_t *r = u->hart->r, value = vector_get(v, u->vs2, 0, u->sew);

	(void)row;
	if (is_float(u) && !vector_float_legal(u, 1, false))
		return false;
	switch (u->insn->op) {
	case RISCV_OP_vmv_x_s:
		r[u->insn->rd] = (uint64_t)vector_extend(value, u->sew);
		break;
	case RISCV_OP_vfmv_f_s:
		r[u->insn->rd] = u->sew == 1   ? fp_box16((uint16_t)value)
				 : u->sew == 2 ? fp_box32((uint32_t)value)
					       : value;
		break;
	default:
		if (v->vstart < v->vl)
			vector_put(v, u->vd, 0, u->sew, is_float(u) ? vector_float_scalar(u) : r[u->insn->rs1]);
	}
	v->vstart = 0;
	return true;
}

/* vmv<n>r.v: whole registers, whatever vl says */
bool vector_whole(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	uint64_t registers = (u->insn->raw >> 15 & 31) + 1, from = v->vstart << u->sew, size = registers * v->vlenb;

	(void)row;
	if ((u->vd | u->vs2) & (registers - 1))
		return false;
	if (from < size)
		memmove(v->bytes + u->vd * v->vlenb + from, v->bytes + u->vs2 * v->vlenb + from, size - from);
	v->vstart = 0;
	return true;
}
