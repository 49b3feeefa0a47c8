/* Which rows of the instruction table a run has executed: a comparison says nothing about a row it never reached. */
#ifndef CULPRIT_TESTS_RANDOM_COVERAGE_H
#define CULPRIT_TESTS_RANDOM_COVERAGE_H

#include "riscv/op.h"
#include "riscv/riscv.h"

/* The extensions that a program with these bits of the seed (program.h) may use. */
uint32_t coverage_extensions(uint64_t beyond);

struct coverage {
	uint64_t base[RISCV_OP_COUNT];
	uint64_t compressed[RISCV_COMPRESSED_COUNT];
};

void coverage_note(struct coverage *coverage, const struct riscv_insn *insn);
/* Print the rows that were never executed though sequences can hold them; true when there are none. */
bool coverage_complete(const struct coverage *coverage, uint64_t beyond);

#endif
