/* The table and the decoder: encodings do not overlap, decoding is total, fields and kinds are right, compressed forms
 * expand to the instructions the manual says. */
#include "harness.h"

#include <stdio.h>

struct encoding {
	const char *name;
	uint32_t match, mask;
};

static bool overlap(const struct encoding *a, const struct encoding *b)
{
	return ((a->match ^ b->match) & a->mask & b->mask) == 0;
}

/* a is a special case of b: fixes all that b fixes, and more. */
static bool specialises(const struct encoding *a, const struct encoding *b)
{
	return (a->mask & b->mask) == b->mask && a->mask != b->mask;
}

/* Every pair is disjoint, or the first of the two is a special case of the second. Returns how many are. */
static unsigned check_pairs(const struct encoding *rows, unsigned count)
{
	unsigned special = 0;

	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(rows[i].match & ~rows[i].mask, 0);
		for (unsigned j = i + 1; j < count; j++) {
			if (!overlap(&rows[i], &rows[j]))
				continue;
			if (!specialises(&rows[i], &rows[j]))
				fail_msg("%s overlaps %s", rows[i].name, rows[j].name);
			special++;
		}
	}
	return special;
}

static void encodings_do_not_overlap(void **state)
{
	struct encoding base[RISCV_OP_COUNT], compressed[RISCV_COMPRESSED_COUNT];
	unsigned count = 0;

	for (unsigned op = 0; op < RISCV_OP_COUNT; op++) {
		const struct riscv_row *row = &riscv_rows[op];
		if (op != RISCV_OP_illegal)
			base[count++] = (struct encoding){riscv_op_name(op), row->match, row->mask};
	}
	/* fence, fence.tso, fence.i before their reserved forms; five exact conversions before their rm forms */
	assert_int_equal(check_pairs(base, count), 8);
	for (unsigned i = 0; i < RISCV_COMPRESSED_COUNT; i++) {
		const struct riscv_compressed_row *row = &riscv_compressed_rows[i];
		compressed[i] = (struct encoding){row->mnemonic, row->match, row->mask};
	}
	/* addi16sp/lui, three shifts by 0, jr/mv, ebreak/jalr/add (three pairs), and mop/lui */
	assert_int_equal(check_pairs(compressed, RISCV_COMPRESSED_COUNT), 9);
}

static unsigned matching_row(uint32_t raw)
{
	for (unsigned op = 0; op < RISCV_OP_COUNT; op++) {
		if ((raw & riscv_rows[op].mask) == riscv_rows[op].match)
			return op;
	}
	return RISCV_OP_illegal;
}

static void check_fields(const struct riscv_insn *insn, uint32_t raw, bool legal)
{
	assert_int_equal(insn->length, (raw & 3) == 3 ? 4 : 2);
	assert_in_range(insn->rd, 1, RISCV_NO_DEST);
	assert_in_range(insn->rs1, 0, 63);
	assert_in_range(insn->rs2, 0, 63);
	assert_in_range(insn->rs3, 0, 63);
	assert_in_range(insn->op_class, 0, CULPRIT_OP_COUNT - 1);
	assert_int_equal(legal, insn->op != RISCV_OP_illegal);
	assert_int_equal(insn->branch != CULPRIT_BRANCH_NONE, !!(insn->flags & RISCV_BRANCH));
	assert_int_equal(insn->mem_size != 0, !!(insn->flags & (RISCV_LOAD | RISCV_STORE)));
	assert_true(insn->rm <= 4 || insn->rm == 7);
	if (!legal || (insn->flags & (RISCV_BRANCH | RISCV_SERIALISING)))
		assert_true(insn->flags & RISCV_BLOCK_END);
}

static void decoding_is_total(void **state)
{
	uint64_t seed = 1;
	struct riscv_insn insn;

	for (uint32_t raw = 0; raw <= UINT16_MAX; raw++) {
		if ((raw & 3) != 3)
			check_fields(&insn, raw, riscv_decode(raw, raw, &insn));
	}
	for (unsigned n = 0; n < 2000000; n++) {
		uint32_t raw = (uint32_t)random64(&seed) | 3;
		bool legal = riscv_decode(raw, n, &insn);

		check_fields(&insn, raw, legal);
		assert_int_equal(riscv_find_row(raw), matching_row(raw));
		if (legal)
			assert_int_equal(insn.op, matching_row(raw));
		assert_int_equal(insn.pc_low, n);
		assert_int_equal(insn.raw, raw);
	}
}

