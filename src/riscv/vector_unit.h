/* The vector unit from inside: an instruction being executed, its operands, the rules for register groups. Private to
 * vector*.c. Widths of elements are log2 of bytes; group sizes log2 of registers, negative where fractional. */
#ifndef CULPRIT_RISCV_VECTOR_UNIT_H
#define CULPRIT_RISCV_VECTOR_UNIT_H

#include "riscv/fp.h"
#include "riscv/fp_half.h"
#include "riscv/vector.h"

struct vector_row;

struct vector_unit {
	struct riscv_hart *hart;
	struct riscv_vector *v;
	const struct riscv_insn *insn;
	struct address_space *as;
	struct riscv_outcome *out;
	unsigned vd, vs1, vs2; /* the fields, whatever they name */
	bool masked;
	int sew, lmul;
	enum riscv_stop fault; /* of a load or store */
};

/* What an element's expression sees. */
struct vector_element {
	uint64_t ua, ub, ud;
	int64_t a, b;
	unsigned sew; /* bits of the result; of a comparison, of its operands */
	bool carry;
	struct vector_unit *unit;
};

typedef uint64_t vector_element_function(struct vector_element *e);

/* How a row's operands lie: widths beside SEW. */
struct vector_shape {
	int8_t dest, source;	/* what is added to SEW and LMUL, of vd and of vs2 */
	uint8_t least, most;	/* SEW that are allowed; the least of floats with Zvfh */
	bool to_mask, carried;	/* vd holds bits; v0 is an operand, not the mask */
	bool no_source, no_vs1; /* vs2, vs1 are not read */
	bool sums;		/* vd is read, too, in its own width */
	bool moves;		/* between floats of two widths: of halves, Zvfhmin has it */
};

enum vector_memory_kind { V_UNIT, V_FIRST, V_STRIDED, V_INDEXED, V_WHOLE, V_BITS };

struct vector_row {
	bool (*execute)(struct vector_unit *u, const struct vector_row *row); /* false: illegal */
	vector_element_function *element;
	struct vector_shape shape;
	uint8_t memory, fields, bytes; /* enum vector_memory_kind */
};

/* The instruction's fields, and the state that it finds. */
void vector_begin(struct vector_unit *u, const struct riscv_hart *hart, const struct riscv_insn *insn);

bool vector_elements(struct vector_unit *u, const struct vector_row *row);
bool vector_float_elements(struct vector_unit *u, const struct vector_row *row);
bool vector_reduce(struct vector_unit *u, const struct vector_row *row);
bool vector_float_reduce(struct vector_unit *u, const struct vector_row *row);
bool vector_masks(struct vector_unit *u, const struct vector_row *row);
bool vector_mask_count(struct vector_unit *u, const struct vector_row *row);
bool vector_mask_first(struct vector_unit *u, const struct vector_row *row);
bool vector_iota(struct vector_unit *u, const struct vector_row *row);
bool vector_slide(struct vector_unit *u, const struct vector_row *row);
bool vector_gather(struct vector_unit *u, const struct vector_row *row);
bool vector_compress(struct vector_unit *u, const struct vector_row *row);
bool vector_first_element(struct vector_unit *u, const struct vector_row *row);
bool vector_whole(struct vector_unit *u, const struct vector_row *row);
bool vector_configure(struct vector_unit *u, const struct vector_row *row);
bool vector_memory(struct vector_unit *u, const struct vector_row *row);

/* How many registers the data of a load or store are, and the size of the indices' group. False: it is illegal. */
bool vector_memory_group(const struct vector_unit *u, const struct vector_row *row, unsigned *registers,
			 int *index_lmul);

/* By op: vector_integer.c, vector_float.c, vector_memory.c. */
extern const struct vector_row vector_integer_rows[], vector_float_rows[], vector_memory_rows[];
const struct vector_row *vector_row_of(unsigned op);

/* The scalar operand of .vx and .vf forms, not yet cut to SEW. */
uint64_t vector_scalar(const struct vector_unit *u);
uint64_t vector_float_scalar(const struct vector_unit *u); /* unboxed */

