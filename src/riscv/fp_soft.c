/* Add, subtract, multiply, divide, square root and fused multiply-add in integers only, for the three formats.
 *
 * Own code, because Debian packages no softfloat library and host arithmetic alone cannot do it: hosts differ in NaNs,
 * in when they detect tininess, and lack the fifth rounding mode. Operands are unpacked (fp_number.h), the result is
 * computed exactly or with a jammed lowest bit, and one routine rounds it into the format. */
#include "riscv/fp_number.h"
#include "riscv/fp_soft.h"

#define SPECIALISE static inline __attribute__((always_inline))

/* One term of a sum: sig * 2^(exp - 126), bit 126 being sig's top bit, so that a carry has room. */
struct term {
	fp_u128 sig;
	int exp;
	bool sign;
};

/* The result when an operand is a NaN. */
static uint64_t propagate_nan(const struct fp_format *f, bool signalling, uint8_t *flags)
{
	return signalling ? fp_invalid(f, flags) : f->nan;
}

static uint64_t zero_of_sum(const struct fp_format *f, bool x_sign, bool y_sign, unsigned rm)
{
	return fp_pack_sign(f, x_sign == y_sign ? x_sign : rm == FP_RDN);
}

/* The terms have at most 106 significant bits, so bits are cut off the smaller one only where the larger one's end
 * is well below the place of rounding; the jammed bit then says all that matters, also after cancellation. */
SPECIALISE uint64_t add_terms(const struct fp_format *f, struct term x, struct term y, unsigned rm, uint8_t *flags)
{
	if (x.exp < y.exp || (x.exp == y.exp && x.sig < y.sig)) {
		struct term larger = y;
		y = x;
		x = larger;
	}
	y.sig = fp_shift_right_jam_wide(y.sig, x.exp - y.exp);
	fp_u128 sum = x.sign == y.sign ? x.sig + y.sig : x.sig - y.sig;
	if (!sum)
		return zero_of_sum(f, x.sign, y.sign, rm);
	return fp_normalise_pack_wide(f, x.sign, x.exp + 1, sum, rm, flags);
}

SPECIALISE struct term term_of(const struct fp_number *n)
{
	return (struct term){(fp_u128)n->sig << 63, n->exp, n->sign};
}

SPECIALISE uint64_t add(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm, uint8_t *flags)
{
	struct fp_number x = fp_unpack(f, a), y = fp_unpack(f, b);

	if (x.kind == FP_FINITE && y.kind == FP_FINITE)
		return add_terms(f, term_of(&x), term_of(&y), rm, flags);
	if (fp_is_nan(&x) || fp_is_nan(&y))
		return propagate_nan(f, x.kind == FP_SIGNALLING_NAN || y.kind == FP_SIGNALLING_NAN, flags);
	if (x.kind == FP_INFINITE && y.kind == FP_INFINITE && x.sign != y.sign)
		return fp_invalid(f, flags);
	if (x.kind == FP_ZERO && y.kind == FP_ZERO)
		return zero_of_sum(f, x.sign, y.sign, rm);
	/* An infinity, or one operand being zero the other one. */
	return x.kind == FP_INFINITE || y.kind == FP_ZERO ? a : b;
}

/* The product of two finite numbers is exact: at most 106 bits of 128. */
SPECIALISE struct term product_of(const struct fp_number *x, const struct fp_number *y)
{
	fp_u128 sig = (fp_u128)x->sig * y->sig;
	int carry = (int)(sig >> 127);

	return (struct term){sig >> carry, x->exp + y->exp + carry, x->sign != y->sign};
}

SPECIALISE uint64_t mul(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm, uint8_t *flags)
{
	struct fp_number x = fp_unpack(f, a), y = fp_unpack(f, b);

	if (x.kind == FP_FINITE && y.kind == FP_FINITE) {
		struct term product = product_of(&x, &y);
		return fp_normalise_pack_wide(f, product.sign, product.exp + 1, product.sig, rm, flags);
	}
	if (fp_is_nan(&x) || fp_is_nan(&y))
		return propagate_nan(f, x.kind == FP_SIGNALLING_NAN || y.kind == FP_SIGNALLING_NAN, flags);
	if (x.kind != FP_INFINITE && y.kind != FP_INFINITE)
		return fp_pack_sign(f, x.sign != y.sign);
	if (x.kind == FP_ZERO || y.kind == FP_ZERO)
		return fp_invalid(f, flags);
	return fp_pack_infinity(f, x.sign != y.sign);
}

SPECIALISE uint64_t div(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm, uint8_t *flags)
{
	struct fp_number x = fp_unpack(f, a), y = fp_unpack(f, b);
	bool sign = x.sign != y.sign;

	if (x.kind == FP_FINITE && y.kind == FP_FINITE) {
		/* The quotient of significands is between 1/2 and 2: 63 or 64 bits of it, the rest jammed. */
		fp_u128 dividend = (fp_u128)x.sig << 63;
		uint64_t quotient = (uint64_t)(dividend / y.sig);
		bool rest = (fp_u128)quotient * y.sig != dividend;
		return fp_normalise_pack(f, sign, x.exp - y.exp, quotient | rest, rm, flags);
	}
	if (fp_is_nan(&x) || fp_is_nan(&y))
		return propagate_nan(f, x.kind == FP_SIGNALLING_NAN || y.kind == FP_SIGNALLING_NAN, flags);
	if (x.kind == y.kind) /* inf / inf, 0 / 0 */
		return fp_invalid(f, flags);
	if (x.kind == FP_ZERO || y.kind == FP_INFINITE)
		return fp_pack_sign(f, sign);
	if (y.kind == FP_ZERO && x.kind == FP_FINITE)
		*flags |= FP_DZ;
	return fp_pack_infinity(f, sign);
}

