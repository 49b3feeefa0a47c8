/* The sweeps against the caches of src/machine (cache_sets.h, LRU), one by one, over the same accesses. */
#include "interval/profile/sweep.h"
#include "machine/cache_sets.h"
#include "stream_rig.h"

enum { ACCESSES = 60000 };

static bool use(struct cache_sets *s, uint64_t line)
{
	uint32_t i = cache_sets_find(s, line);
	if (i != CACHE_NO_INDEX) {
		cache_sets_touch(s, i);
		return true;
	}
	cache_sets_fill(s, cache_sets_victim(s, line), line);
	return false;
}

/* Addresses like a program's: a stack, a walk through an array, a small table, now and then anywhere. */
static uint64_t address(uint64_t *seed, size_t i)
{
	switch (rig_random(seed, 8)) {
	case 0:
	case 1:
	case 2:
		return 0x3ffff000 + 8ull * rig_random(seed, 40);
	case 3:
	case 4:
		return 0x2000000 + 8 * i;
	case 5:
	case 6:
		return 0x1000000 + 8ull * rig_random(seed, 3000);
	default:
		return 0x8000000 + 8ull * rig_random(seed, 1 << 20);
	}
}

static void fill(struct interval_batch *b, uint64_t *seed, size_t at)
{
	b->count = EVENT_BATCH;
	for (size_t i = 0; i < b->count; i++) {
		bool store = rig_random(seed, 3) == 0;
		b->events[i] = (struct interval_event){.pc = 0x10000 + 2 * address(seed, at / 64) % 100000,
						       .length = rig_random(seed, 2) ? 2 : 4,
						       .size = (uint8_t)(1u << rig_random(seed, 4)),
						       .address = address(seed, at + i) + rig_random(seed, 8),
						       .flags = store ? EVENT_STORE : EVENT_LOAD};
	}
	rig_describe(b);
}

struct geometry {
	uint64_t size, ways, line;
};
static const struct geometry geometries[] = {{8192, 1, 32},   {16384, 4, 32},  {32768, 8, 64}, {65536, 4, 64},
					     {49152, 12, 64}, {131072, 8, 64}, {4096, 2, 128}, {65536, 16, 128}};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };

static void expect_misses(const struct interval_batch *batches, size_t count, const struct geometry *g,
			  const struct interval_profile *got)
{
	struct cache_sets d, f;
	struct error err;
	uint64_t misses[INTERVAL_KINDS] = {0}, shift = (uint64_t)__builtin_ctzll(g->line), fetched = UINT64_MAX;
	assert_true(cache_sets_init(&d, "d", g->size / g->line, (uint32_t)g->ways, replacement_lru, &err));
	assert_true(cache_sets_init(&f, "f", g->size / g->line, (uint32_t)g->ways, replacement_lru, &err));
	for (size_t n = 0; n < count; n++)
		for (size_t i = 0; i < batches[n].count; i++) {
			const struct interval_event *e = &batches[n].events[i];
			for (uint64_t l = e->address >> shift; l <= (e->address + e->size - 1) >> shift; l++)
				misses[interval_kind_of((uint8_t)e->flags)] += !use(&d, l);
			for (uint64_t l = e->pc >> shift; l <= (e->pc + e->length - 1) >> shift; l++) {
				if (l != fetched)
					misses[INTERVAL_FETCH] += !use(&f, l);
				fetched = l;
			}
		}
	for (enum interval_kind k = 0; k < INTERVAL_KINDS; k++) {
		uint64_t m;
		const struct interval_sweep *s = k == INTERVAL_FETCH ? &got->l1i : &got->l1d;
		assert_true(interval_misses(s, k, g->size, g->ways, g->line, &m, &err));
		assert_int_equal(m, misses[k]);
	}
	cache_sets_free(&d);
	cache_sets_free(&f);
}

