/* The commit stack on single records made by hand: each row has a number of cycles of its own, and what the record does not
 * explain is `other`. */
#include "analysis/commit_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct commit_stack_params params = {.dispatch_to_issue = 2, .commit_delay = 3};

/* A CSR access of one cycle, dispatched in cycle 0, that waited everywhere. */
static struct culprit_record waited_everywhere(void)
{
	return (struct culprit_record){
		.dispatch = 0,
		.ready = 8, /* 2 through the pipeline, 6 for an operand */
		.issue = 12,
		.complete = 13,
		.commit = 28, /* 3 of delay; then 7 that nobody explains, and 5 of a limit */
		.exec_latency = 1,
		.op_class = CULPRIT_OP_csr,
		.producer = {9},
		.commit_wait = 5,
		.commit_stop = CULPRIT_STOP_BRANCHES,
	};
}

static struct commit_stack stack_of(const struct culprit_record *r)
{
	struct commit_stack s;
	uint64_t sum = 0;
	commit_stack_init(&s, &params);
	commit_stack_push(&s, r, 1);
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		sum += s.cycles[i];
	assert_int_equal(sum, r->commit + 1);
	assert_int_equal(s.cycles[COMMIT_commit], 1);
	return s;
}

static void test_rows(void **state)
{
	struct culprit_record r = waited_everywhere();
	struct commit_stack s = stack_of(&r);
	assert_int_equal(s.cycles[COMMIT_dispatch], 2);
	assert_int_equal(s.cycles[COMMIT_operand], 6);
	assert_int_equal(s.cycles[COMMIT_issue], 4);
	assert_int_equal(s.cycles[COMMIT_shalu], 1);
	assert_int_equal(s.cycles[COMMIT_delay], 3);
	assert_int_equal(s.cycles[COMMIT_other], 7);
	assert_int_equal(s.cycles[COMMIT_branches], 5);
	assert_int_equal(s.cycles[COMMIT_store], 0);
}

static void test_limits(void **state)
{
	struct culprit_record r = waited_everywhere();
	r.commit_stop = CULPRIT_STOP_STORES;
	struct commit_stack s = stack_of(&r);
	assert_int_equal(s.cycles[COMMIT_store], 5);
	assert_int_equal(s.cycles[COMMIT_branches], 0);
	assert_int_equal(s.cycles[COMMIT_other], 7);
	/* a limit that this reader does not know, and none: nobody's, not the stores' */
	r.commit_stop = CULPRIT_STOP_COUNT;
	assert_int_equal(stack_of(&r).cycles[COMMIT_other], 12);
	r.commit_stop = CULPRIT_STOP_STORES;
	r.commit_wait = 0;
	assert_int_equal(stack_of(&r).cycles[COMMIT_other], 12);
}

static void test_not_ready(void **state)
{
	struct culprit_record r = waited_everywhere();
	r.order_waited = 4;
	assert_int_equal(stack_of(&r).cycles[COMMIT_order], 6);
	assert_int_equal(stack_of(&r).cycles[COMMIT_dispatch], 2);
	r.order_waited = r.producer[0] = 0;
	assert_int_equal(stack_of(&r).cycles[COMMIT_order], 0);
	assert_int_equal(stack_of(&r).cycles[COMMIT_other], 7 + 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_not_ready),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
