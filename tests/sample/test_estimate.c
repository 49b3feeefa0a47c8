/* Estimators: quantiles from tables, a worked ratio, and intervals that hold as often as they say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sample/estimate.h"

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance;
}

/* Two-sided quantiles of Student's t from printed tables. */
static void quantiles(void **state)
{
	assert_true(near(estimate_quantile(0.95, 1000001), 1.95996, 1e-4));
	assert_true(near(estimate_quantile(0.997, 1000001), 2.96774, 1e-4));
	assert_true(near(estimate_quantile(0.95, 31), 2.0423, 1e-3));
	assert_true(near(estimate_quantile(0.99, 31), 2.7500, 1e-3));
	assert_true(near(estimate_quantile(0.95, 11), 2.2281, 2e-3));
	assert_true(near(estimate_quantile(0.95, 6), 2.5706, 2e-2));
	(void)state;
}

static struct estimate_samples samples(const double *x, const double *c, const double *n, size_t count, double rest)
{
	return (struct estimate_samples){.x = x, .c = c, .instructions = n, .count = count, .rest = rest};
}

/* x = 10, 14, 18 of n = 5, 5, 10, 20 of 40 seen: 42 / 20 = 2.1. Deviations from 2.1 n: -0.5, 3.5, -3; squares sum to 21.5;
 * over n - 1 = 2 and n = 3, half of it unseen: 21.5 / 6 / 2 = 1.791667; root 1.338531; over the mean n, 20 / 3, times
 * t = 2. */
static void worked(void **state)
{
	static const double x[] = {10, 14, 18}, n[] = {5, 5, 10};
	struct estimate_samples s = samples(x, n, n, 3, 40);
	struct estimate e = estimate_ratio(&s, 2);
	assert_true(near(e.value, 2.1, 1e-12));
	assert_true(near(e.half, 2 * 1.3385315 * 3 / 20, 1e-6));
	/* all was seen: nothing is uncertain */
	s.rest = 20;
	assert_true(estimate_ratio(&s, 2).half == 0);
	s = samples(x, n, n, 1, 5);
	assert_true(estimate_ratio(&s, 2).half == 0);
	(void)state;
}

/* The same behind a start of 10 with x = 51: (51 + 40 * 2.1) / (10 + 40) = 2.7. Of the rest the deviations from its own
 * mean count as before, and the rest is 40 of 50: 0.8 times the interval above. */
static void with_start(void **state)
{
	static const double x[] = {10, 14, 18}, n[] = {5, 5, 10};
	struct estimate_samples s = samples(x, n, n, 3, 40);
	s.start_x = 51;
	s.start_c = 10;
	struct estimate e = estimate_ratio(&s, 2);
	assert_true(near(e.value, 2.7, 1e-12));
	assert_true(near(e.half, 0.8 * 2 * 1.3385315 * 3 / 20, 1e-6));
	/* nothing behind the start */
	s = samples(NULL, NULL, NULL, 0, 0);
	s.start_x = 51;
	s.start_c = 10;
	e = estimate_ratio(&s, 2);
	assert_true(near(e.value, 5.1, 1e-12) && e.half == 0);
	(void)state;
}

static void too_few(void **state)
{
	static const double x[] = {10}, n[] = {5}, none[] = {0};
	struct estimate_samples s = samples(x, n, n, 1, 10);
	assert_true(isinf(estimate_ratio(&s, 2).half));
	assert_true(near(estimate_ratio(&s, 2).value, 2, 0));
	s.c = s.instructions = none;
	assert_true(isinf(estimate_ratio(&s, 2).half));
	s.count = 0;
	assert_true(isinf(estimate_ratio(&s, 2).half));
	(void)state;
}

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return (double)(*seed >> 11) / (double)(1ull << 53);
}

static void swap(double *a, double *b)
{
	double was = *a;
	*a = *b;
	*b = was;
}

/* 1000 experiments of 40 draws from a population of 400 whose ratio is known: 95% of the intervals must hold it, give or
 * take four standard errors of that share (0.7% each). */
static void coverage(void **state)
{
	enum { POPULATION = 400, DRAWS = 40, EXPERIMENTS = 1000 };
	static double x[POPULATION], c[POPULATION], n[POPULATION], taken_x[DRAWS], taken_c[DRAWS], taken_n[DRAWS];
	uint64_t seed = 5;
	double sum_x = 0, sum_c = 0, sum_n = 0;
	for (int i = 0; i < POPULATION; i++) {
		n[i] = 90 + 20 * uniform(&seed);
		x[i] = n[i] * (1 + uniform(&seed) + uniform(&seed));
		c[i] = n[i] * (2 + uniform(&seed));
		sum_x += x[i];
		sum_c += c[i];
		sum_n += n[i];
	}
	int held = 0;
	for (int k = 0; k < EXPERIMENTS; k++) {
		for (int i = 0; i < DRAWS; i++) { /* without putting back: the first places are shuffled */
			int j = i + (int)(uniform(&seed) * (POPULATION - i));
			swap(&x[i], &x[j]);
			swap(&c[i], &c[j]);
			swap(&n[i], &n[j]);
			taken_x[i] = x[i];
			taken_c[i] = c[i];
			taken_n[i] = n[i];
		}
		struct estimate_samples s = samples(taken_x, taken_c, taken_n, DRAWS, sum_n);
		struct estimate e = estimate_ratio(&s, estimate_quantile(0.95, DRAWS));
		held += near(e.value, sum_x / sum_c, e.half);
	}
	assert_true(held >= 922 && held <= 978);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles), cmocka_unit_test(worked),
					   cmocka_unit_test(with_start), cmocka_unit_test(too_few),
					   cmocka_unit_test(coverage)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
