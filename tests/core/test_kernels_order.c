/* What a load waits for among older stores, as the interaction-cost graph and the critical path have it, against simulating
 * again without it. Two runs are compared, as in kernel_rig.h, so that figures are exact. */
#include "analysis/graph/machine.h"
#include "culprit/critical.h"
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BEFORE = 40, AFTER = 280, ITERATIONS = AFTER - BEFORE };

static uint64_t simulated(const struct machine *m, const struct kernel *k, uint64_t iterations)
{
	struct kernel_result result;
	kernel_run(m, k, iterations, &result);
	return result.cycles;
}

static uint64_t more_cycles(const struct machine *m, const struct kernel *k)
{
	return simulated(m, k, AFTER) - simulated(m, k, BEFORE);
}

/* --- a store that has left --- */

static void to_critical(void *context, const struct culprit_record *records, size_t count)
{
	assert_true(culprit_critical_push(context, records, count));
}

/* The row of the kernel's division, its fourth instruction but for li: the only one of its kind. */
static struct culprit_critical_row division(const struct machine *m, const struct kernel *k, uint64_t iterations)
{
	struct culprit_critical_params params = {.chunk = 0};
	graph_params_from_machine(&params.graph, m);
	struct culprit_critical *c = culprit_critical_create(&params, NULL);
	assert_non_null(c);
	struct culprit_record_sink sink = {.context = c, .records = to_critical};
	struct kernel with = *k;
	with.sink = &sink;
	simulated(m, &with, iterations);
	struct culprit_critical_totals totals;
	struct culprit_critical_row row, found = {0};
	assert_true(culprit_critical_finish(c, &totals));
	for (size_t i = 0; culprit_critical_row(c, i, &row); i++)
		if (row.cycles[CULPRIT_CRITICAL_lgalu])
			found = row;
	culprit_critical_destroy(c);
	return found;
}

/* The division's cycles are on the only longest path, and each execution is worth all of them: the load has no other way in. */
static void store_has_left(void **state)
{
	struct kernel k = {.name = "left", .arg = {BARE_DATA, BARE_DATA + 4096}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m, faster;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=conservative");
		kernel_set(&m, "latency.int_div=20");
		struct culprit_critical_row a = division(&m, &k, BEFORE), b = division(&m, &k, AFTER);
		assert_int_equal(b.cycles[CULPRIT_CRITICAL_lgalu] - a.cycles[CULPRIT_CRITICAL_lgalu], 20 * ITERATIONS);
		assert_int_equal(b.tied, a.tied);
		faster = m;
		kernel_set(&faster, "latency.int_div=19");
		assert_int_equal(b.saved - a.saved, more_cycles(&m, &k) - more_cycles(&faster, &k));
		faster = m;
		kernel_set(&faster, "latency.int_div=10");
		uint64_t half = more_cycles(&m, &k) - more_cycles(&faster, &k);
		assert_true(b.cost - a.cost >= half && half == 10 * ITERATIONS);
	}
}

/* --- a store to part of the load --- */

static void to_graph(void *context, const struct culprit_record *records, size_t count)
{
	assert_true(culprit_graph_push(context, records, count));
}

static uint64_t graph_time(const struct machine *m, const struct kernel *k, uint64_t iterations, unsigned set)
{
	struct culprit_graph_params params;
	graph_params_from_machine(&params, m);
	struct culprit_graph *g = culprit_graph_create(&params, NULL);
	assert_non_null(g);
	struct culprit_record_sink sink = {.context = g, .records = to_graph};
	struct kernel with = *k;
	with.sink = &sink;
	simulated(m, &with, iterations);
	struct culprit_graph_results results;
	assert_true(culprit_graph_finish(g, &results));
	culprit_graph_destroy(g);
	return results.time[set];
}

static void expect_beside(const struct machine *m, const struct kernel *k, unsigned event, uint64_t base,
			  uint64_t without)
{
	struct machine ideal = *m;
	ideal.ideal = 1u << event;
	assert_int_equal(more_cycles(m, k), ITERATIONS * base);
	assert_int_equal(more_cycles(&ideal, k), ITERATIONS * without);
	assert_int_equal(graph_time(m, k, AFTER, 0) - graph_time(m, k, BEFORE, 0), ITERATIONS * base);
	assert_int_equal(graph_time(m, k, AFTER, 1u << event) - graph_time(m, k, BEFORE, 1u << event),
			 ITERATIONS * without);
}

