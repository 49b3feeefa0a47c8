/* Between the host's arithmetic and the integer-only code: operations whose host result turns out to be exact.
 *
 * Until a program has rounded once, its inexact flag is down and the inline paths of fp.h do not apply; programs that
 * keep integers in floating-point numbers may never round. An exact result is the same in every rounding mode and
 * raises nothing, so it only has to be shown exact, cheaply and without mistaking an inexact one:
 *   - a sum, when the error term of Knuth's TwoSum, itself always exact short of overflow, is zero;
 *   - a product, when the operands' significands are together no wider than the format's;
 *   - a quotient, when multiplying back is exact in that sense and gives the dividend;
 *   - a fused multiply-add, when product and sum are exact one after the other.
 * Integers in doubles on a Xeon, ns a call (1.6 of it loop), integer-only code against this: add 11.8 and 3.8, mul 9.5
 * and 3.4, div 9.9 and 5.0, fma 15.5 and 5.0. Square roots are too rare to bother. */
#include "riscv/fp.h"

/* Trailing zeros of the significand; those of two factors add up in their product. */
static inline int fp32_trailing_zeros(float x)
{
	return __builtin_ctz(fp32_bits(x) | FP32_MIN_NORMAL);
}

static inline int fp64_trailing_zeros(double x)
{
	return __builtin_ctzll(fp64_bits(x) | FP64_MIN_NORMAL);
}

/* A zero sum's sign depends on the rounding mode, so only one mode gets it from the host. */
#define FP_EXACT(N, type, precision)                                                                           \
	static inline bool fp##N##_sum_is_exact(type x, type y, type sum, unsigned rm)                         \
	{                                                                                                      \
		type y_seen = sum - x;                                                                         \
		return (x - (sum - y_seen)) + (y - y_seen) == 0 && (sum != 0 || rm == FP_RNE);                 \
	}                                                                                                      \
	static inline bool fp##N##_product_is_exact(type x, type y, type product)                              \
	{                                                                                                      \
		if (fp##N##_is_plain(fp##N##_bits(product)))                                                   \
			return fp##N##_trailing_zeros(x) + fp##N##_trailing_zeros(y) >= precision;             \
		return product == 0 && (x == 0 || y == 0);                                                     \
	}                                                                                                      \
	uint##N##_t fp##N##_slow_add(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		type x = fp##N##_host(a), y = fp##N##_host(b), sum = x + y;                                    \
		if (FLT_EVAL_METHOD == 0 && fp##N##_sum_is_exact(x, y, sum, rm))                               \
			return fp##N##_bits(sum);                                                              \
		return fp##N##_soft_add(a, b, rm, flags);                                                      \
	}                                                                                                      \
	uint##N##_t fp##N##_slow_sub(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		return fp##N##_slow_add(a, b ^ FP##N##_SIGN, rm, flags);                                       \
	}                                                                                                      \
	uint##N##_t fp##N##_slow_mul(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		type x = fp##N##_host(a), y = fp##N##_host(b), product = x * y;                                \
		if (FLT_EVAL_METHOD == 0 && fp##N##_product_is_exact(x, y, product))                           \
			return fp##N##_bits(product);                                                          \
		return fp##N##_soft_mul(a, b, rm, flags);                                                      \
	}                                                                                                      \
	uint##N##_t fp##N##_slow_div(uint##N##_t a, uint##N##_t b, unsigned rm, uint8_t *flags)                \
	{                                                                                                      \
		type x = fp##N##_host(a), y = fp##N##_host(b), quotient = x / y, back = quotient * y;          \
		if (FLT_EVAL_METHOD == 0 && back == x && fp##N##_product_is_exact(quotient, y, back))          \
			return fp##N##_bits(quotient);                                                         \
		return fp##N##_soft_div(a, b, rm, flags);                                                      \
	}                                                                                                      \
	uint##N##_t fp##N##_slow_fma(uint##N##_t a, uint##N##_t b, uint##N##_t c, unsigned rm, uint8_t *flags) \
	{                                                                                                      \
		type x = fp##N##_host(a), y = fp##N##_host(b), z = fp##N##_host(c), product = x * y;           \
		type sum = product + z;                                                                        \
		if (FLT_EVAL_METHOD == 0 && fp##N##_product_is_exact(x, y, product) &&                         \
		    fp##N##_sum_is_exact(product, z, sum, rm))                                                 \
			return fp##N##_bits(sum);                                                              \
		return fp##N##_soft_fma(a, b, c, rm, flags);                                                   \
	}

FP_EXACT(32, float, 24)
FP_EXACT(64, double, 53)
