/* Clustering, on vectors whose clusters are known. */
#include "simpoint/cluster.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Interval i is of phase (i / 5) % phases: of a phase's 20 blocks each has 100 instructions, and up to 10 more. */
static void make(struct bbv *v, size_t intervals, unsigned phases)
{
	struct error err;
	uint32_t noise = 12345;
	*v = (struct bbv){0};
	for (size_t i = 0; i < intervals; i++) {
		for (uint32_t b = 0; b < 20; b++) {
			noise = noise * 1664525 + 1013904223;
			assert_true(bbv_add(v, (uint32_t)(i / 5 % phases) * 20 + b + 1, 100 + noise % 11, &err));
		}
		assert_true(bbv_end(v, &err));
	}
}

/* The search takes the smallest k whose BIC is good enough: for each number of phases their own number, and every
 * cluster is one phase. */
static void finds_the_phases(void **state)
{
	(void)state;
	for (unsigned phases = 1; phases <= 6; phases++) {
		struct bbv v;
		struct clustering c;
		struct error err;
		make(&v, 120, phases);
		cluster_point *points = cluster_project(&v, 7);
		assert_true(cluster_search(&c, points, v.count, 12, 7, &err));
		assert_true(phases == 1 || (c.k >= phases && c.k <= phases + 1)); /* one cloud of noise may be cut up */
		for (size_t i = 0; i < v.count; i++)
			for (size_t j = 0; j < i; j++)
				if (c.labels[i] == c.labels[j])
					assert_int_equal(i / 5 % phases, j / 5 % phases);
		struct simpoints chosen = {0};
		assert_true(cluster_choose(&c, points, v.count, &chosen, &err));
		double sum = 0, of_phase[6] = {0};
		for (size_t i = 0; i < chosen.count; i++) {
			sum += chosen.points[i].weight;
			of_phase[chosen.points[i].interval / 5 % phases] += chosen.points[i].weight;
		}
		assert_true(fabs(sum - 1) < 1e-12);
		for (unsigned p = 0; p < phases; p++) /* 24 groups of five intervals */
			assert_true(fabs(of_phase[p] - (double)((24 - p + phases - 1) / phases) / 24) < 1e-12);
		simpoints_destroy(&chosen);
		clustering_destroy(&c);
		free(points);
		bbv_destroy(&v);
	}
}

/* Four points in two places, k = 2: centres, distortion and BIC by hand. */
static void scores_as_published(void **state)
{
	(void)state;
	cluster_point points[4] = {{0, 1}, {0, -1}, {10, 1}, {10, -1}};
	struct clustering c;
	struct error err;
	for (uint64_t seed = 0;; seed++) { /* one that begins in both places */
		assert_true(cluster_means(&c, points, 4, 2, seed, &err));
		if (c.labels[0] == c.labels[1] && c.labels[0] != c.labels[2])
			break;
		clustering_destroy(&c);
		assert_true(seed < 100);
	}
	/* each is 1 from its centre: distortion 4, variance 4 / (4 - 2) = 2. Of a cluster: 2 log(2 / 4) - log(2 pi)
	 * - 15 log 2 - 0; less (2 x 16) / 2 log 4 */
	double one = 2 * log(.5) - log(2 * M_PI) - 15 * log(2);
	assert_true(fabs(c.distortion - 4) < 1e-12);
	assert_true(fabs(c.bic - (2 * one - 16 * log(4))) < 1e-9);
	assert_true(fabs(c.centres[c.labels[2]][0] - 10) < 1e-12 && fabs(c.centres[c.labels[2]][1]) < 1e-12);
	clustering_destroy(&c);
}

/* However many clusters are asked for, there are no more than vectors; all alike is one cluster. */
static void bears_the_extremes(void **state)
{
	(void)state;
	struct clustering c;
	struct error err;
	cluster_point same[5] = {{1}, {1}, {1}, {1}, {1}}, alone[1] = {{3}};
	assert_true(cluster_search(&c, same, 5, 30, 1, &err));
	assert_int_equal(c.k, 1);
	clustering_destroy(&c);
	assert_true(cluster_search(&c, alone, 1, 30, 1, &err));
	assert_int_equal(c.k, 1);
	struct simpoints chosen = {0};
	assert_true(cluster_choose(&c, alone, 1, &chosen, &err));
	assert_int_equal(chosen.count, 1);
	simpoints_destroy(&chosen);
	clustering_destroy(&c);
}

/* Lengths survive a projection on average: of 2000 matrices, the mean of |Px|^2 / |x|^2 is 15 / 3 (uniform on -1 to 1
 * has variance 1/3), and the vector's size does not count. */
static void projects_evenly(void **state)
{
	(void)state;
	struct bbv v = {0};
	struct error err;
	assert_true(bbv_add(&v, 1, 30, &err) && bbv_add(&v, 900000, 40, &err) && bbv_end(&v, &err));
	assert_true(bbv_add(&v, 1, 3000, &err) && bbv_add(&v, 900000, 4000, &err) && bbv_end(&v, &err));
	double mean = 0, length = (9.0 + 16) / 49;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		cluster_point *p = cluster_project(&v, seed);
		for (unsigned d = 0; d < CLUSTER_DIMENSIONS; d++) {
			mean += p[0][d] * p[0][d] / length / 2000;
			assert_true(fabs(p[0][d] - p[1][d]) < 1e-12);
		}
		free(p);
	}
	assert_true(fabs(mean - 5) < 0.15);
	bbv_destroy(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_phases),
		cmocka_unit_test(scores_as_published),
		cmocka_unit_test(bears_the_extremes),
		cmocka_unit_test(projects_evenly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
