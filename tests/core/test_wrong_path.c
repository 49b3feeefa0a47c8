/* The wrong path is there: what it touches shows in the statistics and stays in the caches; what it computes
 * leaves no trace. The rig compares registers and memory after every run with functional execution. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Branches resolve long after a load from memory could have come back. */
static void slow_branches(struct machine *m, const char *name)
{
	kernel_machine(m, name);
	kernel_isolate(m);
	kernel_set(m, "branch.predictor=static");
	kernel_set(m, "branch.btb_entries=0");
	kernel_set(m, "latency.int_div=1000");
	kernel_set(m, "interval.int_div=1");
}

/* One new line for each iteration. The wrong path misses; the right path finds it. Without wrong paths, it misses. */
static void lines_from_the_wrong_path(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result few, many;
		slow_branches(&m, kernel_machines[i]);
		struct kernel k = {.name = "wrong_loads",
				   .arg = {BARE_DATA, kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0)}};
		kernel_run(&m, &k, 10, &few);
		kernel_run(&m, &k, 40, &many);
		assert_int_equal(many.memory.l1d.misses[true] - few.memory.l1d.misses[true], 30);
		assert_int_equal(many.memory.l1d.accesses[true] - few.memory.l1d.accesses[true], 30);
		assert_int_equal(many.memory.l1d.accesses[false] - few.memory.l1d.accesses[false], 30);
		assert_int_equal(many.memory.l1d.misses[false], few.memory.l1d.misses[false]);
		assert_int_equal(many.core.fetched_wrong_path - few.core.fetched_wrong_path, 30);
		assert_int_equal(many.core.issued_wrong_path - few.core.issued_wrong_path, 30);
		m.ideal = CULPRIT_EVENT_BIT(bmisp);
		kernel_run(&m, &k, 40, &many);
		assert_int_equal(many.memory.l1d.misses[true], 0);
		assert_int_equal(many.memory.l1d.misses[false], 40);
		assert_int_equal(many.core.fetched_wrong_path, 0);
	}
	(void)state;
}

/* The stores' addresses are the right path's: it would read other values. */
static void stores_leave_no_trace(void **state)
{
	static const char *const orders[] = {"perfect", "store_sets", "conservative"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned order = 0; order < 3; order++) {
			struct machine m;
			struct kernel_result r;
			struct kernel k = {.name = "wrong_stores", .arg = {BARE_DATA}};
			slow_branches(&m, kernel_machines[i]);
			kernel_set(&m, "lsq.disambiguation=%s", orders[order]);
			kernel_run(&m, &k, 50, &r);
			assert_true(r.core.fetched_wrong_path > 50 * 9);
			assert_int_equal(r.core.stores, 0);
			assert_int_equal(r.core.forwarded, 0);
		}
	}
	(void)state;
}

/* A system call, an illegal instruction, loads and stores of nothing, a breakpoint, a jump to nowhere: a wrong
 * path ends before them, with the one nop it has (and the jump, which is executed). */
static void stops(void **state)
{
	struct kernel k = {.name = "wrong_stops"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result few, many;
		slow_branches(&m, kernel_machines[i]);
		kernel_run(&m, &k, 10, &few);
		kernel_run(&m, &k, 40, &many);
		assert_int_equal(many.core.fetched_wrong_path - few.core.fetched_wrong_path, 30 * 7);
		assert_int_equal(many.core.mispredicted[CULPRIT_BRANCH_CONDITIONAL] -
					 few.core.mispredicted[CULPRIT_BRANCH_CONDITIONAL],
				 30 * 6);
	}
	(void)state;
}

/* With more room than the machine has, a wrong path gets as long as what the machine itself could have in flight, to
 * the instruction: fetched by whole blocks or one by one. */
static void as_long_as_the_machine(void **state)
{
	static const culprit_event_set rooms[] = {CULPRIT_EVENT_BIT(win), CULPRIT_EVENT_BIT(bw),
						  CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(bw)};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 0; n < 2 * sizeof rooms / sizeof *rooms; n++) {
			struct machine m;
			struct kernel_result few, many;
			struct kernel k = {.name = "wrong_long"};
			slow_branches(&m, kernel_machines[i]);
			kernel_set(&m, "branch.sfb=%u", n % 2); /* then one by one */
			m.ideal = rooms[n / 2];
			const uint64_t longest =
				m.window_rob + m.fetch_buffer + (uint64_t)m.frontend_stages * m.dispatch_width;
			assert_in_range(longest, 1, 999);
			kernel_run(&m, &k, 10, &few);
			kernel_run(&m, &k, 40, &many);
			assert_int_equal(many.core.fetched_wrong_path - few.core.fetched_wrong_path, 30 * longest);
		}
	}
	(void)state;
}

/* More than twice what the list of overwritten bytes has room for at first: all of them are taken back. */
static void many_stores(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result few, many;
		struct kernel k = {.name = "wrong_many", .arg = {BARE_DATA}};
		slow_branches(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "window.rob=4096");
		kernel_run(&m, &k, 60, &few); /* until all lines are there */
		kernel_run(&m, &k, 70, &many);
		assert_int_equal(many.core.fetched_wrong_path - few.core.fetched_wrong_path, 10 * (1 + WRONG_STORES));
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_from_the_wrong_path),
		cmocka_unit_test(stores_leave_no_trace),
		cmocka_unit_test(stops),
		cmocka_unit_test(as_long_as_the_machine),
		cmocka_unit_test(many_stores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
