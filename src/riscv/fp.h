/* IEEE 754 binary32 and binary64 arithmetic as the F and D extensions define it, bit for bit on every host.
 *
 * Values are raw bits: uint32_t for single (unboxed: fp_unbox32, fp_box32), uint64_t for double. Exceptions are OR-ed
 * into *flags in the order of the fflags register. `rm` is a resolved rounding mode 0..4, never dynamic. NaN results
 * are canonical; tininess is detected after rounding; conversions to integers saturate and return register values,
 * that is 32-bit results (also unsigned ones) are sign-extended.
 *
 * The inline functions use host arithmetic where its result is provably the same: IEEE arithmetic rounds to
 * nearest-even in both, the inexact flag is already up (so whether this result is exact does not matter), and the
 * result's range shows that no other flag is due. All else goes to the slow paths: exact host results (fp_exact.c),
 * then the integer-only code of fp_soft.c and fp_convert.c.
 *
 * Sign variants of fma are the caller's: flip the sign bit of an operand first (fmsub: c; fnmsub: a; fnmadd: a, c). */
#ifndef CULPRIT_RISCV_FP_H
#define CULPRIT_RISCV_FP_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "riscv/fp_soft.h"

#define FP_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define FP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

static inline uint64_t fp_box32(uint32_t bits)
{
	return 0xffffffff00000000 | bits;
}

/* A single in a double's register that is not properly boxed counts as the canonical NaN. */
static inline uint32_t fp_unbox32(uint64_t reg)
{
	return FP_LIKELY(reg >> 32 == 0xffffffff) ? (uint32_t)reg : FP32_NAN;
}

