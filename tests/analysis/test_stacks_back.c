/* Back-end counters, POWER5, stage stacks, slots and the checks of a run, cycle by cycle. The ROB has 8 entries, stages
 * are 4 wide, the naive penalties are 9, 250, 30 and 5. */
#include "analysis/stacks_rig.h"

static void load_missed(struct rig *r, uint64_t seq, uint64_t latency, uint8_t level, bool merged)
{
	r->o->load_missed(r->o->context, r->cycle, seq, r->cycle + latency, level, CULPRIT_LEVEL_L1, merged);
}

static const struct does on_memory = {.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .stage = CULPRIT_DISPATCH_ROB};

/* Two long misses under each other: POWER5 counts from when the first is the oldest, FMT from when the ROB is full,
 * both once; naive counts both. */
static void test_overlapping_long_misses(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 10);
	rig_cycle(&r, (struct does){.dispatch = 4});
	load_missed(&r, 0, 100, CULPRIT_LEVEL_MEMORY, false);
	rig_cycle(&r,
		  (struct does){.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .dispatch = 2, .stage = CULPRIT_DISPATCH_EMPTY});
	EXPECT(&r, power5, l2d, 1);
	EXPECT(&r, fmt, l2d, 0);
	load_missed(&r, 5, 100, CULPRIT_LEVEL_MEMORY, false);
	load_missed(&r, 4, 100, CULPRIT_LEVEL_MEMORY, true); /* the line of 0: no miss of its own */
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .dispatch = 2});
	EXPECT(&r, power5, l2d, 2);
	EXPECT(&r, fmt, l2d, 1); /* full after this cycle's dispatch */
	struct does d = on_memory;
	d.length = 97;
	rig_cycle(&r, d);
	EXPECT(&r, fmt, l2d, 98);
	/* 0 to 4 commit, two more dispatch; 5 completes in the next cycle */
	rig_cycle(&r, (struct does){.commit = 4, .dispatch = 2, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.commit = 1,
				    .stage = CULPRIT_DISPATCH_EMPTY,
				    .next_head = CULPRIT_HEAD_SERVED_BY_MEMORY});
	rig_cycle(&r, (struct does){.commit = 4});
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l2d, 98);
	EXPECT(&r, sfmt, l2d, 98);
	EXPECT(&r, power5, l2d, 99);
	EXPECT(&r, naive, l2d, 500);
	EXPECT(&r, naive_nonspec, l2d, 500);
	assert_int_equal(stacks_penalties(r.s)->committed.l2d, 2);
	assert_int_equal(stacks_penalties(r.s)->committed.l2d_isolated, 1);
	rig_finish(&r);
}

/* A mispredicted branch under a long miss: while the ROB is full the cycles are the miss's, before and after the
 * branch's; those that both could have are contested. */
static void test_mispredict_under_long_miss(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 1);
	rig_branch(&r, true, false);				    /* 1 */
	rig_plain(&r, 6);					    /* its wrong path */
	rig_cycle(&r, (struct does){.dispatch = 4, .wrong = true}); /* cycle 0 */
	load_missed(&r, 0, 50, CULPRIT_LEVEL_MEMORY, false);
	rig_cycle(&r,
		  (struct does){.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .stage = CULPRIT_DISPATCH_EMPTY, .wrong = true});
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .dispatch = 4, .wrong = true}); /* full */
	struct does d = on_memory;
	d.wrong = true;
	d.length = 10;
	rig_cycle(&r, d);
	rig_squash(&r, 2, CULPRIT_SQUASH_MISPREDICT); /* cycle 13 */
	rig_plain(&r, 4);
	rig_cycle(&r,
		  (struct does){.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .stage = CULPRIT_DISPATCH_EMPTY, .length = 5});
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .dispatch = 4, .length = 1}); /* cycle 18 */
	rig_cycle(&r,
		  (struct does){.head = CULPRIT_HEAD_SERVED_BY_MEMORY, .stage = CULPRIT_DISPATCH_EMPTY, .length = 32});
	EXPECT(&r, fmt, bmisp, 0);
	rig_cycle(&r, (struct does){.commit = 4, .stage = CULPRIT_DISPATCH_EMPTY});
	EXPECT(&r, fmt, l2d, 11);
	/* cycles 0 and 1, 13 to 17: those with room between dispatch of the branch and of its right path */
	EXPECT(&r, fmt, bmisp, 7);
	EXPECT(&r, power5, l2d, 50);
	EXPECT(&r, power5, bmisp, 0);
	rig_cycle(&r, (struct does){.commit = 2});
	rig_end(&r);
	assert_int_equal(stacks_claims(r.s)[CLAIM_BRANCH | CLAIM_LONG], 17);
	assert_int_equal(stacks_claims(r.s)[CLAIM_LONG], 33);
	assert_int_equal(stacks_penalties(r.s)->overlap, 11); /* of the 17 those with a full ROB */
	stacks_destroy(r.s);
}

