/* What a hart may execute beyond RV64GC: a set of extensions, and names for such sets. */
#ifndef CULPRIT_RISCV_ISA_H
#define CULPRIT_RISCV_ISA_H

#include <stdbool.h>
#include <stdint.h>

enum riscv_extension {
#define ISA_EXTENSION(name, bit, linux_name) RISCV_EXT_##name = 1u << (bit),
#include "riscv/isa.def"
};

struct riscv_isa {
	uint32_t extensions; /* enum riscv_extension */
	uint32_t vlen;	     /* bits of a vector register, where there are vectors */
};

/* The set of that name ("rv64gc", "rva23u64"); vlen as it is with V. False: there is none. */
bool riscv_isa_named(const char *name, struct riscv_isa *isa);
/* The n-th name, as in machine_enums.def; NULL: there are no more. */
const char *riscv_isa_name(unsigned index);
/* All names, for a message: "rv64gc, ..." */
const char *riscv_isa_names(void);
/* As Linux lists it in /proc/cpuinfo. */
void riscv_isa_string(const struct riscv_isa *isa, char *text, unsigned size);
/* As riscv_hwprobe says it (IMA_EXT_0), without the letters of RV64GC. */
uint64_t riscv_isa_hwprobe(const struct riscv_isa *isa);
/* The extensions that the operation needs, all of them; 0: RV64GC. */
uint32_t riscv_op_extension(unsigned op);
/* Of a decoded instruction: its compressed form and its CSR count, too. */
struct riscv_insn;
uint32_t riscv_insn_extension(const struct riscv_insn *insn);

#endif
