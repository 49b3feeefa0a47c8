/* Operand letters of instructions.def: which bits of the encoding they name. disassemble.c prints them.
 *
 *   d s t    rd, rs1, rs2 in the integer file     D S T R  rd, rs1, rs2, rs3 in the FP file
 *   i        I immediate                          o        I immediate offset from rs1, "imm(rs1)"
 *   q        S immediate offset from rs1          a        no offset, "(rs1)"
 *   u        U immediate                          > <      shift amount of 6, of 5 bits
 *   b J      branch, jump target                  m        rounding mode
 *   c z      CSR number, five-bit immediate       f        fence sets
 *   w v p n h r k l y e g   vectors: see vector_forms.h
 *   x        the number of a constant (fli)
 *   @        aq and rl (part of the mnemonic)
 *   =        rd as a source, too: in rs3        %        rd and rs2 name pairs: even
 *
 * Compressed forms: A rd=rs1; B rd'=rs1'; C rs2; E rs2'; F FP rs2'; G rd'; H FP rd'; I rs1; K rs1'; L FP rs2; P rs1=sp;
 * Q rd=rs1=sp; M immediate; N shift amount; O addi4spn's, 1 addi16sp's immediate; U lui's; V W word, doubleword offset
 * from rs1'; X Y Z 0 offset from sp of lwsp, ldsp, swsp, sdsp; 2 3 jump, branch target; 4 rd=ra, not printed;
 * 5 6 byte, halfword offset from rs1' (Zcb); 8 9 the immediates 255 and -1, not printed. */
#include "riscv/rows.h"

#include "riscv/csr.h"

#define FP 32
#define SP 2
#define RA 1
#define PRIME 8 /* three-bit register fields name x8..x15 and f8..f15 */
#define DYNAMIC 7

static uint32_t bits(uint32_t raw, unsigned high, unsigned low)
{
	return raw >> low & ((2u << (high - low)) - 1);
}

static int32_t sign_extend(uint32_t value, unsigned width)
{
	return (int32_t)(value << (32 - width)) >> (32 - width);
}

static int32_t store_offset(uint32_t raw)
{
	return (int32_t)((uint32_t)sign_extend(bits(raw, 31, 25), 7) << 5 | bits(raw, 11, 7));
}

static int32_t branch_offset(uint32_t raw)
{
	return sign_extend(
		bits(raw, 31, 31) << 12 | bits(raw, 7, 7) << 11 | bits(raw, 30, 25) << 5 | bits(raw, 11, 8) << 1, 13);
}

static int32_t jump_offset(uint32_t raw)
{
	return sign_extend(bits(raw, 31, 31) << 20 | bits(raw, 19, 12) << 12 | bits(raw, 20, 20) << 11 |
				   bits(raw, 30, 21) << 1,
			   21);
}

static int32_t compressed_jump_offset(uint32_t raw)
{
	return sign_extend(bits(raw, 12, 12) << 11 | bits(raw, 8, 8) << 10 | bits(raw, 10, 9) << 8 |
				   bits(raw, 6, 6) << 7 | bits(raw, 7, 7) << 6 | bits(raw, 2, 2) << 5 |
				   bits(raw, 11, 11) << 4 | bits(raw, 5, 3) << 1,
			   12);
}

static int32_t compressed_branch_offset(uint32_t raw)
{
	return sign_extend(bits(raw, 12, 12) << 8 | bits(raw, 6, 5) << 6 | bits(raw, 2, 2) << 5 |
				   bits(raw, 11, 10) << 3 | bits(raw, 4, 3) << 1,
			   9);
}

static int32_t compressed_immediate(uint32_t raw)
{
	return sign_extend(bits(raw, 12, 12) << 5 | bits(raw, 6, 2), 6);
}

static int32_t addi16sp_immediate(uint32_t raw)
{
	return sign_extend(bits(raw, 12, 12) << 9 | bits(raw, 4, 3) << 7 | bits(raw, 5, 5) << 6 | bits(raw, 2, 2) << 5 |
				   bits(raw, 6, 6) << 4,
			   10);
}

static int32_t addi4spn_immediate(uint32_t raw)
{
	return (int32_t)(bits(raw, 10, 7) << 6 | bits(raw, 12, 11) << 4 | bits(raw, 5, 5) << 3 | bits(raw, 6, 6) << 2);
}

