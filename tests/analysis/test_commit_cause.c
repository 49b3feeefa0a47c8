/* Causes of waits on single records made by hand, each with a wait of numbers of its own. */
#include "analysis/commit_cause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct commit_stack_params params = {.frontend_stages = 4, .dispatch_to_issue = 2, .commit_delay = 3};

/* A multiplication that waited for an operand, and was complete when the one before committed. */
static struct culprit_record late_operation(void)
{
	return (struct culprit_record){
		.dispatch = 10,
		.ready = 20,
		.issue = 20,
		.complete = 24,
		.commit = 27,
		.exec_latency = 4,
		.op_class = CULPRIT_OP_int_mul,
		.producer = {1},
	};
}

/* All that commit waited from `from` on is `cause`. */
static void is_all(const struct culprit_record *r, uint64_t from, enum commit_cause cause)
{
	uint64_t causes[COMMIT_CAUSES] = {0};
	struct commit_wait wait;
	commit_stack_wait(&params, r, 0, from, &wait);
	commit_cause_add(r, &params, &wait, causes);
	for (unsigned c = 0; c < COMMIT_CAUSES; c++)
		assert_int_equal(causes[c], c == (unsigned)cause ? r->commit - from : 0);
}

static void test_larger_part(void **state)
{
	struct culprit_record r = late_operation();
	is_all(&r, 12, CAUSE_long_op); /* 8 for the operand, 4 of execution, 3 of delay */
	is_all(&r, 23, CAUSE_long_op);
}

static void test_executed_before(void **state)
{
	struct culprit_record r = late_operation();
	is_all(&r, 25, CAUSE_long_op);
	r.ready = 12; /* it waited for nothing, and was late because it takes long */
	is_all(&r, 25, CAUSE_long_op);
}

static void test_one_cycle(void **state)
{
	struct culprit_record r = late_operation();
	r.op_class = CULPRIT_OP_int_alu;
	r.exec_latency = 1;
	r.issue = 23;
	r.ready = 13;
	is_all(&r, 24, CAUSE_short_op);
	r.ready = 12; /* for no operand: it came late from the front end, as all do */
	is_all(&r, 24, CAUSE_pipeline);
}

static void test_loads(void **state)
{
	struct culprit_record r = late_operation();
	r.op_class = CULPRIT_OP_load;
	r.flags = CULPRIT_LOAD;
	r.dlevel = CULPRIT_LEVEL_L1;
	is_all(&r, 25, CAUSE_l1);
	r.ready = 12;
	is_all(&r, 25, CAUSE_l1);
	r.dlevel = CULPRIT_LEVEL_L2;
	r.issue = 19; /* a cycle more than it takes to hit */
	is_all(&r, 25, CAUSE_cache);
	r.dlevel = CULPRIT_LEVEL_MEMORY;
	is_all(&r, 25, CAUSE_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_larger_part),
		cmocka_unit_test(test_executed_before),
		cmocka_unit_test(test_one_cycle),
		cmocka_unit_test(test_loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
