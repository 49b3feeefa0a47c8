/* Zfa, Zfhmin, Zfh, Zcb: results worked out by hand. The first operand is in a0 and fa0, the second in a1 and fa1; the result in the
 * register of the row. */
#include "harness.h"

#define BOXED(bits) (0xffffffff00000000 | (bits))
#define BOXED16(bits) (0xffffffffffff0000 | (bits))

enum { NX = 1, UF = 2, OF = 4, NV = 16, FA0 = 42, FA1 = 43, FA2 = 44 };

static const struct {
	const char *what;
	uint32_t raw;
	uint64_t a, b;
	unsigned result;
	uint64_t expected;
	uint8_t flags;
} rows[] = {
	{"fli.s 0.3125", 0xf0148653, 0, 0, FA2, BOXED(0x3ea00000), 0},
	{"fli.d min", 0xf2108653, 0, 0, FA2, 0x0010000000000000, 0},
	{"fli.d nan", 0xf21f8653, 0, 0, FA2, 0x7ff8000000000000, 0},
	{"fminm.s 1, nan", 0x28b52653, BOXED(0x3f800000), BOXED(0x7fc00001), FA2, BOXED(0x7fc00000), 0},
	{"fminm.s 1, snan", 0x28b52653, BOXED(0x3f800000), BOXED(0x7f800001), FA2, BOXED(0x7fc00000), NV},
	{"fmaxm.d 1, 2", 0x2ab53653, 0x3ff0000000000000, 0x4000000000000000, FA2, 0x4000000000000000, 0},
	{"fround.s -2.5 down", 0x40452653, BOXED(0xc0200000), 0, FA2, BOXED(0xc0400000), 0},
	{"fround.d 0.5 to max", 0x42454653, 0x3fe0000000000000, 0, FA2, 0x3ff0000000000000, 0},
	{"fround.d -0.25 keeps its sign", 0x42454653, 0xbfd0000000000000, 0, FA2, 0x8000000000000000, 0},
	{"froundnx.d 2.5", 0x42550653, 0x4004000000000000, 0, FA2, 0x4000000000000000, NX},
	{"froundnx.d inf", 0x42550653, 0x7ff0000000000000, 0, FA2, 0x7ff0000000000000, 0},
	{"fcvtmod.w.d 2^32 + 5", 0xc2851653, 0x41f0000000500000, 0, A2, 5, NV},
	{"fcvtmod.w.d -1.5", 0xc2851653, 0xbff8000000000000, 0, A2, UINT64_MAX, NX},
	{"fcvtmod.w.d 2^84 + 2^32", 0xc2851653, 0x4530000000000001, 0, A2, 0, NV},
	{"fleq.d nan", 0xa2b54653, 0x7ff8000000000000, 0, A2, 0, 0},
	{"fleq.d 1, 1", 0xa2b54653, 0x3ff0000000000000, 0x3ff0000000000000, A2, 1, 0},
	{"fltq.s snan", 0xa0b55653, BOXED(0x7f800001), BOXED(0), A2, 0, NV},
	{"fltq.s -1, 0", 0xa0b55653, BOXED(0xbf800000), BOXED(0), A2, 1, 0},
	{"fcvt.s.h 2^-24", 0x40250653, BOXED16(1), 0, FA2, BOXED(0x33800000), 0},
	{"fcvt.s.h unboxed", 0x40250653, 1, 0, FA2, BOXED(0x7fc00000), 0},
	{"fcvt.h.d 65536 towards 0", 0x44151653, 0x40f0000000000000, 0, FA2, BOXED16(0x7bff), OF | NX},
	{"fcvt.h.s 1 + 2^-11", 0x44050653, BOXED(0x3f801000), 0, FA2, BOXED16(0x3c00), NX},
	{"fmv.x.h", 0xe4050653, 0x8001, 0, A2, 0xffffffffffff8001, 0},
	{"fmv.h.x", 0xf4050653, 0x12348001, 0, FA2, BOXED16(0x8001), 0},
	{"fadd.h 1, 2^-11", 0x04b50653, BOXED16(0x3c00), BOXED16(0x1000), FA2, BOXED16(0x3c00), NX},
	{"fadd.h 65504, 16", 0x04b50653, BOXED16(0x7bff), BOXED16(0x4c00), FA2, BOXED16(0x7c00), OF | NX},
	{"fsub.h inf, inf", 0x0cb50653, BOXED16(0x7c00), BOXED16(0x7c00), FA2, BOXED16(0x7e00), NV},
	{"fmul.h 2^-24, 0.5 up", 0x14b53653, BOXED16(1), BOXED16(0x3800), FA2, BOXED16(1), NX | UF},
	{"fdiv.h 1, 3", 0x1cb50653, BOXED16(0x3c00), BOXED16(0x4200), FA2, BOXED16(0x3555), NX},
	{"fsqrt.h 2", 0x5c050653, BOXED16(0x4000), 0, FA2, BOXED16(0x3da8), NX},
	{"fmsub.h x^2 - x, 1 + 2^-10", 0x54b50647, BOXED16(0x3c01), BOXED16(0x3c01), FA2, BOXED16(0x1401), 0},
	{"fsgnjn.h 1, 1", 0x24b51653, BOXED16(0x3c00), BOXED16(0x3c00), FA2, BOXED16(0xbc00), 0},
	{"fmin.h -0, 0", 0x2cb50653, BOXED16(0x8000), BOXED16(0), FA2, BOXED16(0x8000), 0},
	{"fmax.h snan, 1", 0x2cb51653, BOXED16(0x7c01), BOXED16(0x3c00), FA2, BOXED16(0x3c00), NV},
	{"flt.h nan", 0xa4b51653, BOXED16(0x7e00), BOXED16(0), A2, 0, NV},
	{"fcvt.w.h -1.5 down", 0xc4052653, BOXED16(0xbe00), 0, A2, UINT64_C(-2), NX},
	{"fcvt.h.w 2049", 0xd4050653, 2049, 0, FA2, BOXED16(0x6800), NX},
	{"fcvt.h.wu 2^32 - 1", 0xd4150653, UINT64_MAX, 0, FA2, BOXED16(0x7c00), OF | NX},
	{"fclass.h 2^-24", 0xe4051653, BOXED16(1), 0, A2, 1 << 5, 0},
	{"fli.h 2^-16", 0xf4110653, 0, 0, FA2, BOXED16(0x0100), 0},
	{"fli.h 2^16", 0xf41e8653, 0, 0, FA2, BOXED16(0x7c00), 0},
	{"fround.h 2.5", 0x44450653, BOXED16(0x4100), 0, FA2, BOXED16(0x4000), 0},
	{"fminm.h 1, nan", 0x2cb52653, BOXED16(0x3c00), BOXED16(0x7e00), FA2, BOXED16(0x7e00), 0},
	{"c.zext.b", 0x9d61, 0x1234567890abcdef, 0, A0, 0xef, 0},
	{"c.sext.h", 0x9d6d, 0x1234567890abcdef, 0, A0, 0xffffffffffffcdef, 0},
	{"c.not", 0x9d75, 5, 0, A0, ~UINT64_C(5), 0},
	{"c.mul", 0x9d4d, 7, 6, A0, 42, 0},
	{"c.zext.w", 0x9d71, UINT64_MAX, 0, A0, UINT32_MAX, 0},
	{"mop.r.0", 0x81c54673, 5, 6, A2, 0, 0},
	{"mop.rr.0", 0x82b54673, 5, 6, A2, 0, 0},
	{"c.mop.1", 0x6081, 5, 6, A0, 5, 0},
};