/* What a full ROB's oldest waits for decides; without a full ROB nobody but POWER5 charges. */
static void test_full_rob_charges_the_oldest(void **state)
{
	static const struct {
		uint8_t head;
		enum stack_component component;
	} cases[] = {{CULPRIT_HEAD_SERVED_BY_MEMORY, STACK_l2d},
		     {CULPRIT_HEAD_DTLB, STACK_dtlb},
		     {CULPRIT_HEAD_SERVED_BY_CACHE, STACK_l1d},
		     {CULPRIT_HEAD_LGALU, STACK_unit},
		     {CULPRIT_HEAD_DL1, STACK_base},
		     {CULPRIT_HEAD_SHALU, STACK_base},
		     {CULPRIT_HEAD_STORES, STACK_base},
		     {CULPRIT_HEAD_ORDER, STACK_base},
		     {CULPRIT_HEAD_BRANCHES, STACK_base},
		     {CULPRIT_HEAD_OTHER, STACK_base}};
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 8);
	rig_cycle(&r, (struct does){.dispatch = 4, .head = CULPRIT_HEAD_EMPTY});
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		rig_cycle(&r, (struct does){.head = cases[i].head, .length = 3, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.dispatch = 4, .head = CULPRIT_HEAD_SHALU});
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum stack_component c = cases[i].component;
		int64_t fmt = rig_component(&r, STACK_METHOD_fmt, c),
			power5 = rig_component(&r, STACK_METHOD_power5, c);
		rig_cycle(&r, (struct does){.head = cases[i].head, .length = 5, .stage = CULPRIT_DISPATCH_ROB});
		assert_int_equal(rig_component(&r, STACK_METHOD_fmt, c), fmt + 5);
		assert_int_equal(rig_component(&r, STACK_METHOD_power5, c), power5 + 5);
		if (c != STACK_base)
			assert_int_equal(fmt + 3, power5); /* the three cycles with room */
	}
	rig_cycle(&r, (struct does){.commit = 4});
	rig_cycle(&r, (struct does){.commit = 4});
	rig_finish(&r);
}

/* POWER5 and an empty ROB: whatever emptied it last. */
static void test_power5_empty(void **state)
{
	static const struct {
		uint8_t why;
		enum stack_component component;
	} cases[] = {{CULPRIT_FETCH_SERVED_BY_CACHE, STACK_l1i}, {CULPRIT_FETCH_SERVED_BY_MEMORY, STACK_l2i},
		     {CULPRIT_FETCH_ITLB_MISS, STACK_itlb},	 {CULPRIT_FETCH_MISPREDICT, STACK_bmisp},
		     {CULPRIT_FETCH_SERIALISE, STACK_base},	 {CULPRIT_FETCH_DELIVERED, STACK_base},
		     {CULPRIT_FETCH_VIOLATION, STACK_base}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rig r;
		struct stacks_params p = rig_params();
		rig_start(&r, &p);
		rig_plain(&r, 4);
		struct does d = {.stage = CULPRIT_DISPATCH_EMPTY, .why = cases[i].why, .head = CULPRIT_HEAD_EMPTY};
		rig_cycle(&r, d);
		d.length = 6;
		rig_cycle(&r, d);
		/* commit found it empty once more; what comes next had another reason */
		rig_cycle(&r, (struct does){.dispatch = 4, .head = CULPRIT_HEAD_EMPTY, .why = CULPRIT_FETCH_DELIVERED});
		int64_t expected = cases[i].component == STACK_base ? 8 : 7;
		assert_int_equal(rig_component(&r, STACK_METHOD_power5, cases[i].component), expected);
		rig_cycle(&r, (struct does){.commit = 4});
		rig_finish(&r);
	}
}

