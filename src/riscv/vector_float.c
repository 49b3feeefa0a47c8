/* The elements of floating-point operations: a function for each row of vector_float.def. */
#include "riscv/vector_kinds.h"

#include <math.h>

#define V_LEAST 1 /* SEW with Zvfh: vector_float_legal */

#define RM e->unit->hart->frm
#define FP_FLAGS_OF (&e->unit->hart->fflags)
#define SIGN (1ull << (SEW - 1))
#define NEG(x) ((x) ^ SIGN)
#define BY_WIDTH(CALL, ...) \
	(SEW == 32 ? CALL(32, __VA_ARGS__) : SEW == 64 ? CALL(64, __VA_ARGS__) : CALL(16, __VA_ARGS__))
#define CALL1(N, name, x) fp##N##_##name((uint##N##_t)(x), RM, FP_FLAGS_OF)
#define CALL2(N, name, x, y) fp##N##_##name((uint##N##_t)(x), (uint##N##_t)(y), RM, FP_FLAGS_OF)
#define CALL2_EXACT(N, name, x, y) fp##N##_##name((uint##N##_t)(x), (uint##N##_t)(y), FP_FLAGS_OF)
#define CALL3(N, x, y, z) fp##N##_fma((uint##N##_t)(x), (uint##N##_t)(y), (uint##N##_t)(z), RM, FP_FLAGS_OF)
#define F1(name, x) BY_WIDTH(CALL1, name, x)
#define F2(name, x, y) BY_WIDTH(CALL2, name, x, y)
#define F2_EXACT(name, x, y) BY_WIDTH(CALL2_EXACT, name, x, y)
#define FMA(x, y, z) BY_WIDTH(CALL3, x, y, z)
#define FW(x) (SEW == 32 ? fp16_to_f32((uint16_t)(x), FP_FLAGS_OF) : fp32_to_f64((uint32_t)(x), FP_FLAGS_OF))

/* To an integer of SEW bits from a float of `from` bits. */
static uint64_t v_to_integer(const struct vector_element *e, unsigned from, bool is_signed, unsigned rm)
{
	uint8_t flags = 0;

	if (e->sew == 64 && is_signed)
		return from == 32 ? fp32_to_i64((uint32_t)e->ua, rm, FP_FLAGS_OF) : fp64_to_i64(e->ua, rm, FP_FLAGS_OF);
	if (e->sew == 64)
		return from == 32 ? fp32_to_u64((uint32_t)e->ua, rm, FP_FLAGS_OF) : fp64_to_u64(e->ua, rm, FP_FLAGS_OF);
	if (e->sew == 32 && from == 16)
		return is_signed ? fp16_to_i32((uint16_t)e->ua, rm, FP_FLAGS_OF)
				 : fp16_to_u32((uint16_t)e->ua, rm, FP_FLAGS_OF);
	if (e->sew == 32 && is_signed)
		return from == 32 ? fp32_to_i32((uint32_t)e->ua, rm, FP_FLAGS_OF) : fp64_to_i32(e->ua, rm, FP_FLAGS_OF);
	if (e->sew == 32)
		return from == 32 ? fp32_to_u32((uint32_t)e->ua, rm, FP_FLAGS_OF) : fp64_to_u32(e->ua, rm, FP_FLAGS_OF);
	int64_t high = (1ll << (is_signed ? e->sew - 1 : e->sew)) - 1, low = is_signed ? -high - 1 : 0;
	int64_t value = (int64_t)(from == 16 ? fp16_to_i64((uint16_t)e->ua, rm, &flags)
					     : fp32_to_i64((uint32_t)e->ua, rm, &flags));
	if (value < low || value > high) {
		value = value < low ? low : high;
		flags = FP_NV;
	}
	*FP_FLAGS_OF |= flags;
	return (uint64_t)value;
}

static uint64_t v_from_integer(const struct vector_element *e, bool is_signed)
{
	if (e->sew == 16)
		return is_signed ? fp16_from_i64((uint64_t)e->a, RM, FP_FLAGS_OF)
				 : fp16_from_u64(e->ua, RM, FP_FLAGS_OF);
	if (e->sew == 32)
		return is_signed ? fp32_from_i64((uint64_t)e->a, RM, FP_FLAGS_OF)
				 : fp32_from_u64(e->ua, RM, FP_FLAGS_OF);
	return is_signed ? fp64_from_i64((uint64_t)e->a, RM, FP_FLAGS_OF) : fp64_from_u64(e->ua, RM, FP_FLAGS_OF);
}

static uint64_t v_narrow(const struct vector_element *e, unsigned rm)
{
	if (e->sew == 16)
		return fp32_to_f16((uint32_t)e->ua, rm, FP_FLAGS_OF);
	return fp64_to_f32(e->ua, rm, FP_FLAGS_OF);
}

/* Towards zero, and what is not exact becomes odd. */
static uint64_t v_narrow_to_odd(const struct vector_element *e)
{
	uint8_t flags = 0;
	uint64_t value = e->sew == 16 ? fp32_to_f16((uint32_t)e->ua, FP_RTZ, &flags)
				      : fp64_to_f32(e->ua, FP_RTZ, &flags);

	*FP_FLAGS_OF |= flags;
	return value | !!(flags & FP_NX);
}

static uint64_t v_classify(const struct vector_element *e)
{
	if (e->sew == 16)
		return fp16_classify((uint16_t)e->ua);
	return e->sew == 32 ? fp32_classify((uint32_t)e->ua) : fp64_classify(e->ua);
}