/* Integer destination: x0 swallows what is written to it. */
static uint8_t destination(uint32_t field)
{
	return field ? (uint8_t)field : RISCV_NO_DEST;
}

static bool extract_rounding(struct riscv_insn *insn)
{
	insn->rm = (uint8_t)bits(insn->raw, 14, 12);
	return insn->rm <= 4 || insn->rm == DYNAMIC;
}

/* The immediate forms keep their operand above the CSR number, so that rs1 names registers only. */
static bool extract_csr(struct riscv_insn *insn)
{
	bool writes = insn->op == RISCV_OP_csrrw || insn->op == RISCV_OP_csrrwi || bits(insn->raw, 19, 15) != 0;
	unsigned number = bits(insn->raw, 31, 20);

	insn->imm = (int32_t)number;
	if (!csr_exists(number, writes))
		return false;
	if (writes ? number != CSR_FFLAGS : number != CSR_FRM)
		insn->flags |= RISCV_SERIALISING;
	if (number == CSR_FFLAGS && insn->rd != RISCV_NO_DEST)
		insn->flags |= RISCV_SERIALISING; /* reads what older FP instructions raise */
	return true;
}

static bool extract_base(char letter, struct riscv_insn *insn)
{
	uint32_t raw = insn->raw;

	switch (letter) {
	case 'd':
		insn->rd = destination(bits(raw, 11, 7));
		return true;
	case 'D':
		insn->rd = (uint8_t)(FP + bits(raw, 11, 7));
		return true;
	case 's':
	case 'a':
		insn->rs1 = (uint8_t)bits(raw, 19, 15);
		return true;
	case 'S':
		insn->rs1 = (uint8_t)(FP + bits(raw, 19, 15));
		return true;
	case 't':
		insn->rs2 = (uint8_t)bits(raw, 24, 20);
		return true;
	case 'T':
		insn->rs2 = (uint8_t)(FP + bits(raw, 24, 20));
		return true;
	case 'R':
		insn->rs3 = (uint8_t)(FP + bits(raw, 31, 27));
		return true;
	case 'i':
		insn->imm = (int32_t)raw >> 20;
		return true;
	case 'o':
		insn->rs1 = (uint8_t)bits(raw, 19, 15);
		insn->imm = (int32_t)raw >> 20;
		return true;
	case 'q':
		insn->rs1 = (uint8_t)bits(raw, 19, 15);
		insn->imm = store_offset(raw);
		return true;
	case 'u':
		insn->imm = (int32_t)(raw & 0xfffff000);
		return true;
	case '>':
		insn->imm = (int32_t)bits(raw, 25, 20);
		return true;
	case '<':
		insn->imm = (int32_t)bits(raw, 24, 20);
		return true;
	case 'b':
		insn->imm = branch_offset(raw);
		return true;
	case 'J':
		insn->imm = jump_offset(raw);
		return true;
	case 'm':
		return extract_rounding(insn);
	case '=':
		insn->rs3 = (uint8_t)bits(raw, 11, 7);
		return true;
	case '%':
		return !((bits(raw, 11, 7) | bits(raw, 24, 20)) & 1);
	case 'c':
		return extract_csr(insn);
	case 'z':
		insn->imm |= (int32_t)(bits(raw, 19, 15) << 12);
		return true;
	case 'r':
		insn->imm = sign_extend(bits(raw, 19, 15), 5);
		return true;
	case 'k':
		insn->imm = (int32_t)bits(raw, 19, 15);
		return true;
	case 'l':
		insn->imm = (int32_t)(bits(raw, 26, 26) << 5 | bits(raw, 19, 15));
		return true;
	case 'y':
		insn->imm = (int32_t)bits(raw, 30, 20);
		return true;
	case 'e':
		insn->imm = (int32_t)bits(raw, 29, 20);
		return true;
	default:
		return false;
	}
}

static bool extract_compressed_immediate(char letter, struct riscv_insn *insn)
{
	uint32_t raw = insn->raw;

	switch (letter) {
	case 'M':
		insn->imm = compressed_immediate(raw);
		return true;
	case 'N':
		insn->imm = compressed_immediate(raw) & 63;
		return true;
	case 'O':
		insn->imm = addi4spn_immediate(raw);
		return true;
	case '1':
		insn->imm = addi16sp_immediate(raw);
		return true;
	case 'U':
		insn->imm = (int32_t)((uint32_t)compressed_immediate(raw) << 12);
		return true;
	case '2':
		insn->imm = compressed_jump_offset(raw);
		return true;
	case '8':
		insn->imm = 255;
		return true;
	case '9':
		insn->imm = -1;
		return true;
	case '3':
		insn->imm = compressed_branch_offset(raw);
		return true;
	default:
		return false;
	}
}

