/* The choices that the FMT's text leaves open, and the hybrid, cycle by cycle. The ROB has 8 entries, stages are 4 wide, the
 * naive penalties are 9, 250, 30 and 5. */
#include "analysis/stacks_rig.h"

/* A load to memory, and a mispredicted branch that waits for it; the wrong path faults at once. Cycle 0 dispatches
 * both, cycles 1 to 10 wait for the load, in cycle 11 the branch resolves, in 17 the right path is dispatched. */
static void run_ended_path(struct rig *r, uint32_t rules)
{
	struct stacks_params p = rig_params();
	p.fmt_rules = rules;
	rig_start(r, &p);
	rig_plain(r, 1);
	rig_branch(r, true, false); /* 1 */
	rig_cycle(r, (struct does){.dispatch = 2, .stage = CULPRIT_DISPATCH_EMPTY, .wrong = true});
	for (unsigned i = 0; i < 2; i++) /* two runs of five cycles */
		rig_cycle(r, (struct does){.length = 5,
					   .fetch = CULPRIT_FETCH_WRONG_PATH_STOP,
					   .head = CULPRIT_HEAD_SERVED_BY_MEMORY,
					   .stage = CULPRIT_DISPATCH_EMPTY,
					   .wrong = true});
	rig_squash(r, 2, CULPRIT_SQUASH_MISPREDICT);
	rig_plain(r, 1);
	rig_cycle(r, (struct does){.commit = 2, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(r, (struct does){.length = 5, .stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_EMPTY});
	rig_cycle(r, (struct does){.dispatch = 1, .head = CULPRIT_HEAD_EMPTY}); /* cycle 17 */
	rig_cycle(r, (struct does){.commit = 1});
	rig_end(r);
}

/* Six entries are free, four a cycle would come: full in the third cycle of the wait, so 8 of the 10 are the load's. */
static void test_ended_path_fills_the_rob(void **state)
{
	struct rig r;
	run_ended_path(&r, 0);
	EXPECT(&r, fmt, l2d, 8);
	EXPECT(&r, sfmt, l2d, 8);
	EXPECT(&r, fmt, bmisp, 17 - 8);
	EXPECT(&r, hybrid, l2d, 10);
	EXPECT(&r, hybrid, bmisp, 17 - 10);
	EXPECT(&r, power5, l2d, 10);
	assert_int_equal(stacks_penalties(r.s)->filled, 8);
	stacks_destroy(r.s);
}

static void test_rule_ended(void **state)
{
	struct rig r;
	run_ended_path(&r, 1u << FMT_RULE_ended);
	EXPECT(&r, fmt, l2d, 0);
	EXPECT(&r, fmt, bmisp, 17);
	assert_int_equal(stacks_penalties(r.s)->filled, 0);
	stacks_destroy(r.s);
}

/* As in test_imiss_during_refill, but the nine cycles count twice. */
static void test_rule_overlap(void **state)
{
	for (unsigned overlap = 0; overlap < 2; overlap++) {
		struct rig r;
		struct stacks_params p = rig_params();
		p.fmt_rules = overlap << FMT_RULE_overlap;
		rig_start(&r, &p);
		rig_branch(&r, true, false);				    /* 0 */
		rig_cycle(&r, (struct does){.dispatch = 1, .wrong = true}); /* cycle 0 */
		rig_squash(&r, 1, CULPRIT_SQUASH_MISPREDICT);		    /* cycle 1 */
		rig_cycle(&r, (struct does){.length = 9,
					    .fetch = CULPRIT_FETCH_SERVED_BY_CACHE,
					    .head = CULPRIT_HEAD_SHALU,
					    .stage = CULPRIT_DISPATCH_EMPTY});
		rig_fetch(&r, (struct fetched){.branch = CULPRIT_BRANCH_JUMP, .ilevel = CULPRIT_LEVEL_L2});
		rig_cycle(&r, (struct does){.commit = 1, .dispatch = 1}); /* cycle 10 */
		rig_cycle(&r, (struct does){.commit = 1});
		EXPECT(&r, fmt, l1i, 9);
		EXPECT(&r, fmt, bmisp, overlap ? 10 : 1);
		EXPECT(&r, fmt, base, 12 - (overlap ? 19 : 10));
		rig_finish(&r);
	}
}

/* The first two of five cycles of the wait are fed from the fetch buffer: hidden, but by `buffer` counted. */
static void test_rule_buffer(void **state)
{
	for (unsigned buffer = 0; buffer < 2; buffer++) {
		struct rig r;
		struct stacks_params p = rig_params();
		p.fmt_rules = buffer << FMT_RULE_buffer;
		rig_start(&r, &p);
		rig_plain(&r, 7);
		for (unsigned i = 0; i < 5; i++)
			rig_cycle(&r, (struct does){.fetch = CULPRIT_FETCH_SERVED_BY_CACHE,
						    .stage = CULPRIT_DISPATCH_EMPTY});
		rig_fetch(&r, (struct fetched){.branch = CULPRIT_BRANCH_JUMP, .ilevel = CULPRIT_LEVEL_L2});
		rig_cycle(&r, (struct does){.dispatch = 4});
		rig_cycle(&r, (struct does){.dispatch = 4, .commit = 4});
		rig_cycle(&r, (struct does){.commit = 4});
		EXPECT(&r, fmt, l1i, buffer ? 5 : 3);
		rig_finish(&r);
	}
}

/* A load to memory and a mispredicted branch; the wrong path fills the store queue, and the ROB has room. The load's wait is the load's from
 * when dispatch stops; if only the ROB counts it is the misprediction's. */
static void test_rule_rob(void **state)
{
	for (unsigned rob = 0; rob < 2; rob++) {
		struct rig r;
		struct stacks_params p = rig_params();
		p.fmt_rules = rob << FMT_RULE_rob;
		rig_start(&r, &p);
		rig_plain(&r, 1);
		rig_branch(&r, true, false); /* 1 */
		rig_cycle(&r, (struct does){.dispatch = 2, .stage = CULPRIT_DISPATCH_EMPTY, .wrong = true});
		rig_plain(&r, 3);
		rig_cycle(&r, (struct does){.dispatch = 2,
					    .head = CULPRIT_HEAD_SERVED_BY_MEMORY,
					    .stage = CULPRIT_DISPATCH_SQ,
					    .wrong = true}); /* cycle 1 */
		rig_cycle(&r, (struct does){.length = 8,
					    .head = CULPRIT_HEAD_SERVED_BY_MEMORY,
					    .stage = CULPRIT_DISPATCH_SQ,
					    .wrong = true}); /* to cycle 9 */
		rig_squash(&r, 2, CULPRIT_SQUASH_MISPREDICT);
		rig_plain(&r, 1);
		rig_cycle(&r, (struct does){.commit = 2, .stage = CULPRIT_DISPATCH_EMPTY});
		rig_cycle(&r, (struct does){.dispatch = 1, .head = CULPRIT_HEAD_EMPTY}); /* cycle 11 */
		rig_cycle(&r, (struct does){.commit = 1});
		EXPECT(&r, fmt, l2d, rob ? 0 : 9);
		EXPECT(&r, fmt, bmisp, rob ? 11 : 11 - 9);
		EXPECT(&r, sfmt, l2d, rob ? 0 : 9);
		EXPECT(&r, hybrid, l2d, 9);
		EXPECT(&r, power5, l2d, 9);
		rig_finish(&r);
	}
}

/* The hybrid: the oldest's, while it executes or the ROB is full; else fetch's; else the misprediction's. */
static void test_hybrid(void **state)
{
	static const struct {
		uint8_t head;
		enum stack_component component;
	} executing[] = {{CULPRIT_HEAD_SERVED_BY_MEMORY, STACK_l2d},
			 {CULPRIT_HEAD_DTLB, STACK_dtlb},
			 {CULPRIT_HEAD_SERVED_BY_CACHE, STACK_l1d},
			 {CULPRIT_HEAD_LGALU, STACK_unit},
			 {CULPRIT_HEAD_DL1, STACK_base},
			 {CULPRIT_HEAD_SHALU, STACK_base}};
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 2);
	rig_branch(&r, true, false); /* 2 */
	rig_cycle(&r, (struct does){.dispatch = 3, .head = CULPRIT_HEAD_EMPTY});
	EXPECT(&r, hybrid, bmisp, 1); /* from the branch's dispatch on */
	for (size_t i = 0; i < sizeof executing / sizeof executing[0]; i++) {
		int64_t before = rig_component(&r, STACK_METHOD_hybrid, executing[i].component);
		rig_cycle(&r, (struct does){.head = executing[i].head, .length = 3, .stage = CULPRIT_DISPATCH_EMPTY});
		assert_int_equal(rig_component(&r, STACK_METHOD_hybrid, executing[i].component), before + 3);
	}
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_DISPATCH, .length = 2, .stage = CULPRIT_DISPATCH_EMPTY});
	EXPECT(&r, hybrid, bmisp, 3);
	rig_squash(&r, 3, CULPRIT_SQUASH_MISPREDICT);
	/* refill with a miss of the right path, under a commit and under an executing oldest */
	rig_cycle(&r,
		  (struct does){.commit = 1, .fetch = CULPRIT_FETCH_SERVED_BY_MEMORY, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_SHALU,
				    .fetch = CULPRIT_FETCH_SERVED_BY_MEMORY,
				    .stage = CULPRIT_DISPATCH_EMPTY});
	EXPECT(&r, hybrid, l2i, 1);
	rig_plain(&r, 1);
	rig_cycle(&r, (struct does){.commit = 2, .stage = CULPRIT_DISPATCH_EMPTY});
	EXPECT(&r, hybrid, bmisp, 4);
	rig_cycle(&r, (struct does){.dispatch = 1, .head = CULPRIT_HEAD_EMPTY});
	EXPECT(&r, hybrid, bmisp, 4);
	rig_cycle(&r, (struct does){.commit = 1});
	rig_finish(&r);
}