/* Where the miss takes longer, the load waits for the store to leave only without it, which no record has seen; where the division
 * before the store takes longer, the load waits for the miss only without that. */
static void store_beside(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t hit = kernel_load(&m, CULPRIT_LEVEL_L1), miss = kernel_load(&m, CULPRIT_LEVEL_L2);
		uint64_t missed = 4 * kernel_wake(&m, CULPRIT_OP_int_alu) + miss;
		struct kernel k = {.name = "beside",
				   .arg = {0, BARE_DATA + (1 << 24)},
				   .ring_nodes = m.l1d_ways + 1,
				   .ring_stride = m.l1d_size / (m.l1d_ways ? m.l1d_ways : 1)};
		kernel_set(&m, "latency.int_div=%u", (unsigned)(missed - 3 - m.commit_delay));
		expect_beside(&m, &k, CULPRIT_EVENT_dmiss, missed + hit, missed - 3 + hit);
		kernel_set(&m, "latency.int_div=%u", (unsigned)(missed + 3 - m.commit_delay));
		expect_beside(&m, &k, CULPRIT_EVENT_lgalu, missed + 3 + hit, missed + hit);
	}
}

/* The division keeps the store in flight, so that it forwards to the load. Idealised, the division lets the store leave first, and
 * the load reads the cache. Where the store leaves first in the recorded run, it is the additions that make it so. */
static void in_flight_or_left(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count * 3; i++) {
		struct machine m;
		struct kernel k = {.name = "behind", .arg = {BARE_DATA}};
		kernel_wide_machine(&m, kernel_machines[i / 3]);
		uint64_t add = kernel_wake(&m, CULPRIT_OP_int_alu), hit = kernel_load(&m, CULPRIT_LEVEL_L1);
		uint64_t way = (BEHIND_ADDS + 2) * add, forwarded = 1 + i % 3 * 5;
		kernel_set(&m, "lsq.disambiguation=perfect");
		kernel_set(&m, "lsq.forward_latency=%u", (unsigned)forwarded);
		kernel_set(&m, "latency.int_div=%u", (unsigned)way + 40);
		expect_beside(&m, &k, CULPRIT_EVENT_lgalu, way + kernel_max(forwarded, m.issue_wakeup),
			      way + kernel_max(hit, m.issue_wakeup));
		kernel_set(&m, "latency.int_div=4");
		if (forwarded > 1) /* else the widths decide */
			expect_beside(&m, &k, CULPRIT_EVENT_shalu, way + kernel_max(hit, m.issue_wakeup),
				      kernel_max(forwarded, m.issue_wakeup));
	}
}

/* A store to all of what the load reads, from its first byte on, forwards; one to a part of it, from its first byte on, does not. */
static void as_it_is(void **state)
{
	static const char *const names[] = {"forward", "partial"}, *const ways[] = {"perfect", "conservative",
										    "store_sets"};
	for (unsigned i = 0; i < kernel_machine_count * 6; i++) {
		struct machine m;
		struct kernel k = {.name = names[i % 2], .arg = {BARE_DATA}};
		kernel_wide_machine(&m, kernel_machines[i / 6]);
		kernel_set(&m, "lsq.disambiguation=%s", ways[i / 2 % 3]);
		uint64_t graph = graph_time(&m, &k, AFTER, 0) - graph_time(&m, &k, BEFORE, 0);
		if (graph != more_cycles(&m, &k))
			fail_msg("%s on %s, %s: %llu cycles by the graph, %llu simulated", k.name, m.name,
				 ways[i / 2 % 3], (unsigned long long)graph, (unsigned long long)more_cycles(&m, &k));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(store_has_left), cmocka_unit_test(store_beside),
					   cmocka_unit_test(in_flight_or_left), cmocka_unit_test(as_it_is)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
