/* Front-end counters of FMT and sFMT, cycle by cycle: instruction misses on right and wrong paths, mispredictions, full ROB,
 * a full table. The ROB has 8 entries, the naive penalties are 9, 250, 30 and 5. */
#include "analysis/stacks_rig.h"

static const struct does waits_l1i = {.fetch = CULPRIT_FETCH_SERVED_BY_CACHE, .stage = CULPRIT_DISPATCH_EMPTY};

static void wait_for_l1i(struct rig *r, unsigned cycles, bool wrong)
{
	struct does d = waits_l1i;
	d.wrong = wrong;
	while (cycles--)
		rig_cycle(r, d);
}

static void fetch_missed(struct rig *r, uint8_t branch, bool mispredicted, bool wrong)
{
	rig_fetch(r, (struct fetched){.branch = branch,
				      .ilevel = CULPRIT_LEVEL_L2,
				      .mispredicted = mispredicted,
				      .wrong_path = wrong});
}

/* A miss counts when the branch after it commits, and not before. */
static void test_imiss_counts_at_commit(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	wait_for_l1i(&r, 9, false);
	fetch_missed(&r, CULPRIT_BRANCH_NONE, false, false); /* 0 */
	rig_branch(&r, false, false);			     /* 1 */
	rig_cycle(&r, (struct does){.dispatch = 2});
	EXPECT(&r, fmt, l1i, 0);
	EXPECT(&r, sfmt, l1i, 0);
	EXPECT(&r, naive, l1i, 9); /* counted when the wait began */
	EXPECT(&r, naive_nonspec, l1i, 0);
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l1i, 0); /* the branch is still there */
	EXPECT(&r, sfmt, l1i, 9);
	EXPECT(&r, naive_nonspec, l1i, 9);
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l1i, 9);
	EXPECT(&r, sfmt, l1i, 9);
	rig_finish(&r);
}

/* Section 4.1.2: an I-miss, a mispredicted branch, an I-miss on its wrong path. The FMT drops the latter with the open
 * row; sFMT has one set of counters, which the first miss's bit moves at commit, wrong path included. */
static void test_imiss_mispredict_imiss(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	wait_for_l1i(&r, 9, false);
	fetch_missed(&r, CULPRIT_BRANCH_CONDITIONAL, true, false); /* 0 */
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.fetch = CULPRIT_FETCH_SERVED_BY_CACHE, .dispatch = 1, .wrong = true});
	wait_for_l1i(&r, 3, true);
	EXPECT(&r, fmt, l1i, 0);
	EXPECT(&r, naive, l1i, 18);
	/* resolved three cycles after it was dispatched; fetch starts again at once and dispatches five cycles later */
	rig_squash(&r, 1, CULPRIT_SQUASH_MISPREDICT);
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY, .fetch = CULPRIT_FETCH_MISPREDICT});
	EXPECT(&r, naive, bmisp, 5);
	EXPECT(&r, fmt, bmisp, 0);
	rig_plain(&r, 4);
	rig_cycle(&r, (struct does){.commit = 1, .stage = CULPRIT_DISPATCH_EMPTY});
	EXPECT(&r, fmt, l1i, 9);
	EXPECT(&r, sfmt, l1i, 13); /* 4 cycles of the wrong path */
	EXPECT(&r, naive_nonspec, l1i, 9);
	EXPECT(&r, fmt, bmisp, 0);
	for (unsigned i = 0; i < 3; i++)
		rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_EMPTY});
	EXPECT(&r, fmt, bmisp, 0);
	rig_cycle(&r, (struct does){.dispatch = 4, .head = CULPRIT_HEAD_EMPTY});
	/* dispatched in cycle 10, the right path in cycle 19 */
	EXPECT(&r, fmt, bmisp, 9);
	EXPECT(&r, sfmt, bmisp, 9);
	assert_int_equal(stacks_penalties(r.s)->resolution, 4);
	assert_int_equal(stacks_penalties(r.s)->refill, 5);
	rig_cycle(&r, (struct does){.commit = 4});
	EXPECT(&r, sfmt, l1i, 13);
	rig_finish(&r);
}

