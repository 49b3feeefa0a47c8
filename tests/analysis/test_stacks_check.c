/* What the stacks add up to is checked after each run, and what does not add up is named with both sums. No run gets there, so
 * the sums of a good one are changed here. */
#include "analysis/stacks_rig.h"

/* Two cycles of four slots: three instructions are dispatched in the first and commit in the second. */
static void two_cycles(struct rig *r)
{
	struct stacks_params p = rig_params();
	rig_start(r, &p);
	rig_plain(r, 3);
	rig_cycle(r, (struct does){.dispatch = 3, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(r, (struct does){.commit = 3, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_end(r);
}

static void expect(const struct stacks *s, const char *text)
{
	struct error err = {0};
	assert_false(stacks_check(s, 2, 3, &err));
	assert_int_equal(err.code, ERROR_INTERNAL);
	assert_string_equal(err.text, text);
}

static void test_whole_run(void **state)
{
	struct rig r;
	struct error err = {0};
	two_cycles(&r);
	assert_true(stacks_check(r.s, 2, 3, &err));
	r.s->cycles = 3;
	expect(r.s, "the length of the cycle events adds up to 3, not to 2");
	r.s->cycles = 2;
	r.s->head = 4;
	expect(r.s, "the number of commits in the cycle events adds up to 4, not to 3");
	r.s->head = 3;
	r.s->claims[0] += 5;
	expect(r.s, "the claims adds up to 7, not to 2");
	stacks_destroy(r.s);
	(void)state;
}

/* Eight slots, three of them the instructions'; none went to a wrong path. */
static void test_stages(void **state)
{
	struct rig r;
	two_cycles(&r);
	struct stage_state *t = &r.s->stages[STAGE_AT_DISPATCH];
	t->slots[STAGE_base] += 2;
	expect(r.s, "the dispatch adds up to 10, not to 8");
	t->slots[STAGE_base] -= 4;
	t->slots[STAGE_base + 1] += 2;
	expect(r.s, "the instructions of a stage adds up to 1, not to 3");
	t->slots[STAGE_base] += 3;
	t->slots[STAGE_base + 1] -= 3;
	expect(r.s, "the instructions of a stage adds up to 4, not to 3");
	t->wasted = 9;
	expect(r.s, "the wrong-path slots of a stage adds up to 9, not to 0");
	stacks_destroy(r.s);
	(void)state;
}

static void test_slots(void **state)
{
	struct rig r;
	two_cycles(&r);
	r.s->slots[SLOTS_retiring]++;
	expect(r.s, "the slots tree's first level adds up to 9, not to 8");
	r.s->slots[SLOTS_retiring]--;
	r.s->slots[SLOTS_core_bound] += 3;
	expect(r.s, "the slots tree's second level adds up to 11, not to 8");
	stacks_destroy(r.s);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_run),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_slots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
