/* The arithmetic of a scoreboard on made-up figures, worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/truth/score.h"

/* All figures are sums of powers of two, so that means are exact. */
static void means_and_worst(void **state)
{
	const struct truth_score_point points[] = {
		{.truth = 40, .method = 42, .counted = true, .single = true}, /* 2 points, 5 % of itself */
		{.truth = 10, .method = 9, .counted = true, .single = true},  /* 1 point, 10 % */
		{.truth = 4, .method = 4.5, .counted = true, .single = true}, /* 0.5; too small for a relative error */
		{.truth = -8, .method = -11.5, .counted = true, .single = false}, /* 3.5; an interaction */
	};
	struct truth_score_summary s = truth_score_summarise(points, 4);
	assert_int_equal(s.count, 4);
	assert_int_equal(s.singles, 3);
	assert_true(s.mean == 7.0 / 4);
	assert_true(s.mean_singles == 3.5 / 3);
	assert_int_equal(s.worst, 3);
	assert_int_equal(s.relative_count, 2);
	assert_true(s.relative == 7.5);
}

static void what_is_not_counted(void **state)
{
	const struct truth_score_point points[] = {
		{.truth = 50, .method = 90, .counted = false, .single = true},
		{.truth = -20,
		 .method = -19,
		 .counted = true,
		 .single = true}, /* a negative component: 5 % of itself */
	};
	struct truth_score_summary s = truth_score_summarise(points, 2);
	assert_int_equal(s.count, 1);
	assert_true(s.mean == 1 && s.mean_singles == 1);
	assert_int_equal(s.worst, 1);
	assert_true(s.relative == 5);
}

static void the_first_of_equal_errors(void **state)
{
	const struct truth_score_point points[] = {
		{.truth = 1, .method = 1, .counted = true},
		{.truth = 5, .method = 6, .counted = true},
		{.truth = 6, .method = 5, .counted = true},
	};
	assert_int_equal(truth_score_summarise(points, 3).worst, 1);
	assert_int_equal(truth_score_summarise(points, 1).worst, 0);
}

static void nothing_to_score(void **state)
{
	struct truth_score_summary s = truth_score_summarise(NULL, 0);
	assert_true(s.worst == SIZE_MAX && s.count == 0 && s.mean == 0 && s.relative == 0);
	assert_true(truth_score_percent(3, 0) == 0);
	assert_true(truth_score_percent(-3, 4) == -75);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_and_worst),
		cmocka_unit_test(what_is_not_counted),
		cmocka_unit_test(the_first_of_equal_errors),
		cmocka_unit_test(nothing_to_score),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
