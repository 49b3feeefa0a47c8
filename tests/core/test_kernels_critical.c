/* The critical path of loops whose cycles are known: not only must its length be right, but each cycle must be charged to
 * the instruction and the cause that the loop was written for. As in kernel_rig.h, two runs are compared, so that start and
 * end leave no trace and the figures are exact. */
#include "analysis/graph/machine.h"
#include "culprit/critical.h"
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BEFORE = 40, AFTER = 280, ROWS = 512 };

struct paths {
	struct culprit_critical_totals totals;
	struct culprit_critical_row rows[ROWS];
	struct culprit_critical_loop loop;
};

static void receive(void *context, const struct culprit_record *records, size_t count)
{
	culprit_critical_push(context, records, count);
}

static void run(const struct machine *m, const struct kernel *k, uint64_t iterations, struct paths *p)
{
	struct culprit_critical_params params = {.chunk = 0};
	graph_params_from_machine(&params.graph, m);
	struct culprit_critical *c = culprit_critical_create(&params, NULL);
	assert_non_null(c);
	struct culprit_record_sink sink = {.context = c, .records = receive};
	struct kernel with = *k;
	with.sink = &sink;
	struct kernel_result result;
	kernel_run(m, &with, iterations, &result);
	if (!culprit_critical_finish(c, &p->totals))
		fail_msg("%s on %s: %s", k->name, m->name, culprit_critical_error(c));
	for (size_t i = 0; i < ROWS; i++)
		culprit_critical_row(c, i, &p->rows[i]);
	assert_true(culprit_critical_hottest(c, &p->loop));
	culprit_critical_destroy(c);
}

struct expected {
	enum culprit_critical_kind kind;
	uint64_t cycles; /* an iteration */
};

/* The path grows by these cycles with each iteration, and by no others. */
static void expect_path(const struct machine *m, const struct kernel *k, const struct expected *e, size_t n,
			struct paths *second)
{
	struct paths first;
	run(m, k, BEFORE, &first);
	run(m, k, AFTER, second);
	for (unsigned kind = 0; kind < CULPRIT_CRITICAL_KINDS; kind++) {
		uint64_t want = 0, got = second->totals.by_kind[kind] - first.totals.by_kind[kind];
		for (size_t i = 0; i < n; i++)
			want += e[i].kind == kind ? e[i].cycles : 0;
		if (got != want * (AFTER - BEFORE))
			fail_msg("%s on %s: %s %.3f cycles an iteration, expected %llu", k->name, m->name,
				 culprit_critical_kind_name(kind), (double)got / (AFTER - BEFORE),
				 (unsigned long long)want);
	}
	assert_int_equal(second->totals.seams_off, 0);
}

/* The loop's chain is the 32 operations in their order, each on the operand of the one before. */
static void expect_chain(const struct paths *p, uint64_t cycles)
{
	assert_int_equal(p->loop.iterations, AFTER - 1);
	assert_int_equal(p->loop.steps, CHAIN_OPS);
	for (size_t i = 0; i < CHAIN_OPS; i++) {
		const struct culprit_critical_row *row = &p->rows[p->loop.chain[i].row];
		assert_int_equal(row->pc, p->loop.first + 4 * i);
		assert_int_equal(p->loop.chain[i].next, CULPRIT_CRITICAL_operand);
		assert_true(row->path >= (AFTER - 2) * cycles); /* but for the way in */
		assert_true(row->zero_slack >= AFTER - 2);
	}
}

/* Dependent adds: what each one's dependents wait, and nothing else. */
static void dependent_adds(void **state)
{
	struct kernel k = {.name = "chain"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct paths p;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		uint64_t wake = kernel_wake(&m, CULPRIT_OP_int_alu);
		struct expected e[] = {{CULPRIT_CRITICAL_shalu, CHAIN_OPS * wake}};
		expect_path(&m, &k, e, 1, &p);
		expect_chain(&p, wake);
	}
}

/* A pointer chase through L1, then through L2 (a set's lines and one more): the hit part of a load is dl1, the rest is
 * the level's. */
