/* Zfa, Zfhmin, Zcb: results worked out by hand. The first operand is in a0 and fa0, the second in a1 and fa1; the result in the
 * register of the row. */
#include "harness.h"

#define BOXED(bits) (0xffffffff00000000 | (bits))
#define BOXED16(bits) (0xffffffffffff0000 | (bits))

enum { NX = 1, OF = 4, NV = 16, FA0 = 42, FA1 = 43, FA2 = 44 };

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

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(by_hand)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
