/* The plan of simulations: each needed set once, whatever it is needed for, and mistakes named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "truth/plan.h"

#include <string.h>

#define E(name) CULPRIT_EVENT_BIT(name)

static void plan_of(struct truth_plan *plan, const struct options *o)
{
	struct error err = {0};
	if (!truth_plan_create(plan, o, &err))
		fail_msg("%s", err.text);
}

/* Base, eight singles, seven pairs with dl1: the 2003 paper's table. */
static void focus_on_dl1(void **state)
{
	struct truth_plan plan;
	plan_of(&plan, &(struct options){.pairs = "focus=dl1"});
	assert_int_equal(plan.job_count, 1 + 8 + 7);
	assert_int_equal(plan.jobs[0].ideal, 0);
	assert_int_equal(plan.set_count, 7);
	assert_true(truth_plan_find(&plan, 0, E(dl1) | E(imiss)) != SIZE_MAX);
	assert_true(truth_plan_find(&plan, 0, E(win) | E(imiss)) == SIZE_MAX);
	truth_plan_destroy(&plan);
}

static void all_pairs_by_default(void **state)
{
	struct truth_plan plan;
	plan_of(&plan, &(struct options){0});
	assert_int_equal(plan.job_count, 1 + 8 + 28);
	truth_plan_destroy(&plan);
}

static void power_set_smaller_first(void **state)
{
	struct truth_plan plan;
	plan_of(&plan, &(struct options){.classes = "dl1,win,bw,bmisp", .full = true});
	assert_int_equal(plan.job_count, 16);
	assert_int_equal(plan.set_count, 16 - 5);
	for (size_t i = 1; i < plan.set_count; i++)
		assert_true(__builtin_popcount(plan.sets[i - 1]) <= __builtin_popcount(plan.sets[i]));
	truth_plan_destroy(&plan);
}

/* dmiss holds dl2 and dmem: idealising them too is the same simulation. */
static void finer_classes_are_part_of_base(void **state)
{
	struct truth_plan plan;
	plan_of(&plan, &(struct options){.classes = "dmiss,dl2,dmem"});
	assert_int_equal(plan.job_count, 1 + 3 + 1); /* dl2+dmem; both pairs with dmiss are dmiss */
	assert_int_equal(truth_plan_events(&plan, 7), E(dmiss));
	truth_plan_destroy(&plan);
}

static void both_reference_orders_share_runs(void **state)
{
	struct truth_plan plan;
	plan_of(&plan, &(struct options){.classes = "dl1", .reference = true});
	/* base and dl1; the first three steps are common, the last is the base: 3 + 4 + 4 */
	assert_int_equal(plan.job_count, 2 + 3 + 4 + 4);
	truth_plan_destroy(&plan);
}

static void sweep_is_a_grid(void **state)
{
	const char *items[] = {"l1d.latency=1,2,4", "window.rob=32,64", NULL};
	struct truth_plan plan;
	char name[100];
	plan_of(&plan, &(struct options){.sweeps = {items, 2}});
	assert_int_equal(plan.point_count, 6);
	assert_int_equal(plan.job_count, 6 + 3 * 3); /* dl1, win and both where each curve starts */
	truth_point_name(&plan, 3, 2, name, sizeof name);
	assert_string_equal(name, "l1d.latency=2, window.rob=64");
	truth_plan_destroy(&plan);
}

static void point_sets_machine(void **state)
{
	const char *items[] = {"l1d.latency=1,2,4", "window.rob=32,64", NULL};
	struct truth_plan plan;
	struct machine m;
	struct error err = {0};
	plan_of(&plan, &(struct options){.sweeps = {items, 2}});
	assert_true(machine_load(&m, "fields2003", &err));
	assert_true(truth_plan_apply(&plan, 4, &m, &err));
	assert_int_equal(m.l1d_latency, 4);
	assert_int_equal(m.window_rob, 32);
	truth_plan_destroy(&plan);
}

static void expect_error(const struct options *o, const char *part)
{
	struct truth_plan plan;
	struct error err = {0};
	assert_false(truth_plan_create(&plan, o, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	if (!strstr(err.text, part))
		fail_msg("'%s' does not say '%s'", err.text, part);
	truth_plan_destroy(&plan);
}

static void mistakes_are_named(void **state)
{
	const char *bad_sweep[] = {"window.rob", NULL}, *empty[] = {"window.rob=1,,2", NULL},
		   *twice[] = {"window.rob=1", "window.rob=2", NULL}, *good[] = {"window.rob=32,64", NULL};
	expect_error(&(struct options){.classes = "dl1,foo"}, "unknown event class 'foo'");
	expect_error(&(struct options){.classes = "dl1,win,dl1"}, "--classes: dl1 was named twice");
	expect_error(&(struct options){.classes = ""}, "--classes");
	expect_error(&(struct options){.classes = "dl1,win,"}, "--classes");
	expect_error(&(struct options){.pairs = "dl1"}, "'dl1' is not a pair");
	expect_error(&(struct options){.pairs = "dl1+win+bw"}, "'dl1+win+bw' is not a pair");
	expect_error(&(struct options){.pairs = "dl1+win,bw+bw"}, "'bw+bw' is twice the same class");
	expect_error(&(struct options){.pairs = "focus"}, "focus needs a class");
	expect_error(&(struct options){.classes = "dl1,win", .pairs = "dl1+bw"}, "bw is not among the classes");
	expect_error(&(struct options){.pairs = "all", .full = true}, "--full has every pair already");
	expect_error(
		&(struct options){.classes = "dl1,win,bw,bmisp,dmiss,shalu,lgalu,imiss,dl2,dl3,dmem", .full = true},
		"2048 simulations");
	expect_error(&(struct options){.sweeps = {bad_sweep, 1}}, "expected KEY=V1,V2");
	expect_error(&(struct options){.sweeps = {empty, 1}}, "an empty value");
	expect_error(&(struct options){.sweeps = {twice, 2}}, "window.rob was given twice");
	expect_error(&(struct options){.sweeps = {good, 1}, .full = true}, "--sweep cannot be combined");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(focus_on_dl1),
		cmocka_unit_test(all_pairs_by_default),
		cmocka_unit_test(power_set_smaller_first),
		cmocka_unit_test(finer_classes_are_part_of_base),
		cmocka_unit_test(both_reference_orders_share_runs),
		cmocka_unit_test(sweep_is_a_grid),
		cmocka_unit_test(point_sets_machine),
		cmocka_unit_test(mistakes_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