static inline uint64_t vector_get(const struct riscv_vector *v, unsigned reg, uint64_t i, int width)
{
	const uint8_t *from = v->bytes + (size_t)reg * v->vlenb + (i << width);
	uint64_t value = 0;

	switch (width) {
	case 0:
		return *from;
	case 1:
		memcpy(&value, from, 2);
		return value;
	case 2:
		memcpy(&value, from, 4);
		return value;
	default:
		memcpy(&value, from, 8);
		return value;
	}
}

static inline void vector_put(struct riscv_vector *v, unsigned reg, uint64_t i, int width, uint64_t value)
{
	memcpy(v->bytes + (size_t)reg * v->vlenb + (i << width), &value, (size_t)1 << width);
}

static inline bool vector_bit(const struct riscv_vector *v, unsigned reg, uint64_t i)
{
	return v->bytes[(size_t)reg * v->vlenb + i / 8] >> (i % 8) & 1;
}

static inline void vector_put_bit(struct riscv_vector *v, unsigned reg, uint64_t i, bool bit)
{
	uint8_t *byte = &v->bytes[(size_t)reg * v->vlenb + i / 8];

	*byte = (uint8_t)((*byte & ~(1u << (i % 8))) | (unsigned)bit << (i % 8));
}

static inline uint64_t vector_cut(uint64_t value, int width)
{
	return value << (64 - (8 << width)) >> (64 - (8 << width));
}

static inline int64_t vector_extend(uint64_t value, int width)
{
	return (int64_t)(value << (64 - (8 << width))) >> (64 - (8 << width));
}

static inline bool vector_active(const struct vector_unit *u, uint64_t i)
{
	return !u->masked || vector_bit(u->v, 0, i);
}

/* Elements in a group of all. */
static inline uint64_t vector_most(const struct riscv_vector *v, int sew, int lmul)
{
	int shift = lmul - sew;

	return shift >= 0 ? (uint64_t)v->vlenb << shift : v->vlenb >> -shift;
}

static inline unsigned vector_registers(int lmul)
{
	return lmul > 0 ? 1u << lmul : 1;
}

/* A group begins at a multiple of its size, so it also ends below v31. */
static inline bool vector_aligned(unsigned reg, int lmul)
{
	return lmul <= 3 && !(reg & (vector_registers(lmul) - 1));
}

static inline bool vector_apart(unsigned a, unsigned a_registers, unsigned b, unsigned b_registers)
{
	return a + a_registers <= b || b + b_registers <= a;
}

/* May the destination lie over a source? Of equal widths, yes. A wider one over its last registers, a narrower one
 * (also of mask bits, width -1) over its first. */
static inline bool vector_may_overlap(unsigned vd, int lmul, int width, unsigned vs, int source_lmul, int source_width)
{
	if (width == source_width || vector_apart(vd, vector_registers(lmul), vs, vector_registers(source_lmul)))
		return true;
	if (width < source_width)
		return vd == vs;
	return source_lmul >= 0 && vs == vd + vector_registers(lmul) - vector_registers(source_lmul);
}

/* Two sources may share registers only where they see them in one width. */
static inline bool vector_may_share(unsigned a, int a_lmul, int a_width, unsigned b, int b_lmul, int b_width)
{
	return a_width == b_width || vector_apart(a, vector_registers(a_lmul), b, vector_registers(b_lmul));
}

/* Likewise of a source and of v0, where it says which elements are active. */
static inline bool vector_not_mask(const struct vector_unit *u, unsigned vs)
{
	return (u->insn->raw >> 25 & 1) || vs != 0;
}

/* May floats of this width be operated on? Those of 16 bits need Zvfh, but where a row only moves them to another
 * width. And every floating-point instruction needs a rounding mode that exists. */
static inline bool vector_float_legal(const struct vector_unit *u, int least, bool moves)
{
	return u->hart->frm <= FP_RMM && u->sew >= least + !(u->v->half || moves);
}

static inline unsigned vector_funct3(const struct vector_unit *u)
{
	return u->insn->raw >> 12 & 7;
}

static inline bool vector_has_vs1(const struct vector_unit *u)
{
	return vector_funct3(u) <= 2;
}

#endif