static bool extract_compressed_offset(char letter, struct riscv_insn *insn)
{
	uint32_t raw = insn->raw, prime = PRIME + bits(raw, 9, 7);

	insn->rs1 = SP;
	switch (letter) {
	case '5':
		insn->rs1 = (uint8_t)prime;
		insn->imm = (int32_t)(bits(raw, 5, 5) << 1 | bits(raw, 6, 6));
		return true;
	case '6':
		insn->rs1 = (uint8_t)prime;
		insn->imm = (int32_t)(bits(raw, 5, 5) << 1);
		return true;
	case 'V':
		insn->rs1 = (uint8_t)prime;
		insn->imm = (int32_t)(bits(raw, 5, 5) << 6 | bits(raw, 12, 10) << 3 | bits(raw, 6, 6) << 2);
		return true;
	case 'W':
		insn->rs1 = (uint8_t)prime;
		insn->imm = (int32_t)(bits(raw, 6, 5) << 6 | bits(raw, 12, 10) << 3);
		return true;
	case 'X':
		insn->imm = (int32_t)(bits(raw, 3, 2) << 6 | bits(raw, 12, 12) << 5 | bits(raw, 6, 4) << 2);
		return true;
	case 'Y':
		insn->imm = (int32_t)(bits(raw, 4, 2) << 6 | bits(raw, 12, 12) << 5 | bits(raw, 6, 5) << 3);
		return true;
	case 'Z':
		insn->imm = (int32_t)(bits(raw, 8, 7) << 6 | bits(raw, 12, 9) << 2);
		return true;
	default: /* '0' */
		insn->imm = (int32_t)(bits(raw, 9, 7) << 6 | bits(raw, 12, 10) << 3);
		return true;
	}
}

static bool extract_compressed_register(char letter, struct riscv_insn *insn)
{
	uint32_t raw = insn->raw;
	uint8_t full = (uint8_t)bits(raw, 11, 7), full2 = (uint8_t)bits(raw, 6, 2);
	uint8_t high = (uint8_t)(PRIME + bits(raw, 9, 7)), low = (uint8_t)(PRIME + bits(raw, 4, 2));

	switch (letter) {
	case 'A':
		insn->rs1 = full;
		insn->rd = destination(full);
		return true;
	case 'B':
		insn->rd = insn->rs1 = high;
		return true;
	case 'C':
		insn->rs2 = full2;
		return true;
	case 'E':
		insn->rs2 = low;
		return true;
	case 'F':
		insn->rs2 = FP + low;
		return true;
	case 'G':
		insn->rd = low;
		return true;
	case 'H':
		insn->rd = FP + low;
		return true;
	case 'I':
		insn->rs1 = full;
		return true;
	case 'K':
		insn->rs1 = high;
		return true;
	case 'L':
		insn->rs2 = FP + full2;
		return true;
	case 'P':
		insn->rs1 = SP;
		return true;
	case 'Q':
		insn->rd = insn->rs1 = SP;
		return true;
	default: /* '4' */
		insn->rd = RA;
		return true;
	}
}

static bool extract(char letter, struct riscv_insn *insn)
{
	switch (letter) {
	case '@':
	case 'f':
	case 'w':
	case 'v':
	case 'p':
	case 'n':
	case 'h':
	case 'g':
	case 'x':
		return true;
	case 'M' ... 'O':
	case '1':
	case 'U':
	case '2':
	case '3':
	case '8':
	case '9':
		return extract_compressed_immediate(letter, insn);
	case '5':
	case '6':
	case 'V':
	case 'W':
	case 'X':
	case 'Y':
	case 'Z':
	case '0':
		return extract_compressed_offset(letter, insn);
	case 'A' ... 'C':
	case 'E' ... 'I':
	case 'K' ... 'L':
	case 'P' ... 'Q':
	case '4':
		return extract_compressed_register(letter, insn);
	default:
		return extract_base(letter, insn);
	}
}

bool riscv_extract_operands(const char *operands, struct riscv_insn *insn)
{
	for (; *operands; operands++) {
		if (!extract(*operands, insn))
			return false;
	}
	return true;
}
