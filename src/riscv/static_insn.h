/* A RISC-V instruction as the shotgun profiler's reconstruction wants to see it. */
#ifndef CULPRIT_RISCV_STATIC_INSN_H
#define CULPRIT_RISCV_STATIC_INSN_H

#include "culprit/shotgun.h"

/* `raw`: 16 bits of a compressed instruction, else 32. False: illegal. */
bool riscv_static_insn(uint32_t raw, uint64_t pc, struct culprit_static_insn *s);

#endif
