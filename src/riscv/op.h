/* The operations: one enumerator per row of instructions.def. Compressed rows have numbers of their own after the
 * base rows; a decoded instruction carries the base row it expands to. */
#ifndef CULPRIT_RISCV_OP_H
#define CULPRIT_RISCV_OP_H

enum riscv_op {
#define INSN(id, ...) RISCV_OP_##id,
#include "riscv/instructions.def"
	RISCV_OP_COUNT,
	RISCV_OP_BLOCK_END = RISCV_OP_COUNT, /* follows every block and is not counted: the executor's end of block */
	RISCV_OP_PLACE,			     /* stands where riscv_code_watch says */
	RISCV_OP_ALL
};

/* The first operation of each extension's run of rows; naming it counts nothing. */
enum riscv_extension_start {
#define EXTENSION(name) RISCV_FIRST_##name, RISCV_BEFORE_##name = RISCV_FIRST_##name - 1,
#define INSN(id, ...) RISCV_COUNTED_##id,
#include "riscv/instructions.def"
};

enum riscv_compressed {
#define CINSN(id, ...) RISCV_##id,
#include "riscv/instructions.def"
	RISCV_COMPRESSED_COUNT
};

#endif
