/* See coverage.h. */
#include "random/coverage.h"

#include "random/program.h"
#include "riscv/isa.h"

#include <stdio.h>
#include <string.h>

static const char *const base_names[] = {
#define INSN(id, ...) #id,
#include "riscv/instructions.def"
};

static const struct {
	const char *name;
	uint16_t match, mask;
} compressed_rows[] = {
#define CINSN(id, mnemonic, operands, match, mask, ...) {#id, match, mask},
#include "riscv/instructions.def"
};

/* These end a sequence; those that the other emulator has not, or not right, before version 8; and marks, which are
 * illegal instructions there. */
static const char *const unreachable[] = {"ecall",     "ebreak",    "illegal",	     "c_ebreak",   "ctzw",
					  "czero_eqz", "czero_nez", "m5_work_begin", "m5_work_end"};

void coverage_note(struct coverage *coverage, const struct riscv_insn *insn)
{
	unsigned row = 0;

	if (insn->op < RISCV_OP_COUNT)
		coverage->base[insn->op]++;
	if (insn->length != 2)
		return;
	while (row < RISCV_COMPRESSED_COUNT && (insn->raw & compressed_rows[row].mask) != compressed_rows[row].match)
		row++;
	if (row < RISCV_COMPRESSED_COUNT)
		coverage->compressed[row]++;
}

static bool covered(const char *name, uint64_t count)
{
	for (size_t i = 0; i < sizeof unreachable / sizeof *unreachable; i++)
		if (!strcmp(name, unreachable[i]))
			return true;
	if (!count)
		printf("never executed: %s\n", name);
	return count != 0;
}

uint32_t coverage_extensions(uint64_t beyond)
{
	return (beyond & RANDOM_BITS ? RISCV_EXT_B | RISCV_EXT_ZBC | RISCV_EXT_ZICOND : 0) |
	       (beyond & RANDOM_HALF ? RISCV_EXT_ZFHMIN | RISCV_EXT_ZFH | RISCV_EXT_ZFA : 0) |
	       (beyond & RANDOM_SWAPS ? RISCV_EXT_ZACAS : 0);
}

bool coverage_complete(const struct coverage *coverage, uint64_t beyond)
{
	bool complete = true;

	for (unsigned i = 0; i < RISCV_OP_COUNT; i++)
		if (!(riscv_op_extension(i) & ~coverage_extensions(beyond)))
			complete &= covered(base_names[i], coverage->base[i]);
	for (unsigned i = 0; i < RISCV_COMPRESSED_COUNT; i++)
		if (i < RISCV_c_lbu || i > RISCV_c_mop) /* Zcb, Zcmop */
			complete &= covered(compressed_rows[i].name, coverage->compressed[i]);
	return complete;
}
