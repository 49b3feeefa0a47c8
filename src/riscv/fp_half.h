/* Half precision (Zfh, Zvfh): as fp.h, in uint16_t. No host that matters computes in it, so rounding operations are the
 * integer-only ones. Those that do not round are the single-precision ones: every half is a single, and a signalling
 * NaN is noticed where it becomes one. */
#ifndef CULPRIT_RISCV_FP_HALF_H
#define CULPRIT_RISCV_FP_HALF_H

#include "riscv/fp.h"

static inline uint16_t fp16_add(uint16_t a, uint16_t b, unsigned rm, uint8_t *flags)
{
	return fp16_soft_add(a, b, rm, flags);
}

static inline uint16_t fp16_sub(uint16_t a, uint16_t b, unsigned rm, uint8_t *flags)
{
	return fp16_soft_sub(a, b, rm, flags);
}

static inline uint16_t fp16_mul(uint16_t a, uint16_t b, unsigned rm, uint8_t *flags)
{
	return fp16_soft_mul(a, b, rm, flags);
}

static inline uint16_t fp16_div(uint16_t a, uint16_t b, unsigned rm, uint8_t *flags)
{
	return fp16_soft_div(a, b, rm, flags);
}

static inline uint16_t fp16_sqrt(uint16_t a, unsigned rm, uint8_t *flags)
{
	return fp16_soft_sqrt(a, rm, flags);
}

static inline uint16_t fp16_fma(uint16_t a, uint16_t b, uint16_t c, unsigned rm, uint8_t *flags)
{
	return fp16_soft_fma(a, b, c, rm, flags);
}

/* From a single that is a half's value, or a NaN. */
static inline uint16_t fp16_exactly(uint32_t single)
{
	uint8_t none = 0;

	return fp32_to_f16(single, FP_RNE, &none);
}

#define FP16_CHOICE(name)                                                                              \
	static inline uint16_t fp16_##name(uint16_t a, uint16_t b, uint8_t *flags)                     \
	{                                                                                              \
		return fp16_exactly(fp32_##name(fp16_to_f32(a, flags), fp16_to_f32(b, flags), flags)); \
	}
#define FP16_COMPARE(name)                                                               \
	static inline bool fp16_##name(uint16_t a, uint16_t b, uint8_t *flags)           \
	{                                                                                \
		return fp32_##name(fp16_to_f32(a, flags), fp16_to_f32(b, flags), flags); \
	}
#define FP16_TO_INTEGER(name)                                                          \
	static inline uint64_t fp16_to_##name(uint16_t a, unsigned rm, uint8_t *flags) \
	{                                                                              \
		return fp32_to_##name(fp16_to_f32(a, flags), rm, flags);               \
	}

FP16_CHOICE(min)
FP16_CHOICE(max)
FP16_CHOICE(minimum)
FP16_CHOICE(maximum)
FP16_COMPARE(eq)
FP16_COMPARE(lt)
FP16_COMPARE(le)
FP16_COMPARE(lt_quiet)
FP16_COMPARE(le_quiet)
FP16_TO_INTEGER(i32)
FP16_TO_INTEGER(u32)
FP16_TO_INTEGER(i64)
FP16_TO_INTEGER(u64)
#undef FP16_CHOICE
#undef FP16_COMPARE
#undef FP16_TO_INTEGER

/* From the whole register: a 32-bit integer is extended before. */
static inline uint16_t fp16_from_i64(uint64_t reg, unsigned rm, uint8_t *flags)
{
	return fp16_soft_from_i64((int64_t)reg, rm, flags);
}

static inline uint16_t fp16_from_u64(uint64_t reg, unsigned rm, uint8_t *flags)
{
	return fp16_soft_from_u64(reg, rm, flags);
}

/* Zfa. 2^16 is beyond the largest half. */
static inline uint16_t fp16_constant(unsigned number)
{
	enum { SMALLEST_NORMAL = 1 };
	uint8_t none = 0;

	return number == SMALLEST_NORMAL ? FP16_MIN_NORMAL : fp32_to_f16(fp32_constant(number), FP_RNE, &none);
}

static inline uint16_t fp16_round(uint16_t a, unsigned rm, bool tells_inexact, uint8_t *flags)
{
	return fp16_exactly(fp32_round(fp16_to_f32(a, flags), rm, tells_inexact, flags));
}

unsigned fp16_classify(uint16_t a);

#endif