static void expect_page_misses(const struct interval_batch *batches, size_t count, uint32_t entries, uint32_t ways,
			       const struct interval_profile *got)
{
	struct cache_sets t;
	struct error err;
	uint64_t misses = 0, m;
	assert_true(cache_sets_init(&t, "t", entries, ways, replacement_lru, &err));
	for (size_t n = 0; n < count; n++)
		for (size_t i = 0; i < batches[n].count; i++) {
			const struct interval_event *e = &batches[n].events[i];
			for (uint64_t p = e->address >> 12; p <= (e->address + e->size - 1) >> 12; p++)
				misses += !use(&t, p);
		}
	assert_true(interval_page_misses(&got->dtlb, entries, ways, &m, &err));
	assert_int_equal(m, misses);
	cache_sets_free(&t);
}

static void test_first_level(void **state)
{
	enum { BATCHES = ACCESSES / EVENT_BATCH };
	struct interval_batch *b = calloc(BATCHES, sizeof *b);
	struct interval_profile *got = calloc(1, sizeof *got);
	struct machine m = {.tlb_page = 4096};
	struct error err;
	uint64_t seed = 5;
	struct interval_sweeps *s = interval_sweeps_create(&m, &err);
	assert_true(b && got && s);
	for (size_t n = 0; n < BATCHES; n++) {
		fill(&b[n], &seed, n * EVENT_BATCH);
		interval_sweeps_push_data(s, &b[n]);
		interval_sweeps_push_rest(s, &b[n]);
	}
	interval_sweeps_finish(s, got);
	for (size_t i = 0; i < GEOMETRIES; i++)
		expect_misses(b, BATCHES, &geometries[i], got);
	expect_page_misses(b, BATCHES, 16, 0, got);
	expect_page_misses(b, BATCHES, 64, 0, got);
	expect_page_misses(b, BATCHES, 256, 0, got);
	expect_page_misses(b, BATCHES, 64, 4, got);
	expect_page_misses(b, BATCHES, 1536, 12, got);
	interval_sweeps_destroy(s);
	free(b);
	free(got);
}

/* The same orders with more sets than ever fit: misses and counts after a restart. */
static void test_lower_levels(void **state)
{
	static struct interval_batch b;
	struct interval_profile *got = calloc(1, sizeof *got);
	struct machine m = {.tlb_page = 4096};
	struct error err;
	struct cache_sets l2, l3;
	uint64_t seed = 99, want2[INTERVAL_KINDS] = {0}, want3 = 0, n;
	struct interval_sweeps *s = interval_sweeps_create(&m, &err);
	assert_true(got && s);
	assert_true(cache_sets_init(&l2, "l2", 262144 / 64, 8, replacement_lru, &err));
	assert_true(cache_sets_init(&l3, "l3", 1048576 / 128, 16, replacement_lru, &err));
	for (size_t round = 0; round < 20; round++) {
		b.fill_count = 2 * EVENT_BATCH;
		for (size_t i = 0; i < b.fill_count; i++) {
			struct interval_fill *f = &b.fills[i];
			*f = (struct interval_fill){.address = address(&seed, round * EVENT_BATCH + i) & ~63ull,
						    .kind = (uint8_t)rig_random(&seed, 3),
						    .level = rig_random(&seed, 2) ? CULPRIT_LEVEL_L2
										  : CULPRIT_LEVEL_MEMORY};
			bool miss2 = !use(&l2, f->address >> 6);
			bool miss3 = f->level > CULPRIT_LEVEL_L2 && !use(&l3, f->address >> 7);
			want2[f->kind] += round >= 4 && miss2;
			want3 += round >= 4 && miss3 && f->kind == INTERVAL_STORE;
		}
		if (round == 4)
			interval_sweeps_restart(s); /* orders stay, counts begin */
		interval_sweeps_push_rest(s, &b);
	}
	interval_sweeps_finish(s, got);
	for (enum interval_kind k = 0; k < INTERVAL_KINDS; k++) {
		assert_true(interval_misses(&got->l2, k, 262144, 8, 64, &n, &err));
		assert_int_equal(n, want2[k]);
	}
	assert_true(interval_misses(&got->l3, INTERVAL_STORE, 1048576, 16, 128, &n, &err));
	assert_int_equal(n, want3);
	interval_sweeps_destroy(s);
	cache_sets_free(&l2);
	cache_sets_free(&l3);
	free(got);
}

