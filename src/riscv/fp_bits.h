/* Flags, rounding modes and bit patterns of floating-point numbers. */
#ifndef CULPRIT_RISCV_FP_BITS_H
#define CULPRIT_RISCV_FP_BITS_H

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

#define FP16_SIGN UINT16_C(0x8000)
#define FP16_INF UINT16_C(0x7c00)
#define FP16_NAN UINT16_C(0x7e00)
#define FP16_MIN_NORMAL UINT16_C(0x0400)
#define FP32_SIGN UINT32_C(0x80000000)
#define FP32_INF UINT32_C(0x7f800000)
#define FP32_NAN UINT32_C(0x7fc00000)
#define FP32_MIN_NORMAL UINT32_C(0x00800000)
#define FP64_SIGN UINT64_C(0x8000000000000000)
#define FP64_INF UINT64_C(0x7ff0000000000000)
#define FP64_NAN UINT64_C(0x7ff8000000000000)
#define FP64_MIN_NORMAL UINT64_C(0x0010000000000000)

static inline bool fp16_is_nan(uint16_t a)
{
	return (a & ~FP16_SIGN) > FP16_INF;
}

static inline bool fp16_is_signalling(uint16_t a)
{
	return fp16_is_nan(a) && !(a & 0x0200);
}

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

#endif
