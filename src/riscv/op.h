/* The operations: one enumerator per row of instructions.def. Compressed rows have numbers of their own after the
 * base rows; a decoded instruction carries the base row it expands to. */
#ifndef CULPRIT_RISCV_OP_H
#define CULPRIT_RISCV_OP_H

enum riscv_op {
#define INSN(id, ...) RISCV_OP_##id,
#include "riscv/instructions.def"
	RISCV_OP_COUNT
};

enum riscv_compressed {
#define CINSN(id, ...) RISCV_##id,
#include "riscv/instructions.def"
	RISCV_COMPRESSED_COUNT
};

#endif
