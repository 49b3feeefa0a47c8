/* The whole pass over a random stream: the reference machine's own caches against the sweeps, and any number of threads
 * gives the same profile. */
#include "interval/profile/pass.h"
#include "interval/profile/predictors.h"
#include "interval/profile/sampler.h"
#include "stream_rig.h"

enum { WARM = 8000, REGION = 2 * INTERVAL_SAMPLED_STRETCH - 3000 }; /* instructions */

static struct machine reference(const char *name)
{
	struct machine m;
	struct error err;
	if (!machine_load(&m, name, &err))
		fail_msg("%s", err.text);
	return m;
}

static struct riscv_insn instruction(const struct interval_event *e)
{
	return (struct riscv_insn){.imm = e->imm,
				   .rs1 = e->rs[0],
				   .rs2 = e->rs[1],
				   .rs3 = e->rs[2],
				   .rd = e->rd,
				   .length = e->length,
				   .op_class = e->op,
				   .branch = e->branch,
				   .flags = e->flags & (EVENT_LOAD | EVENT_STORE),
				   .mem_size = e->size};
}

/* Straight code with loops, so that fetch, data and branches all hit and miss. */
static void add(struct interval_pass *pass, struct interval_batch *b, uint64_t *seed, uint64_t *pc)
{
	static const struct rig_shape shape = {.loads = 300, .stores = 100, .registers = 30, .words = 40000};
	struct interval_event e;
	bool taken = false;
	rig_event(seed, &shape, &e);
	e.pc = *pc;
	*pc += 4;
	if (e.op == CULPRIT_OP_int_alu && rig_random(seed, 5) == 0) {
		taken = rig_random(seed, 3) == 0;
		e.branch = CULPRIT_BRANCH_CONDITIONAL;
		e.op = CULPRIT_OP_branch;
		e.imm = -400 + 4 * (int32_t)((*pc >> 2) % 200);
		*pc = taken ? e.pc + (uint64_t)(int64_t)e.imm : *pc;
	}
	struct riscv_insn insn = instruction(&e);
	interval_batch_add(b, &insn, e.pc, e.address, taken);
	if (b->detail)
		assert_int_equal(!!(b->events[b->count - 1].flags & EVENT_TAKEN), taken);
	interval_pass_count(pass, &insn, 1);
	if (e.branch && (*pc < 0x10000 || *pc > 0x40000))
		*pc = 0x20000; /* as a signal might */
	interval_batch_go_on(b, *pc);
}

static void send(struct interval_pass *pass, uint64_t *seed, uint64_t *pc, size_t count)
{
	uint64_t sizes = count;
	while (count) {
		struct interval_batch *b = interval_pass_batch(pass);
		size_t most = b->bounded ? b->most : b->most - rig_random(&sizes, 100);
		for (; count && b->count < most; count--)
			add(pass, b, seed, pc);
		interval_pass_send(pass);
	}
}

static struct interval_profile *profile(const struct machine *m, struct interval_pass_options how, size_t region)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct error err;
	struct interval_pass *pass = interval_pass_create(m, &how, &err);
	uint64_t seed = 21, pc = 0x20000;
	if (!p || !pass)
		fail_msg("%s", err.text);
	send(pass, &seed, &pc, WARM);
	interval_pass_begin(pass);
	send(pass, &seed, &pc, region);
	interval_pass_finish(pass, p);
	interval_pass_destroy(pass);
	return p;
}

static const struct interval_pass_options dense = {.threads = 1, .tage = true, .every = 1};

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
	struct interval_profile *p = profile(&m, dense, REGION);
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

static const struct interval_predictor *predictor_named(const struct interval_profile *p, const char *name)
{
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		if (!strcmp(p->predictor[i].name, name))
			return &p->predictor[i];
	return NULL;
}

