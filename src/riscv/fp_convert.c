/* Conversions between the formats and to and from integers, in integers only; classification; the rule of min and max
 * for NaNs. Numbers are taken apart and rounded as in fp_number.h. */
#include "riscv/fp.h"
#include "riscv/fp_half.h"
#include "riscv/fp_number.h"
#include "riscv/fp_soft.h"

#define SPECIALISE static inline __attribute__((always_inline))

/* The register value of an integer result of `width` bits. */
SPECIALISE uint64_t extend(uint64_t value, int width)
{
	return width == 32 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* The largest magnitude an integer type has on the given side of zero. */
SPECIALISE uint64_t integer_limit(int width, bool is_signed, bool sign)
{
	if (is_signed)
		return (UINT64_C(1) << (width - 1)) - !sign;
	return sign ? 0 : UINT64_MAX >> (64 - width);
}

SPECIALISE uint64_t to_integer(const struct fp_format *f, uint64_t bits, int width, bool is_signed, unsigned rm,
			       uint8_t *flags)
{
	struct fp_number n = fp_unpack(f, bits);
	bool sign = n.sign && !fp_is_nan(&n);
	uint64_t limit = integer_limit(width, is_signed, sign);
	uint64_t magnitude = limit, rest = 0;
	bool too_large = n.kind >= FP_INFINITE || n.exp > 63;

	if (!too_large) {
		/* 64 integer bits and 64 fraction bits (zero has sig 0 and exp 0) */
		fp_u128 fixed = fp_shift_right_jam_wide((fp_u128)n.sig << 64, 63 - n.exp);
		rest = (uint64_t)fixed;
		magnitude = (uint64_t)(fixed >> 64);
		magnitude += fp_rounds_up(sign, magnitude & 1, rest, rm);
		too_large = magnitude > limit;
	}
	if (too_large) {
		*flags |= FP_NV;
		magnitude = limit;
	} else if (rest) {
		*flags |= FP_NX;
	}
	return extend(sign ? 0 - magnitude : magnitude, width);
}

SPECIALISE uint64_t from_integer(const struct fp_format *f, bool sign, uint64_t magnitude, unsigned rm, uint8_t *flags)
{
	return magnitude ? fp_normalise_pack(f, sign, 63, magnitude, rm, flags) : 0;
}

SPECIALISE uint64_t from_signed(const struct fp_format *f, int64_t value, unsigned rm, uint8_t *flags)
{
	return from_integer(f, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, rm, flags);
}

uint64_t fp32_soft_to_f64(uint32_t a, uint8_t *flags)
{
	struct fp_number n = fp_unpack(&fp_format32, a);

	return fp_pack(&fp_format64, &n, FP_RNE, flags); /* always exact */
}

uint32_t fp64_soft_to_f32(uint64_t a, unsigned rm, uint8_t *flags)
{
	struct fp_number n = fp_unpack(&fp_format64, a);

	return (uint32_t)fp_pack(&fp_format32, &n, rm, flags);
}

uint32_t fp16_to_f32(uint16_t a, uint8_t *flags)
{
	struct fp_number n = fp_unpack(&fp_format16, a);

	return (uint32_t)fp_pack(&fp_format32, &n, FP_RNE, flags); /* always exact */
}

uint16_t fp32_to_f16(uint32_t a, unsigned rm, uint8_t *flags)
{
	struct fp_number n = fp_unpack(&fp_format32, a);

	return (uint16_t)fp_pack(&fp_format16, &n, rm, flags);
}

uint64_t fp16_to_f64(uint16_t a, uint8_t *flags)
{
	struct fp_number n = fp_unpack(&fp_format16, a);

	return fp_pack(&fp_format64, &n, FP_RNE, flags);
}

uint16_t fp64_to_f16(uint64_t a, unsigned rm, uint8_t *flags)
{
	struct fp_number n = fp_unpack(&fp_format64, a);

	return (uint16_t)fp_pack(&fp_format16, &n, rm, flags);
}

/* fclass: bit 0 -inf, 1 negative normal, 2 negative subnormal, 3 -0, 4..7 the same mirrored, 8 signalling, 9 quiet. */
SPECIALISE unsigned classify(const struct fp_format *f, uint64_t bits)
{
	struct fp_number n = fp_unpack(f, bits);
	unsigned distance = 0; /* of the class from its infinity */

	if (fp_is_nan(&n))
		return n.kind == FP_SIGNALLING_NAN ? 1 << 8 : 1 << 9;
	if (n.kind == FP_ZERO)
		distance = 3;
	else if (n.kind == FP_FINITE)
		distance = n.exp < 1 - f->bias ? 2 : 1;
	return 1u << (n.sign ? distance : 7 - distance);
}

#define FP_CONVERT_DEFINE(N)                                                                 \
	uint64_t fp##N##_soft_to_i32(uint##N##_t a, unsigned rm, uint8_t *flags)             \
	{                                                                                    \
		return to_integer(&fp_format##N, a, 32, true, rm, flags);                    \
	}                                                                                    \
	uint64_t fp##N##_soft_to_u32(uint##N##_t a, unsigned rm, uint8_t *flags)             \
	{                                                                                    \
		return to_integer(&fp_format##N, a, 32, false, rm, flags);                   \
	}                                                                                    \
	uint64_t fp##N##_soft_to_i64(uint##N##_t a, unsigned rm, uint8_t *flags)             \
	{                                                                                    \
		return to_integer(&fp_format##N, a, 64, true, rm, flags);                    \
	}                                                                                    \
	uint64_t fp##N##_soft_to_u64(uint##N##_t a, unsigned rm, uint8_t *flags)             \
	{                                                                                    \
		return to_integer(&fp_format##N, a, 64, false, rm, flags);                   \
	}                                                                                    \
	uint##N##_t fp##N##_soft_from_i32(int32_t value, unsigned rm, uint8_t *flags)        \
	{                                                                                    \
		return (uint##N##_t)from_signed(&fp_format##N, value, rm, flags);            \
	}                                                                                    \
	uint##N##_t fp##N##_soft_from_u32(uint32_t value, unsigned rm, uint8_t *flags)       \
	{                                                                                    \
		return (uint##N##_t)from_integer(&fp_format##N, false, value, rm, flags);    \
	}                                                                                    \
	uint##N##_t fp##N##_soft_from_i64(int64_t value, unsigned rm, uint8_t *flags)        \
	{                                                                                    \
		return (uint##N##_t)from_signed(&fp_format##N, value, rm, flags);            \
	}                                                                                    \
	uint##N##_t fp##N##_soft_from_u64(uint64_t value, unsigned rm, uint8_t *flags)       \
	{                                                                                    \
		return (uint##N##_t)from_integer(&fp_format##N, false, value, rm, flags);    \
	}                                                                                    \
	unsigned fp##N##_classify(uint##N##_t a)                                             \
	{                                                                                    \
		return classify(&fp_format##N, a);                                           \
	}                                                                                    \
	uint##N##_t fp##N##_soft_choose_number(uint##N##_t a, uint##N##_t b, uint8_t *flags) \
	{                                                                                    \
		if (fp##N##_is_signalling(a) || fp##N##_is_signalling(b))                    \
			*flags |= FP_NV;                                                     \
		if (!fp##N##_is_nan(a))                                                      \
			return a;                                                            \
		return fp##N##_is_nan(b) ? FP##N##_NAN : b;                                  \
	}

FP_CONVERT_DEFINE(16)
FP_CONVERT_DEFINE(32)
FP_CONVERT_DEFINE(64)
