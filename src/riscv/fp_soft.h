/* The integer-only arithmetic behind fp.h (fp_soft.c says how): same functions, every rounding mode, every operand.
 * Only fp.h and the tests call these. */
#ifndef CULPRIT_RISCV_FP_SOFT_H
#define CULPRIT_RISCV_FP_SOFT_H

#include <stdbool.h>
#include <stdint.h>

enum fp_flag {
	FP_NX = 1,  /* inexact */
	FP_UF = 2,  /* underflow: tiny after rounding and inexact */
	FP_OF = 4,  /* overflow */
	FP_DZ = 8,  /* division of a finite number by zero */
	FP_NV = 16, /* invalid operation */
};

enum fp_rounding {
	FP_RNE = 0, /* to nearest, ties to even */
	FP_RTZ = 1, /* towards zero */
	FP_RDN = 2, /* down */
	FP_RUP = 3, /* up */
	FP_RMM = 4, /* to nearest, ties away from zero */
};

#define FP32_SIGN UINT32_C(0x80000000)
#define FP32_INF UINT32_C(0x7f800000)
#define FP32_NAN UINT32_C(0x7fc00000)
#define FP32_MIN_NORMAL UINT32_C(0x00800000)
#define FP64_SIGN UINT64_C(0x8000000000000000)
#define FP64_INF UINT64_C(0x7ff0000000000000)
#define FP64_NAN UINT64_C(0x7ff8000000000000)
#define FP64_MIN_NORMAL UINT64_C(0x0010000000000000)

static inline bool fp32_is_nan(uint32_t a)
{
	return (a & ~FP32_SIGN) > FP32_INF;
}

static inline bool fp32_is_signalling(uint32_t a)
{
	return fp32_is_nan(a) && !(a & 0x00400000);
}

static inline bool fp64_is_nan(uint64_t a)
{
	return (a & ~FP64_SIGN) > FP64_INF;
}

static inline bool fp64_is_signalling(uint64_t a)
{
	return fp64_is_nan(a) && !(a & 0x0008000000000000);
}

#define FP_SOFT_DECLARE(N)                                                                                      \
	uint##N##_t fp##N##_soft_add(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags);                \
	uint##N##_t fp##N##_soft_sub(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags);                \
	uint##N##_t fp##N##_soft_mul(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags);                \
	uint##N##_t fp##N##_soft_div(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags);                \
	uint##N##_t fp##N##_soft_sqrt(uint##N##_t a, unsigned rm, uint8_t *flags);                              \
	uint##N##_t fp##N##_soft_fma(uint##N##_t a, uint##N##_t b, uint##N##_t c, unsigned rm, uint8_t *flags); \
	/* min and max when an operand is a NaN */                                                              \
	uint##N##_t fp##N##_soft_choose_number(uint##N##_t a, uint##N##_t b, uint8_t *flags);                   \
	uint64_t fp##N##_soft_to_i32(uint##N##_t a, unsigned rm, uint8_t *flags);                               \
	uint64_t fp##N##_soft_to_u32(uint##N##_t a, unsigned rm, uint8_t *flags);                               \
	uint64_t fp##N##_soft_to_i64(uint##N##_t a, unsigned rm, uint8_t *flags);                               \
	uint64_t fp##N##_soft_to_u64(uint##N##_t a, unsigned rm, uint8_t *flags);                               \
	uint##N##_t fp##N##_soft_from_i32(int32_t value, unsigned rm, uint8_t *flags);                          \
	uint##N##_t fp##N##_soft_from_u32(uint32_t value, unsigned rm, uint8_t *flags);                         \
	uint##N##_t fp##N##_soft_from_i64(int64_t value, unsigned rm, uint8_t *flags);                          \
	uint##N##_t fp##N##_soft_from_u64(uint64_t value, unsigned rm, uint8_t *flags);

FP_SOFT_DECLARE(32)
FP_SOFT_DECLARE(64)
#undef FP_SOFT_DECLARE

uint64_t fp32_soft_to_f64(uint32_t a, uint8_t *flags);
uint32_t fp64_soft_to_f32(uint64_t a, unsigned rm, uint8_t *flags);

#endif