/* A positive finite number taken apart; a subnormal one is shifted until its top bit is the implicit one. */
struct parts {
	int fraction_bits, bias, most; /* the format's: most is the exponent field of infinities */
	uint64_t fraction;
	int exponent;
	bool sign;
};

static struct parts take_apart(const struct vector_element *e)
{
	struct parts p = e->sew == 16	? (struct parts){.fraction_bits = 10, .bias = 15, .most = 31}
			 : e->sew == 32 ? (struct parts){.fraction_bits = 23, .bias = 127, .most = 255}
					: (struct parts){.fraction_bits = 52, .bias = 1023, .most = 2047};

	p.sign = e->ua >> (e->sew - 1);
	p.fraction = e->ua & ((1ull << p.fraction_bits) - 1);
	p.exponent = (int)(e->ua >> p.fraction_bits) & p.most;
	if (!p.exponent && p.fraction) {
		int shift = __builtin_clzll(p.fraction) - (63 - p.fraction_bits);
		p.fraction = p.fraction << shift & ((1ull << p.fraction_bits) - 1);
		p.exponent = 1 - shift;
	}
	return p;
}

static uint64_t put_together(const struct parts *p, bool sign, uint64_t exponent, uint64_t fraction, unsigned sew)
{
	return (uint64_t)sign << (sew - 1) | exponent << p->fraction_bits | fraction;
}

static uint64_t v_canonical_nan(const struct vector_element *e)
{
	return e->sew == 16 ? FP16_NAN : e->sew == 32 ? FP32_NAN : FP64_NAN;
}

/* The manual's table of 128 is this, to the last entry: the seven bits below the top one of the root's reciprocal in
 * the middle of the interval. `top` is the interval: the exponent's last bit, then six of the fraction. */
static uint64_t root_entry(uint64_t top)
{
	double middle = 1 + ((double)(top & 63) + 0.5) / 64;

	return (uint64_t)(256 / sqrt(top & 64 ? middle : 2 * middle) + 0.5) - 128;
}

static uint64_t reciprocal_entry(uint64_t top)
{
	return (uint64_t)(256 / (1 + ((double)top + 0.5) / 128) + 0.5) - 128;
}

static uint64_t v_estimate_root(const struct vector_element *e)
{
	unsigned class = (unsigned)v_classify(e);
	struct parts p = take_apart(e);

	if (class & 0x307) { /* a NaN, or negative */
		*FP_FLAGS_OF |= class & 0x200 ? 0 : FP_NV;
		return v_canonical_nan(e);
	}
	if (class & 0x18) { /* a zero */
		*FP_FLAGS_OF |= FP_DZ;
		return put_together(&p, p.sign, (uint64_t)p.most, 0, e->sew);
	}
	if (class & 0x80)
		return 0;
	uint64_t top = ((uint64_t)p.exponent & 1) << 6 | p.fraction >> (p.fraction_bits - 6);
	return put_together(&p, false, (uint64_t)((3 * p.bias - 1 - p.exponent) >> 1),
			    root_entry(top) << (p.fraction_bits - 7), e->sew);
}

/* The reciprocal of a subnormal number so small that it is beyond the largest one. */
static uint64_t reciprocal_overflow(const struct vector_element *e, const struct parts *p)
{
	bool to_infinity = RM == FP_RNE || RM == FP_RMM || (RM == FP_RDN && p->sign) || (RM == FP_RUP && !p->sign);

	*FP_FLAGS_OF |= FP_OF | FP_NX;
	if (to_infinity)
		return put_together(p, p->sign, (uint64_t)p->most, 0, e->sew);
	return put_together(p, p->sign, (uint64_t)p->most - 1, (1ull << p->fraction_bits) - 1, e->sew);
}

static uint64_t v_estimate_reciprocal(const struct vector_element *e)
{
	unsigned class = (unsigned)v_classify(e);
	struct parts p = take_apart(e);

	if (class & 0x300) {
		*FP_FLAGS_OF |= class & 0x100 ? FP_NV : 0;
		return v_canonical_nan(e);
	}
	if (class & 0x18) {
		*FP_FLAGS_OF |= FP_DZ;
		return put_together(&p, p.sign, (uint64_t)p.most, 0, e->sew);
	}
	if (class & 0x81)
		return put_together(&p, p.sign, 0, 0, e->sew);
	if (p.exponent < -1)
		return reciprocal_overflow(e, &p);
	uint64_t fraction = reciprocal_entry(p.fraction >> (p.fraction_bits - 7)) << (p.fraction_bits - 7);
	int exponent = 2 * p.bias - 1 - p.exponent;
	if (exponent > 0)
		return put_together(&p, p.sign, (uint64_t)exponent, fraction, e->sew);
	fraction = (1ull << p.fraction_bits | fraction) >> (1 - exponent);
	return put_together(&p, p.sign, 0, fraction, e->sew);
}

#define VINSN(id, mnemonic, operands, match, mask, op_class, flags, kind, ...) V_FUNCTION_##kind(id, __VA_ARGS__)
#include "riscv/vector_forms.h"
#include "riscv/vector_float.def"
#undef VINSN

const struct vector_row vector_float_rows[] = {
#define VINSN(id, mnemonic, operands, match, mask, op_class, flags, kind, ...) \
	[RISCV_OP_##id - RISCV_OP_vfadd_vv] = V_ROW_##kind(id, __VA_ARGS__),
#include "riscv/vector_float.def"
#undef VINSN
};
