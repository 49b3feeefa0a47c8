/* Vector loads and stores, and the setting of vl and vtype.
 *
 * An element is done after the one before it, field by field. What faults leaves its number in vstart, so that the
 * instruction goes on there. */
#include "riscv/vector_kinds.h"

#include <stdlib.h>

const struct vector_row vector_memory_rows[] = {
#define VINSN(id, mnemonic, operands, match, mask, op_class, flags, kind, ...) \
	[RISCV_OP_##id - RISCV_OP_vsetvli] = V_ROW_##kind(id, __VA_ARGS__),
#include "riscv/vector_forms.h"
#include "riscv/vector_memory.def"
#undef VINSN
};

/* A load or store as its row, vtype and vl make it. */
struct shape {
	uint64_t first, count;	/* elements: vstart, and where they end */
	int width, lmul;	/* of the data */
	int index_width;	/* INDEXED */
	unsigned fields, apart; /* registers from one field to the next */
	uint64_t stride;	/* bytes between elements */
};

static int log2_of(unsigned n)
{
	return __builtin_ctz(n);
}

static bool is_load(const struct riscv_insn *insn)
{
	return (insn->flags & RISCV_LOAD) != 0;
}

static bool index_legal(const struct vector_unit *u, const struct shape *s)
{
	int lmul = u->lmul + s->index_width - u->sew;
	unsigned registers = s->fields * s->apart;

	if (lmul < -3 || !vector_aligned(u->vs2, lmul) || !vector_not_mask(u, u->vs2))
		return false;
	if (!is_load(u->insn))
		return s->index_width == s->width || vector_apart(u->vd, registers, u->vs2, vector_registers(lmul));
	if (s->fields > 1)
		return vector_apart(u->vd, registers, u->vs2, vector_registers(lmul));
	return vector_may_overlap(u->vd, s->lmul, s->width, u->vs2, lmul, s->index_width);
}

static bool group_legal(const struct vector_unit *u, const struct shape *s)
{
	return s->lmul >= -3 && vector_aligned(u->vd, s->lmul) && s->fields * s->apart <= 8 &&
	       u->vd + s->fields * s->apart <= 32 && !(u->masked && u->vd == 0);
}

/* Whole registers and masks: none of vtype matters. */
static bool shape_plain(const struct vector_unit *u, const struct vector_row *row, struct shape *s)
{
	const struct riscv_vector *v = u->v;

	*s = (struct shape){.first = v->vstart, .width = log2_of(row->bytes), .fields = 1, .apart = row->fields};
	s->stride = row->bytes;
	s->count = row->memory == V_BITS ? (v->vl + 7) / 8 : (uint64_t)row->fields * v->vlenb / row->bytes;
	return !(u->vd & (row->fields - 1u)) && !(row->memory == V_BITS && (v->vtype & RISCV_VTYPE_ILL));
}

static bool shape_of(const struct vector_unit *u, const struct vector_row *row, struct shape *s)
{
	const struct riscv_vector *v = u->v;

	if (row->memory == V_WHOLE || row->memory == V_BITS)
		return shape_plain(u, row, s);
	if (v->vtype & RISCV_VTYPE_ILL)
		return false;
	*s = (struct shape){.first = v->vstart, .count = v->vl, .width = log2_of(row->bytes), .fields = row->fields};
	if (row->memory == V_INDEXED) {
		s->index_width = s->width;
		s->width = u->sew;
	}
	s->lmul = u->lmul + s->width - u->sew;
	s->apart = vector_registers(s->lmul);
	s->stride = row->memory == V_STRIDED ? u->hart->r[u->insn->rs2] : (uint64_t)row->fields << s->width;
	return group_legal(u, s) && (row->memory != V_INDEXED || index_legal(u, s));
}

static uint64_t address_of(const struct vector_unit *u, const struct vector_row *row, const struct shape *s, uint64_t i)
{
	uint64_t base = u->hart->r[u->insn->rs1];

	return base + (row->memory == V_INDEXED ? vector_get(u->v, u->vs2, i, s->index_width) : i * s->stride);
}

/* One field of one element. False: it faults. */
static bool transfer(struct vector_unit *u, const struct shape *s, unsigned reg, uint64_t i, uint64_t address)
{
	unsigned size = 1u << s->width;
	bool loads = is_load(u->insn);
	uint8_t *element = u->v->bytes + (size_t)reg * u->v->vlenb + (i << s->width);

	if (!address_space_allows(u->as, address, size, loads ? PAGE_READ : PAGE_WRITE)) {
		u->out->value = address;
		u->fault = loads ? RISCV_STOP_LOAD_FAULT : RISCV_STOP_STORE_FAULT;
		return false;
	}
	if (loads)
		memcpy(element, address_space_host(u->as, address), size);
	else
		memcpy(address_space_host(u->as, address), element, size);
	return true;
}

static bool element_readable(const struct vector_unit *u, const struct shape *s, uint64_t address)
{
	return address_space_allows(u->as, address, (uint64_t)s->fields << s->width, PAGE_READ);
}

/* At its first field that cannot be read. */
static bool element_faults(struct vector_unit *u, const struct shape *s, uint64_t address)
{
	while (address_space_allows(u->as, address, 1ull << s->width, PAGE_READ))
		address += 1ull << s->width;
	u->out->value = address;
	u->fault = RISCV_STOP_LOAD_FAULT;
	return true;
}

bool vector_memory(struct vector_unit *u, const struct vector_row *row)
{
	struct riscv_vector *v = u->v;
	struct shape s;

	if (!shape_of(u, row, &s))
		return false;
	u->out->mem_addr = s.first < s.count ? address_of(u, row, &s, s.first) : u->hart->r[u->insn->rs1];
	for (uint64_t i = s.first; i < s.count; i++) {
		if (!vector_active(u, i))
			continue;
		uint64_t address = address_of(u, row, &s, i);
		if (row->memory == V_FIRST && !i && !element_readable(u, &s, address))
			return element_faults(u, &s, address);
		if (row->memory == V_FIRST && i && !element_readable(u, &s, address)) {
			v->vl = i;
			break;
		}
		v->vstart = i;
		for (unsigned field = 0; field < s.fields; field++)
			if (!transfer(u, &s, u->vd + field * s.apart, i, address + ((uint64_t)field << s.width)))
				return true;
	}
	v->vstart = 0;
	return true;
}

bool vector_memory_group(const struct vector_unit *u, const struct vector_row *row, unsigned *registers,
			 int *index_lmul)
{
	struct shape s;

	if (!shape_of(u, row, &s))
		return false;
	*registers = s.fields * s.apart;
	*index_lmul = u->lmul + s.index_width - u->sew;
	return true;
}

unsigned riscv_vector_accesses(const struct riscv_hart *hart, const struct riscv_insn *insn,
			       struct riscv_vector_access accesses[RISCV_VECTOR_ACCESSES])
{
	const struct vector_row *row = vector_row_of(insn->op);
	struct vector_unit u;
	unsigned count = 0;
	struct shape s;

	vector_begin(&u, hart, insn);
	if (!shape_of(&u, row, &s) || s.first >= s.count)
		return 0;
	if (row->memory != V_STRIDED && row->memory != V_INDEXED) {
		uint64_t size = (s.count - s.first) * s.stride;
		accesses[0] = (struct riscv_vector_access){address_of(&u, row, &s, s.first), (uint32_t)size};
		return 1;
	}
	for (uint64_t i = s.first; i < s.count; i++)
		if (vector_active(&u, i) && count < RISCV_VECTOR_ACCESSES)
			accesses[count++] =
				(struct riscv_vector_access){address_of(&u, row, &s, i), s.fields << s.width};
	return count;
}

int riscv_vector_lmul(uint64_t vtype)
{
	return vtype & 4 ? (int)(vtype & 7) - 8 : (int)(vtype & 3);
}

uint64_t riscv_vector_configure(struct riscv_vector *v, uint64_t avl, uint64_t vtype)
{
	int sew = (int)(vtype >> 3 & 7), lmul = riscv_vector_lmul(vtype);
	bool ill = vtype >> 8 || sew > 3 || lmul == -4 || (lmul < 0 && sew > 3 + lmul);
	uint64_t most = ill ? 0 : vector_most(v, sew, lmul);

	v->vtype = ill ? RISCV_VTYPE_ILL : vtype;
	v->vl = avl < most ? avl : most;
	v->vstart = 0;
	return v->vl;
}

bool vector_configure(struct vector_unit *u, const struct vector_row *row)
{
	const struct riscv_insn *insn = u->insn;
	uint64_t *r = u->hart->r, avl = r[insn->rs1];
	uint64_t vtype = (uint64_t)insn->imm;

	(void)row;
	if (insn->op == RISCV_OP_vsetvl)
		vtype = r[insn->rs2];
	if (insn->op == RISCV_OP_vsetivli)
		avl = insn->raw >> 15 & 31;
	else if (!insn->rs1)
		avl = insn->rd == RISCV_NO_DEST ? u->v->vl : UINT64_MAX;
	r[insn->rd] = riscv_vector_configure(u->v, avl, vtype);
	return true;
}
