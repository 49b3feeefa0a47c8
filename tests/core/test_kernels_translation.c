/* Known answers for lsq.store_translation.
 *
 * Notation in the comments: W(op) what a dependent waits after op's issue. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WAYS = 4, SETS = 2, ITERATIONS = 100 };

/* All in one set of the DTLB, which holds so many less one. Lines are spread, so that they stay in the L1D. */
static struct kernel pages_kernel(const struct machine *m, unsigned pages)
{
	struct kernel k = {.name = "pages"};
	for (uint64_t i = 0; i < PAGE_PAIRS; i++)
		k.arg[i] = BARE_DATA + i % pages * (SETS * m->tlb_page + m->l1d_line);
	return k;
}

static void small_tlb(struct machine *m, const char *name)
{
	kernel_wide_machine(m, name);
	kernel_set(m, "lsq.disambiguation=perfect"); /* nothing is squashed, and translated again */
	kernel_set(m, "tlb.walkers=0");
	kernel_set(m, "tlb.d_entries=%u", SETS * WAYS);
	kernel_set(m, "tlb.d_ways=%u", WAYS);
}

/* A pair: the store's latency and its translation, after which the load issues that it forwards to. Forwarded data need no
 * translation, so the store's is the only one. At the write it delays nobody: W(store) and the forwarding are left. */
static void expect_pages(const struct machine *m, unsigned pages, uint64_t translation, const char *what)
{
	const struct kernel k = pages_kernel(m, pages);
	const uint64_t store = kernel_max(m->latency[CULPRIT_OP_store] + translation, m->issue_wakeup);
	const uint64_t load = kernel_max(m->lsq_forward_latency, m->issue_wakeup);
	kernel_expect(m, &k, PAGE_PAIRS * (store + load), 1, what);
}

static void expect_both(struct machine *m, unsigned pages, uint64_t translation, const char *what)
{
	kernel_set(m, "lsq.store_translation=issue");
	expect_pages(m, pages, translation, what);
	kernel_set(m, "lsq.store_translation=write");
	expect_pages(m, pages, 0, what);
}

static void translation_at_issue(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		small_tlb(&m, kernel_machines[i]);
		expect_both(&m, WAYS, 0, "as many pages as ways");
		expect_both(&m, WAYS + 1, m.tlb_walk_latency, "walk");
		kernel_set(&m, "tlb.l2_entries=64");
		kernel_set(&m, "tlb.l2_ways=0");
		expect_both(&m, WAYS + 1, m.tlb_l2_latency, "second level");
		kernel_set(&m, "tlb.l2_entries=4");
		expect_both(&m, WAYS + 1, m.tlb_walk_latency, "second level missed too");
		m.ideal = CULPRIT_EVENT_BIT(dtlb);
		expect_both(&m, WAYS + 1, 0, "dtlb idealised");
		m.ideal = CULPRIT_EVENT_BIT(dmiss);
		expect_both(&m, WAYS + 1, 0, "dmiss idealised");
	}
	(void)state;
}

/* Of an iteration: translations asked for, and those that missed. */
static void expect_accesses(const struct machine *m, const struct kernel *k, uint64_t accesses, uint64_t misses)
{
	struct kernel_result r;
	kernel_run(m, k, ITERATIONS, &r);
	assert_int_equal(r.memory.dtlb.accesses[0], ITERATIONS * accesses);
	assert_int_equal(r.memory.dtlb.misses[0], misses ? ITERATIONS * misses : 1);
}

/* A store is translated once, an atomic with its load: at the write again only where that translates. */
static void one_translation(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		const struct kernel amo = {.name = "amo", .arg = {BARE_DATA}};
		small_tlb(&m, kernel_machines[i]);
		const struct kernel stores = pages_kernel(&m, WAYS + 1);
		kernel_set(&m, "lsq.store_translation=issue");
		expect_accesses(&m, &stores, PAGE_PAIRS, PAGE_PAIRS);
		expect_accesses(&m, &amo, HEAD_OPS, 0);
		kernel_set(&m, "lsq.store_translation=write");
		expect_accesses(&m, &stores, PAGE_PAIRS, PAGE_PAIRS);
		expect_accesses(&m, &amo, 2 * HEAD_OPS, 0);
	}
	(void)state;
}

static void look_at_stores(void *context, const struct culprit_record *records, size_t count)
{
	const struct machine *m = context;
	const uint64_t walk = m->tlb_walk_latency,
		       early = m->lsq_store_translation == store_translation_issue ? walk : 0;
	for (const struct culprit_record *r = records; r < records + count; r++) {
		if (!(r->flags & CULPRIT_STORE))
			continue;
		assert_int_equal(r->exec_latency, m->latency[CULPRIT_OP_store]);
		assert_int_equal(r->complete - r->issue, r->exec_latency + early);
		assert_int_equal(r->dtlb, early);
		assert_int_equal(r->dtlb_level, early ? CULPRIT_LEVEL_MEMORY : CULPRIT_LEVEL_NONE);
		assert_int_equal(r->write_dtlb, walk - early);
	}
}

static void as_recorded(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		small_tlb(&m, kernel_machines[i]);
		struct kernel k = pages_kernel(&m, WAYS + 1);
		struct culprit_record_sink sink = {.context = &m, .records = look_at_stores};
		struct kernel_result r;
		k.sink = &sink;
		for (unsigned value = 0; value < 2; value++) {
			kernel_set(&m, "lsq.store_translation=%s", value ? "issue" : "write");
			kernel_run(&m, &k, ITERATIONS, &r);
		}
	}
	(void)state;
}

/* Stores of wrong paths are translated where they issue; they are never written. */
static void wrong_paths(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result r;
		const struct kernel k = {.name = "wrong_stores", .arg = {BARE_DATA, BARE_DATA}};
		small_tlb(&m, kernel_machines[i]);
		kernel_set(&m, "branch.predictor=not_taken");
		kernel_set(&m, "lsq.store_translation=write");
		kernel_run(&m, &k, ITERATIONS, &r);
		const uint64_t loads = r.memory.dtlb.accesses[1];
		kernel_set(&m, "lsq.store_translation=issue");
		kernel_run(&m, &k, ITERATIONS, &r);
		assert_true(r.memory.dtlb.accesses[1] > loads);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(translation_at_issue),
		cmocka_unit_test(one_translation),
		cmocka_unit_test(as_recorded),
		cmocka_unit_test(wrong_paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
