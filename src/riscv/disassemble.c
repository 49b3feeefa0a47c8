/* Disassembler: prints the decoded fields in the order of the row's operand letters (operands.c), in the words of
 * `objdump -d -M no-aliases`: mnemonic, tab, operands between commas, ABI register names, targets as hexadecimal
 * addresses. What binutils leaves as data (`.4byte`, `.2byte`) is printed so too. */
#include "riscv/rows.h"

#include "riscv/csr.h"
#include "riscv/fp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPERAND_BYTES 64

static const char *const register_names[64] = {
	"zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",   "t2",   "s0",  "s1",	 "a0",	 "a1",	 "a2",
	"a3",	"a4",  "a5",  "a6",  "a7",  "s2",  "s3",   "s4",   "s5",  "s6",	 "s7",	 "s8",	 "s9",
	"s10",	"s11", "t3",  "t4",  "t5",  "t6",  "ft0",  "ft1",  "ft2", "ft3", "ft4",	 "ft5",	 "ft6",
	"ft7",	"fs0", "fs1", "fa0", "fa1", "fa2", "fa3",  "fa4",  "fa5", "fa6", "fa7",	 "fs2",	 "fs3",
	"fs4",	"fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

static const char *register_name(unsigned reg)
{
	return register_names[reg == RISCV_NO_DEST ? 0 : reg];
}

static const char *rounding_name(unsigned rm)
{
	static const char *const names[8] = {"rne", "rtz", "rdn", "rup", "rmm", "unknown", "unknown", "dyn"};

	return names[rm];
}

static const char *fence_set(unsigned set)
{
	static const char *const names[16] = {"unknown", "w",  "r",  "rw",  "o",  "ow",	 "or",	"orw",
					      "i",	 "iw", "ir", "irw", "io", "iow", "ior", "iorw"};
	return names[set & 15];
}

static const char *ordering_suffix(uint32_t raw)
{
	static const char *const names[4] = {"", ".rl", ".aq", ".aqrl"};

	return names[raw >> 25 & 3];
}

static void print_immediate(char letter, const struct riscv_insn *insn, uint64_t pc, char *text)
{
	switch (letter) {
	case '>':
	case '<':
	case 'N':
		snprintf(text, OPERAND_BYTES, "0x%x", (unsigned)insn->imm);
		break;
	case 'u':
	case 'U':
		snprintf(text, OPERAND_BYTES, "0x%x", (uint32_t)insn->imm >> 12);
		break;
	case 'b':
	case 'J':
	case '2':
	case '3':
		snprintf(text, OPERAND_BYTES, "0x%" PRIx64, pc + (uint64_t)(int64_t)insn->imm);
		break;
	case 'o':
	case 'q':
	case 'V' ... 'Z':
	case '0':
	case '5':
	case '6':
		snprintf(text, OPERAND_BYTES, "%d(%s)", insn->imm, register_name(insn->rs1));
		break;
	default: /* i M O 1 */
		snprintf(text, OPERAND_BYTES, "%d", insn->imm);
	}
}

/* Of fli. */
static void print_constant(unsigned number, char *text)
{
	static const char *const names[32] = {[1] = "min", [30] = "inf", [31] = "nan"};

	if (names[number])
		snprintf(text, OPERAND_BYTES, "%s", names[number]);
	else
		snprintf(text, OPERAND_BYTES, "%a", fp64_host(fp64_constant(number)));
}

/* A reserved one as a number. */
static void print_vtype(unsigned vtype, char *text)
{
	static const char *const groups[8] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};

	if (vtype >> 8 || (vtype >> 3 & 7) > 3 || !groups[vtype & 7])
		snprintf(text, OPERAND_BYTES, "%u", vtype);
	else
		snprintf(text, OPERAND_BYTES, "e%u,%s,%s,%s", 8u << (vtype >> 3 & 7), groups[vtype & 7],
			 vtype & 0x40 ? "ta" : "tu", vtype & 0x80 ? "ma" : "mu");
}

