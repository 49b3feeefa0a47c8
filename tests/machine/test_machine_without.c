/* Machines NAME-without-FEATURE: what they change, and what they are called. */
#include "machine/machine.h"
#include "machine/machine_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const features[] = {
#define WITHOUT(feature, assignment, why) feature,
#include "machine/machine_without.def"
};

/* A machine's name and description aside. */
static bool alike(const struct machine *a, const struct machine *b)
{
	struct machine changed = *a;
	memcpy(changed.name, b->name, sizeof changed.name);
	memcpy(changed.description, b->description, sizeof changed.description);
	return !memcmp(&changed, b, sizeof changed);
}

static void each_feature(void **state)
{
	struct machine base, m;
	struct error err;
	assert_true(machine_load(&base, "xuantie-c910-m100", &err));
	for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
		char name[64];
		snprintf(name, sizeof name, "xuantie-c910-m100-without-%s", features[i]);
		assert_true(machine_load(&m, name, &err));
		assert_string_equal(m.name, name);
		assert_non_null(strstr(m.description, features[i]));
		assert_false(alike(&base, &m));
	}
	(void)state;
}

static void assignments(void **state)
{
	struct machine base, m;
	struct error err;
	assert_true(machine_load(&base, "eyerman2009-4w", &err));
	assert_true(machine_load(&m, "eyerman2009-4w-without-load-forward", &err));
	assert_int_equal(m.latency[CULPRIT_OP_load], base.latency[CULPRIT_OP_load] + 1);
	assert_true(machine_load(&m, "eyerman2009-4w-without-iq-bypass", &err));
	assert_int_equal(m.issue_dispatch_to_issue, base.issue_dispatch_to_issue + 1);
	assert_true(machine_load(&m, "eyerman2009-4w-without-rob-fold", &err));
	assert_int_equal(m.window_rob, base.window_rob);
	assert_true(machine_load(&m, "xuantie-c910-without-rob-fold", &err));
	assert_int_equal(m.window_fold, 0);
	assert_int_equal(m.commit_width, 3);
	assert_true(machine_load(&m, "eyerman2009-4w-without-bht-without-ras", &err));
	assert_int_equal(m.branch_predictor, direction_predictor_not_taken);
	assert_int_equal(m.branch_returns, return_predictor_next_block);
	(void)state;
}

static void refused(void **state)
{
	struct machine m;
	struct error err;
	assert_false(machine_load(&m, "eyerman2009-4w-without-loadforward", &err));
	assert_string_equal(err.text, "no machine can be without 'loadforward'; did you mean load-forward?");
	assert_false(machine_load(&m, "nosuch-without-btb", &err));
	assert_non_null(strstr(err.text, "no machine is called 'nosuch'"));
	assert_false(machine_load(&m, "-without-btb", &err));
	assert_false(machine_load(&m, "eyerman2009-4w-without-", &err));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_feature),
		cmocka_unit_test(assignments),
		cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