static void expect_stage(const struct rig *r, enum stack_stage stage, enum stage_row row, uint64_t slots)
{
	assert_int_equal(stacks_stage(r->s, stage)[row], slots);
}

/* A mispredicted branch's wrong path takes slots at dispatch and issue, which are the misprediction's. Four slots a
 * cycle; D, I, C: the stages. */
static void test_stages_and_slots(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	/* three cycles: D, I and C have nothing for an L1I miss */
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY,
				    .why = CULPRIT_FETCH_SERVED_BY_CACHE,
				    .fetch = CULPRIT_FETCH_SERVED_BY_CACHE,
				    .head = CULPRIT_HEAD_EMPTY,
				    .length = 3});
	rig_plain(&r, 1);
	rig_branch(&r, true, false); /* 1 */
	rig_plain(&r, 3);	     /* 2 to 4: wrong */
	/* D: two right, one wrong, one that could only be wrong; I and C: still the L1I miss */
	rig_cycle(&r,
		  (struct does){
			  .dispatch = 3, .stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_EMPTY, .wrong = true});
	/* D: only wrong ones could come; I: one right, one wrong, two wait for an addition; C: likewise */
	rig_cycle(&r, (struct does){.issue = 2,
				    .issued_wrong = 1,
				    .issue_seq = 1,
				    .issue_waits = CULPRIT_HEAD_SHALU,
				    .head = CULPRIT_HEAD_SHALU,
				    .stage = CULPRIT_DISPATCH_EMPTY,
				    .wrong = true});
	/* I: one right, then all have issued: what dispatch waited for; C: one, then one just dispatched */
	rig_cycle(&r, (struct does){.commit = 1,
				    .issue = 1,
				    .next_head = CULPRIT_HEAD_DISPATCH,
				    .stage = CULPRIT_DISPATCH_EMPTY,
				    .wrong = true});
	rig_squash(&r, 2, CULPRIT_SQUASH_MISPREDICT);
	/* D: refill; I: as before; C: one, then empty, for what was coming before the squash */
	rig_cycle(&r, (struct does){.commit = 1,
				    .next_head = CULPRIT_HEAD_EMPTY,
				    .stage = CULPRIT_DISPATCH_EMPTY,
				    .why = CULPRIT_FETCH_MISPREDICT});
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_EMPTY,
				    .stage = CULPRIT_DISPATCH_EMPTY,
				    .why = CULPRIT_FETCH_MISPREDICT,
				    .length = 2});
	rig_end(&r);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_base, 2);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_l1i, 12);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_bmisp, 2 + 4 + 4 + 4 + 8);
	expect_stage(&r, STAGE_AT_ISSUE, STAGE_base, 2);
	expect_stage(&r, STAGE_AT_ISSUE, STAGE_l1i, 16);
	expect_stage(&r, STAGE_AT_ISSUE, STAGE_shalu, 2);
	expect_stage(&r, STAGE_AT_ISSUE, STAGE_bmisp, 1 + 3 + 4 + 8);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_base, 2);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_l1i, 16);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_shalu, 4);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_dispatch, 3);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_fetch, 3);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_bmisp, 8);
	uint64_t slots[SLOTS_ROWS];
	assert_true(stacks_slots(r.s, slots));
	assert_int_equal(slots[SLOTS_retiring], 2);
	assert_int_equal(slots[SLOTS_fetch_latency], 12);
	assert_int_equal(slots[SLOTS_branch_mispredicts], 2 + 4 + 4 + 4 + 8);
	stacks_destroy(r.s);
}

