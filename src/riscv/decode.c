/* Decoder: from an encoding to its row of instructions.def and the operands that the row names.
 *
 * The search for the row is a switch over the major opcode (quadrant and funct3 for compressed forms); in each case the
 * compiler drops the rows of other opcodes, so what remains is a short list of compares. */
#include "riscv/rows.h"

#include "riscv/vector.h"

#define LINK_RA 1
#define LINK_T0 5 /* the alternate link register */

enum {
	LOAD = RISCV_LOAD,
	STORE = RISCV_STORE,
	BRANCH = RISCV_BRANCH,
	SERIALISING = RISCV_SERIALISING,
	FP_FLAGS = RISCV_FP_FLAGS
};

const struct riscv_row riscv_rows[RISCV_OP_COUNT] = {
#define INSN(id, mnemonic, operands, match, mask, op_class, flags, size, ...) \
	[RISCV_OP_##id] = {mnemonic, operands, match, mask, CULPRIT_OP_##op_class, flags, size},
#include "riscv/instructions.def"
};

const struct riscv_compressed_row riscv_compressed_rows[RISCV_COMPRESSED_COUNT] = {
#define CINSN(id, mnemonic, operands, match, mask, reserved, base) \
	[RISCV_##id] = {mnemonic, operands, match, mask, RISCV_OP_##base},
#include "riscv/instructions.def"
};

/* Rows whose fixed bits disagree with `common` on the bits of `known` cannot match. */
#define POSSIBLE(match, mask, common, known) ((((match) ^ (common)) & (mask) & (known)) == 0)

__attribute__((always_inline)) static inline unsigned find_in_major(uint32_t raw, uint32_t common)
{
#define INSN(id, mnemonic, operands, match, mask, ...)                         \
	if (POSSIBLE(match, mask, common, 0x7fu) && (raw & (mask)) == (match)) \
		return RISCV_OP_##id;
#include "riscv/instructions.def"
	return RISCV_OP_illegal;
}

__attribute__((always_inline)) static inline unsigned find_in_quadrant(uint32_t raw, uint32_t common)
{
#define CINSN(id, mnemonic, operands, match, mask, reserved, base)               \
	if (POSSIBLE(match, mask, common, 0xe003u) && (raw & (mask)) == (match)) \
		return (reserved) ? RISCV_COMPRESSED_COUNT : RISCV_##id;
#include "riscv/instructions.def"
	return RISCV_COMPRESSED_COUNT;
}

#define EIGHT_CASES(CASE, n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4) CASE(n + 5) CASE(n + 6) CASE(n + 7)

unsigned riscv_find_row(uint32_t raw)
{
	if (riscv_length(raw) != 4)
		return RISCV_OP_illegal;
	switch (raw >> 2 & 31) {
#define MAJOR(n) \
	case n:  \
		return find_in_major(raw, (n) << 2 | 3);
		EIGHT_CASES(MAJOR, 0) EIGHT_CASES(MAJOR, 8) EIGHT_CASES(MAJOR, 16) EIGHT_CASES(MAJOR, 24)
#undef MAJOR
	}
	__builtin_unreachable();
}

unsigned riscv_find_compressed_row(uint32_t raw)
{
	switch ((raw & 3) << 3 | (raw >> 13 & 7)) {
#define QUADRANT(n) \
	case n:     \
		return find_in_quadrant(raw, (n) >> 3 | ((n)&7) << 13);
		EIGHT_CASES(QUADRANT, 0) EIGHT_CASES(QUADRANT, 8) EIGHT_CASES(QUADRANT, 16)
#undef QUADRANT
	}
	return RISCV_COMPRESSED_COUNT;
}

static bool is_link(unsigned reg)
{
	return reg == LINK_RA || reg == LINK_T0;
}

/* The manual's return-address-stack hints. `jalr` that pops and pushes (both link registers, unequal) counts as a
 * call: what it pushes is needed for sure, the pop serves coroutines only. */
static enum culprit_branch branch_kind(const struct riscv_insn *insn)
{
	if (insn->op == RISCV_OP_jal)
		return is_link(insn->rd) ? CULPRIT_BRANCH_CALL : CULPRIT_BRANCH_JUMP;
	if (insn->op != RISCV_OP_jalr)
		return CULPRIT_BRANCH_CONDITIONAL;
	if (is_link(insn->rd))
		return CULPRIT_BRANCH_INDIRECT_CALL;
	return is_link(insn->rs1) ? CULPRIT_BRANCH_RETURN : CULPRIT_BRANCH_INDIRECT_JUMP;
}

static void set_row(struct riscv_insn *insn, unsigned op)
{
	const struct riscv_row *row = &riscv_rows[op];

	insn->op = (uint16_t)op;
	insn->op_class = row->op_class;
	insn->flags = row->flags;
	insn->mem_size = row->mem_size;
	if (riscv_op_is_vector(op))
		insn->flags |= RISCV_VECTOR;
	insn->rd = RISCV_NO_DEST;
	insn->rs1 = insn->rs2 = insn->rs3 = 0;
	insn->imm = 0;
	insn->rm = 0;
	insn->branch = CULPRIT_BRANCH_NONE;
}

static bool decode_row(struct riscv_insn *insn)
{
	const char *operands;

	if (insn->length == 2) {
		unsigned row = riscv_find_compressed_row(insn->raw);
		if (row == RISCV_COMPRESSED_COUNT)
			return false;
		set_row(insn, riscv_compressed_rows[row].base);
		operands = riscv_compressed_rows[row].operands;
	} else {
		unsigned op = riscv_find_row(insn->raw);
		if (op == RISCV_OP_illegal)
			return false;
		set_row(insn, op);
		operands = riscv_rows[op].operands;
	}
	return riscv_extract_operands(operands, insn);
}

void riscv_decode_illegal(struct riscv_insn *insn)
{
	set_row(insn, RISCV_OP_illegal);
	insn->flags |= RISCV_BLOCK_END;
}

bool riscv_decode(uint32_t raw, uint64_t pc, struct riscv_insn *insn)
{
	insn->handler = NULL;
	insn->length = (uint8_t)riscv_length(raw);
	insn->raw = insn->length == 2 ? raw & 0xffff : raw;
	insn->pc_low = (uint32_t)pc;
	if (!decode_row(insn)) {
		riscv_decode_illegal(insn);
		return false;
	}
	if ((insn->flags & RISCV_SERIALISING) || insn->op_class == CULPRIT_OP_amo || insn->op_class == CULPRIT_OP_fence)
		insn->flags |= RISCV_AT_HEAD;
	if (insn->flags & RISCV_BRANCH)
		insn->branch = branch_kind(insn);
	if (insn->flags & (RISCV_BRANCH | RISCV_SERIALISING))
		insn->flags |= RISCV_BLOCK_END;
	return true;
}

const char *riscv_op_name(unsigned op)
{
	static const char *const names[RISCV_OP_COUNT] = {
#define INSN(id, mnemonic, ...) [RISCV_OP_##id] = mnemonic ? mnemonic : #id,
#include "riscv/instructions.def"
	};
	return op < RISCV_OP_COUNT ? names[op] : "unknown";
}
