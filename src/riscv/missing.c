/* Which part of the architecture an encoding belongs to that the decoder does not know. */
#include "riscv/rows.h"

#include <stdio.h>

/* The manual's map of bits 6 to 2. */
static const char *const opcodes[32] = {
	"LOAD",	  "LOAD-FP",  "custom-0", "MISC-MEM", "OP-IMM", "AUIPC", "OP-IMM-32", "48-bit",
	"STORE",  "STORE-FP", "custom-1", "AMO",      "OP",	"LUI",	 "OP-32",     "64-bit",
	"MADD",	  "MSUB",     "NMSUB",	  "NMADD",    "OP-FP",	"OP-V",	 "custom-2",  "48-bit",
	"BRANCH", "JALR",     "reserved", "JAL",      "SYSTEM", "OP-VE", "custom-3",  "80-bit",
};

static const struct {
	uint32_t match, mask;
	const char *what;
} rows[] = {
#define MISSING(match, mask, what) {match, mask, what},
#include "riscv/missing.def"
};

static const char *find(uint32_t raw)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if ((raw & rows[i].mask) == rows[i].match)
			return rows[i].what;
	return "a reserved encoding";
}

int riscv_missing(uint32_t raw, char *text, size_t size)
{
	if (riscv_length(raw) == 2)
		return snprintf(text, size, "compressed, quadrant %u: %s", raw & 3, find(raw & 0xffff));
	return snprintf(text, size, "opcode %s: %s", opcodes[raw >> 2 & 31], find(raw));
}
