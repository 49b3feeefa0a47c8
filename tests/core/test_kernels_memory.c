/* Known answers for loads, stores, caches, MSHRs, bandwidth and the DTLB.
 *
 * Notation in the comments: W(op) what a dependent waits after op's issue; load(level) cycles from a load's issue
 * to its data: address generation + every level's latency down to where the line is. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t way_bytes(uint32_t size, uint32_t ways)
{
	return size / (ways ? ways : 1);
}

static void expect_chase(const struct machine *m, uint64_t nodes, uint64_t stride, uint64_t load, const char *what)
{
	struct kernel k = {.name = "chase", .ring_nodes = nodes, .ring_stride = stride};
	kernel_expect(m, &k, CHAIN_OPS * kernel_max(load, m->issue_wakeup), 1, what);
}

/* Each load waits for the one before: load(L1) when the ring is one word. A ring through one more line of a set
 * than the cache has ways misses always under LRU: with the L1D's set stride L2 answers (the lines lie in
 * different sets of L2), with the L2's, L3 or memory does. */
static void load_use(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		expect_chase(&m, 1, 8, kernel_load(&m, CULPRIT_LEVEL_L1), "L1");
		uint64_t l1 = way_bytes(m.l1d_size, m.l1d_ways), l2 = way_bytes(m.l2_size, m.l2_ways);
		expect_chase(&m, m.l1d_ways + 1, l1, kernel_load(&m, CULPRIT_LEVEL_L2), "L2");
		if (!m.l3_size) {
			expect_chase(&m, m.l2_ways + 1, l2, kernel_load(&m, CULPRIT_LEVEL_MEMORY), "memory");
			continue;
		}
		uint64_t l3 = way_bytes(m.l3_size, m.l3_ways);
		expect_chase(&m, m.l2_ways + 1, l2, kernel_load(&m, CULPRIT_LEVEL_L3), "L3");
		expect_chase(&m, m.l3_ways + 1, l3, kernel_load(&m, CULPRIT_LEVEL_MEMORY), "memory");
	}
	(void)state;
}

/* A load whose data come too early for the wake-up loop: max(load(L1), issue.wakeup). */
static void load_wakeup(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		for (unsigned wakeup = 1; wakeup <= 8; wakeup += 3) {
			kernel_set(&m, "issue.wakeup=%u", wakeup);
			expect_chase(&m, 1, 8, kernel_load(&m, CULPRIT_LEVEL_L1), "issue.wakeup");
		}
	}
	(void)state;
}

/* One word for each page, n pages in one set of n - 1 ways: each load walks. The lines are spread, so that they
 * stay in the L1D. Per load: walk + load(L1); with a second level that has them, its latency instead of the
 * walk's. */
static void dtlb_walks(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "tlb.d_entries=8");
		kernel_set(&m, "tlb.d_ways=4");
		uint64_t stride = 2 * m.tlb_page + m.l1d_line, l1 = kernel_load(&m, CULPRIT_LEVEL_L1);
		expect_chase(&m, 5, stride, l1 + m.tlb_walk_latency, "walk");
		expect_chase(&m, 4, stride, l1, "as many pages as ways");
		kernel_set(&m, "tlb.l2_entries=64");
		kernel_set(&m, "tlb.l2_ways=0");
		expect_chase(&m, 5, stride, l1 + m.tlb_l2_latency, "second level");
		kernel_set(&m, "tlb.l2_entries=4");
		expect_chase(&m, 5, stride, l1 + m.tlb_walk_latency, "second level missed too");
	}
	(void)state;
}

/* Store issues when its data are there; the load as the store completes; its data come forward_latency later:
 * W(store) + max(forward_latency, issue.wakeup) for a pair; a forwarding that takes no time has no wake-up loop either: the next
 * pair's store issues in the load's cycle. Needs a store that has not committed by then: it commits commit.delay after its
 * completion at the earliest. */
static void forwarding(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.ssit_clear=0");
		kernel_take_none_back(&m);
		for (unsigned latency = 0; latency <= 7; latency++) {
			kernel_set(&m, "lsq.forward_latency=%u", latency);
			struct kernel k = {.name = "forward", .arg = {BARE_DATA}};
			assert_true(kernel_wake(&m, CULPRIT_OP_store) < m.latency[CULPRIT_OP_store] + m.commit_delay);
			uint64_t load = latency ? kernel_max(latency, m.issue_wakeup) : 0;
			uint64_t pair = kernel_wake(&m, CULPRIT_OP_store) + load;
			kernel_expect(&m, &k, FORWARD_PAIRS * pair, 1, "forwarding");
		}
	}
	(void)state;
}

/* A store that covers the load only partly must have been written: the load issues in the cycle in which the store
 * commits and reads the cache. A pair: W of the load, the store's latency, commit.delay. (The store is the oldest
 * by then, because the load before it has completed commit.delay before the store's earliest commit.) */
static void partial_overlap(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		kernel_set(&m, "lsq.ssit_clear=0");
		kernel_take_none_back(&m);
		for (unsigned delay = 1; delay <= 4; delay++) {
			kernel_set(&m, "commit.delay=%u", delay);
			struct kernel k = {.name = "partial", .arg = {BARE_DATA}};
			uint64_t pair = kernel_max(kernel_load(&m, CULPRIT_LEVEL_L1), m.issue_wakeup) +
					m.latency[CULPRIT_OP_store] + m.commit_delay;
			kernel_expect(&m, &k, FORWARD_PAIRS * pair, 1, "partial overlap");
			kernel_set(&m, "lsq.partial_penalty=17");
			pair = kernel_max(kernel_load(&m, CULPRIT_LEVEL_L1) + 17, m.issue_wakeup) +
			       m.latency[CULPRIT_OP_store] + m.commit_delay;
			kernel_expect(&m, &k, FORWARD_PAIRS * pair, 1, "taken back");
			kernel_set(&m, "lsq.partial_penalty=0");
		}
	}
	(void)state;
}

