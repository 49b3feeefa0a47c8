/* What a replay tells of logs and records written by hand, worked out cycle by cycle. tests/core/test_replay.c compares
 * it with the core. */
#include "analysis/replay/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 16 };

struct told {
	struct culprit_cycle run[MOST];
	size_t count;
};

static void on_cycles(void *context, const struct culprit_cycle *c)
{
	struct told *told = context;
	assert_true(told->count < MOST);
	told->run[told->count++] = *c;
}

/* One cycle; the numbers are those of the next to enter the window and to commit. */
static struct culprit_log_entry cycle(enum culprit_commit_stop stop, uint16_t dispatched, uint16_t committed,
				      uint16_t issued)
{
	struct culprit_log_entry e = {
		.stop = (uint8_t)stop, .dispatched = dispatched, .committed = committed, .issued = issued};
	e.kind = CULPRIT_LOG_CYCLE;
	return e;
}

/* So many in which nothing moves. */
static struct culprit_log_entry cycles(enum culprit_commit_stop stop, uint64_t length)
{
	struct culprit_log_entry e = {.stop = (uint8_t)stop, .length = length};
	e.kind = CULPRIT_LOG_CYCLES;
	return e;
}

static void replay(const struct replay_params *params, const struct culprit_log_entry *entries, size_t entry_count,
		   const struct culprit_record *records, size_t record_count, struct told *told)
{
	struct error err;
	const struct culprit_observer observer = {.context = told, .cycles = on_cycles};
	struct replay *r = replay_create(params, &observer, &err);
	assert_non_null(r);
	told->count = 0;
	replay_log(r, &(struct culprit_log_part){.entries = entries, .count = entry_count});
	replay_records(r, records, record_count);
	if (!replay_finish(r, &err))
		fail_msg("%s", err.text);
	replay_destroy(r);
}

/* A reason that this reader has no name for, and an instruction that stays although its delay is over: neither is
 * guessed. */
static void unknown_reasons(void **state)
{
	const struct replay_params params = {.window = 4, .dispatch_to_issue = 1, .commit_delay = 3};
	const struct culprit_log_entry entries[] = {
		cycle(CULPRIT_STOP_COUNT, 1, 0, 0), cycles(CULPRIT_STOP_EXECUTES, 9), /* 1 to 9 */
	};
	const struct culprit_record record = {
		.ready = 1, .issue = 1, .complete = 3, .exec_latency = 2, .commit = 10, .op_class = CULPRIT_OP_int_mul};
	static const struct {
		uint8_t head;
		uint64_t length;
	} expected[] = {{CULPRIT_HEAD_OTHER, 1},
			{CULPRIT_HEAD_LGALU, 2},
			{CULPRIT_HEAD_COMMIT_DELAY, 3},
			{CULPRIT_HEAD_OTHER, 4}};
	struct told told;
	replay(&params, entries, 2, &record, 1, &told);
	assert_int_equal(told.count, 4);
	for (size_t i = 0; i < told.count; i++) {
		assert_int_equal(told.run[i].head, expected[i].head);
		assert_int_equal(told.run[i].length, expected[i].length);
	}
	(void)state;
}

/* What makes an operand issues as its reader is dispatched, and commits in the next cycle, but wakes the reader only in
 * cycle 11: by then the replay no longer knows what kind of operation it was, unless it has looked in cycle 2.
 *
 *   cycle   0  1           2           3        4 to 10  11
 *   first      dispatched  issues      commits
 *   second                 dispatched  waits    waits    issues */
static void the_producer_commits(void **state)
{
	const struct replay_params params = {.window = 4, .dispatch_to_issue = 1};
	const struct culprit_log_entry entries[] = {
		cycle(CULPRIT_STOP_EMPTY, 0, 0, 0),    cycle(CULPRIT_STOP_DISPATCH, 1, 0, 0),
		cycle(CULPRIT_STOP_EXECUTES, 2, 0, 1), cycle(CULPRIT_STOP_OPERAND, 2, 1, 0),
		cycles(CULPRIT_STOP_OPERAND, 7),       cycle(CULPRIT_STOP_EXECUTES, 2, 1, 1),
	};
	const struct culprit_record records[] = {
		{.dispatch = 1, .ready = 2, .issue = 2, .complete = 3, .exec_latency = 1, .commit = 3, .wakeup = 9},
		{.seq = 1, .dispatch = 2, .ready = 11, .issue = 11, .complete = 12, .commit = 13, .producer = {1}},
	};
	uint64_t all = 0, waiting = 0;
	struct told told;
	replay(&params, entries, sizeof entries / sizeof *entries, records, 2, &told);
	for (size_t i = 0; i < told.count; i++) {
		const struct culprit_cycle *c = &told.run[i];
		const bool waits = c->cycle >= 3 && c->cycle < 11;
		assert_int_equal(c->issue, waits ? CULPRIT_HEAD_SHALU : CULPRIT_HEAD_EMPTY);
		waiting += waits ? c->length : 0;
		all += c->length;
	}
	assert_int_equal(all, 12);
	assert_int_equal(waiting, 8);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(unknown_reasons), cmocka_unit_test(the_producer_commits)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
