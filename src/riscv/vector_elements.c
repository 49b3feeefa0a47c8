/* The loops over elements that most rows share, and the rules for their operands. */
#include "riscv/vector_unit.h"

uint64_t vector_scalar(const struct vector_unit *u)
{
	if (vector_funct3(u) == 3)
		return (uint64_t)(int64_t)u->insn->imm;
	return u->hart->r[u->insn->rs1];
}

/* A float in a wider register counts as a NaN where it is not boxed. */
uint64_t vector_float_scalar(const struct vector_unit *u)
{
	uint64_t value = u->hart->r[u->insn->rs1];

	if (u->sew == 1)
		return fp_unbox16(value);
	return u->sew == 2 ? fp_unbox32(value) : value;
}

static bool operands_legal(const struct vector_unit *u, const struct vector_shape *s)
{
	int dest_lmul = s->to_mask ? 0 : u->lmul + s->dest, dest_width = s->to_mask ? -1 : u->sew + s->dest;
	int source_lmul = u->lmul + s->source, source_width = u->sew + s->source;

	if (u->sew < s->least || u->sew > s->most || (!s->to_mask && !vector_aligned(u->vd, dest_lmul)))
		return false;
	if (u->vd == 0 && !s->to_mask && (u->masked || s->carried))
		return false;
	if (s->sums &&
	    (!vector_may_share(u->vd, dest_lmul, dest_width, u->vs2, source_lmul, source_width) ||
	     (vector_has_vs1(u) && !vector_may_share(u->vd, dest_lmul, dest_width, u->vs1, u->lmul, u->sew))))
		return false;
	if (!s->no_source && !s->no_vs1 && vector_has_vs1(u) &&
	    !vector_may_share(u->vs1, u->lmul, u->sew, u->vs2, source_lmul, source_width))
		return false;
	if (!s->no_source && (!vector_not_mask(u, u->vs2) || source_width < 0 || source_width > 3 || source_lmul < -3 ||
			      !vector_aligned(u->vs2, source_lmul) ||
			      !vector_may_overlap(u->vd, dest_lmul, dest_width, u->vs2, source_lmul, source_width)))
		return false;
	return s->no_vs1 || !vector_has_vs1(u) ||
	       (vector_not_mask(u, u->vs1) && vector_aligned(u->vs1, u->lmul) &&
		vector_may_overlap(u->vd, dest_lmul, dest_width, u->vs1, u->lmul, u->sew));
}

static void fill_scalar(struct vector_element *e, const struct vector_unit *u)
{
	uint64_t value = vector_funct3(u) == 5 ? vector_float_scalar(u) : vector_scalar(u);

	e->ub = vector_cut(value, u->sew);
	e->b = vector_extend(value, u->sew);
}

static void fill_element(struct vector_element *e, const struct vector_unit *u, const struct vector_shape *s,
			 uint64_t i)
{
	const struct riscv_vector *v = u->v;

	e->ua = i;
	if (!s->no_source) {
		e->ua = vector_get(v, u->vs2, i, u->sew + s->source);
		e->a = vector_extend(e->ua, u->sew + s->source);
	}
	if (!s->no_vs1 && vector_has_vs1(u)) {
		e->ub = vector_get(v, u->vs1, i, u->sew);
		e->b = vector_extend(e->ub, u->sew);
	}
	if (!s->to_mask)
		e->ud = vector_get(v, u->vd, i, u->sew + s->dest);
	e->carry = vector_bit(v, 0, i);
}

bool vector_elements(struct vector_unit *u, const struct vector_row *row)
{
	const struct vector_shape *s = &row->shape;
	struct riscv_vector *v = u->v;
	bool masked = u->masked && !s->carried;
	struct vector_element e = {.unit = u, .sew = 8u << (u->sew + s->dest)};

	u->masked = masked;
	if (!operands_legal(u, s))
		return false;
	if (!s->no_vs1 && !vector_has_vs1(u))
		fill_scalar(&e, u);
	for (uint64_t i = v->vstart; i < v->vl; i++) {
		if (!vector_active(u, i))
			continue;
		fill_element(&e, u, s, i);
		uint64_t result = row->element(&e);
		if (s->to_mask)
			vector_put_bit(v, u->vd, i, result);
		else
			vector_put(v, u->vd, i, u->sew + s->dest, result);
	}
	v->vstart = 0;
	return true;
}

/* The destination's and the first operand's width is more than SEW by row->shape.dest. */
bool vector_reduce(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	int width = u->sew + row->shape.dest;
	struct vector_element e = {.unit = u, .sew = 8u << width};

	if (v->vstart || width > 3 || u->sew < row->shape.least || !vector_aligned(u->vs2, u->lmul) ||
	    !vector_not_mask(u, u->vs2) || !vector_not_mask(u, u->vs1) ||
	    !vector_may_share(u->vs1, 0, width, u->vs2, u->lmul, u->sew))
		return false;
	if (!v->vl)
		return true;
	e.ua = vector_get(v, u->vs1, 0, width);
	for (uint64_t i = 0; i < v->vl; i++) {
		if (!vector_active(u, i))
			continue;
		e.a = vector_extend(e.ua, width);
		e.ub = vector_get(v, u->vs2, i, u->sew);
		e.b = vector_extend(e.ub, u->sew);
		e.ua = vector_cut(row->element(&e), width);
	}
	vector_put(v, u->vd, 0, width, e.ua);
	return true;
}

bool vector_masks(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	struct vector_element e = {.unit = u};

	for (uint64_t i = v->vstart; i < v->vl; i++) {
		e.ua = vector_bit(v, u->vs2, i);
		e.ub = vector_bit(v, u->vs1, i);
		vector_put_bit(v, u->vd, i, row->element(&e));
	}
	v->vstart = 0;
	return true;
}

bool vector_float_elements(struct vector_unit *u, const struct vector_row *row)
{
	return vector_float_legal(u, row->shape.least, row->shape.moves) && vector_elements(u, row);
}

bool vector_float_reduce(struct vector_unit *u, const struct vector_row *row)
{
	return vector_float_legal(u, row->shape.least, false) && vector_reduce(u, row);
}
