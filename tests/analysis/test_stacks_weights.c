/* Stage stacks and the slots tree of records that take more or less than one slot, from records and a pipeline log made by
 * hand, by arithmetic. Everything flows: in each cycle as many instructions move as fill the two slots of a stage, or as
 * there are. */
#include "analysis/replay/replay.h"
#include "analysis/stacks/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 120, WIDTH = 2, MOST = N + 8, NONE = CULPRIT_WEIGHT_NONE };
enum { TO_ISSUE = 1, LATENCY = 1, TO_COMMIT = 1 };

struct run {
	struct culprit_record records[N];
	struct culprit_log_entry log[MOST];
	size_t cycles;
};

/* The cycle of each instruction's dispatch: those of one cycle fit the width. */
static void dispatch(struct run *x, const uint8_t *weights, size_t count, bool fetch_waits)
{
	uint32_t used = 0, cycle = 1;
	for (size_t i = 0; i < N; i++) {
		struct culprit_record *r = &x->records[i];
		const uint32_t own = culprit_weight(weights[i % count]);
		if (used + own > WIDTH || (fetch_waits && i && i % count == 0)) {
			cycle++;
			used = 0;
		}
		used += own;
		*r = (struct culprit_record){.seq = i, .pc = 4 * i, .length = 4, .dest = 64, .exec_latency = LATENCY};
		r->wakeup = LATENCY;
		r->dispatch_slots = r->issue_slots = r->commit_slots = weights[i % count];
		r->dispatch = cycle;
		r->ready = r->issue = cycle + TO_ISSUE;
		r->complete = r->issue + LATENCY;
		r->commit = r->complete + TO_COMMIT;
	}
	x->cycles = x->records[N - 1].commit + 1;
}

static void write_log(struct run *x)
{
	for (size_t cycle = 0; cycle < x->cycles; cycle++) {
		struct culprit_log_entry *e = &x->log[cycle];
		*e = (struct culprit_log_entry){.kind = CULPRIT_LOG_CYCLE};
		for (size_t i = 0; i < N; i++) {
			const struct culprit_record *r = &x->records[i];
			e->dispatched += r->dispatch <= cycle;
			e->committed += r->commit <= cycle;
			e->issued += r->issue == cycle ? culprit_weight(r->issue_slots) : 0;
		}
		const bool ends = e->committed == N || e->dispatched == e->committed;
		e->fetch = CULPRIT_FETCH_DELIVERED;
		e->dispatch = CULPRIT_DISPATCH_EMPTY;
		e->stop = ends ? CULPRIT_STOP_EMPTY : CULPRIT_STOP_EXECUTES;
	}
}

static struct stacks *stacks_of(struct run *x, uint32_t commit_width)
{
	const struct stacks_params params = {.rob = 64,
					     .dispatch_width = WIDTH,
					     .issue_width = WIDTH,
					     .commit_width = commit_width,
					     .in_flight = 128,
					     .fmt_rows = 8,
					     .counter_bits = 16};
	const struct replay_params replay_params = {
		.window = 64, .dispatch_to_issue = TO_ISSUE, .commit_delay = TO_COMMIT, .weighs = true};
	struct error err = {0};
	struct replay_slots slots;
	struct stacks *s = stacks_create(&params, &err);
	assert_non_null(s);
	struct replay *r = replay_create(&replay_params, stacks_observer(s), &err);
	assert_non_null(r);
	replay_log(r, &(struct culprit_log_part){.entries = x->log, .count = x->cycles});
	replay_records(r, x->records, N);
	if (!replay_finish(r, &err))
		fail_msg("%s", err.text);
	if (replay_weighs(r, &slots))
		stacks_weigh(s, slots.dispatch, slots.issue, slots.commit, slots.heavy);
	if (!stacks_finish(s, x->cycles, N, &err))
		fail_msg("%s", err.text);
	replay_destroy(r);
	return s;
}

/* Each stage's base is the slots that the records take, `slots` of them in all; the others are lost. */
static void expect(const uint8_t *weights, size_t count, bool fetch_waits, uint64_t slots, uint64_t heavy,
		   uint64_t dispatch_cycles)
{
	for (uint32_t commit_width = WIDTH; commit_width <= WIDTH + 1; commit_width++) {
		static struct run x;
		dispatch(&x, weights, count, fetch_waits);
		assert_int_equal(x.records[N - 1].dispatch, dispatch_cycles);
		write_log(&x);
		struct stacks *s = stacks_of(&x, commit_width);
		for (unsigned stage = 0; stage < STACK_STAGES; stage++) {
			const uint64_t *rows = stacks_stage(s, stage);
			uint64_t all = 0;
			for (unsigned i = 0; i < STAGE_ROWS; i++)
				all += rows[i];
			assert_int_equal(rows[STAGE_base], slots);
			assert_int_equal(rows[STAGE_bmisp], 0);
			assert_int_equal(rows[STAGE_violation], 0);
			assert_int_equal(all, WIDTH * x.cycles);
		}
		uint64_t rows[SLOTS_ROWS];
		stacks_slots(s, rows);
		assert_int_equal(rows[SLOTS_retiring], slots);
		assert_int_equal(rows[SLOTS_heavy_operations], heavy);
		assert_int_equal(rows[SLOTS_light_operations], slots - heavy);
		assert_int_equal(rows[SLOTS_bad_speculation], 0);
		stacks_destroy(s);
	}
}

#define EXPECT(fetch_waits, slots, heavy, cycles, ...)                                \
	do {                                                                          \
		const uint8_t weights_[] = {__VA_ARGS__};                             \
		expect(weights_, sizeof weights_, fetch_waits, slots, heavy, cycles); \
	} while (0)

static void usual(void **state)
{
	EXPECT(false, N, 0, N / 2, 0);
	EXPECT(true, N, 0, N, 0); /* one a cycle: half the slots are lost */
}

static void cracked(void **state)
{
	EXPECT(false, 2 * N, 2 * N, N, 2);    /* one a cycle, and no slot is lost */
	EXPECT(false, N / 2 + N, N, N, 0, 2); /* one slot is left each time */
}

static void fused(void **state)
{
	EXPECT(false, N / 2, 0, N / 4, 0, NONE);
	EXPECT(false, N, N, N / 2, 2, NONE);
	EXPECT(true, 3 * N / 4, N / 2, N / 2, 2, NONE, 0, NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(usual), cmocka_unit_test(cracked), cmocka_unit_test(fused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