/* What follows the 16 bits of a compressed instruction does not matter. */
static void upper_half_of_compressed_is_ignored(void **state)
{
	struct riscv_insn alone, followed;

	for (uint32_t raw = 0; raw <= UINT16_MAX; raw++) {
		if ((raw & 3) == 3)
			continue;
		riscv_decode(raw, 0, &alone);
		riscv_decode(raw | 0xa5a50000, 0, &followed);
		assert_memory_equal(&alone, &followed, sizeof alone);
	}
}

/* Pairs made with the GNU assembler: the same text with and without the C extension. */
static const struct {
	uint16_t compressed;
	uint32_t base;
} expansions[] = {
#include "expansions.inc"
};

static void compressed_forms_expand(void **state)
{
	bool seen[RISCV_COMPRESSED_COUNT] = {false};

	for (unsigned i = 0; i < sizeof expansions / sizeof *expansions; i++) {
		struct riscv_insn is, should;

		assert_true(riscv_decode(expansions[i].compressed, 0x1000, &is));
		assert_true(riscv_decode(expansions[i].base, 0x1000, &should));
		assert_int_equal(is.length, 2);
		seen[riscv_find_compressed_row(expansions[i].compressed)] = true;
		is.length = should.length;
		is.raw = should.raw;
		if (memcmp(&is, &should, sizeof is) != 0)
			fail_msg("%04x does not expand to %08x", expansions[i].compressed, expansions[i].base);
	}
	for (unsigned i = 0; i < RISCV_COMPRESSED_COUNT; i++) {
		if (!seen[i])
			fail_msg("no expansion checked for %s", riscv_compressed_rows[i].mnemonic);
	}
}

static void reserved_encodings_are_illegal(void **state)
{
	static const uint32_t words[] = {
		0x0000,	    0x0004,			     /* c.addi4spn with no immediate */
		0x8c40,					     /* reserved in Zcb's part of quadrant 0 */
		0x2001,					     /* c.addiw x0 */
		0x6101,	    0x6501,			     /* c.addi16sp, c.lui with no immediate */
		0x9c79,	    0x9c7d,			     /* reserved register operations */
		0x4002,	    0x6002,			     /* c.lwsp, c.ldsp to x0 */
		0x8002,					     /* c.jr x0 */
		0x02b555d3, 0x02b565d3,			     /* fadd.d with rounding modes 5 and 6 */
		0x42005553,				     /* fcvt.d.s likewise */
		0x04b50533,				     /* funct7 of nothing */
		0x0205151b,				     /* slliw by 32 */
		0x10c5252f,				     /* lr.w with rs2 */
		0x00051573, 0xc0051573, 0xc0002573 | 0x8000, /* csr 0; writes to cycle */
		0x30002573,				     /* a machine-mode CSR */
		0x00200073, 0x10500073, 0x30200073,	     /* uret, wfi, mret */
		0xffffffff, 0x0000001f,			     /* longer encodings */
	};
	struct riscv_insn insn;

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		if (riscv_decode(words[i], 0, &insn))
			fail_msg("%08x decodes as %s", words[i], riscv_op_name(insn.op));
		assert_int_equal(insn.op, RISCV_OP_illegal);
		assert_int_equal(insn.raw, words[i]);
	}
}