/* The integer root of `square` (2^126 and above: the root has 64 bits), digit by digit: as many as the precision
 * and one for rounding, the rest jammed. That reaches below the square's last set bit. The remainder stays within twice
 * the root found so far, so it fits in 64 bits. */
SPECIALISE uint64_t root_of(fp_u128 square, int precision)
{
	int digits = precision + 1;
	uint64_t root = 0, remainder = 0;

	for (int i = 0; i < digits; i++) {
		remainder = remainder << 2 | (uint64_t)(square >> 126);
		square <<= 2;
		uint64_t step = root << 2 | 1, fits = remainder >= step;
		remainder -= step & -fits;
		root = root << 1 | fits;
	}
	return root << (64 - digits) | (remainder != 0);
}

SPECIALISE uint64_t square_root(const struct fp_format *f, uint64_t a, unsigned rm, uint8_t *flags)
{
	struct fp_number x = fp_unpack(f, a);

	if (fp_is_nan(&x))
		return propagate_nan(f, x.kind == FP_SIGNALLING_NAN, flags);
	if (x.kind == FP_ZERO)
		return a;
	if (x.sign)
		return fp_invalid(f, flags);
	if (x.kind == FP_INFINITE)
		return a;
	/* Halve an even exponent; an odd one lends its odd power of two to the significand. */
	int odd = x.exp & 1;
	uint64_t root = root_of((fp_u128)x.sig << (63 + odd), f->precision);
	return fp_round_pack(f, false, (x.exp - odd) / 2, root, rm, flags);
}

/* Fused multiply-add with an operand that is zero, infinite or a NaN. */
static uint64_t fma_special(const struct fp_format *f, const struct fp_number *x, const struct fp_number *y,
			    const struct fp_number *z, unsigned rm, uint8_t *flags)
{
	bool infinite = x->kind == FP_INFINITE || y->kind == FP_INFINITE;
	bool zero = x->kind == FP_ZERO || y->kind == FP_ZERO;
	bool sign = x->sign != y->sign;

	if (infinite && zero) /* invalid even when a quiet NaN is added to it */
		return fp_invalid(f, flags);
	if (fp_is_nan(x) || fp_is_nan(y) || fp_is_nan(z))
		return propagate_nan(
			f, x->kind == FP_SIGNALLING_NAN || y->kind == FP_SIGNALLING_NAN || z->kind == FP_SIGNALLING_NAN,
			flags);
	if (infinite && z->kind == FP_INFINITE && sign != z->sign)
		return fp_invalid(f, flags);
	if (infinite)
		return fp_pack_infinity(f, sign);
	if (zero && z->kind == FP_ZERO)
		return zero_of_sum(f, sign, z->sign, rm);
	if (zero || z->kind == FP_INFINITE)
		return fp_pack(f, z, rm, flags);
	struct term product = product_of(x, y); /* z is zero */
	return fp_normalise_pack_wide(f, sign, product.exp + 1, product.sig, rm, flags);
}

SPECIALISE uint64_t fma_any(const struct fp_format *f, uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint8_t *flags)
{
	struct fp_number x = fp_unpack(f, a), y = fp_unpack(f, b), z = fp_unpack(f, c);

	if (x.kind == FP_FINITE && y.kind == FP_FINITE && z.kind == FP_FINITE)
		return add_terms(f, product_of(&x, &y), term_of(&z), rm, flags);
	return fma_special(f, &x, &y, &z, rm, flags);
}

#define FP_SOFT_DEFINE(N)                                                                                      \
	uint##N##_t fp##N##_soft_add(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		return (uint##N##_t)add(&fp_format##N, a, b, rm, flags);                                       \
	}                                                                                                      \
	uint##N##_t fp##N##_soft_sub(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		return fp##N##_soft_add(a, (uint##N##_t)(b ^ FP##N##_SIGN), rm,                                \
					flags); /* no result shows a NaN's sign */                             \
	}                                                                                                      \
	uint##N##_t fp##N##_soft_mul(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		return (uint##N##_t)mul(&fp_format##N, a, b, rm, flags);                                       \
	}                                                                                                      \
	uint##N##_t fp##N##_soft_div(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		return (uint##N##_t)div(&fp_format##N, a, b, rm, flags);                                       \
	}                                                                                                      \
	uint##N##_t fp##N##_soft_sqrt(uint##N##_t a, unsigned rm, uint8_t *flags)                              \
	{                                                                                                      \
		return (uint##N##_t)square_root(&fp_format##N, a, rm, flags);                                  \
	}                                                                                                      \
	uint##N##_t fp##N##_soft_fma(uint##N##_t a, uint##N##_t b, uint##N##_t c, unsigned rm, uint8_t *flags) \
	{                                                                                                      \
		return (uint##N##_t)fma_any(&fp_format##N, a, b, c, rm, flags);                                \
	}

FP_SOFT_DEFINE(16)
FP_SOFT_DEFINE(32)
FP_SOFT_DEFINE(64)