/* Only the naive counters see what happens on a wrong path, and there nested mispredictions count nothing. */
static void test_wrong_path_only_naive(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_branch(&r, true, false); /* 0 */
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.fetch = CULPRIT_FETCH_SERVED_BY_MEMORY, .dispatch = 1, .wrong = true});
	rig_cycle(&r, (struct does){.fetch = CULPRIT_FETCH_ITLB_MISS, .wrong = true, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_fetch(&r, (struct fetched){.branch = CULPRIT_BRANCH_CONDITIONAL,
				       .ilevel = CULPRIT_LEVEL_MEMORY,
				       .itlb_level = CULPRIT_LEVEL_MEMORY,
				       .mispredicted = true,
				       .wrong_path = true}); /* 1 */
	rig_cycle(&r, (struct does){.dispatch = 1, .wrong = true});
	r.o->load_missed(r.o->context, r.cycle, 2, r.cycle + 300, CULPRIT_LEVEL_MEMORY, CULPRIT_LEVEL_MEMORY, false);
	rig_squash(&r, 2, CULPRIT_SQUASH_MISPREDICT);
	rig_cycle(&r, (struct does){.wrong = true, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_plain(&r, 1); /* 2, still on the wrong path of 0 */
	rig_cycle(&r, (struct does){.dispatch = 1, .wrong = true});
	rig_squash(&r, 1, CULPRIT_SQUASH_MISPREDICT);
	rig_plain(&r, 1);
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.commit = 1, .dispatch = 1, .next_head = CULPRIT_HEAD_DISPATCH});
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, naive, l1i, 9);
	EXPECT(&r, naive, l2i, 250);
	EXPECT(&r, naive, itlb, 30);
	EXPECT(&r, naive, l2d, 250);
	EXPECT(&r, naive, dtlb, 30);
	EXPECT(&r, naive, bmisp, 10);
	EXPECT(&r, naive, base, (int64_t)r.cycle - 579); /* more charged than there were cycles */
	EXPECT(&r, naive_nonspec, bmisp, 5);
	EXPECT(&r, naive_nonspec, base, (int64_t)r.cycle - 5);
	EXPECT(&r, power5, base, (int64_t)r.cycle);
	/* branch 0 from cycle 1 to 7, and nothing else */
	EXPECT(&r, fmt, bmisp, 6);
	EXPECT(&r, fmt, base, (int64_t)r.cycle - 6);
	EXPECT(&r, sfmt, base, (int64_t)r.cycle - 6);
	rig_finish(&r);
}

/* A full ROB stops every front-end counter: the cycles are the back end's, if anyone's. */
static void test_full_rob_stops_front_end_counters(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 7);
	rig_branch(&r, true, false); /* 7 */
	rig_cycle(&r, (struct does){.dispatch = 4});
	rig_cycle(&r, (struct does){.dispatch = 4, .next_head = CULPRIT_HEAD_SHALU}); /* full from here on */
	for (unsigned i = 0; i < 5; i++)
		rig_cycle(&r, (struct does){.fetch = CULPRIT_FETCH_SERVED_BY_CACHE,
					    .head = CULPRIT_HEAD_SERVED_BY_CACHE,
					    .stage = CULPRIT_DISPATCH_ROB,
					    .wrong = true});
	EXPECT(&r, fmt, l1d, 5);
	/* four commit: no longer full, two cycles until it resolves, one until dispatch */
	rig_cycle(&r, (struct does){.commit = 4, .wrong = true, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.wrong = true, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_squash(&r, 8, CULPRIT_SQUASH_MISPREDICT);
	rig_plain(&r, 1);
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.dispatch = 1});
	EXPECT(&r, fmt, bmisp, 0);
	rig_cycle(&r, (struct does){.commit = 4});
	EXPECT(&r, fmt, bmisp, 3);
	EXPECT(&r, fmt, l1i, 0);
	EXPECT(&r, fmt, l1d, 5);
	EXPECT(&r, power5, l1d, 5);
	rig_cycle(&r, (struct does){.commit = 1});
	rig_finish(&r);
}

/* An instruction miss while a full ROB waits for memory, right path: hidden, and told as contested. */
static void test_imiss_under_full_rob(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 8);
	rig_cycle(&r, (struct does){.dispatch = 4});
	rig_cycle(&r, (struct does){.dispatch = 4, .next_head = CULPRIT_HEAD_SHALU});
	rig_cycle(&r, (struct does){.length = 20,
				    .fetch = CULPRIT_FETCH_SERVED_BY_CACHE,
				    .head = CULPRIT_HEAD_SERVED_BY_MEMORY,
				    .stage = CULPRIT_DISPATCH_ROB});
	rig_cycle(&r,
		  (struct does){.commit = 4, .fetch = CULPRIT_FETCH_SERVED_BY_CACHE, .stage = CULPRIT_DISPATCH_EMPTY});
	fetch_missed(&r, CULPRIT_BRANCH_CONDITIONAL, false, false);
	rig_cycle(&r, (struct does){.commit = 4, .dispatch = 1});
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l1i, 1); /* the one cycle with room */
	EXPECT(&r, sfmt, l1i, 1);
	EXPECT(&r, fmt, l2d, 20);
	EXPECT(&r, naive, l1i, 9); /* one event */
	rig_end(&r);
	assert_int_equal(stacks_claims(r.s)[CLAIM_FETCH | CLAIM_LONG], 20);
	stacks_destroy(r.s);
}

