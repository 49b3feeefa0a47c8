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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_by_bits), cmocka_unit_test(kept_results)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
