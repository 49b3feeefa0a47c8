#include "core/divide.h"

/* FP divisions and square roots that end early (divide.fp_bits). The unit finds so many bits of the quotient or root in
 * a cycle; the first of them are the one before the point and a bit that is not needed. It finds two bits more than the
 * format's precision, but ends a cycle after no remainder is left. A result that needs none of them (of a zero, an
 * infinity or a NaN, or beyond the range of exponents) takes one cycle. */

enum { NOT_EXACT = UINT32_MAX };

struct format {
	uint32_t precision, exponent_bits; /* the precision counts the hidden bit */
};

/* A finite number other than 0: mantissa x 2^exponent, the mantissa with its first bit at FIRST. */
enum { FIRST = 52 };
struct number {
	bool special, negative;
	uint64_t mantissa;
	int32_t exponent; /* of the first bit */
};

static struct format format_of(const struct riscv_insn *insn)
{
	static const struct format single = {24, 8}, half = {11, 5}, full = {53, 11};
	switch (insn->op) {
	case RISCV_OP_fdiv_s:
	case RISCV_OP_fsqrt_s:
		return single;
	case RISCV_OP_fdiv_h:
	case RISCV_OP_fsqrt_h:
		return half;
	default:
		return full;
	}
}

/* A register that holds a narrower number has ones above it; else it is a NaN. */
static struct number unpack(uint64_t bits, const struct format *f)
{
	const uint32_t fraction_bits = f->precision - 1, width = f->precision + f->exponent_bits;
	const uint32_t most = (1u << f->exponent_bits) - 1;
	uint64_t fraction = bits & ((1ull << fraction_bits) - 1);
	uint32_t biased = (uint32_t)(bits >> fraction_bits) & most;
	bool boxed = width == 64 || bits >> width == ~0ull >> width;
	struct number n = {.special = !boxed || biased == most || (!biased && !fraction),
			   .negative = bits >> (width - 1) & 1};
	if (n.special)
		return n;
	n.mantissa = (fraction | (uint64_t)(biased != 0) << fraction_bits) << (FIRST - fraction_bits);
	n.exponent = (int32_t)(biased ? biased : 1) - (int32_t)(most / 2);
	while (!(n.mantissa >> FIRST)) {
		n.mantissa <<= 1;
		n.exponent--;
	}
	return n;
}

/* Bits behind the point of a quotient of mantissas. */
static uint32_t quotient_bits(uint64_t dividend, uint64_t divisor)
{
	uint32_t zeros = (uint32_t)__builtin_ctzll(divisor);
	if (dividend % (divisor >> zeros))
		return NOT_EXACT;
	uint32_t whole = (uint32_t)__builtin_ctzll(dividend / (divisor >> zeros));
	return zeros > whole ? zeros - whole : 0;
}

/* Bits behind the point of the root of a number: those of the root of its odd part but the first. */
static uint32_t root_bits(const struct number *n)
{
	uint32_t zeros = (uint32_t)__builtin_ctzll(n->mantissa);
	if ((n->exponent + FIRST - (int32_t)zeros) & 1)
		return NOT_EXACT;
	uint64_t odd = n->mantissa >> zeros, root = 0;
	for (uint64_t bit = 1ull << (FIRST / 2); bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= odd)
			root |= bit;
	return root * root == odd ? 63 - (uint32_t)__builtin_clzll(root) : NOT_EXACT;
}

static bool beyond_range(const struct number *a, const struct number *b, const struct format *f)
{
	const int32_t bias = (1 << (f->exponent_bits - 1)) - 1, exponent = a->exponent - b->exponent;
	return exponent > bias + 1 || exponent < 1 - bias - (int32_t)f->precision;
}

static uint32_t cycles_for(uint32_t bits, uint32_t a_cycle)
{
	return (bits + 2 + a_cycle - 1) / a_cycle;
}

static uint32_t fp_cycles(const struct machine *m, const struct riscv_insn *insn, uint64_t x, uint64_t y)
{
	const struct format f = format_of(insn);
	const bool root = insn->op_class == CULPRIT_OP_fp_sqrt;
	const struct number a = unpack(x, &f), b = root ? a : unpack(y, &f);
	if (a.special || b.special || (root ? a.negative : beyond_range(&a, &b, &f)))
		return 1;
	const uint32_t all = cycles_for(f.precision, m->divide_fp_bits);
	const uint32_t bits = root ? root_bits(&a) : quotient_bits(a.mantissa, b.mantissa);
	if (bits == NOT_EXACT)
		return all;
	const uint32_t some = cycles_for(bits, m->divide_fp_bits) + 1;
	return some < all ? some : all;
}

uint16_t divide_fp_early(const struct machine *m, const struct riscv_insn *insn, uint64_t x, uint64_t y)
{
	const uint32_t longest = cycles_for(53, m->divide_fp_bits), most = m->latency[insn->op_class] - 1;
	const uint32_t early = longest - fp_cycles(m, insn, x, y);
	return (uint16_t)(early < most ? early : most);
}