static void jumps_are_classified(void **state)
{
	static const struct {
		unsigned rd, rs1;
		enum culprit_branch kind;
	} jalr[] = {
		{0, A0, CULPRIT_BRANCH_INDIRECT_JUMP},	{0, RA, CULPRIT_BRANCH_RETURN},
		{0, T0, CULPRIT_BRANCH_RETURN},		{A0, RA, CULPRIT_BRANCH_RETURN},
		{RA, A0, CULPRIT_BRANCH_INDIRECT_CALL}, {T0, A0, CULPRIT_BRANCH_INDIRECT_CALL},
		{RA, RA, CULPRIT_BRANCH_INDIRECT_CALL}, {RA, T0, CULPRIT_BRANCH_INDIRECT_CALL},
		{A0, A1, CULPRIT_BRANCH_INDIRECT_JUMP},
	};
	struct riscv_insn insn;

	for (unsigned i = 0; i < sizeof jalr / sizeof *jalr; i++) {
		assert_true(riscv_decode(i_type(RISCV_OP_jalr, jalr[i].rd, jalr[i].rs1, 0), 0, &insn));
		assert_int_equal(insn.branch, jalr[i].kind);
	}
	riscv_decode(j_type(0, 8), 0, &insn);
	assert_int_equal(insn.branch, CULPRIT_BRANCH_JUMP);
	assert_int_equal(insn.rd, RISCV_NO_DEST);
	riscv_decode(j_type(RA, 8), 0, &insn);
	assert_int_equal(insn.branch, CULPRIT_BRANCH_CALL);
	riscv_decode(j_type(T0, 8), 0, &insn);
	assert_int_equal(insn.branch, CULPRIT_BRANCH_CALL);
	riscv_decode(b_type(RISCV_OP_blt, A0, A1, -8), 0, &insn);
	assert_int_equal(insn.branch, CULPRIT_BRANCH_CONDITIONAL);
	assert_int_equal(insn.imm, -8);
	riscv_decode(0x8082, 0, &insn); /* c.jr ra */
	assert_int_equal(insn.branch, CULPRIT_BRANCH_RETURN);
	riscv_decode(0x9502, 0, &insn); /* c.jalr a0 */
	assert_int_equal(insn.branch, CULPRIT_BRANCH_INDIRECT_CALL);
}

static bool serialises(uint32_t raw)
{
	struct riscv_insn insn;

	assert_true(riscv_decode(raw, 0, &insn));
	return insn.flags & RISCV_SERIALISING;
}

static void serialising_is_told(void **state)
{
	assert_true(serialises(0x00000073));
	assert_true(serialises(0x00100073));
	assert_true(serialises(0x9002));
	assert_true(serialises(0x0000100f));
	assert_false(serialises(0x0ff0000f));
	assert_true(serialises(csr_type(RISCV_OP_csrrs, A0, 0xc00, 0)));
	assert_true(serialises(csr_type(RISCV_OP_csrrs, A0, 0xc01, 0)));
	assert_true(serialises(csr_type(RISCV_OP_csrrs, A0, 0xc02, 0)));
	assert_true(serialises(csr_type(RISCV_OP_csrrs, A0, 1, 0)));  /* reads fflags */
	assert_false(serialises(csr_type(RISCV_OP_csrrw, 0, 1, A0))); /* only writes them */
	assert_false(serialises(csr_type(RISCV_OP_csrrs, A0, 2, 0))); /* reads frm */
	assert_true(serialises(csr_type(RISCV_OP_csrrw, 0, 2, A0)));
	assert_true(serialises(csr_type(RISCV_OP_csrrs, A0, 3, 0)));
	assert_true(serialises(csr_type(RISCV_OP_csrrwi, 0, 3, 0)));
}

static void memory_accesses_are_described(void **state)
{
	struct riscv_insn insn;

	riscv_decode(r_type(RISCV_OP_lr_d, A0, A1, 0), 0, &insn);
	assert_int_equal(insn.flags, RISCV_LOAD | RISCV_AT_HEAD);
	assert_int_equal(insn.mem_size, 8);
	riscv_decode(r_type(RISCV_OP_sc_w, A0, A1, A2), 0, &insn);
	assert_int_equal(insn.flags, RISCV_LOAD | RISCV_STORE | RISCV_AT_HEAD);
	assert_int_equal(insn.mem_size, 4);
	riscv_decode(r_type(RISCV_OP_amoadd_w, A0, A1, A2), 0, &insn);
	assert_int_equal(insn.flags, RISCV_LOAD | RISCV_STORE | RISCV_AT_HEAD);
	riscv_decode(s_type(RISCV_OP_fsd, F1, A1, -8), 0, &insn);
	assert_int_equal(insn.flags, RISCV_STORE);
	assert_int_equal(insn.rs2, F1);
	assert_int_equal(insn.imm, -8);
	assert_int_equal(insn.rd, RISCV_NO_DEST);
	riscv_decode(csr_type(RISCV_OP_csrrwi, A0, 1, 31), 0, &insn);
	assert_int_equal(insn.rs1, 0); /* the immediate is not a register */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodings_do_not_overlap),
		cmocka_unit_test(decoding_is_total),
		cmocka_unit_test(upper_half_of_compressed_is_ignored),
		cmocka_unit_test(compressed_forms_expand),
		cmocka_unit_test(reserved_encodings_are_illegal),
		cmocka_unit_test(jumps_are_classified),
		cmocka_unit_test(serialising_is_told),
		cmocka_unit_test(memory_accesses_are_described),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
