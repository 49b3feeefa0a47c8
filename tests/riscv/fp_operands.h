/* Operands that find mistakes in floating-point code: edges of the formats and of the integer types, and random
 * patterns whose exponents lie near each other or near the ends of the range. Seeded: the same on every run and from
 * every compiler, for which C's order of evaluation demands one random number per expression. */
#ifndef CULPRIT_TESTS_FP_OPERANDS_H
#define CULPRIT_TESTS_FP_OPERANDS_H

#include <stddef.h>
#include <stdint.h>

static const uint32_t edges32[] = {
	0x00000000, 0x00000001, 0x00000002, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000,
	0x1f800000, 0x20000000, 0x207fffff, 0x33800000, 0x34000000, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff,
	0x3f800000, 0x3f800001, 0x3fc00000, 0x3fffffff, 0x40000000, 0x40200000, 0x40490fdb, 0x4b000000, 0x4b000001,
	0x4b800000, 0x4b7fffff, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff,
	0x5f800000, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff,
};

static const uint64_t edges64[] = {
	0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0008000000000000, 0x000fffffffffffff,
	0x0010000000000000, 0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x1ff0000000000000,
	0x2000000000000000, 0x200fffffffffffff, 0x3690000000000000, 0x36a0000000000000, 0x380fffffffffffff,
	0x3810000000000000, 0x380fffffe0000000, 0x380fffffefffffff, 0x380ffffff0000000, 0x3ca0000000000000,
	0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fe0000000000001, 0x3fefffffffffffff, 0x3ff0000000000000,
	0x3ff0000000000001, 0x3ff8000000000000, 0x3fffffffffffffff, 0x4000000000000000, 0x4004000000000000,
	0x400921fb54442d18, 0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0x41e0000000100000,
	0x41e0000000200000, 0x41efffffffe00000, 0x41effffffff00000, 0x41f0000000000000, 0x4330000000000000,
	0x4330000000000001, 0x4340000000000000, 0x433fffffffffffff, 0x43dfffffffffffff, 0x43e0000000000000,
	0x43efffffffffffff, 0x43f0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
	0x47f0000000000000, 0x7fdfffffffffffff, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
	0x7ff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000, 0x7fffffffffffffff,
};

static const uint64_t edges_integer[] = {
	0,
	1,
	0xffffff,
	0x1000000,
	0x1000001,
	0x1000003,
	0x7fffffff,
	0x7fffffbf,
	0x7fffffc0,
	0x7fffffc1,
	0x80000000,
	0x80000001,
	0xffffff7f,
	0xffffff80,
	0xffffffff,
	0x100000000,
	0x1fffffffffffff,
	0x20000000000000,
	0x20000000000001,
	0x20000000000003,
	0x7fffffffffffffff,
	0x7ffffffffffffdff,
	0x7ffffffffffffe00,
	0x7fffffbfffffffff,
	0x7fffff8000000000,
	0x8000000000000000,
	0x8000000000000400,
	0x8000000000000401,
	0xfffffffffffffbff,
	0xfffffffffffffc00,
	0xffffff8000000000,
	0xffffff7fffffffff,
	0xffffffffffffffff,
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct random {
	uint64_t state;
};

/* xorshift64*, enough to spread bits */
static inline uint64_t random_next(struct random *random)
{
	uint64_t x = random->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random->state = x;
	return x * 0x2545f4914f6cdd1d;
}

/* A fraction that is uniform, has few bits set at its top, or has few bits clear. */
static inline uint64_t random_fraction(struct random *random, int bits)
{
	uint64_t fraction = random_next(random) & ((UINT64_C(1) << bits) - 1), kind = random_next(random);
	uint64_t low = (UINT64_C(1) << ((kind >> 8) % bits)) - 1;

	return kind & 1 ? fraction : kind & 2 ? fraction & ~low : fraction | low;
}

/* The exponent field is uniform, near the middle, near an end, or such that products come near an end. */
static inline uint64_t random_exponent(struct random *random, int bits)
{
	static const int centre_eighths[] = {4, 4, 0, 8, 2, 6};
	uint64_t kind = random_next(random), max = (UINT64_C(1) << bits) - 1;
	uint64_t centre = (max + 1) * centre_eighths[(kind >> 8) % COUNT(centre_eighths)] / 8;

	return kind & 1 ? kind >> 16 & max : (centre + (kind >> 16) % 61 - 30) & max;
}

static inline uint32_t random32(struct random *random)
{
	uint64_t bits = random_next(random);

	if (bits % 8 == 0)
		return edges32[(bits >> 8) % COUNT(edges32)] | (uint32_t)(bits >> 63) << 31;
	uint32_t magnitude = (uint32_t)random_exponent(random, 8) << 23;
	magnitude |= (uint32_t)random_fraction(random, 23);
	return (uint32_t)(bits >> 63) << 31 | magnitude;
}

static inline uint64_t random64(struct random *random)
{
	uint64_t bits = random_next(random);

	if (bits % 8 == 0)
		return edges64[(bits >> 8) % COUNT(edges64)] | bits >> 63 << 63;
	uint64_t magnitude = random_exponent(random, 11) << 52;
	magnitude |= random_fraction(random, 52);
	return bits >> 63 << 63 | magnitude;
}

static inline uint64_t random_integer(struct random *random)
{
	uint64_t bits = random_next(random), value = random_next(random);

	if (bits % 4 == 0)
		value = edges_integer[(bits >> 8) % COUNT(edges_integer)];
	else
		value = random_fraction(random, 63) >> (bits >> 8) % 63;
	return bits & 4 ? 0 - value : value;
}

#endif