/* Two lines of six and four instructions, then a miss: cycle 0 feeds four of six, cycle 1 four, and cycle 2 the last two. What counts is
 * the wait from cycle 3 on, in one event or in several, although the pipeline has room for all ten at any time. */
static void test_buffer_hides_the_beginning_of_a_miss(void **state)
{
	for (unsigned runs = 0; runs < 2; runs++) {
		struct rig r;
		struct stacks_params p = rig_params();
		rig_start(&r, &p);
		rig_plain(&r, 6);
		rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
		rig_plain(&r, 4);
		rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
		struct does d = waits_l1i;
		d.length = runs ? 5 : 1;
		for (unsigned i = 0; i < (runs ? 1 : 5); i++) /* cycles 2 to 6 */
			rig_cycle(&r, d);
		fetch_missed(&r, CULPRIT_BRANCH_JUMP, false, false);
		for (unsigned left = 11; left; left -= left < 4 ? left : 4)
			rig_cycle(&r, (struct does){.dispatch = left < 4 ? left : 4, .commit = left < 11 ? 4 : 0});
		rig_cycle(&r, (struct does){.commit = 3});
		EXPECT(&r, fmt, l1i, 4);
		EXPECT(&r, sfmt, l1i, 4);
		EXPECT(&r, hybrid, l1i, 4);
		EXPECT(&r, naive_nonspec, l1i, 9);
		rig_end(&r);
		assert_int_equal(stacks_claims(r.s)[CLAIM_FETCH], 5);
		stacks_destroy(r.s);
	}
}

/* A pipeline of eight that dispatch holds up, though the ROB has room: the buffer keeps the four that do not fit, so the wait is not the
 * pipeline's. Once it moves the buffer feeds it for a cycle. */
static void test_held_pipeline_keeps_the_buffer(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	p.front_pipeline = 8;
	p.fmt_rules = 1u << FMT_RULE_rob;
	rig_start(&r, &p);
	rig_plain(&r, 12);
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_SQ});
	rig_cycle(&r, (struct does){.length = 6, .fetch = CULPRIT_FETCH_SERVED_BY_CACHE, .stage = CULPRIT_DISPATCH_SQ});
	EXPECT(&r, hybrid, l1i, 0);
	rig_cycle(&r, (struct does){.dispatch = 4, .fetch = CULPRIT_FETCH_SERVED_BY_CACHE});
	rig_cycle(&r, (struct does){.dispatch = 4, .commit = 4, .fetch = CULPRIT_FETCH_SERVED_BY_CACHE});
	fetch_missed(&r, CULPRIT_BRANCH_JUMP, false, false);
	rig_cycle(&r, (struct does){.dispatch = 4, .commit = 4});
	rig_cycle(&r, (struct does){.dispatch = 1, .commit = 4});
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l1i, 1);
	rig_finish(&r);
}

/* A miss of the right path during the refill: each cycle belongs to one counter. */
static void test_imiss_during_refill(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_branch(&r, true, false);				    /* 0 */
	rig_cycle(&r, (struct does){.dispatch = 1, .wrong = true}); /* cycle 0 */
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY, .wrong = true});
	rig_squash(&r, 1, CULPRIT_SQUASH_MISPREDICT); /* cycle 2 */
	wait_for_l1i(&r, 9, false);
	fetch_missed(&r, CULPRIT_BRANCH_JUMP, false, false); /* 1 */
	rig_cycle(&r, (struct does){.commit = 1, .length = 1, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.length = 4, .stage = CULPRIT_DISPATCH_EMPTY, .head = CULPRIT_HEAD_EMPTY});
	rig_cycle(&r, (struct does){.dispatch = 1, .head = CULPRIT_HEAD_EMPTY}); /* cycle 16 */
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l1i, 9);
	EXPECT(&r, fmt, bmisp, 16 - 9);
	/* sFMT: the branch's commit cleared what had been counted */
	EXPECT(&r, sfmt, l1i, 0);
	rig_end(&r);
	assert_int_equal(stacks_claims(r.s)[CLAIM_FETCH | CLAIM_BRANCH], 9);
	stacks_destroy(r.s);
}