static void by_hand(void **state)
{
	struct machine *m = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct riscv_insn insn;
		machine_reset(m);
		m->hart.r[A0] = m->hart.r[FA0] = rows[i].a;
		m->hart.r[A1] = m->hart.r[FA1] = rows[i].b;
		assert_true(riscv_decode(rows[i].raw, CODE_ADDR, &insn));
		assert_int_not_equal(riscv_insn_extension(&insn), 0);
		assert_int_equal(riscv_step(&m->hart, &insn, &m->as, &m->outcome), RISCV_CONTINUE);
		if (m->hart.r[rows[i].result] != rows[i].expected || m->hart.fflags != rows[i].flags)
			fail_msg("%s: %llx, flags %x", rows[i].what, (unsigned long long)m->hart.r[rows[i].result],
				 m->hart.fflags);
	}
}

/* amocas: what is compared is in rd (a2), what is stored in a0, the address in a1; of pairs, a3 and a1's neighbours. */
struct swap {
	const char *what;
	uint32_t raw;
	uint64_t memory[2], wanted[2], after[2], result[2];
};

static const struct swap swaps[] = {
	{"amocas.w", 0x28a5a62f, {0x1180000000, 7}, {0xff80000000, 0}, {0x1155667788, 7}, {0xffffffff80000000, 0}},
	{"amocas.w, another", 0x28a5a62f, {0x11, 7}, {0x12, 0}, {0x11, 7}, {0x11, 0}},
	{"amocas.d", 0x28a5b62f, {5, 7}, {5, 0}, {0x1122334455667788, 7}, {5, 0}},
	{"amocas.d, another", 0x28a5b62f, {5 | 1ull << 40, 7}, {5, 0}, {5 | 1ull << 40, 7}, {5 | 1ull << 40, 0}},
	{"amocas.q", 0x28e5c62f, {5, 7}, {5, 7}, {0x1122334455667788, 0x99}, {5, 7}},
	{"amocas.q, the upper half is another", 0x28e5c62f, {5, 7}, {5, 8}, {5, 7}, {5, 7}},
	{"amocas.q, zeros stored", 0x2805c62f, {5, 7}, {5, 7}, {0, 0}, {5, 7}},
};