static inline float fp32_host(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline uint32_t fp32_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline double fp64_host(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline uint64_t fp64_bits(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* Hosts that compute in wider registers (x87) round twice: integer code only. */
static inline bool fp_host_rounds_alike(unsigned rm, unsigned flags)
{
	return FLT_EVAL_METHOD == 0 && FP_LIKELY((rm == FP_RNE) & (flags & FP_NX));
}

static inline bool fp32_is_finite(uint32_t bits)
{
	return (bits & ~FP32_SIGN) < FP32_INF;
}

static inline bool fp64_is_finite(uint64_t bits)
{
	return (bits & ~FP64_SIGN) < FP64_INF;
}

/* Finite and above the smallest normal number: a rounded result of that size raises nothing but inexact. (The smallest
 * normal itself may have been rounded up from a tiny value.) */
static inline bool fp32_is_plain(uint32_t bits)
{
	return (bits & ~FP32_SIGN) - (FP32_MIN_NORMAL + 1) < FP32_INF - (FP32_MIN_NORMAL + 1);
}

static inline bool fp64_is_plain(uint64_t bits)
{
	return (bits & ~FP64_SIGN) - (FP64_MIN_NORMAL + 1) < FP64_INF - (FP64_MIN_NORMAL + 1);
}

/* The slow paths (fp_exact.c): the host's result if it is exact, else integers only. */
#define FP_SLOW(N)                                                                               \
	uint##N##_t fp##N##_slow_add(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags); \
	uint##N##_t fp##N##_slow_sub(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags); \
	uint##N##_t fp##N##_slow_mul(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags); \
	uint##N##_t fp##N##_slow_div(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags); \
	uint##N##_t fp##N##_slow_fma(uint##N##_t a, uint##N##_t b, uint##N##_t c, unsigned rm, uint8_t *flags);

FP_SLOW(32)
FP_SLOW(64)
#undef FP_SLOW

/* Sums are exact when they are tiny, so any finite result will do for them. */
#define FP_BINARY(N, name, operator, result_ok)                                                             \
	static inline uint##N##_t fp##N##_##name(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags) \
	{                                                                                                   \
		if (fp_host_rounds_alike(rm, *flags)) {                                                     \
			uint##N##_t r = fp##N##_bits(fp##N##_host(a) operator fp##N##_host(b));             \
			if (FP_LIKELY(result_ok(r)))                                                        \
				return r;                                                                   \
		}                                                                                           \
		return fp##N##_slow_##name(a, b, rm, flags);                                                \
	}

FP_BINARY(32, add, +, fp32_is_finite)
FP_BINARY(32, sub, -, fp32_is_finite)
FP_BINARY(32, mul, *, fp32_is_plain)
FP_BINARY(32, div, /, fp32_is_plain)
FP_BINARY(64, add, +, fp64_is_finite)
FP_BINARY(64, sub, -, fp64_is_finite)
FP_BINARY(64, mul, *, fp64_is_plain)
FP_BINARY(64, div, /, fp64_is_plain)
#undef FP_BINARY

/* The root of a finite non-negative number is never tiny and never overflows. */
static inline uint32_t fp32_sqrt(uint32_t a, unsigned rm, uint8_t *flags)
{
	if (fp_host_rounds_alike(rm, *flags) && FP_LIKELY(a < FP32_INF))
		return fp32_bits(__builtin_sqrtf(fp32_host(a)));
	return fp32_soft_sqrt(a, rm, flags);
}

static inline uint64_t fp64_sqrt(uint64_t a, unsigned rm, uint8_t *flags)
{
	if (fp_host_rounds_alike(rm, *flags) && FP_LIKELY(a < FP64_INF))
		return fp64_bits(__builtin_sqrt(fp64_host(a)));
	return fp64_soft_sqrt(a, rm, flags);
}

/* a * b + c, rounded once. The host's instruction where it has one: known when compiling, or (x86) when running. */
float fp32_host_fma(float a, float b, float c);
double fp64_host_fma(double a, double b, double c);

static inline bool fp_host_has_fma(void)
{
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
	return true;
#elif defined(__x86_64__)
	return FP_LIKELY(__builtin_cpu_supports("fma"));
#else
	return false;
#endif
}

static inline uint32_t fp32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, uint8_t *flags)
{
	if (fp_host_rounds_alike(rm, *flags) && fp_host_has_fma()) {
		uint32_t r = fp32_bits(fp32_host_fma(fp32_host(a), fp32_host(b), fp32_host(c)));
		if (FP_LIKELY(fp32_is_plain(r)))
			return r;
	}
	return fp32_slow_fma(a, b, c, rm, flags);
}

static inline uint64_t fp64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint8_t *flags)
{
	if (fp_host_rounds_alike(rm, *flags) && fp_host_has_fma()) {
		uint64_t r = fp64_bits(fp64_host_fma(fp64_host(a), fp64_host(b), fp64_host(c)));
		if (FP_LIKELY(fp64_is_plain(r)))
			return r;
	}
	return fp64_slow_fma(a, b, c, rm, flags);
}

/* minimumNumber and maximumNumber: a number wins over a NaN, -0 is less than +0. Numbers that compare equal differ
 * in the sign of zero at most. */
#define FP_MIN_MAX(N, name, relation, equal)                                                   \
	static inline uint##N##_t fp##N##_##name(uint##N##_t a, uint##N##_t b, uint8_t *flags) \
	{                                                                                      \
		if (fp##N##_host(a) relation fp##N##_host(b))                                  \
			return a;                                                              \
		if (fp##N##_host(b) relation fp##N##_host(a))                                  \
			return b;                                                              \
		if (FP_LIKELY(fp##N##_host(a) == fp##N##_host(b)))                             \
			return a equal b;                                                      \
		return fp##N##_soft_choose_number(a, b, flags);                                \
	}

FP_MIN_MAX(32, min, <, |)
FP_MIN_MAX(32, max, >, &)
FP_MIN_MAX(64, min, <, |)
FP_MIN_MAX(64, max, >, &)
#undef FP_MIN_MAX

/* Comparisons: eq is quiet (only a signalling NaN is invalid), lt and le signal on any NaN. */
#define FP_COMPARE(N, name, operator, invalid)                                          \
	static inline bool fp##N##_##name(uint##N##_t a, uint##N##_t b, uint8_t *flags) \
	{                                                                               \
		__typeof__(fp##N##_host(a)) x = fp##N##_host(a), y = fp##N##_host(b);   \
		if (FP_UNLIKELY(__builtin_isunordered(x, y)) && (invalid))              \
			*flags |= FP_NV;                                                \
		return x operator y;                                                    \
	}

FP_COMPARE(32, eq, ==, fp32_is_signalling(a) || fp32_is_signalling(b))
FP_COMPARE(32, lt, <, true)
FP_COMPARE(32, le, <=, true)
FP_COMPARE(64, eq, ==, fp64_is_signalling(a) || fp64_is_signalling(b))
FP_COMPARE(64, lt, <, true)
FP_COMPARE(64, le, <=, true)
#undef FP_COMPARE

/* Zfa (fp_further.c): constants by number; minimum and maximum of which a NaN is one; to an integer value, inexact
 * or not; comparisons that are quiet about quiet NaNs; the low 32 bits of the integer. */
#define FP_FURTHER(N)                                                                              \
	uint##N##_t fp##N##_constant(unsigned number);                                             \
	uint##N##_t fp##N##_minimum(uint##N##_t a, uint##N##_t b, uint8_t *flags);                 \
	uint##N##_t fp##N##_maximum(uint##N##_t a, uint##N##_t b, uint8_t *flags);                 \
	uint##N##_t fp##N##_round(uint##N##_t a, unsigned rm, bool tells_inexact, uint8_t *flags); \
	bool fp##N##_lt_quiet(uint##N##_t a, uint##N##_t b, uint8_t *flags);                       \
	bool fp##N##_le_quiet(uint##N##_t a, uint##N##_t b, uint8_t *flags);

FP_FURTHER(32)
FP_FURTHER(64)
#undef FP_FURTHER
uint64_t fp64_to_i32_modular(uint64_t a, uint8_t *flags);

/* The ten-bit mask of fclass. */
unsigned fp32_classify(uint32_t a);
unsigned fp64_classify(uint64_t a);

/* Between the formats. */
static inline uint64_t fp_box16(uint16_t bits)
{
	return 0xffffffffffff0000 | bits;
}

static inline uint16_t fp_unbox16(uint64_t reg)
{
	return FP_LIKELY(reg >> 16 == 0xffffffffffff) ? (uint16_t)reg : FP16_NAN;
}

uint32_t fp16_to_f32(uint16_t a, uint8_t *flags);
uint64_t fp16_to_f64(uint16_t a, uint8_t *flags);
uint16_t fp64_to_f16(uint64_t a, unsigned rm, uint8_t *flags);
uint16_t fp32_to_f16(uint32_t a, unsigned rm, uint8_t *flags);
static inline uint64_t fp32_to_f64(uint32_t a, uint8_t *flags)
{
	double wide = fp32_host(a);
	return FP_LIKELY(wide == wide) ? fp64_bits(wide) : fp32_soft_to_f64(a, flags);
}

static inline uint32_t fp64_to_f32(uint64_t a, unsigned rm, uint8_t *flags)
{
	if (fp_host_rounds_alike(rm, *flags)) {
		uint32_t r = fp32_bits((float)fp64_host(a));
		if (FP_LIKELY(fp32_is_plain(r)))
			return r;
	}
	return fp64_soft_to_f32(a, rm, flags);
}

/* To integers: truncation, which is C's cast, on the host when the value is in range; whether it was exact shows from
 * the way back. (A value of at least 2^24 or 2^53 has no fraction, so converting back is exact.) */
#define FP_TO_INT(N, name, type, low, high)                                                     \
	static inline uint64_t fp##N##_to_##name(uint##N##_t a, unsigned rm, uint8_t *flags)    \
	{                                                                                       \
		if (rm == FP_RTZ && FP_LIKELY(fp##N##_host(a) low && fp##N##_host(a) < high)) { \
			type r = (type)fp##N##_host(a);                                         \
			if (fp##N##_host(a) != r)                                               \
				*flags |= FP_NX;                                                \
			return FP_EXTEND_##name(r);                                             \
		}                                                                               \
		return fp##N##_soft_to_##name(a, rm, flags);                                    \
	}

#define FP_EXTEND_i32(r) (uint64_t)(int64_t)(r)
#define FP_EXTEND_u32(r) (uint64_t)(int64_t)(int32_t)(r)
#define FP_EXTEND_i64(r) (uint64_t)(r)
#define FP_EXTEND_u64(r) (r)

FP_TO_INT(32, i32, int32_t, >= -0x1p31f, 0x1p31f)
FP_TO_INT(32, u32, uint32_t, > -1.0f, 0x1p32f)
FP_TO_INT(32, i64, int64_t, >= -0x1p63f, 0x1p63f)
FP_TO_INT(32, u64, uint64_t, > -1.0f, 0x1p64f)
FP_TO_INT(64, i32, int32_t, > -0x1.00000002p31, 0x1p31)
FP_TO_INT(64, u32, uint32_t, > -1.0, 0x1p32)
FP_TO_INT(64, i64, int64_t, >= -0x1p63, 0x1p63)
FP_TO_INT(64, u64, uint64_t, > -1.0, 0x1p64)
#undef FP_TO_INT
#undef FP_EXTEND_i32
#undef FP_EXTEND_u32
#undef FP_EXTEND_i64
#undef FP_EXTEND_u64

/* From integers: the argument is the register; the 32-bit forms look at its low half. */
static inline uint64_t fp64_from_i32(uint64_t reg)
{
	return fp64_bits((int32_t)reg);
}

static inline uint64_t fp64_from_u32(uint64_t reg)
{
	return fp64_bits((uint32_t)reg);
}

/* No integer is tiny or overflows, so the host's conversion to nearest-even is right once inexact is up. */
#define FP_FROM_INT(N, name, type, host_type)                                                    \
	static inline uint##N##_t fp##N##_from_##name(uint64_t reg, unsigned rm, uint8_t *flags) \
	{                                                                                        \
		if (fp_host_rounds_alike(rm, *flags))                                            \
			return fp##N##_bits((host_type)(type)reg);                               \
		return fp##N##_soft_from_##name((type)reg, rm, flags);                           \
	}

FP_FROM_INT(32, i32, int32_t, float)
FP_FROM_INT(32, u32, uint32_t, float)
FP_FROM_INT(32, i64, int64_t, float)
FP_FROM_INT(32, u64, uint64_t, float)
FP_FROM_INT(64, i64, int64_t, double)
FP_FROM_INT(64, u64, uint64_t, double)
#undef FP_FROM_INT

#endif
