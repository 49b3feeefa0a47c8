/* The whole pass over a random stream: the reference machine's own caches against the sweeps, and any number of threads
 * gives the same profile. */
#include "interval/interval_pass.h"
#include "interval/interval_predictors.h"
#include "stream_rig.h"

enum { BATCHES = 12, WARM = 2 };

static struct machine reference(const char *name)
{
	struct machine m;
	struct error err;
	if (!machine_load(&m, name, &err))
		fail_msg("%s", err.text);
	return m;
}

/* Straight code with loops, so that fetch, data and branches all hit and miss. */
static void fill(struct interval_batch *b, uint64_t *seed, uint64_t *pc)
{
	static const struct rig_shape shape = {.loads = 300, .stores = 100, .registers = 30, .words = 40000};
	b->count = EVENT_BATCH - rig_random(seed, 100);
	for (size_t i = 0; i < b->count; i++) {
		struct interval_event *e = &b->events[i];
		rig_event(seed, &shape, e);
		e->pc = *pc;
		e->dlevel = e->dtlb = 0;
		*pc += 4;
		if (e->op == CULPRIT_OP_int_alu && rig_random(seed, 5) == 0) {
			bool taken = rig_random(seed, 3) == 0;
			e->branch = CULPRIT_BRANCH_CONDITIONAL;
			e->op = CULPRIT_OP_branch;
			e->flags = taken ? EVENT_TAKEN : 0;
			e->imm = -400 + 4 * (int32_t)((*pc >> 2) % 200);
			*pc = taken ? e->pc + (uint64_t)(int64_t)e->imm : *pc;
			if (*pc < 0x10000 || *pc > 0x40000)
				*pc = 0x20000;
		}
	}
	b->events[b->count].pc = *pc;
}

static struct interval_profile *profile(const struct machine *m, unsigned threads)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct error err;
	struct interval_pass *pass = interval_pass_create(m, &(struct interval_pass_options){threads, true}, &err);
	uint64_t seed = 21, pc = 0x20000;
	if (!p || !pass)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < BATCHES; i++) {
		if (i == WARM)
			interval_pass_begin(pass);
		fill(interval_pass_batch(pass), &seed, &pc);
		interval_pass_send(pass);
	}
	interval_pass_finish(pass, p);
	interval_pass_destroy(pass);
	return p;
}

static void expect_level(const struct interval_sweep *s, const struct interval_cache *c, enum interval_kind kind,
			 uint64_t misses)
{
	struct error err;
	uint64_t swept;
	if (!interval_misses(s, kind, c->size, c->ways, c->line, &swept, &err))
		fail_msg("%s", err.text);
	assert_int_equal(swept, misses);
	assert_true(misses > 0);
}

/* src/machine's hierarchy and the sweeps agree at the machine's own sizes, level by level. */
static void compare_levels(const char *machine)
{
	struct machine m = reference(machine);
	struct interval_profile *p = profile(&m, 1);
	const struct interval_level *l = p->level;
	uint64_t pages;
	expect_level(&p->l1i, &p->reference.l1i, INTERVAL_FETCH, l[CULPRIT_LEVEL_L1].misses[INTERVAL_FETCH]);
	for (enum interval_kind k = INTERVAL_FETCH; k < INTERVAL_KINDS; k++) {
		if (k)
			expect_level(&p->l1d, &p->reference.l1d, k, l[CULPRIT_LEVEL_L1].misses[k]);
		expect_level(&p->l2, &p->reference.l2, k, l[CULPRIT_LEVEL_L2].misses[k]);
		if (m.l3_size)
			expect_level(&p->l3, &p->reference.l3, k, l[CULPRIT_LEVEL_L3].misses[k]);
	}
	assert_true(interval_page_misses(&p->dtlb, m.tlb_d_entries, m.tlb_d_ways, &pages, NULL));
	assert_int_equal(pages, p->data_pages.misses);
	assert_true(interval_page_misses(&p->itlb, m.tlb_i_entries, m.tlb_i_ways, &pages, NULL));
	assert_int_equal(pages, p->instruction_pages.misses);
	interval_profile_clear(p);
	free(p);
}