/* The ways of finding a depth leave the same counts and the same orders, whether accesses come one by one or in a list. */
static void test_portable(void **state)
{
	enum { WAYS_TO = 3, LIST = 700 };
	struct lru_sweep s[WAYS_TO], listed;
	struct error err;
	lru_use list[LIST];
	uint64_t seed = 17;
	size_t count = 0;
	for (size_t n = 0; n < WAYS_TO; n++)
		assert_true(lru_sweep_init(&s[n], 2, 9, &err));
	assert_true(lru_sweep_init(&listed, 2, 9, &err));
	lru_sweep_use_portable(&s[1]);
	if (!lru_sweep_use_avx2(&s[2]))
		lru_sweep_use_portable(&s[2]);
	for (size_t i = 0; i < ACCESSES; i++) {
		uint64_t line = address(&seed, i) >> 5;
		enum interval_kind kind = rig_random(&seed, INTERVAL_KINDS);
		for (size_t n = 0; n < WAYS_TO; n++)
			lru_sweep_access(&s[n], line, kind);
		listed.accesses[kind]++;
		count = lru_sweep_list(&listed, list, count, line, kind);
		if (count == LIST || i == ACCESSES - 1) {
			lru_sweep_run(&listed, list, count);
			count = 0;
		}
	}
	for (size_t n = 0; n < WAYS_TO; n++) {
		assert_memory_equal(s[n].depths, listed.depths, sizeof listed.depths);
		assert_memory_equal(s[n].accesses, listed.accesses, sizeof listed.accesses);
		for (uint32_t sets = 0; sets < 9; sets++)
			assert_memory_equal(s[n].tags[sets], listed.tags[sets],
					    (sizeof(uint32_t) * INTERVAL_WAYS) << (2 + sets));
		lru_sweep_free(&s[n]);
	}
	lru_sweep_free(&listed);
}

static void test_portable_full(void **state)
{
	struct lru_full a, b;
	uint64_t seed = 19;
	lru_full_init(&a);
	lru_full_init(&b);
	lru_full_use_portable(&b);
	for (size_t i = 0; i < ACCESSES; i++) {
		uint32_t page = i % 2 ? (uint32_t)(address(&seed, i) >> 10) : rig_random(&seed, 300);
		lru_full_access(&a, page);
		lru_full_access(&b, page);
	}
	assert_memory_equal(a.order, b.order, sizeof a.order);
	assert_memory_equal(a.hits, b.hits, sizeof a.hits);
	assert_true(a.hits[INTERVAL_PAGES_FULL - 1] > 0);
}

static void test_outside(void **state)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct error err;
	uint64_t n;
	p->l1d.first_sets = 4;
	p->l1d.sets = 8;
	assert_false(interval_misses(&p->l1d, INTERVAL_LOAD, 32768, 4, 16, &n, &err));	   /* line */
	assert_false(interval_misses(&p->l1d, INTERVAL_LOAD, 65536, 32, 64, &n, &err));	   /* ways */
	assert_false(interval_misses(&p->l1d, INTERVAL_LOAD, 1048576, 4, 64, &n, &err));   /* 4096 sets */
	assert_false(interval_misses(&p->l1d, INTERVAL_LOAD, 48 * 1024, 4, 64, &n, &err)); /* 192 sets */
	assert_string_equal(err.text,
			    "the profile has no cache of 49152 bytes in 4 ways of 64-byte lines: it holds 16 to "
			    "2048 sets of 1 to 16 ways of 32, 64 and 128 bytes");
	assert_false(interval_misses(&p->l1d, INTERVAL_LOAD, 0, 0, 0, &n, &err));
	assert_false(interval_page_misses(&p->dtlb, 300, 0, &n, &err));
	assert_false(interval_btb_misses(&p->btb, 1000, 4, &n, &n, &err));
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_level), cmocka_unit_test(test_lower_levels),
		cmocka_unit_test(test_portable),    cmocka_unit_test(test_portable_full),
		cmocka_unit_test(test_outside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
