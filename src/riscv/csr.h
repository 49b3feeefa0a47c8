/* The control and status registers a user program sees: the FP state and three counters that derive from the number
 * of instructions executed. cycle = instret; time ticks at 10 MHz with one instruction per nanosecond, that is
 * instret / 100. A guest thus sees the same numbers whatever machine is simulated. */
#ifndef CULPRIT_RISCV_CSR_H
#define CULPRIT_RISCV_CSR_H

#include "riscv/riscv.h"

enum csr_number {
	CSR_FFLAGS = 0x001,
	CSR_FRM = 0x002,
	CSR_FCSR = 0x003,
	CSR_VSTART = 0x008,
	CSR_VXSAT = 0x009,
	CSR_VXRM = 0x00a,
	CSR_VCSR = 0x00f,
	CSR_CYCLE = 0xc00,
	CSR_TIME = 0xc01,
	CSR_INSTRET = 0xc02,
	CSR_VL = 0xc20,
	CSR_VTYPE = 0xc21,
	CSR_VLENB = 0xc22,
};

enum csr_action { CSR_WRITE, CSR_SET, CSR_CLEAR };

/* A CSR instruction's imm: number in the low 12 bits, the five-bit immediate of the csr*i forms above. */
#define CSR_NUMBER_OF(imm) ((unsigned)(imm)&0xfff)
#define CSR_ZIMM_OF(imm) ((uint64_t)(imm) >> 12 & 31)

/* Does a register of that number exist, and may it be written if `writes`? */
bool csr_exists(unsigned number, bool writes);
/* Is it one of the vector unit's? */
bool csr_is_vector(unsigned number);
/* The name binutils prints. */
const char *csr_name(unsigned number);

uint64_t csr_read(const struct riscv_hart *hart, unsigned number);
/* Returns the old value; the counters ignore writes (the decoder has refused them). */
uint64_t csr_access(struct riscv_hart *hart, unsigned number, enum csr_action action, uint64_t source);

#endif