/* Leaves text empty for what is not printed. */
static void print_operand(char letter, const struct riscv_insn *insn, uint64_t pc, char *text)
{
	const char *name = NULL;

	*text = '\0';
	switch (letter) {
	case 'd':
	case 'D':
	case 'A':
	case 'B':
	case 'G':
	case 'H':
	case 'Q':
		name = register_name(insn->rd);
		break;
	case 's':
	case 'S':
	case 'I':
	case 'K':
	case 'P':
		name = register_name(insn->rs1);
		break;
	case 't':
	case 'T':
	case 'C':
	case 'E':
	case 'F':
	case 'L':
		name = register_name(insn->rs2);
		break;
	case 'R':
		name = register_name(insn->rs3);
		break;
	case 'c':
		name = csr_name(CSR_NUMBER_OF(insn->imm));
		break;
	case 'm':
		name = insn->rm == 7 ? "" : rounding_name(insn->rm);
		break;
	case '4':
	case '8':
	case '9':
	case '@':
	case '=':
	case '%':
		return;
	case 'a':
		snprintf(text, OPERAND_BYTES, "(%s)", register_name(insn->rs1));
		return;
	case 'z':
		snprintf(text, OPERAND_BYTES, "%u", (unsigned)CSR_ZIMM_OF(insn->imm));
		return;
	case 'f':
		snprintf(text, OPERAND_BYTES, "%s,%s", fence_set(insn->raw >> 24), fence_set(insn->raw >> 20));
		return;
	case 'w':
	case 'v':
	case 'p':
		snprintf(text, OPERAND_BYTES, "v%u", insn->raw >> (letter == 'w' ? 7 : letter == 'v' ? 20 : 15) & 31);
		return;
	case 'n':
		name = insn->raw >> 25 & 1 ? "" : "v0.t";
		break;
	case 'h':
		name = "v0";
		break;
	case 'g':
		snprintf(text, OPERAND_BYTES, "%u", insn->raw >> 15 & 31);
		return;
	case 'x':
		print_constant(insn->raw >> 15 & 31, text);
		return;
	case 'y':
	case 'e':
		print_vtype((unsigned)insn->imm, text);
		return;
	default:
		print_immediate(letter, insn, pc, text);
		return;
	}
	snprintf(text, OPERAND_BYTES, "%s", name);
}

static void print_operands(const char *operands, const struct riscv_insn *insn, uint64_t pc, char *line, size_t size)
{
	char operand[OPERAND_BYTES];
	size_t used = strlen(line);
	char separator = '\t';

	for (; *operands; operands++) {
		print_operand(*operands, insn, pc, operand);
		if (!*operand)
			continue;
		used += (size_t)snprintf(line + used, size - used, "%c%s", separator, operand);
		separator = ',';
	}
}

int riscv_disassemble(uint32_t raw, uint64_t pc, char *text, size_t size)
{
	char line[4 * OPERAND_BYTES];
	struct riscv_insn insn;
	bool legal = riscv_decode(raw, pc, &insn);
	const char *mnemonic = NULL, *operands = "";

	if (legal && insn.length == 2) {
		const struct riscv_compressed_row *row = &riscv_compressed_rows[riscv_find_compressed_row(raw)];
		mnemonic = row->mnemonic;
		operands = row->operands;
	} else if (legal) {
		mnemonic = riscv_rows[insn.op].mnemonic;
		operands = riscv_rows[insn.op].operands;
	}
	if (!mnemonic)
		return snprintf(text, size, insn.length == 2 ? ".2byte\t0x%x" : ".4byte\t0x%x", insn.raw);
	snprintf(line, sizeof line, "%s%s", mnemonic, *operands == '@' ? ordering_suffix(raw) : "");
	print_operands(operands, &insn, pc, line, sizeof line);
	return snprintf(text, size, "%s", line);
}