/* Work that a memory-order violation undid moves from base to the violation. */
static void test_violation_slots(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 4);
	rig_cycle(&r, (struct does){.dispatch = 4});
	rig_cycle(&r, (struct does){.issue = 4, .stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_DISPATCH});
	rig_squash(&r, 1, CULPRIT_SQUASH_VIOLATION);
	rig_cycle(&r, (struct does){.commit = 1,
				    .stage = CULPRIT_DISPATCH_EMPTY,
				    .why = CULPRIT_FETCH_VIOLATION,
				    .next_head = CULPRIT_HEAD_EMPTY});
	rig_plain(&r, 3);
	rig_cycle(&r, (struct does){.dispatch = 3, .stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_EMPTY});
	rig_cycle(&r, (struct does){.issue = 3, .stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_DISPATCH});
	rig_cycle(&r, (struct does){.commit = 3, .stage = CULPRIT_DISPATCH_EMPTY, .next_head = CULPRIT_HEAD_EMPTY});
	rig_end(&r);
	for (unsigned i = 0; i < STACK_STAGES; i++)
		expect_stage(&r, i, STAGE_base, 4);
	/* three squashed, four not delivered in the cycle of the squash */
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_violation, 3 + 4);
	uint64_t slots[SLOTS_ROWS];
	assert_true(stacks_slots(r.s, slots));
	assert_int_equal(slots[SLOTS_machine_clears], 3 + 4);
	assert_int_equal(slots[SLOTS_retiring], 4);
	assert_int_equal(slots[SLOTS_bad_speculation], 7);
	assert_int_equal(slots[SLOTS_frontend_bound] + slots[SLOTS_backend_bound], 4 * 6 - 4 - 7);
	stacks_destroy(r.s);
}

/* Sixteen issue in a cycle, where stacks are four wide, and all but the first are undone in the next one. Eight have had slots by then,
 * and are the violation's; of the other eight, which wait for slots to come, the one that stays is left. */
static void test_violation_beyond_width(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	p.rob = p.issue_width = 16;
	rig_start(&r, &p);
	rig_plain(&r, 16);
	for (unsigned i = 0; i < 4; i++)
		rig_cycle(&r, (struct does){.dispatch = 4, .head = CULPRIT_HEAD_DISPATCH});
	rig_cycle(&r, (struct does){.issue = 16, .stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_SHALU});
	rig_squash(&r, 1, CULPRIT_SQUASH_VIOLATION);
	rig_cycle(&r, (struct does){.commit = 1,
				    .stage = CULPRIT_DISPATCH_EMPTY,
				    .why = CULPRIT_FETCH_VIOLATION,
				    .next_head = CULPRIT_HEAD_EMPTY});
	rig_end(&r); /* so many are the base of each stage as have committed */
	expect_stage(&r, STAGE_AT_ISSUE, STAGE_base, 0);
	expect_stage(&r, STAGE_AT_ISSUE, STAGE_violation, 8);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_base, 1);
	stacks_destroy(r.s);
}

/* A stage that is wider than the narrowest keeps what it moved beyond for later slots. */
static void test_wide_stage_carries(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	p.dispatch_width = 8;
	rig_start(&r, &p);
	rig_plain(&r, 8);
	rig_cycle(&r, (struct does){.dispatch = 8, .head = CULPRIT_HEAD_EMPTY});
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_DISPATCH, .issue = 4, .stage = CULPRIT_DISPATCH_ROB});
	rig_cycle(&r, (struct does){.commit = 4,
				    .issue = 4,
				    .stage = CULPRIT_DISPATCH_ROB,
				    .head = CULPRIT_HEAD_COMMITTING,
				    .next_head = CULPRIT_HEAD_COMMITTING});
	rig_cycle(&r, (struct does){.commit = 4, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_end(&r);
	/* four in the cycle of the dispatch, four in the next, in which nothing moved */
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_base, 8);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_dispatch, 0);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_window, 4);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_fetch, 4);
	/* the slots tree is about dispatch's own width */
	uint64_t slots[SLOTS_ROWS];
	assert_true(stacks_slots(r.s, slots));
	assert_int_equal(slots[SLOTS_retiring], 8);
	assert_int_equal(slots[SLOTS_core_bound], 16);
	assert_int_equal(slots[SLOTS_fetch_latency], 8);
	stacks_destroy(r.s);
}

