/* The integer-only arithmetic behind fp.h (fp_soft.c says how): same functions, every rounding mode, every operand.
 * Only fp.h, fp_half.h and the tests call these. */
#ifndef CULPRIT_RISCV_FP_SOFT_H
#define CULPRIT_RISCV_FP_SOFT_H

#include "riscv/fp_bits.h"

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

FP_SOFT_DECLARE(16)
FP_SOFT_DECLARE(32)
FP_SOFT_DECLARE(64)
#undef FP_SOFT_DECLARE

uint64_t fp32_soft_to_f64(uint32_t a, uint8_t *flags);
uint32_t fp64_soft_to_f32(uint64_t a, unsigned rm, uint8_t *flags);

#endif