/* Loads that all miss to memory take memory.interval each, when that is what limits: the window is large enough to have
 * latency / interval of them in flight. */
static void memory_bandwidth(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "window.rob=1024");
		uint64_t line = kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0);
		struct kernel k = {.name = "stream", .arg = {BARE_DATA, line}};
		for (unsigned interval = 7; interval <= 21; interval += 14) {
			kernel_set(&m, "memory.interval=%u", interval);
			kernel_expect(&m, &k, STREAM_LOADS * interval, 1, "memory.interval");
		}
	}
	(void)state;
}

/* The same at L2's port: l2.interval for each L1 miss, whether L2 has the line or not. A chain is slower than the
 * port and does not notice it. */
static void l2_bandwidth(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "window.rob=1024");
		kernel_set(&m, "l2.interval=5");
		uint64_t line = kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0);
		struct kernel s = {.name = "stream", .arg = {BARE_DATA, line}};
		kernel_set(&m, "memory.latency=1");
		kernel_expect(&m, &s, STREAM_LOADS * 5ull, 1, "l2.interval");
		expect_chase(&m, m.l1d_ways + 1, way_bytes(m.l1d_size, m.l1d_ways), kernel_load(&m, CULPRIT_LEVEL_L2),
			     "l2.interval in a chain");
	}
	(void)state;
}

/* k MSHRs, each held from the request below L1 until the line is here: k misses in every (latency below L1) cycles. */
static void mshr_limited(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned mshrs = 1; mshrs <= 8; mshrs *= 2) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			uint64_t line = kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0);
			struct kernel k = {.name = "stream", .arg = {BARE_DATA, line}};
			uint64_t below = kernel_load(&m, CULPRIT_LEVEL_MEMORY) - kernel_load(&m, CULPRIT_LEVEL_L1);
			kernel_set(&m, "l1d.mshrs=%u", mshrs);
			kernel_expect(&m, &k, STREAM_LOADS * below, mshrs, "l1d.mshrs");
			/* L2's are held while L3 or memory answers */
			kernel_set(&m, "l1d.mshrs=0");
			kernel_set(&m, "l2.mshrs=%u", mshrs);
			kernel_expect(&m, &k, STREAM_LOADS * (below - m.l2_latency), mshrs, "l2.mshrs");
		}
	}
	(void)state;
}

/* Stores to a line that is there: commit.stores of them a cycle. */
static void store_ports(void **state)
{
	struct kernel k = {.name = "stores", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		for (unsigned ports = 1; ports <= 4; ports++) {
			kernel_set(&m, "commit.stores=%u", ports);
			kernel_expect(&m, &k, HEAD_OPS, ports, "commit.stores");
		}
	}
	(void)state;
}

/* HEAD_OPS branches that fall through and the loop's own: commit.branches of them a cycle. */
static void commit_branches(void **state)
{
	struct kernel k = {.name = "branches"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		for (unsigned branches = 1; branches <= 4; branches++) {
			kernel_set(&m, "commit.branches=%u", branches);
			kernel_expect(&m, &k, HEAD_OPS + 1, branches, "commit.branches");
		}
	}
	(void)state;
}

/* Loads, as recorded. */
struct loads {
	struct culprit_record records[4];
	size_t count;
};

static void keep_loads(void *context, const struct culprit_record *records, size_t count)
{
	struct loads *x = context;
	for (size_t i = 0; i < count; i++)
		if (records[i].flags & CULPRIT_LOAD) {
			assert_in_range(x->count, 0, 3);
			x->records[x->count++] = records[i];
		}
}

/* Loads that went and were taken back say nothing of that: the word that was forwarded is in the cache by then, and so is
 * the line that was on its way. */
static void taken_back(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct loads loads = {.count = 0};
		const struct culprit_record_sink sink = {.context = &loads, .records = keep_loads};
		const struct kernel k = {.name = "once_forwarded", .arg = {BARE_DATA}, .sink = &sink};
		struct kernel_result result;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=store_sets");
		kernel_set(&m, "latency.int_div=60");	  /* all of them take longer than code and data from memory */
		kernel_set(&m, "lsq.violation_delay=20"); /* and the stores have left */
		kernel_run(&m, &k, 1, &result);
		assert_int_equal(loads.count, 4);
		assert_int_equal(result.core.violations, 1);
		assert_true(loads.records[0].flags & CULPRIT_VIOLATED);
		for (size_t n = 0; n < 4; n++) {
			assert_int_equal(loads.records[n].flags & (CULPRIT_FORWARDED | CULPRIT_MERGED), 0);
			assert_int_equal(loads.records[n].dmiss, 0);
		}
		assert_int_equal(result.core.forwarded, 0);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_use),	   cmocka_unit_test(load_wakeup),
		cmocka_unit_test(dtlb_walks),	   cmocka_unit_test(forwarding),
		cmocka_unit_test(partial_overlap), cmocka_unit_test(memory_bandwidth),
		cmocka_unit_test(l2_bandwidth),	   cmocka_unit_test(mshr_limited),
		cmocka_unit_test(store_ports),	   cmocka_unit_test(commit_branches),
		cmocka_unit_test(taken_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