/* The checks notice totals that do not agree. */
static void test_finish_checks_totals(void **state)
{
	static const struct {
		int cycles, instructions;
	} wrong[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	for (size_t i = 0; i < 4; i++) {
		struct rig r;
		struct stacks_params p = rig_params();
		rig_start(&r, &p);
		rig_plain(&r, 4);
		rig_cycle(&r, (struct does){.dispatch = 4, .head = CULPRIT_HEAD_EMPTY});
		rig_cycle(&r, (struct does){.issue = 4, .head = CULPRIT_HEAD_DISPATCH});
		rig_cycle(&r, (struct does){.commit = 4});
		struct error err = {0};
		assert_false(stacks_finish(r.s, (uint64_t)((int)r.cycle + wrong[i].cycles),
					   (uint64_t)((int)r.head + wrong[i].instructions), &err));
		assert_int_equal(err.code, ERROR_INTERNAL);
		stacks_destroy(r.s);
	}
}

/* FMT of 8 rows: 3-bit ROB number, mispredict bit, penalty, three 3-bit pointers, three counters a row and in the open one. */
static void test_storage(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	assert_int_equal(stacks_storage_bits(r.s, STACK_METHOD_naive), 0);
	assert_int_equal(stacks_storage_bits(r.s, STACK_METHOD_fmt), 8 * (3 + 1 + 16) + 9 + 9 * 3 * 16);
	assert_int_equal(stacks_storage_bits(r.s, STACK_METHOD_sfmt), 8 * (3 + 1 + 16) + 9 + 3 * 16 + 8);
	rig_finish(&r);
}

/* The window is empty and dispatch finds a structure full: no stage's slots are the front end's. */
static void test_stages_held(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 1);
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_EMPTY,
				    .next_head = CULPRIT_HEAD_EMPTY,
				    .stage = CULPRIT_DISPATCH_SQ});
	rig_cycle(&r, (struct does){.head = CULPRIT_HEAD_EMPTY,
				    .next_head = CULPRIT_HEAD_EMPTY,
				    .issue_waits = CULPRIT_HEAD_EMPTY,
				    .stage = CULPRIT_DISPATCH_SQ,
				    .length = 7});
	/* D: it comes; I and C: as in the cycle before */
	rig_cycle(&r, (struct does){.dispatch = 1,
				    .head = CULPRIT_HEAD_EMPTY,
				    .next_head = CULPRIT_HEAD_EMPTY,
				    .issue_waits = CULPRIT_HEAD_EMPTY,
				    .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.commit = 1, .issue = 1});
	rig_end(&r);
	expect_stage(&r, STAGE_AT_DISPATCH, STAGE_sq, 4 * 8);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_sq, 4 * 8);
	expect_stage(&r, STAGE_AT_COMMIT, STAGE_fetch, 4); /* before that */
	stacks_destroy(r.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlapping_long_misses),
		cmocka_unit_test(test_mispredict_under_long_miss),
		cmocka_unit_test(test_full_rob_charges_the_oldest),
		cmocka_unit_test(test_power5_empty),
		cmocka_unit_test(test_stages_and_slots),
		cmocka_unit_test(test_stages_held),
		cmocka_unit_test(test_violation_slots),
		cmocka_unit_test(test_violation_beyond_width),
		cmocka_unit_test(test_wide_stage_carries),
		cmocka_unit_test(test_finish_checks_totals),
		cmocka_unit_test(test_storage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
