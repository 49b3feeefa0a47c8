/* Divisions that end early, by a second way to their cycles: the quotient's bits one by one, from the signed or
 * unsigned values that the instruction divides. All eight instructions, operands of all lengths and signs. */
#include "core/divide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LATENCY = 80, ROUNDS = 20000 };

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 16 ^ *state << 32;
}

/* Of every length; half of them multiples of a power of two; often small and negative. */
static uint64_t operand(uint64_t *state)
{
	uint64_t v = random_next(state) >> random_next(state) % 64;
	v <<= random_next(state) % 2 ? random_next(state) % 64 : 0;
	return random_next(state) % 3 ? v : 0 - v;
}

/* What an instruction takes a register for: the size of the number. */
static uint64_t magnitude(uint16_t op, uint64_t v)
{
	switch (op) {
	case RISCV_OP_div:
	case RISCV_OP_rem:
		return (int64_t)v < 0 ? (uint64_t) - (__int128)(int64_t)v : v;
	case RISCV_OP_divw:
	case RISCV_OP_remw:
		return (uint64_t)llabs((int32_t)v);
	case RISCV_OP_divuw:
	case RISCV_OP_remuw:
		return (uint32_t)v;
	default:
		return v;
	}
}

/* Of those that depend on the quotient: `bits` of it in a cycle, from its first 1 on, until no remainder is left; and a
 * cycle more to see that none is, where that is before the quotient's last bit. */
static uint32_t cycles_of(uint64_t dividend, uint64_t divisor, uint32_t bits, uint32_t least)
{
	uint32_t length = 0, found = 0, cycles = 0;
	if (!divisor || dividend < divisor)
		return least;
	for (uint64_t q = dividend / divisor; q; q >>= 1)
		length++;
	uint64_t left = dividend;
	for (; found < length && left; found++) {
		__uint128_t part = (__uint128_t)divisor << (length - 1 - found);
		left -= left >= part ? (uint64_t)part : 0;
	}
	const uint32_t all = (length + bits - 1) / bits;
	for (uint32_t seen = 0; seen < found; seen += bits)
		cycles++;
	const bool before = cycles < all;
	cycles = cycles > least ? cycles : least;
	return cycles < all ? cycles + before : cycles;
}

static void cycles_by_bits(void **state)
{
	static const uint16_t ops[] = {RISCV_OP_div,  RISCV_OP_divu,  RISCV_OP_rem,  RISCV_OP_remu,
				       RISCV_OP_divw, RISCV_OP_divuw, RISCV_OP_remw, RISCV_OP_remuw};
	uint64_t seed = 11, early = 0;
	struct machine m = {.latency[CULPRIT_OP_int_div] = LATENCY};
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct riscv_insn insn = {.op = ops[round % 8]};
		struct divider d = {.count = 0};
		m.divide_bits = 1 + (uint32_t)(random_next(&seed) % 8);
		m.divide_least = 1 + (uint32_t)(random_next(&seed) % 12);
		const uint64_t a = operand(&seed), b = random_next(&seed) % 50 ? operand(&seed) : 0;
		const uint32_t longest = (64 + m.divide_bits - 1) / m.divide_bits;
		const uint32_t cycles =
			cycles_of(magnitude(insn.op, a), magnitude(insn.op, b), m.divide_bits, m.divide_least);
		const uint32_t spared = cycles < longest ? longest - cycles : 0;
		assert_int_equal(divide_early(&d, &m, &insn, a, b), spared);
		early += spared != 0;
	}
	assert_true(early > ROUNDS / 2);
	(void)state;
}

/* The last results are kept, of the operands as the instruction sees them: signs are a part of them, and the upper half
 * is none of a word's. A remainder finds what a division has left. */
static void kept_results(void **state)
{
	struct machine m = {
		.divide_bits = 2, .divide_least = 1, .divide_results = 2, .latency[CULPRIT_OP_int_div] = LATENCY};
	struct divider d = {.count = 0};
	const struct riscv_insn div = {.op = RISCV_OP_div}, rem = {.op = RISCV_OP_rem}, divw = {.op = RISCV_OP_divw};
	const uint64_t a = 1000003, b = 7; /* 18 bits: 9 of 32 cycles */
	assert_int_equal(divide_early(&d, &m, &div, a, b), 23);
	assert_int_equal(divide_early(&d, &m, &div, a, b), 32);
	assert_int_equal(divide_early(&d, &m, &rem, a, b), 32);
	assert_int_equal(divide_early(&d, &m, &divw, a | 5ull << 32, b), 32);
	assert_int_equal(divide_early(&d, &m, &div, 0 - a, b), 23);
	assert_int_equal(divide_early(&d, &m, &div, a, b), 32); /* both are kept */
	assert_int_equal(divide_early(&d, &m, &div, a, 0 - b), 23);
	assert_int_equal(divide_early(&d, &m, &div, 0 - a, b), 32);
	assert_int_equal(divide_early(&d, &m, &div, a, b), 23); /* the oldest has gone */
	m.latency[CULPRIT_OP_int_div] = 20;
	assert_int_equal(divide_early(&d, &m, &div, a, b), 19); /* a cycle is left */
	m.divide_results = 0;
	d.count = 0;
	assert_int_equal(divide_early(&d, &m, &div, a, b), 19);
	m.latency[CULPRIT_OP_int_div] = LATENCY;
	assert_int_equal(divide_early(&d, &m, &div, a, b), 23); /* nothing is kept */
	(void)state;
}