static void test_levels(void **state)
{
	compare_levels("eyerman2009-4w");
	compare_levels("golden-cove");
}

/* eyerman2009-4w has the combined predictor of 4096 counters that is in the table too. */
static void test_reference_predictor(void **state)
{
	struct machine m = reference("eyerman2009-4w");
	struct interval_profile *p = profile(&m, 1);
	const struct interval_predictor *same = interval_find_predictor(p, "combined-4k");
	assert_non_null(same);
	assert_memory_equal(p->predictor[0].interval, same->interval, sizeof same->interval);
	assert_int_equal(p->predictor[0].redirects, same->redirects);
	assert_true(p->predictor[0].direction > 0);
	assert_ptr_equal(interval_predictor_of(p, &m), &p->predictor[0]);
	interval_profile_clear(p);
	free(p);
}

/* What one count says, another must say too. */
static void test_identities(void **state)
{
	struct machine m = reference("eyerman2009-4w");
	struct interval_profile *p = profile(&m, 1);
	uint64_t ops = 0, misses = 0, intervals = 0;
	for (size_t i = 0; i < CULPRIT_OP_COUNT; i++)
		ops += p->mix.op[i];
	assert_int_equal(ops, p->instructions);
	for (size_t i = 0; i < INTERVAL_BUCKETS; i++)
		intervals += p->predictor[0].interval[i];
	assert_int_equal(intervals, interval_mispredictions(&p->predictor[0]));
	assert_int_equal(p->overlap[INTERVAL_CHAIN_memory].misses, p->overlap[INTERVAL_CHAIN_memory].units[0]);
	assert_true(p->overlap[INTERVAL_CHAIN_half].misses >= p->overlap[INTERVAL_CHAIN_memory].misses);
	assert_true(p->overlap[INTERVAL_CHAIN_twice].misses <= p->overlap[INTERVAL_CHAIN_memory].misses);
	for (size_t c = 0; c < INTERVAL_CLUSTERS; c++) {
		uint64_t blocks = 0;
		for (size_t n = 0; n < INTERVAL_CLUSTER_MOST; n++)
			blocks += p->level[CULPRIT_LEVEL_L1].blocks[c][n];
		assert_int_equal(blocks, (p->instructions + (32u << c) - 1) / (32u << c));
	}
	for (size_t k = INTERVAL_LOAD; k <= INTERVAL_STORE; k++)
		misses += p->level[CULPRIT_LEVEL_L2].misses[k];
	assert_int_equal(misses, p->data_level[CULPRIT_LEVEL_MEMORY][0] + p->data_level[CULPRIT_LEVEL_MEMORY][1]);
	/* one instruction a group, and a group never holds more than its width */
	assert_int_equal(p->fetch.groups[0][0][0], p->fetch.instructions);
	for (size_t w = 0; w < INTERVAL_FETCH_WIDTHS; w++)
		assert_true(p->fetch.groups[0][2][w] * interval_fetch_widths[w] >= p->fetch.instructions);
	assert_int_equal(p->samples.count, p->instructions);
	interval_profile_clear(p);
	free(p);
}

static void test_threads(void **state)
{
	struct machine m = reference("eyerman2009-4w");
	struct interval_profile *one = profile(&m, 1);
	for (unsigned threads = 2; threads <= 5; threads++) {
		struct interval_profile *more = profile(&m, threads);
		assert_memory_equal(one->program, more->program,
				    sizeof *one - offsetof(struct interval_profile, program));
		assert_memory_equal(one->samples.list, more->samples.list,
				    one->samples.count * sizeof *one->samples.list);
		interval_profile_clear(more);
		free(more);
	}
	interval_profile_clear(one);
	free(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_reference_predictor),
		cmocka_unit_test(test_identities),
		cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
