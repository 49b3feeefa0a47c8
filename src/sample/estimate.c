#include "sample/estimate.h"

#include <math.h>

static double total(const double *values, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

/* Variance of sum(d) / sum(instructions), d = x - ratio c: the deviations around their own mean; less for what part of
 * the rest was seen. */
static double variance(const struct estimate_samples *s, double ratio, double instructions)
{
	double n = (double)s->count, squares = 0, mean = instructions / n;
	double deviation = (total(s->x, s->count) - ratio * total(s->c, s->count)) / instructions;
	double unseen = instructions < s->rest ? 1 - instructions / s->rest : 0;
	for (size_t i = 0; i < s->count; i++) {
		double d = s->x[i] - ratio * s->c[i] - deviation * s->instructions[i];
		squares += d * d;
	}
	return unseen * squares / (n - 1) / n / (mean * mean);
}

struct estimate estimate_ratio(const struct estimate_samples *s, double t)
{
	double instructions = total(s->instructions, s->count), x = s->start_x, c = s->start_c;
	if (s->rest > 0 && instructions > 0) {
		x += s->rest * total(s->x, s->count) / instructions;
		c += s->rest * total(s->c, s->count) / instructions;
	}
	if (c <= 0)
		return (struct estimate){0, INFINITY};
	if (s->rest <= 0 || (s->count == 1 && instructions >= s->rest))
		return (struct estimate){x / c, 0};
	if (s->count < 2)
		return (struct estimate){x / c, INFINITY};
	return (struct estimate){x / c, t * s->rest / c * sqrt(variance(s, x / c, instructions))};
}

/* erf is the library's; its inverse is found by bisection. */
static double normal_quantile(double confidence)
{
	double low = 0, high = 40;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;
		if (erf(middle / sqrt(2)) < confidence)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Student's t from the normal distribution's z: Abramowitz and Stegun, 26.7.5. */
double estimate_quantile(double confidence, size_t count)
{
	double z = normal_quantile(confidence), z2 = z * z, f = count > 1 ? (double)(count - 1) : 1;
	double first = z * (z2 + 1) / 4, second = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
	double third = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
	return z + first / f + second / (f * f) + third / (f * f * f);
}