/* A branch without a row: its misprediction is not seen, and what the open row had is lost. */
static void test_fmt_overflow(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	p.fmt_rows = 2;
	rig_start(&r, &p);
	rig_branch(&r, false, false); /* 0 */
	rig_branch(&r, false, false); /* 1 */
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	wait_for_l1i(&r, 9, false);
	fetch_missed(&r, CULPRIT_BRANCH_CONDITIONAL, true, false); /* 2: the table is full */
	rig_cycle(&r, (struct does){.dispatch = 3});
	assert_int_equal(stacks_penalties(r.s)->overflowed, 1);
	assert_int_equal(stacks_penalties(r.s)->rows_used, 2);
	rig_cycle(&r, (struct does){.commit = 2, .stage = CULPRIT_DISPATCH_EMPTY, .wrong = true});
	rig_branch(&r, false, true); /* 3, on the wrong path: takes the row with the 9 cycles */
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY, .wrong = true});
	rig_squash(&r, 3, CULPRIT_SQUASH_MISPREDICT);
	assert_int_equal(stacks_penalties(r.s)->untracked, 1);
	rig_branch(&r, false, false); /* 3 again, right path */
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.commit = 1, .dispatch = 1});
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, bmisp, 0);
	EXPECT(&r, fmt, l1i, 0);
	EXPECT(&r, sfmt, l1i, 9); /* the bit in the ROB does not need a row */
	EXPECT(&r, naive_nonspec, l1i, 9);
	rig_finish(&r);
}

/* With room for it the same sequence counts in full. */
static void test_fmt_without_overflow(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	p.fmt_rows = 3;
	rig_start(&r, &p);
	rig_branch(&r, false, false);
	rig_branch(&r, false, false);
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	wait_for_l1i(&r, 9, false);
	fetch_missed(&r, CULPRIT_BRANCH_CONDITIONAL, true, false);
	rig_cycle(&r, (struct does){.dispatch = 3}); /* cycle 10 */
	rig_cycle(&r, (struct does){.commit = 2, .stage = CULPRIT_DISPATCH_EMPTY, .wrong = true});
	rig_squash(&r, 3, CULPRIT_SQUASH_MISPREDICT);
	rig_plain(&r, 1);
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){.commit = 1, .dispatch = 1}); /* cycle 13 */
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l1i, 9);
	EXPECT(&r, fmt, bmisp, 3);
	assert_int_equal(stacks_penalties(r.s)->overflowed, 0);
	rig_finish(&r);
}

/* A local counter stops at its largest value. */
static void test_counters_saturate(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	p.counter_bits = 4;
	rig_start(&r, &p);
	rig_cycle(&r, (struct does){
			      .length = 10, .fetch = CULPRIT_FETCH_SERVED_BY_MEMORY, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_cycle(&r, (struct does){
			      .length = 10, .fetch = CULPRIT_FETCH_SERVED_BY_MEMORY, .stage = CULPRIT_DISPATCH_EMPTY});
	rig_fetch(&r, (struct fetched){.branch = CULPRIT_BRANCH_JUMP, .ilevel = CULPRIT_LEVEL_MEMORY});
	rig_cycle(&r, (struct does){.dispatch = 1});
	rig_cycle(&r, (struct does){.commit = 1});
	EXPECT(&r, fmt, l2i, 15);
	EXPECT(&r, sfmt, l2i, 15);
	EXPECT(&r, naive, l2i, 250);
	rig_finish(&r);
}

/* A memory-order violation drops rows like a misprediction does, and charges nobody. */
static void test_violation(void **state)
{
	struct rig r;
	struct stacks_params p = rig_params();
	rig_start(&r, &p);
	rig_plain(&r, 2);
	wait_for_l1i(&r, 5, false);
	fetch_missed(&r, CULPRIT_BRANCH_CONDITIONAL, true, false); /* 2 */
	rig_cycle(&r, (struct does){.dispatch = 3});
	rig_squash(&r, 1, CULPRIT_SQUASH_VIOLATION);
	rig_cycle(&r, (struct does){.stage = CULPRIT_DISPATCH_EMPTY, .why = CULPRIT_FETCH_VIOLATION});
	rig_plain(&r, 1);
	rig_branch(&r, false, false); /* 2 again: had resolved, is now predicted right */
	rig_cycle(&r, (struct does){.commit = 1, .dispatch = 2});
	rig_cycle(&r, (struct does){.commit = 2});
	EXPECT(&r, fmt, l1i, 0);
	EXPECT(&r, fmt, bmisp, 0);
	EXPECT(&r, naive, bmisp, 0);
	EXPECT(&r, naive_nonspec, l1i, 0);
	rig_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_imiss_counts_at_commit),
		cmocka_unit_test(test_imiss_mispredict_imiss),
		cmocka_unit_test(test_wrong_path_only_naive),
		cmocka_unit_test(test_full_rob_stops_front_end_counters),
		cmocka_unit_test(test_imiss_under_full_rob),
		cmocka_unit_test(test_buffer_hides_the_beginning_of_a_miss),
		cmocka_unit_test(test_held_pipeline_keeps_the_buffer),
		cmocka_unit_test(test_imiss_during_refill),
		cmocka_unit_test(test_fmt_overflow),
		cmocka_unit_test(test_fmt_without_overflow),
		cmocka_unit_test(test_counters_saturate),
		cmocka_unit_test(test_violation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