/* A quotient in units of 2^-grid: is it whole? Likewise the root of a number from 1 to 4. */
static bool is_whole(bool root, uint64_t x, uint64_t y, unsigned shift, unsigned grid)
{
	if (!root)
		return !(((unsigned __int128)x << grid) % y);
	unsigned __int128 square = (unsigned __int128)x << (2 * grid) >> shift, r = 0;
	if (square << shift != (unsigned __int128)x << (2 * grid))
		return false;
	for (unsigned __int128 bit = (unsigned __int128)1 << 63; bit; bit >>= 1)
		if ((r | bit) * (r | bit) <= square)
			r |= bit;
	return r * r == square;
}

/* FP: after which digit no remainder is left, by trying; of singles of few bits, so that roots are often exact. */
static void fp_cycles_by_digits(void **state)
{
	uint64_t seed = 5, early = 0;
	struct machine m = {.latency = {[CULPRIT_OP_fp_div] = LATENCY, [CULPRIT_OP_fp_sqrt] = LATENCY}};
	for (unsigned round = 0; round < ROUNDS; round++) {
		const bool root = round & 1;
		struct riscv_insn insn = {.op = root ? RISCV_OP_fsqrt_s : RISCV_OP_fdiv_s,
					  .op_class = root ? CULPRIT_OP_fp_sqrt : CULPRIT_OP_fp_div};
		const unsigned bits = 1 + (unsigned)(random_next(&seed) % 8), odd = round >> 1 & 1;
		uint64_t r = 1 + random_next(&seed) % 300, x = root && random_next(&seed) % 2 ? r * r : r;
		uint64_t y = 1 + random_next(&seed) % 40;
		const float fx = (float)x * (root && odd ? 2.0f : 1.0f), fy = (float)y;
		uint32_t raw_x, raw_y;
		memcpy(&raw_x, &fx, sizeof raw_x);
		memcpy(&raw_y, &fy, sizeof raw_y);
		/* mantissas as whole numbers, and of a root's the number from 1 to 4 */
		uint64_t mx = (raw_x & 0x7fffff) | 0x800000, my = (raw_y & 0x7fffff) | 0x800000;
		mx <<= root && !(raw_x >> 23 & 1);
		const uint32_t single = (24 + 2 + bits - 1) / bits, all = (53 + 2 + bits - 1) / bits;
		uint32_t digits = 1;
		while (digits < single && (bits * digits < 2 || !is_whole(root, mx, my, 23, bits * digits - 2)))
			digits++;
		const uint32_t cycles = digits + 1 < single ? digits + 1 : single;
		m.divide_fp_bits = bits;
		assert_int_equal(divide_fp_early(&m, &insn, 0xffffffff00000000 | raw_x, 0xffffffff00000000 | raw_y),
				 all - cycles);
		early += cycles < single;
	}
	assert_true(early > ROUNDS / 4);
	(void)state;
}

/* What needs no digit: results that the exponents tell, and operands that are no numbers. */
static void fp_without_digits(void **state)
{
	struct machine m = {.divide_fp_bits = 4, .latency[CULPRIT_OP_fp_div] = LATENCY};
	const struct riscv_insn div = {.op = RISCV_OP_fdiv_d, .op_class = CULPRIT_OP_fp_div};
	const uint64_t one = 0x3ff0000000000000, third = 0x3fd5555555555555, huge = 0x7fe5555555555555, tiny = 1;
	assert_int_equal(divide_fp_early(&m, &div, one, third), 0);
	assert_int_equal(divide_fp_early(&m, &div, huge, 0x0015555555555557), 13); /* beyond the largest */
	assert_int_equal(divide_fp_early(&m, &div, tiny, huge), 13);		   /* beyond the smallest */
	assert_int_equal(divide_fp_early(&m, &div, tiny, one), 12);		   /* 2^-1074 */
	assert_int_equal(divide_fp_early(&m, &div, one, 0), 13);
	assert_int_equal(divide_fp_early(&m, &div, one, 0x7ff8000000000000), 13);
	m.latency[CULPRIT_OP_fp_div] = 5;
	assert_int_equal(divide_fp_early(&m, &div, one, 0), 4); /* a cycle is left */
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_by_bits), cmocka_unit_test(kept_results),
					   cmocka_unit_test(fp_cycles_by_digits), cmocka_unit_test(fp_without_digits)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
