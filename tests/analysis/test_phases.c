/* Phases and the window of the pipeline on streams made by hand: slices that add up and join, windows that double their distance,
 * squashes as the log tells them. */
#include "analysis/phases.h"
#include "analysis/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct commit_stack_params params = {.dispatch_to_issue = 1, .commit_delay = 1};

/* One instruction that commits in `cycle`, having executed up to then. */
static struct culprit_record record(uint64_t seq, uint64_t cycle, uint64_t latency)
{
	return (struct culprit_record){.seq = seq,
				       .fetch = cycle - latency - 4,
				       .dispatch = cycle - latency - 2,
				       .ready = cycle - latency - 1,
				       .issue = cycle - latency - 1,
				       .complete = cycle - 1,
				       .commit = cycle,
				       .exec_latency = (uint16_t)latency,
				       .op_class = CULPRIT_OP_int_alu};
}

static void slices_add_up(void **state)
{
	(void)state;
	static struct phases p;
	enum { INSTRUCTIONS = 100000, STEP = 7, REST = 5 };
	phases_init(&p, &params);
	for (uint64_t i = 0; i < INSTRUCTIONS; i++) {
		struct culprit_record r = record(i, 20 + i * STEP, 3);
		phases_push(&p, &r, 1);
	}
	const uint64_t cycles = 20 + (INSTRUCTIONS - 1) * STEP + 1 + REST;
	phases_finish(&p, cycles);
	uint64_t sum = 0, instructions = 0, commits = 0, end = 0, largest = 0;
	for (size_t i = 0; i < PHASES_MOST; i++) {
		sum += p.slices[i].cycles;
		instructions += p.slices[i].instructions;
		commits += p.slices[i].causes[CAUSE_commit];
		end += p.slices[i].causes[CAUSE_end];
		largest = p.slices[i].cycles > largest ? p.slices[i].cycles : largest;
	}
	assert_int_equal(sum, cycles);
	assert_int_equal(instructions, INSTRUCTIONS);
	assert_int_equal(commits, INSTRUCTIONS);
	assert_int_equal(end, REST);
	/* 700,026 cycles in at most 512 slices of a power of two: 2048 */
	assert_int_equal(p.length, 2048);
	assert_in_range(largest, 2048 - STEP, 2048 + STEP + REST);
}

static void a_long_wait_is_one_slices(void **state)
{
	(void)state;
	static struct phases p;
	phases_init(&p, &params);
	struct culprit_record first = record(0, 10, 1), late = record(1, 10000, 9000);
	phases_push(&p, &first, 1);
	phases_push(&p, &late, 1);
	phases_finish(&p, 10001);
	assert_int_equal(p.slices[0].cycles, 11);
	assert_int_equal(p.slices[10000 / PHASES_FIRST_LENGTH].cycles, 10001 - 11);
	assert_int_equal(p.slices[10000 / PHASES_FIRST_LENGTH].instructions, 1);
}

/* The second half of the run has another cause: the window is taken where the mixture is most like the whole. */
static void the_most_typical_window_is_chosen(void **state)
{
	(void)state;
	struct window *w = calloc(1, sizeof *w);
	window_init(w, &params);
	enum { INSTRUCTIONS = 40 * WINDOW_LENGTH };
	uint64_t cycle = 20;
	for (uint64_t i = 0; i < INSTRUCTIONS; i++) {
		struct culprit_record r = record(i, cycle, 2);
		/* most of it waits 10 cycles for each, the first tenth 1 */
		cycle += i < INSTRUCTIONS / 10 ? 1 : 11;
		window_records(w, &r, 1);
	}
	commit_stack_finish(&w->whole, cycle);
	const size_t chosen = window_choose(w, cycle);
	const struct window_candidate *c = &w->candidates[chosen];
	assert_int_equal(w->distance, 8 * WINDOW_LENGTH); /* 40 windows long: 8 candidates would reach 32 at 4 */
	assert_int_equal(c->count, WINDOW_LENGTH);
	assert_true(c->records[0].seq >= INSTRUCTIONS / 10);
	assert_true(window_off(w, chosen, cycle) < 5);
	for (size_t i = 0; i < WINDOW_CANDIDATES; i++) {
		if (!w->candidates[i].count)
			continue;
		assert_int_equal(w->candidates[i].records[0].seq, i * w->distance);
		assert_true(window_off(w, i, cycle) >= window_off(w, chosen, cycle));
	}
	/* of the first, each cycle commits; of the whole, one in 10 */
	assert_true(window_off(w, 0, cycle) > 50);
	window_destroy(w);
	free(w);
}

static struct culprit_log_entry cycle_entry(uint64_t dispatched, uint16_t front)
{
	struct culprit_log_entry e = {.dispatched = (uint16_t)dispatched};
	e.kind = CULPRIT_LOG_CYCLE; /* not as initialisers: they share a union */
	e.front = front;
	return e;
}

static struct culprit_log_entry squash_entry(uint64_t first, uint8_t why)
{
	struct culprit_log_entry e = {.seq = first};
	e.kind = CULPRIT_LOG_SQUASHED;
	e.why = why;
	return e;
}

static void squashed_ones_come_from_the_log(void **state)
{
	(void)state;
	struct window *w = calloc(1, sizeof *w);
	window_init(w, &params);
	const struct culprit_log_entry log[] = {
		cycle_entry(0, 4), /* cycle 0: numbers 0 to 3 are fetched */
		cycle_entry(2, 4), /* 1: 0 and 1 enter the window; 4 and 5 are fetched */
		{.kind = CULPRIT_LOG_CYCLES, .length = 10},
		cycle_entry(3, 3),			    /* 12: 2 enters */
		squash_entry(2, CULPRIT_SQUASH_MISPREDICT), /* in 13: 2 to 5 leave */
		cycle_entry(2, 1),			    /* 2 again */
		squash_entry(2, CULPRIT_SQUASH_VIOLATION),  /* in 14 */
		cycle_entry(2, 0),
	};
	const struct culprit_log_part part = {.entries = log, .count = sizeof log / sizeof log[0]};
	window_log(w, &part);
	const struct window_candidate *c = &w->candidates[0];
	static const struct window_squashed wanted[] = {
		{2, 0, 12, 13, true, CULPRIT_SQUASH_MISPREDICT}, {3, 0, 0, 13, false, CULPRIT_SQUASH_MISPREDICT},
		{4, 1, 0, 13, false, CULPRIT_SQUASH_MISPREDICT}, {5, 1, 0, 13, false, CULPRIT_SQUASH_MISPREDICT},
		{2, 13, 0, 14, false, CULPRIT_SQUASH_VIOLATION},
	};
	assert_int_equal(c->squashed_count, sizeof wanted / sizeof wanted[0]);
	for (size_t i = 0; i < c->squashed_count; i++) {
		assert_int_equal(c->squashed[i].seq, wanted[i].seq);
		assert_int_equal(c->squashed[i].fetch, wanted[i].fetch);
		assert_int_equal(c->squashed[i].until, wanted[i].until);
		assert_int_equal(c->squashed[i].dispatched, wanted[i].dispatched);
		if (wanted[i].dispatched)
			assert_int_equal(c->squashed[i].dispatch, wanted[i].dispatch);
		assert_int_equal(c->squashed[i].why, wanted[i].why);
	}
	assert_int_equal(w->cycle, 15);
	window_destroy(w);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(slices_add_up), cmocka_unit_test(a_long_wait_is_one_slices),
					   cmocka_unit_test(the_most_typical_window_is_chosen),
					   cmocka_unit_test(squashed_ones_come_from_the_log)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
