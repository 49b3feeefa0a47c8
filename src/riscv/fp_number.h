/* Floating-point numbers taken apart, and rounded back into a format. Private to fp_soft.c and fp_convert.c.
 *
 * A finite number other than zero is sig * 2^(exp - 63) with sig's top bit set, whatever its format; so one code
 * serves all formats and subnormal numbers need no case of their own until they are packed again. Results are
 * handed to the packers exactly or with their lowest bit "jammed": set when anything non-zero was cut off below it. */
#ifndef CULPRIT_RISCV_FP_NUMBER_H
#define CULPRIT_RISCV_FP_NUMBER_H

#include "riscv/fp_bits.h"

typedef unsigned __int128 fp_u128;

struct fp_format {
	int precision; /* bits of the significand, the implicit one included */
	int bias;
	int max_field; /* the exponent field of infinities and NaNs */
	int sign_bit;
	uint64_t infinity;
	uint64_t nan; /* the canonical one */
};

static const struct fp_format fp_format16 = {11, 15, 31, 15, FP16_INF, FP16_NAN};
static const struct fp_format fp_format32 = {24, 127, 255, 31, FP32_INF, FP32_NAN};
static const struct fp_format fp_format64 = {53, 1023, 2047, 63, FP64_INF, FP64_NAN};

enum fp_kind { FP_ZERO, FP_FINITE, FP_INFINITE, FP_QUIET_NAN, FP_SIGNALLING_NAN };

struct fp_number {
	uint64_t sig;
	int exp;
	enum fp_kind kind;
	bool sign;
};

static inline bool fp_is_nan(const struct fp_number *n)
{
	return n->kind >= FP_QUIET_NAN;
}

static inline struct fp_number fp_unpack(const struct fp_format *f, uint64_t bits)
{
	int fraction_bits = f->precision - 1;
	uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
	int field = (int)(bits >> fraction_bits) & f->max_field;
	struct fp_number n = {.sign = bits >> f->sign_bit & 1};

	if (field == f->max_field) {
		bool quiet = fraction >> (fraction_bits - 1);
		n.kind = !fraction ? FP_INFINITE : quiet ? FP_QUIET_NAN : FP_SIGNALLING_NAN;
		return n;
	}
	if (field)
		fraction |= UINT64_C(1) << fraction_bits;
	else
		field = 1; /* subnormal: the smallest exponent, no implicit bit */
	if (!fraction)
		return n;
	int shift = __builtin_clzll(fraction);
	n.kind = FP_FINITE;
	n.sig = fraction << shift;
	n.exp = field - f->bias + 64 - f->precision - shift;
	return n;
}

static inline uint64_t fp_pack_sign(const struct fp_format *f, bool sign)
{
	return (uint64_t)sign << f->sign_bit;
}

static inline uint64_t fp_pack_infinity(const struct fp_format *f, bool sign)
{
	return fp_pack_sign(f, sign) | f->infinity;
}

static inline uint64_t fp_invalid(const struct fp_format *f, uint8_t *flags)
{
	*flags |= FP_NV;
	return f->nan;
}

/* Does rounding add one to the magnitude? `rest` is what is cut off, 2^63 being half a unit. */
static inline bool fp_rounds_up(bool sign, bool odd, uint64_t rest, unsigned rm)
{
	const uint64_t half = UINT64_C(1) << 63;

	switch (rm) {
	case FP_RNE:
		return rest > half || (rest == half && odd);
	case FP_RMM:
		return rest >= half;
	case FP_RDN:
		return sign && rest;
	case FP_RUP:
		return !sign && rest;
	default:
		return false;
	}
}

static inline uint64_t fp_shift_right_jam(uint64_t sig, int shift)
{
	if (shift > 63)
		return sig != 0;
	return shift ? sig >> shift | (sig << (64 - shift) != 0) : sig;
}

static inline fp_u128 fp_shift_right_jam_wide(fp_u128 sig, int shift)
{
	if (shift > 127)
		return sig != 0;
	return shift ? sig >> shift | (sig << (128 - shift) != 0) : sig;
}

static inline uint64_t fp_overflow(const struct fp_format *f, bool sign, unsigned rm, uint8_t *flags)
{
	bool to_infinity = rm == FP_RNE || rm == FP_RMM || rm == (sign ? FP_RDN : FP_RUP);

	*flags |= FP_OF | FP_NX;
	return fp_pack_infinity(f, sign) - !to_infinity; /* the largest finite number is the pattern just below */
}

/* Round sig * 2^(exp - 63), sig's top bit set, to the format. */
static inline uint64_t fp_round_pack(const struct fp_format *f, bool sign, int exp, uint64_t sig, unsigned rm,
				     uint8_t *flags)
{
	int drop = 64 - f->precision;
	int field = exp + f->bias;
	bool tiny = false;

	if (field >= f->max_field)
		return fp_overflow(f, sign, rm, flags);
	if (field <= 0) {
		/* Tiny after rounding: unless rounding with unbounded exponent carries up to the smallest normal. */
		bool all_ones = sig >> drop == (UINT64_C(1) << f->precision) - 1;
		tiny = field < 0 || !all_ones || !fp_rounds_up(sign, true, sig << f->precision, rm);
		sig = fp_shift_right_jam(sig, 1 - field);
		field = 1;
	}
	uint64_t kept = sig >> drop, rest = sig << f->precision;
	if (rest)
		*flags |= tiny ? FP_NX | FP_UF : FP_NX;
	kept += fp_rounds_up(sign, kept & 1, rest, rm);
	/* The implicit bit, or a carry out of rounding, adds to the exponent field. */
	uint64_t magnitude = ((uint64_t)(field - 1) << (f->precision - 1)) + kept;
	if (magnitude >= f->infinity)
		return fp_overflow(f, sign, rm, flags);
	return fp_pack_sign(f, sign) | magnitude;
}

/* The same for any sig but zero. */
static inline uint64_t fp_normalise_pack(const struct fp_format *f, bool sign, int exp, uint64_t sig, unsigned rm,
					 uint8_t *flags)
{
	int shift = __builtin_clzll(sig);

	return fp_round_pack(f, sign, exp - shift, sig << shift, rm, flags);
}

/* And for sig * 2^(exp - 127). */
static inline uint64_t fp_normalise_pack_wide(const struct fp_format *f, bool sign, int exp, fp_u128 sig, unsigned rm,
					      uint8_t *flags)
{
	int shift = sig >> 64 ? __builtin_clzll((uint64_t)(sig >> 64)) : 64 + __builtin_clzll((uint64_t)sig);

	sig <<= shift;
	return fp_round_pack(f, sign, exp - shift, (uint64_t)(sig >> 64) | ((uint64_t)sig != 0), rm, flags);
}

/* Pack an operand that is itself the result; only a change of format can round it. */
static inline uint64_t fp_pack(const struct fp_format *f, const struct fp_number *n, unsigned rm, uint8_t *flags)
{
	switch (n->kind) {
	case FP_ZERO:
		return fp_pack_sign(f, n->sign);
	case FP_INFINITE:
		return fp_pack_infinity(f, n->sign);
	case FP_FINITE:
		return fp_round_pack(f, n->sign, n->exp, n->sig, rm, flags);
	case FP_SIGNALLING_NAN:
		return fp_invalid(f, flags);
	default:
		return f->nan;
	}
}

#endif
