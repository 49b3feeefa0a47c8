/* The vector unit's architectural state (V 1.0, ELEN 64), and what executes its instructions.
 *
 * Registers lie one behind the other, so that a group is one run of bytes. Only a hart whose program may use vectors
 * has the state (riscv_hart.vector); whoever copies a hart copies it by riscv_vector_copy. Elements of a tail, or
 * masked off, keep their values: the agnostic policies allow it. */
#ifndef CULPRIT_RISCV_VECTOR_H
#define CULPRIT_RISCV_VECTOR_H

#include "riscv/riscv.h"

#include <string.h>

#define RISCV_VLEN_LEAST 128
#define RISCV_VLEN_MOST 1024
#define RISCV_VTYPE_ILL (1ull << 63)

struct riscv_vector {
	uint64_t vl, vtype, vstart;
	uint32_t vlenb; /* bytes of a register */
	uint8_t vxrm, vxsat;
	bool half; /* Zvfh: arithmetic on floats of 16 bits; else conversions between floats only (Zvfhmin) */
	_Alignas(8) uint8_t bytes[]; /* 32 registers */
};

/* vlen: a power of two between least and most. Without Zvfh. NULL: the host has no memory. free() ends it. */
struct riscv_vector *riscv_vector_create(unsigned vlen);

static inline size_t riscv_vector_size(const struct riscv_vector *v)
{
	return sizeof *v + (size_t)32 * v->vlenb;
}

static inline void riscv_vector_copy(struct riscv_vector *to, const struct riscv_vector *from)
{
	memcpy(to, from, riscv_vector_size(from));
}

/* As a program finds it at its start. */
static inline void riscv_vector_reset(struct riscv_vector *v)
{
	uint32_t vlenb = v->vlenb;
	bool half = v->half;
	memset(v, 0, riscv_vector_size(v));
	v->vlenb = vlenb;
	v->half = half;
	v->vtype = RISCV_VTYPE_ILL;
}

/* Execute a vector instruction: as riscv_step, but pc and instret are the caller's. A fault at an element other than
 * the first leaves what was done before it, and vstart says where to go on. */
enum riscv_stop riscv_vector_execute(struct riscv_hart *hart, const struct riscv_insn *insn, struct address_space *as,
				     struct riscv_outcome *out);

static inline bool riscv_op_is_vector(unsigned op)
{
	return op >= RISCV_OP_vsetvli && op <= RISCV_OP_vfmv_s_f;
}

/* One access of a vector load or store, as the state before it says: a run of bytes that lie side by side in memory,
 * or an element. */
struct riscv_vector_access {
	uint64_t address;
	uint32_t size;
};

/* At most 8 fields of 8 KiB / 8 elements each (VLEN 1024, LMUL 8, SEW 8). */
enum { RISCV_VECTOR_ACCESSES = 1024 };

/* The accesses that the instruction will make, in order; unit-stride ones are one run. Returns how many. */
unsigned riscv_vector_accesses(const struct riscv_hart *hart, const struct riscv_insn *insn,
			       struct riscv_vector_access accesses[RISCV_VECTOR_ACCESSES]);

/* What an instruction reads and writes, and how much it has to do, as the state before it says. An old destination
 * is read where a tail or elements masked off are to be undisturbed. */
struct riscv_vector_operands {
	uint32_t reads, writes;	  /* a bit for each vector register */
	bool reads_vl, writes_vl; /* vl and vtype */
	uint32_t bytes;		  /* of its widest operand: registers, or parts of one */
	bool whole;		  /* its first result needs its last element: reductions, permutations, counts */
	uint32_t serial;	  /* elements that it does strictly one after the other; else 0 */
};

void riscv_vector_operands(const struct riscv_hart *hart, const struct riscv_insn *insn,
			   struct riscv_vector_operands *operands);

/* log2 of the register group's registers (-3 to 3), as vtype says. */
int riscv_vector_lmul(uint64_t vtype);
/* Set vl and vtype as vsetvl does; `keep`: vl stays as far as it fits. */
uint64_t riscv_vector_configure(struct riscv_vector *v, uint64_t avl, uint64_t vtype);

#endif