static void pointer_chase(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct paths p;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		uint64_t l1 = kernel_load(&m, CULPRIT_LEVEL_L1), l2 = kernel_load(&m, CULPRIT_LEVEL_L2);
		struct kernel near = {.name = "chase", .ring_nodes = 1, .ring_stride = 8};
		struct expected hits[] = {{CULPRIT_CRITICAL_dl1, CHAIN_OPS * kernel_max(l1, m.issue_wakeup)}};
		expect_path(&m, &near, hits, 1, &p);
		expect_chain(&p, l1);
		struct kernel far = {.name = "chase",
				     .ring_nodes = m.l1d_ways + 1,
				     .ring_stride = m.l1d_size / (m.l1d_ways ? m.l1d_ways : 1)};
		struct expected misses[] = {{CULPRIT_CRITICAL_dl1, CHAIN_OPS * l1},
					    {CULPRIT_CRITICAL_dl2, CHAIN_OPS * (l2 - l1)}};
		expect_path(&m, &far, misses, 2, &p);
		expect_chain(&p, l2);
	}
}

/* Multiply-adds, each with the one before as addend: of a latency of 7 the next one waits for what is left without the
 * cycles that the addend may be late, and these are the producer's. */
static void late_addends(void **state)
{
	struct kernel k = {.name = "addends"};
	for (unsigned i = 0; i < kernel_machine_count; i++)
		for (unsigned late = 0; late < 5; late += 2) {
			struct machine m;
			struct paths p;
			kernel_machine(&m, kernel_machines[i]);
			kernel_isolate(&m);
			kernel_set(&m, "latency.fp_fma=7");
			kernel_set(&m, "issue.late_addend=%u", late);
			struct expected e[] = {{CULPRIT_CRITICAL_lgalu, CHAIN_OPS * (7 - late)}};
			expect_path(&m, &k, e, 1, &p);
			expect_chain(&p, 7 - late);
		}
}

/* A branch that is always mispredicted: from its fetch through the front end (S stages), which the one before has emptied, to its
 * issue, its latency, and the redirect; a fetch group's end where the taken limit is one. The length is test_kernels_fetch.c's. */
static void mispredictions(void **state)
{
	struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct paths p;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "branch.ras=0");
		kernel_set(&m, "frontend.redirect=7");
		uint64_t to_issue = m.issue_dispatch_to_issue ? m.issue_dispatch_to_issue : 1;
		struct expected e[] = {{CULPRIT_CRITICAL_schedule, to_issue},
				       {CULPRIT_CRITICAL_shalu, m.latency[CULPRIT_OP_branch]},
				       {CULPRIT_CRITICAL_bmisp, m.frontend_stages + 7},
				       {CULPRIT_CRITICAL_fetch, m.fetch_taken_limit == 1}};
		expect_path(&m, &k, e, 4, &p);
		assert_true(p.totals.hops[CULPRIT_CRITICAL_bmisp] >= AFTER - 1);
	}
}

/* Stores to two lines by turns. Each turn begins when the one before is over, so that all cycles are turns but those
 * from a store's dispatch to its commit, in which the turns of the entries in front go on. */
static void turns_of_lines(void **state)
{
	struct kernel k = {.name = "lines", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++)
		for (unsigned interval = 3; interval <= 6; interval++) {
			struct machine m;
			struct paths first, second;
			uint64_t all = 0;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "window.sq=16");
			kernel_set(&m, "lsq.line_interval=%u", interval);
			run(&m, &k, BEFORE, &first);
			run(&m, &k, AFTER, &second);
			for (unsigned kind = 0; kind < CULPRIT_CRITICAL_KINDS; kind++)
				all += second.totals.by_kind[kind] - first.totals.by_kind[kind];
			const uint64_t turns = second.totals.by_kind[CULPRIT_CRITICAL_commit] -
					       first.totals.by_kind[CULPRIT_CRITICAL_commit];
			assert_int_equal(all, (uint64_t)HEAD_OPS * interval * (AFTER - BEFORE));
			assert_true(2 * turns > all);
		}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_of_lines), cmocka_unit_test(dependent_adds), cmocka_unit_test(pointer_chase),
		cmocka_unit_test(late_addends),	  cmocka_unit_test(mispredictions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