static void compares_and_swaps(void **state)
{
	struct machine *m = *state;

	for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
		const struct swap *s = &swaps[i];
		struct riscv_insn insn;
		uint64_t after[2];
		machine_reset(m);
		assert_true(address_space_write(&m->as, DATA_ADDR, s->memory, sizeof s->memory));
		m->hart.r[A0] = m->hart.r[A0 + 4] = 0x1122334455667788;
		m->hart.r[A0 + 5] = 0x99;
		m->hart.r[A1] = DATA_ADDR;
		m->hart.r[A2] = s->wanted[0];
		m->hart.r[A2 + 1] = s->wanted[1];
		assert_true(riscv_decode(s->raw, CODE_ADDR, &insn));
		assert_int_equal(riscv_insn_extension(&insn), RISCV_EXT_ZACAS);
		assert_int_equal(riscv_step(&m->hart, &insn, &m->as, &m->outcome), RISCV_CONTINUE);
		assert_true(address_space_read(&m->as, after, DATA_ADDR, sizeof after));
		if (after[0] != s->after[0] || after[1] != s->after[1] || m->hart.r[A2] != s->result[0] ||
		    (insn.mem_size == 16 && m->hart.r[A2 + 1] != s->result[1]))
			fail_msg("%s: memory %llx %llx, a2 %llx", s->what, (unsigned long long)after[0],
				 (unsigned long long)after[1], (unsigned long long)m->hart.r[A2]);
	}
}

/* rd or rs2 odd; not aligned to the whole; x0 as rd: two zeros are compared, and nothing is written. */
static void pairs_have_rules(void **state)
{
	struct machine *m = *state;
	const uint64_t zeros[2] = {0, 0};
	struct riscv_insn insn;
	uint64_t after[2];

	assert_false(riscv_decode(0x28e5c6af, CODE_ADDR, &insn));
	assert_false(riscv_decode(0x28f5c62f, CODE_ADDR, &insn));
	machine_reset(m);
	assert_true(riscv_decode(0x28e5c62f, CODE_ADDR, &insn));
	m->hart.r[A1] = DATA_ADDR + 8;
	assert_int_equal(riscv_step(&m->hart, &insn, &m->as, &m->outcome), RISCV_STOP_MISALIGNED);
	assert_true(riscv_decode(0x28e5c02f, CODE_ADDR, &insn));
	assert_true(address_space_write(&m->as, DATA_ADDR, zeros, sizeof zeros));
	m->hart.r[A1] = DATA_ADDR;
	m->hart.r[1] = 5;
	m->hart.r[A0 + 4] = 1, m->hart.r[A0 + 5] = 2;
	assert_int_equal(riscv_step(&m->hart, &insn, &m->as, &m->outcome), RISCV_CONTINUE);
	assert_true(address_space_read(&m->as, after, DATA_ADDR, sizeof after));
	assert_true(after[0] == 1 && after[1] == 2);
	assert_true(m->hart.r[0] == 0 && m->hart.r[1] == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(by_hand), TEST(compares_and_swaps), TEST(pairs_have_rules)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
