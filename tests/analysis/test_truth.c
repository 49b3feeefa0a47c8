/* Costs and interaction costs on made-up times, against numbers worked by hand, the definition by recursion, and the
 * graph's decomposition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/truth/truth.h"
#include "base/interaction.h"
#include "culprit/graph.h"

static int64_t icost(const struct truth_times *t, uint32_t set)
{
	int64_t value = 0;
	assert_true(truth_icost(t, set, &value));
	return value;
}

/* The 2003 paper's introduction: two cache misses of 100 cycles side by side, nothing else but 10 cycles. */
static void parallel_misses(void **state)
{
	uint64_t time[] = {110, 110, 110, 10};
	struct truth_times t = {2, time};
	int64_t cost;
	assert_true(truth_cost(&t, 1, &cost));
	assert_int_equal(cost, 0);
	assert_true(truth_cost(&t, 3, &cost));
	assert_int_equal(cost, 100);
	assert_int_equal(icost(&t, 3), 100);
	assert_int_equal(interaction_of(100. / 110), INTERACTION_PARALLEL);
}

/* One of two dependent 50-cycle operations hides behind a 100-cycle one beside both: fixing either is as good. */
static void serial_operations(void **state)
{
	uint64_t time[] = {200, 150, 150, 150};
	struct truth_times t = {2, time};
	assert_int_equal(icost(&t, 1), 50);
	assert_int_equal(icost(&t, 2), 50);
	assert_int_equal(icost(&t, 3), -50);
	assert_int_equal(interaction_of(-50. / 200), INTERACTION_SERIAL);
}

static void independent_classes(void **state)
{
	uint64_t time[] = {100, 90, 80, 70};
	struct truth_times t = {2, time};
	assert_int_equal(icost(&t, 3), 0);
	/* what prints as 0.0 percent, and the least that does not */
	assert_int_equal(interaction_of(0), INTERACTION_INDEPENDENT);
	for (int ten_thousandths = -999; ten_thousandths <= 999; ten_thousandths++) {
		char printed[16];
		double percent = ten_thousandths / 10000.;
		snprintf(printed, sizeof printed, "%.1f", percent);
		bool zero = !strcmp(printed, "0.0") || !strcmp(printed, "-0.0");
		assert_int_equal(interaction_of(percent), zero		? INTERACTION_INDEPENDENT
							  : percent > 0 ? INTERACTION_PARALLEL
									: INTERACTION_SERIAL);
	}
}

static void idealising_may_slow_down(void **state)
{
	uint64_t time[] = {100, 105, 90, 92};
	struct truth_times t = {2, time};
	assert_int_equal(icost(&t, 1), -5);
	assert_int_equal(icost(&t, 3), 8 + 5 - 10);
}

/* icost(U) = cost(U) - the icosts of all proper subsets, as the definition says it. */
static int64_t by_recursion(const uint64_t *time, uint32_t set)
{
	int64_t value = (int64_t)time[0] - (int64_t)time[set];
	for (uint32_t part = (set - 1) & set; part; part = (part - 1) & set)
		value -= by_recursion(time, part);
	return value;
}

static void made_up_times(uint64_t *time, uint32_t sets)
{
	uint64_t x = 88172645463325252u;
	for (uint32_t set = 0; set < sets; set++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		time[set] = 1000000 + x % 900000;
	}
}

static void matches_definition(void **state)
{
	uint64_t time[64];
	struct truth_times t = {6, time};
	made_up_times(time, 64);
	for (uint32_t set = 1; set < 64; set++)
		assert_int_equal(icost(&t, set), by_recursion(time, set));
}

static void matches_graph_decomposition(void **state)
{
	struct culprit_graph_results r = {.class_count = 8};
	struct truth_times t = {8, r.time};
	made_up_times(r.time, 256);
	culprit_graph_decompose(&r);
	for (uint32_t set = 1; set < 256; set++)
		assert_int_equal(icost(&t, set), r.icost[set]);
}

static void power_set_sums_to_base(void **state)
{
	uint64_t time[256];
	for (uint32_t classes = 1; classes <= 8; classes++) {
		struct truth_times t = {classes, time};
		made_up_times(time, 1u << classes);
		struct truth_identity i = truth_identity(&t);
		assert_true(i.known && i.holds);
		assert_int_equal(i.remainder, time[(1u << classes) - 1]);
		assert_int_equal(i.sum, (int64_t)time[0] - (int64_t)i.remainder);
	}
}

static void missing_times_are_not_guessed(void **state)
{
	uint64_t time[] = {100, 90, TRUTH_UNKNOWN, 70, 60, 50, 40, 30};
	struct truth_times t = {3, time};
	int64_t value;
	assert_true(truth_cost(&t, 3, &value));
	assert_false(truth_cost(&t, 2, &value));
	assert_false(truth_icost(&t, 3, &value));
	assert_true(truth_icost(&t, 5, &value));
	assert_false(truth_identity(&t).known);
	assert_false(truth_identity(&t).holds);
	time[0] = TRUTH_UNKNOWN;
	assert_false(truth_cost(&t, 1, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parallel_misses),	  cmocka_unit_test(serial_operations),
		cmocka_unit_test(independent_classes),	  cmocka_unit_test(idealising_may_slow_down),
		cmocka_unit_test(matches_definition),	  cmocka_unit_test(matches_graph_decomposition),
		cmocka_unit_test(power_set_sums_to_base), cmocka_unit_test(missing_times_are_not_guessed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
