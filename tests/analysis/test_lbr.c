/* Runs of last branch records: from a target to the next branch taken. What is longer than 64 KiB ends there. */
#include "analysis/profilers/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { FIRST = 0x10000, LONGEST = 0xffff };

/* An instruction at `first`, and a taken branch so many bytes behind it. */
static void push_run(struct lbr *l, const struct profilers_params *params, uint64_t first, uint64_t span)
{
	const struct culprit_record from = {.pc = first};
	const struct culprit_record to = {
		.pc = first + span, .branch = CULPRIT_BRANCH_JUMP, .flags = CULPRIT_TAKEN, .commit = 10};
	assert_true(lbr_push(l, params, &from));
	assert_true(lbr_push(l, params, &to));
}

static void long_runs_are_cut(void **state)
{
	static const uint64_t spans[] = {0, 40, 0xfffe, 0xffff, 0x10000, 0x10002, 0x1fffe, 0x20000, 0x50000};
	enum { SPANS = sizeof spans / sizeof *spans };
	const struct profilers_params params = {.period = 1};
	for (unsigned i = 0; i < SPANS; i++) {
		struct lbr l = {.count = 0};
		lbr_begin(&l, &params);
		push_run(&l, &params, FIRST, spans[i]);
		push_run(&l, &params, FIRST, spans[i]);
		assert_int_equal(l.count, 1);
		assert_int_equal(l.runs[0].first, FIRST);
		assert_int_equal(l.runs[0].last, FIRST + (spans[i] < LONGEST ? spans[i] : LONGEST));
		lbr_destroy(&l);
	}
	(void)state;
}

static void runs_are_told_apart(void **state)
{
	const struct profilers_params params = {.period = 1};
	struct lbr l = {.count = 0};
	lbr_begin(&l, &params);
	push_run(&l, &params, FIRST, 4);
	push_run(&l, &params, FIRST, 8);
	push_run(&l, &params, FIRST + 4, 4);
	push_run(&l, &params, FIRST, 0x10004); /* these two are cut to the same */
	push_run(&l, &params, FIRST, 0x30000);
	assert_int_equal(l.count, 4);
	lbr_destroy(&l);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(long_runs_are_cut), cmocka_unit_test(runs_are_told_apart)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