/* Misses of stores are events of the naive counters only; one of a line on its way is none. */
static void test_store_misses(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 1);
	rig_cycle(&r, (struct does){.dispatch = 1});
	r.o->store_missed(r.o->context, r.cycle, 0, r.cycle, CULPRIT_LEVEL_MEMORY, CULPRIT_LEVEL_MEMORY, false);
	r.o->store_missed(r.o->context, r.cycle, 0, r.cycle, CULPRIT_LEVEL_MEMORY, CULPRIT_LEVEL_L1, true);
	r.o->store_missed(r.o->context, r.cycle, 0, r.cycle, CULPRIT_LEVEL_L2, CULPRIT_LEVEL_L2, false);
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, naive, l2d, 250);
	EXPECT(&r, naive, dtlb, 30);
	EXPECT(&r, naive_nonspec, l2d, 250);
	EXPECT(&r, naive_nonspec, dtlb, 30);
	EXPECT(&r, power5, base, 2);
	EXPECT(&r, fmt, base, 2);
	EXPECT(&r, hybrid, base, 2);
	rig_finish(&r);
}

/* Stores fill their queue and the window is empty. The first to have its entry free goes to memory until cycle 41, and
 * the second, of the L2, was there long before: entries leave in order. What waits for a walk is next. */
static void test_hybrid_full_store_queue(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	p.stores = 3;
	rig_start(&r, &p);
	rig_plain(&r, 4);
	rig_cycle(&r, (struct does){.dispatch = 3});
	r.o->store_missed(r.o->context, r.cycle, 0, 41, CULPRIT_LEVEL_MEMORY, CULPRIT_LEVEL_L1, false);
	r.o->store_missed(r.o->context, r.cycle, 1, 12, CULPRIT_LEVEL_L2, CULPRIT_LEVEL_L1, false);
	r.o->store_missed(r.o->context, r.cycle, 2, 61, CULPRIT_LEVEL_L1, CULPRIT_LEVEL_MEMORY, false);
	rig_cycle(&r, (struct does){.commit = 3, .stage = CULPRIT_DISPATCH_SQ});
	rig_cycle(&r, (struct does){.length = 39, .stage = CULPRIT_DISPATCH_SQ, .head = CULPRIT_HEAD_EMPTY});
	EXPECT(&r, hybrid, l2d, 39);
	rig_cycle(&r, (struct does){.length = 10, .stage = CULPRIT_DISPATCH_SQ, .head = CULPRIT_HEAD_EMPTY});
	EXPECT(&r, hybrid, l2d, 39);
	EXPECT(&r, hybrid, l1d, 0);
	EXPECT(&r, hybrid, dtlb, 10);
	EXPECT(&r, hybrid, base, 2);
	EXPECT(&r, fmt, base, 51); /* the papers' do not look at stores */
	EXPECT(&r, power5, base, 51);
	rig_cycle(&r, (struct does){.dispatch = 1, .head = CULPRIT_HEAD_EMPTY});
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, hybrid, dtlb, 10);
	rig_finish(&r);
}

static void test_rule_names(void **state)
{
	for (unsigned i = 0; i < FMT_RULES; i++) {
		const char *name = fmt_rule_name(i);
		assert_int_equal(fmt_rule_find(name, strlen(name)), i);
		assert_int_equal(fmt_rule_find(name, strlen(name) - 1), FMT_RULES);
	}
	assert_int_equal(fmt_rule_find("", 0), FMT_RULES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ended_path_fills_the_rob),
		cmocka_unit_test(test_rule_ended),
		cmocka_unit_test(test_rule_overlap),
		cmocka_unit_test(test_rule_buffer),
		cmocka_unit_test(test_rule_rob),
		cmocka_unit_test(test_hybrid),
		cmocka_unit_test(test_store_misses),
		cmocka_unit_test(test_hybrid_full_store_queue),
		cmocka_unit_test(test_rule_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