/* eyerman2009-4w has the combined predictor of 4096 counters that is in the table too. */
static void test_reference_predictor(void **state)
{
	struct machine m = reference("eyerman2009-4w");
	struct interval_profile *p = profile(&m, dense, REGION);
	const struct interval_predictor *same = predictor_named(p, "combined-4k");
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
	struct interval_profile *p = profile(&m, dense, REGION);
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

static void free_profile(struct interval_profile *p)
{
	interval_profile_clear(p);
	free(p);
}

static void compare_threads(const struct machine *m, uint64_t every)
{
	struct interval_pass_options how = {.threads = 1, .tage = true, .every = every};
	struct interval_profile *one = profile(m, how, REGION);
	for (how.threads = 2; how.threads <= 5; how.threads++) {
		struct interval_profile *more = profile(m, how, REGION);
		assert_memory_equal(one->program, more->program,
				    sizeof *one - offsetof(struct interval_profile, program));
		assert_memory_equal(one->samples.list, more->samples.list,
				    one->samples.count * sizeof *one->samples.list);
		free_profile(more);
	}
	free_profile(one);
}

static void test_threads(void **state)
{
	struct machine m = reference("eyerman2009-4w");
	compare_threads(&m, 1);
	compare_threads(&m, 2);
}

/* n * whole / part, to the nearest */
static uint64_t carried(uint64_t n, uint64_t whole, uint64_t part)
{
	return (uint64_t)((double)n * (double)whole / (double)part + 0.5);
}

/* Every second stretch of a region of not quite two: averages are those of a region of the one, all else that of both. */
static void test_sampled(void **state)
{
	struct machine m = reference("eyerman2009-4w");
	struct interval_pass_options how = {.threads = 1, .tage = true, .every = 2};
	struct interval_profile *got = profile(&m, how, REGION), *all = profile(&m, dense, REGION);
	struct interval_profile *one = profile(&m, dense, INTERVAL_SAMPLED_STRETCH);
	const struct interval_overlap *o = got->overlap, *half = one->overlap;
	assert_int_equal(got->sampling.instructions, INTERVAL_SAMPLED_STRETCH);
	assert_int_equal(all->sampling.instructions, REGION);
	assert_memory_equal(&got->paths, &one->paths, sizeof got->paths);
	assert_memory_equal(&got->depth, &one->depth, sizeof got->depth);
	assert_int_equal(got->mix.forwarded, one->mix.forwarded);
	assert_true(got->fetch.instructions == 2 * one->fetch.instructions); /* one window in 8 of half as many */
	for (size_t c = 0; c < INTERVAL_CHAINS; c++) {
		assert_int_equal(o[c].misses, all->overlap[c].misses);
		for (size_t w = 0; w < INTERVAL_WINDOWS && half[c].misses; w++) {
			assert_int_equal(o[c].units[w], carried(half[c].units[w], o[c].misses, half[c].misses));
			assert_int_equal(o[c].broken[w], carried(half[c].broken[w], o[c].misses, half[c].misses));
		}
	}
	assert_true(half[INTERVAL_CHAIN_memory].misses > 100);
	assert_memory_equal(got->mix.op, all->mix.op, sizeof got->mix.op);
	assert_memory_equal(got->mix.taken, all->mix.taken, sizeof got->mix.taken);
	assert_memory_equal(got->predictor, all->predictor, sizeof got->predictor);
	assert_memory_equal(&got->btb, &all->btb,
			    offsetof(struct interval_profile, overlap) - offsetof(struct interval_profile, btb));
	assert_memory_equal(got->data_level, all->data_level,
			    offsetof(struct interval_profile, sampling) -
				    offsetof(struct interval_profile, data_level));
	assert_memory_equal(got->samples.list, all->samples.list, all->samples.count * sizeof *all->samples.list);
	free_profile(got);
	free_profile(all);
	free_profile(one);
}

/* Begun with stretches as far apart as the expected length says, the sample is the same in the end. */
static void test_expected(void **state)
{
	enum { LONG = 40 * INTERVAL_STRETCH * INTERVAL_STRETCHES };
	struct interval_sampler one, later;
	struct error err;
	assert_int_equal(interval_sampler_first_every(0), 1);
	assert_int_equal(interval_sampler_first_every(INTERVAL_STRETCH * INTERVAL_STRETCHES), 1);
	assert_int_equal(interval_sampler_first_every(LONG), 16); /* in the end 64 */
	assert_true(interval_sampler_create(&one, 1, &err) && interval_sampler_create(&later, 16, &err));
	for (uint32_t i = 0; i < LONG; i++) {
		struct interval_sample *a = interval_sampler_next(&one), *b = interval_sampler_next(&later);
		if (a)
			*a = (struct interval_sample){.pc = i};
		if (b)
			*b = (struct interval_sample){.pc = i};
	}
	assert_int_equal(one.samples.every, 64);
	assert_int_equal(one.samples.every, later.samples.every);
	assert_int_equal(one.samples.count, later.samples.count);
	assert_memory_equal(one.samples.list, later.samples.list, one.samples.count * sizeof *one.samples.list);
	interval_sampler_destroy(&one);
	interval_sampler_destroy(&later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),	   cmocka_unit_test(test_reference_predictor),
		cmocka_unit_test(test_identities), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_sampled),	   cmocka_unit_test(test_expected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
