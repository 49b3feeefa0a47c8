/* Predictors that core_warm does not train: nothing of branches is counted or learnt then, all else is; and the
 * reference, which learns meanwhile, meets what predictors that always learn would, on any machine (any_machine.h). */
#include "any_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MACHINES = 40, CODE_BYTES = 60000, PART = 3000 };

struct pair {
	struct guest *guest;
	struct core *core;
};

static struct pair create(const struct machine *m, const uint8_t *code)
{
	struct error err;
	struct pair p = {.guest = bare_guest_create(code, CODE_BYTES)};
	p.core = core_create(m, p.guest, &err);
	assert_non_null(p.core);
	return p;
}

static void destroy(struct pair *p)
{
	core_destroy(p->core);
	guest_destroy(p->guest);
}

static struct core_warmed warm(struct pair *p)
{
	struct core_warmed w;
	uint64_t executed;
	core_warm(p->core, PART, &executed);
	core_warmed(p->core, &w);
	return w;
}

static void assert_met(const struct predictor_met *a, const struct predictor_met *b)
{
	assert_memory_equal(a, b, sizeof *a);
}

/* Three parts: both learn; `gaps` does not, but its reference does; both learn again. Mispredictions of the second
 * part. */
static uint64_t try_one(uint64_t seed)
{
	static uint8_t code[CODE_BYTES];
	struct random_source r = {seed};
	struct machine m;
	struct error err;
	any_machine(&m, &r);
	random_program(seed, code, sizeof code);
	struct pair always = create(&m, code), gaps = create(&m, code);
	const struct core_warmed first = warm(&always), same = warm(&gaps);
	assert_memory_equal(&first, &same, sizeof first);
	core_train_branches(gaps.core, false);
	assert_true(core_reference_begin(gaps.core, &err));
	const struct core_warmed second = warm(&always), gap = warm(&gaps);
	const struct predictor_met learnt = {second.branches.mispredictions - first.branches.mispredictions,
					     second.branches.redirects - first.branches.redirects};
	assert_met(&gap.branches, &first.branches);
	assert_met(&gap.reference, &learnt);
	assert_memory_equal(&gap.accesses, &second.accesses, sizeof gap.accesses);
	core_reference_end(gaps.core);
	core_train_branches(gaps.core, true);
	const struct core_warmed third = warm(&gaps);
	assert_met(&third.reference, &gap.reference);
	assert_true(third.branches.mispredictions >= gap.branches.mispredictions);
	destroy(&always);
	destroy(&gaps);
	return learnt.mispredictions;
}

static void gaps_and_reference(void **state)
{
	uint64_t mispredictions = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= MACHINES; seed++)
		mispredictions += try_one(seed);
	assert_true(mispredictions > MACHINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_and_reference)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
