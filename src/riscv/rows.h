/* The rows of instructions.def as data, for the decoder, the disassembler and the tests. */
#ifndef CULPRIT_RISCV_ROWS_H
#define CULPRIT_RISCV_ROWS_H

#include "riscv/riscv.h"

struct riscv_row {
	const char *mnemonic;
	const char *operands;
	uint32_t match, mask;
	uint8_t op_class, flags, mem_size;
};

struct riscv_compressed_row {
	const char *mnemonic;
	const char *operands;
	uint16_t match, mask;
	uint16_t base; /* enum riscv_op */
};

extern const struct riscv_row riscv_rows[RISCV_OP_COUNT];
extern const struct riscv_compressed_row riscv_compressed_rows[RISCV_COMPRESSED_COUNT];

/* The row of an encoding by its match and mask alone; RISCV_OP_illegal or RISCV_COMPRESSED_COUNT when none. */
unsigned riscv_find_row(uint32_t raw);
unsigned riscv_find_compressed_row(uint32_t raw);

static inline unsigned riscv_length(uint32_t raw)
{
	return (raw & 3) == 3 ? 4 : 2;
}

/* Fill the fields that an operand letter stands for (operands.c). False: a reserved value. */
bool riscv_extract_operands(const char *operands, struct riscv_insn *insn);

#endif
