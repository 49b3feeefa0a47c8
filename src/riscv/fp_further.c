/* What Zfa adds to single and double precision: see fp.h. */
#include "riscv/fp.h"
#include "riscv/fp_number.h"

/* fli: as doubles, but for the second, the smallest normal number of each format, and the NaN. */
enum { SMALLEST_NORMAL = 1, CANONICAL_NAN = 31 };
static const double constants[32] = {-1.0,
				     0,
				     0x1p-16,
				     0x1p-15,
				     0x1p-8,
				     0x1p-7,
				     0.0625,
				     0.125,
				     0.25,
				     0.3125,
				     0.375,
				     0.4375,
				     0.5,
				     0.625,
				     0.75,
				     0.875,
				     1,
				     1.25,
				     1.5,
				     1.75,
				     2,
				     2.5,
				     3,
				     4,
				     8,
				     16,
				     128,
				     256,
				     32768,
				     65536,
				     __builtin_inf(),
				     0};

#define FP_FURTHER(N, type, fraction_bits, bias)                                                       \
	uint##N##_t fp##N##_constant(unsigned number)                                                  \
	{                                                                                              \
		if (number == SMALLEST_NORMAL)                                                         \
			return FP##N##_MIN_NORMAL;                                                     \
		return number == CANONICAL_NAN ? FP##N##_NAN : fp##N##_bits((type)constants[number]);  \
	}                                                                                              \
	static bool is_nan##N(uint##N##_t a, uint##N##_t b, uint8_t *flags)                            \
	{                                                                                              \
		if (fp##N##_is_signalling(a) || fp##N##_is_signalling(b))                              \
			*flags |= FP_NV;                                                               \
		return fp##N##_is_nan(a) || fp##N##_is_nan(b);                                         \
	}                                                                                              \
	uint##N##_t fp##N##_minimum(uint##N##_t a, uint##N##_t b, uint8_t *flags)                      \
	{                                                                                              \
		return is_nan##N(a, b, flags) ? FP##N##_NAN : fp##N##_min(a, b, flags);                \
	}                                                                                              \
	uint##N##_t fp##N##_maximum(uint##N##_t a, uint##N##_t b, uint8_t *flags)                      \
	{                                                                                              \
		return is_nan##N(a, b, flags) ? FP##N##_NAN : fp##N##_max(a, b, flags);                \
	}                                                                                              \
	bool fp##N##_lt_quiet(uint##N##_t a, uint##N##_t b, uint8_t *flags)                            \
	{                                                                                              \
		return !is_nan##N(a, b, flags) && fp##N##_lt(a, b, flags);                             \
	}                                                                                              \
	bool fp##N##_le_quiet(uint##N##_t a, uint##N##_t b, uint8_t *flags)                            \
	{                                                                                              \
		return !is_nan##N(a, b, flags) && fp##N##_le(a, b, flags);                             \
	}                                                                                              \
	/* From 2^fraction_bits on every number is an integer. */                                      \
	uint##N##_t fp##N##_round(uint##N##_t a, unsigned rm, bool tells_inexact, uint8_t *flags)      \
	{                                                                                              \
		uint8_t raised = 0, none = 0;                                                          \
		if (is_nan##N(a, a, flags))                                                            \
			return FP##N##_NAN;                                                            \
		if ((a & ~FP##N##_SIGN) >= (uint##N##_t)((bias) + (fraction_bits)) << (fraction_bits)) \
			return a;                                                                      \
		uint64_t whole = fp##N##_to_i64(a, rm, &raised);                                       \
		if (tells_inexact)                                                                     \
			*flags |= raised;                                                              \
		return fp##N##_from_i64(whole, FP_RNE, &none) | (a & FP##N##_SIGN);                    \
	}

FP_FURTHER(32, float, 23, 127)
FP_FURTHER(64, double, 52, 1023)

/* As JavaScript converts: towards zero, modulo 2^32. What is out of range of the integer is invalid. */
uint64_t fp64_to_i32_modular(uint64_t a, uint8_t *flags)
{
	struct fp_number n = fp_unpack(&fp_format64, a);
	uint8_t none = 0;

	fp64_to_i32(a, FP_RTZ, flags);
	if (n.kind != FP_FINITE || n.exp > 63 + 52)
		return 0;
	if (n.exp < 63)
		return (uint64_t)(int64_t)(int32_t)fp64_to_i64(a, FP_RTZ, &none);
	uint64_t magnitude = n.exp >= 63 + 64 ? 0 : n.sig << (n.exp - 63);
	return (uint64_t)(int64_t)(int32_t)(n.sign ? 0 - magnitude : magnitude);
}
