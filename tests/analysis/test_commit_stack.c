/* The commit stack on single records made by hand: each row has a number of cycles of its own, and what the record does not
 * explain is `other`. */
#include "analysis/commit_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct commit_stack_params params = {.frontend_stages = 4, .dispatch_to_issue = 2, .commit_delay = 3};

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

/* A load of 2 cycles that takes 5 more: by the level that its line came from. A hit is nobody's miss. */
static void test_levels(void **state)
{
	static const uint8_t rows[CULPRIT_LEVEL_COUNT] = {
		[CULPRIT_LEVEL_NONE] = COMMIT_other,  [CULPRIT_LEVEL_L1] = COMMIT_dport,
		[CULPRIT_LEVEL_L2] = COMMIT_dl2,      [CULPRIT_LEVEL_L3] = COMMIT_dl3,
		[CULPRIT_LEVEL_MEMORY] = COMMIT_dmem,
	};
	for (uint8_t level = 0; level < CULPRIT_LEVEL_COUNT; level++) {
		struct culprit_record r = {.ready = 2,
					   .issue = 2,
					   .complete = 9,
					   .commit = 12,
					   .exec_latency = 2,
					   .dmiss = 5,
					   .dlevel = level,
					   .flags = CULPRIT_LOAD,
					   .op_class = CULPRIT_OP_load};
		struct commit_stack s = stack_of(&r);
		assert_int_equal(s.cycles[COMMIT_dl1], 2);
		assert_int_equal(s.cycles[rows[level]], 5);
	}
}

/* Empty for 4 cycles of a fetch that took so long, by level; and for 6 more, by what came before. */
static void test_empty(void **state)
{
	struct culprit_record r = {.dispatch = 10,
				   .ready = 12,
				   .issue = 12,
				   .complete = 13,
				   .commit = 16,
				   .exec_latency = 1,
				   .imiss = 4,
				   .ilevel = CULPRIT_LEVEL_L1};
	assert_int_equal(stack_of(&r).cycles[COMMIT_iport], 4);
	assert_int_equal(stack_of(&r).cycles[COMMIT_fetch], 6);
	r.ilevel = CULPRIT_LEVEL_L2;
	assert_int_equal(stack_of(&r).cycles[COMMIT_il2], 4);
	r.ilevel = CULPRIT_LEVEL_L3;
	assert_int_equal(stack_of(&r).cycles[COMMIT_il3], 4);
	r.ilevel = CULPRIT_LEVEL_MEMORY;
	r.redirect = 1; /* the pipeline had drained */
	assert_int_equal(stack_of(&r).cycles[COMMIT_imem], 4);
	assert_int_equal(stack_of(&r).cycles[COMMIT_serial], 6);
}

/* Nothing is in the window, and the next has come through the front end in cycle 3 + 4: until then it is the fetch's,
 * from then on the store queue's; another structure cannot be full, so records that say so explain nothing. */
static void test_held(void **state)
{
	static const uint8_t rows[CULPRIT_WINDOW_COUNT] = {
		[CULPRIT_WINDOW_NONE] = COMMIT_fetch,	  [CULPRIT_WINDOW_ROB] = COMMIT_other,
		[CULPRIT_WINDOW_QUEUE] = COMMIT_other,	  [CULPRIT_WINDOW_LQ] = COMMIT_other,
		[CULPRIT_WINDOW_SQ] = COMMIT_sq,	  [CULPRIT_WINDOW_LSQ] = COMMIT_sq,
		[CULPRIT_WINDOW_INT_REGS] = COMMIT_other, [CULPRIT_WINDOW_FP_REGS] = COMMIT_other,
		[CULPRIT_WINDOW_BRANCHES] = COMMIT_other,
	};
	for (uint8_t window = 0; window < CULPRIT_WINDOW_COUNT; window++) {
		struct culprit_record r = {.fetch = 3,
					   .dispatch = 20,
					   .ready = 22,
					   .issue = 22,
					   .complete = 23,
					   .commit = 26,
					   .exec_latency = 1,
					   .imiss = 2,
					   .ilevel = CULPRIT_LEVEL_L2,
					   .window = window};
		struct commit_stack s = stack_of(&r);
		assert_int_equal(s.cycles[COMMIT_il2], 2);
		assert_int_equal(s.cycles[COMMIT_fetch], window ? 5 : 18);
		assert_int_equal(s.cycles[rows[window]], window ? 13 : 18);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),   cmocka_unit_test(test_limits), cmocka_unit_test(test_not_ready),
		cmocka_unit_test(test_levels), cmocka_unit_test(test_empty),  cmocka_unit_test(test_held),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
