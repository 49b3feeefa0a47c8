/* The inlined hit path and the way guesses change no result: random accesses on random machines, once with and once
 * without them, compared field by field. The same runs check what must hold for any answer, also when requests come
 * somewhat out of time order. */
#include "hierarchy_rig.h"

#include "machine/hierarchy.h"
#include "machine/hierarchy_inline.h"

enum { MACHINES = 60, ACCESSES = 6000 };

static struct machine random_machine(uint64_t *seed)
{
	static const uint32_t ways[] = {0, 1, 2, 4, 8};
	struct machine m = rig_machine();
	m.l1d_ways = ways[rig_random(seed, 5)];
	m.l1i_ways = ways[rig_random(seed, 5)];
	m.l2_ways = ways[rig_random(seed, 5)];
	m.l1d_line = 16u << rig_random(seed, 3);
	m.l3_size = rig_random(seed, 2) ? 16384 : 0;
	m.l1d_replacement = (enum replacement)rig_random(seed, 5);
	m.l1i_replacement = (enum replacement)rig_random(seed, 5);
	m.l2_replacement = m.l2_ways ? (enum replacement)rig_random(seed, 5) : replacement_fifo;
	m.l1d_prefetcher = (enum prefetcher)rig_random(seed, 4);
	m.l1i_prefetcher = (enum prefetcher)rig_random(seed, 4);
	m.l2_prefetcher = (enum prefetcher)rig_random(seed, 4);
	m.l1d_prefetch_degree = 1 + rig_random(seed, 4);
	m.l1d_prefetch_distance = 1 + rig_random(seed, 4);
	m.l1d_mshrs = rig_random(seed, 5);
	m.l1i_mshrs = rig_random(seed, 3);
	m.l2_mshrs = rig_random(seed, 5);
	m.l1d_interval = rig_random(seed, 4) == 0;
	m.l2_interval = rig_random(seed, 5);
	m.memory_interval = rig_random(seed, 30);
	m.tlb_d_entries = 8 * rig_random(seed, 3);
	m.tlb_d_ways = m.tlb_d_entries ? 8 * rig_random(seed, 2) : 0;
	m.tlb_i_entries = 4 * rig_random(seed, 2);
	m.tlb_l2_entries = 32 * rig_random(seed, 2);
	m.tlb_walkers = rig_random(seed, 3);
	m.tlb_page = 1024;
	if (rig_random(seed, 2))
		m.ideal = rig_random(seed, 1u << CULPRIT_EVENT_COUNT);
	return m;
}

struct event {
	uint64_t cycle, seq, pc, addr;
	uint32_t size, kind;
	bool wrong_path;
};

/* Mostly near the last address, forwards; sometimes anywhere in 64 KiB. Cycles may step back by up to 30. */
static struct event random_event(uint64_t *seed, uint64_t i, uint64_t *addr, uint64_t *now)
{
	*addr = rig_random(seed, 8) ? *addr + 4 * rig_random(seed, 8) : rig_random(seed, 65536);
	*addr &= 0xffff;
	*now += rig_random(seed, 8);
	return (struct event){.cycle = *now + rig_random(seed, 31),
			      .seq = i,
			      .pc = 0x1000 + 4 * rig_random(seed, 8),
			      .addr = *addr,
			      .size = 1u << rig_random(seed, 4),
			      .kind = rig_random(seed, 3),
			      .wrong_path = rig_random(seed, 4) == 0};
}

static struct memory_access issue(struct hierarchy *h, const struct event *e)
{
	struct memory_access a;
	memset(&a, 0xa5, sizeof a);
	if (e->kind == 0)
		hierarchy_load(h, e->cycle, e->seq, e->pc, e->addr, e->size, e->wrong_path, &a);
	else if (e->kind == 1)
		hierarchy_store(h, e->cycle, e->seq, e->pc, e->addr, e->size, &a);
	else
		hierarchy_fetch(h, e->cycle, e->seq, e->addr, e->wrong_path, &a);
	return a;
}

static void assert_same(const struct memory_access *a, const struct memory_access *b)
{
	assert_int_equal(a->done, b->done);
	assert_int_equal(a->tlb_cycles, b->tlb_cycles);
	assert_int_equal(a->hit_cycles, b->hit_cycles);
	assert_int_equal(a->miss_cycles, b->miss_cycles);
	assert_int_equal(a->mshr_wait, b->mshr_wait);
	assert_int_equal(a->bandwidth_wait, b->bandwidth_wait);
	assert_int_equal(a->primary_miss, b->primary_miss);
	assert_int_equal(a->level, b->level);
	assert_int_equal(a->tlb_level, b->tlb_level);
	assert_int_equal(a->merged, b->merged);
	assert_int_equal(a->prefetched, b->prefetched);
}

static void check_statistics(const struct cache_statistics *s)
{
	for (int wrong = 0; wrong < 2; wrong++) {
		assert_true(s->misses[wrong] <= s->accesses[wrong]);
		assert_true(s->merged[wrong] <= s->misses[wrong]);
	}
	assert_true(s->prefetches_used <= s->prefetches);
	assert_true(s->prefetches_late <= s->prefetches_used);
}

static void check_all_statistics(const struct hierarchy_statistics *s)
{
	check_statistics(&s->l1d);
	check_statistics(&s->l1i);
	check_statistics(&s->l2);
	check_statistics(&s->l3);
	for (int wrong = 0; wrong < 2; wrong++)
		assert_int_equal(s->l2.misses[wrong], s->l2_data_misses[wrong] + s->l2_instruction_misses[wrong]);
}

static void compare_on(const struct machine *m, uint64_t seed, uint64_t *shortest)
{
	struct hierarchy *h = rig_create(m), *slow = rig_create(m);
	uint64_t addr = 0, now = 0;
	hierarchy_use_shortcuts(slow, false);
	for (uint64_t i = 0; i < ACCESSES; i++) {
		struct event e = random_event(&seed, i, &addr, &now);
		struct memory_access a = issue(h, &e), b = issue(slow, &e);
		rig_check(e.cycle, &a);
		assert_same(&a, &b);
		assert_true(a.hit_cycles == (e.kind == 2			 ? m->l1i_latency
					     : m->ideal & CULPRIT_EVENT_BIT(dl1) ? 0
										 : m->l1d_latency));
		*shortest += a.miss_cycles + a.tlb_cycles == 0;
	}
	assert_memory_equal(hierarchy_statistics(h), hierarchy_statistics(slow), sizeof(struct hierarchy_statistics));
	check_all_statistics(hierarchy_statistics(h));
	hierarchy_destroy(h);
	hierarchy_destroy(slow);
}

static void shortcuts_change_nothing(void **state)
{
	uint64_t seed = 2024, shortest = 0;
	for (int n = 0; n < MACHINES; n++) {
		struct machine m = random_machine(&seed);
		compare_on(&m, seed, &shortest);
	}
	/* The common case was common, and the other as well. */
	assert_in_range(shortest, (uint64_t)MACHINES * ACCESSES / 4, (uint64_t)MACHINES * ACCESSES * 9 / 10);
}

/* Which of two lines of a set was used last, is all that stamps tell; SRRIP's are predictions. */
static void assert_same_order(const struct cache_sets *a, const struct cache_sets *b, uint64_t base)
{
	for (uint64_t i = base; i < base + a->ways; i++)
		for (uint64_t k = base; k < base + a->ways; k++)
			assert_int_equal(a->lines[i].stamp < a->lines[k].stamp, b->lines[i].stamp < b->lines[k].stamp);
	for (uint64_t i = base; a->policy == replacement_srrip && i < base + a->ways; i++)
		assert_int_equal(a->lines[i].stamp, b->lines[i].stamp);
}

static void assert_same_sets(const struct cache_sets *a, const struct cache_sets *b)
{
	const uint64_t sets = a->ways ? a->set_mask + 1 : 0, entries = sets * a->ways;
	assert_memory_equal(a->tags, b->tags, entries * sizeof *a->tags);
	assert_memory_equal(a->filled, b->filled, sets * sizeof *a->filled);
	assert_memory_equal(a->trees, b->trees, sets * sizeof *a->trees);
	assert_int_equal(a->random, b->random);
	for (uint64_t i = 0; i < entries; i++) {
		assert_int_equal(a->lines[i].dirty, b->lines[i].dirty);
		assert_int_equal(a->lines[i].prefetched, b->lines[i].prefetched);
		assert_int_equal(a->lines[i].arrival, b->lines[i].arrival);
	}
	for (uint64_t set = 0; set < sets; set++)
		assert_same_order(a, b, set * a->ways);
}

static void assert_same_cache(const struct cache *a, const struct cache *b)
{
	assert_same_sets(&a->sets, &b->sets);
	assert_memory_equal(&a->prefetch, &b->prefetch, sizeof a->prefetch);
}

static void assert_same_state(const struct hierarchy *a, const struct hierarchy *b)
{
	assert_same_cache(&a->data.l1, &b->data.l1);
	assert_same_cache(&a->instructions.l1, &b->instructions.l1);
	assert_same_cache(&a->l2, &b->l2);
	if (a->has_l3)
		assert_same_cache(&a->l3, &b->l3);
	assert_same_sets(&a->data.tlb.sets, &b->data.tlb.sets);
	assert_same_sets(&a->instructions.tlb.sets, &b->instructions.tlb.sets);
	assert_same_sets(&a->tlb2.sets, &b->tlb2.sets);
	assert_memory_equal(hierarchy_warmed(a), hierarchy_warmed(b), sizeof(struct hierarchy_warmed));
}

/* Again and again the same few lines, with another one now and then; the address space changes, too. */
static void warm(struct hierarchy *h, const struct event *e)
{
	if (e->kind == 2)
		hierarchy_warm_fetch(h, e->addr);
	else
		hierarchy_warm_data(h, e->pc, e->addr, e->size, e->kind);
	if (e->cycle % 512 == 0)
		hierarchy_enter_space(h, e->cycle / 512 % 3);
}

/* Warm-up by the short and the long way leaves the same state behind. */
static void warming_is_the_same_either_way(void **state)
{
	uint64_t seed = 77;
	for (int n = 0; n < MACHINES; n++) {
		struct machine m = random_machine(&seed);
		m.l1d_prefetcher = (enum prefetcher)rig_random(&seed, 5);
		m.ideal = n % 3 ? 0 : m.ideal;
		struct hierarchy *h = rig_create(&m), *slow = rig_create(&m);
		uint64_t addr = 0, now = 0, local = seed;
		hierarchy_use_shortcuts(slow, false);
		for (uint64_t i = 0; i < ACCESSES; i++) {
			struct event e = random_event(&local, i, &addr, &now);
			addr = n & 1 ? addr & 0x1fff : addr; /* much of it is used again */
			warm(h, &e);
			warm(slow, &e);
		}
		hierarchy_settle(h);
		hierarchy_settle(slow);
		assert_same_state(h, slow);
		for (uint64_t i = 0; i < 500; i++) {
			struct event e = random_event(&local, i, &addr, &now);
			struct memory_access a = issue(h, &e), b = issue(slow, &e);
			assert_same(&a, &b);
		}
		hierarchy_destroy(h);
		hierarchy_destroy(slow);
	}
}

/* The last lines of the address space, and accesses that run over its end, as a wrong path may well do. */
static void the_end_of_the_address_space_is_nothing_special(void **state)
{
	struct machine m = rig_machine();
	m.l1d_prefetcher = prefetcher_next_line;
	m.l1d_prefetch_degree = 4;
	m.tlb_d_entries = 8;
	struct hierarchy *h = rig_create(&m);
	struct memory_access a;
	for (int i = 0; i < 40; i++) {
		hierarchy_load(h, 1000, 1, 0, UINT64_MAX - (uint64_t)i, 8, true, &a);
		rig_check(1000, &a);
	}
	hierarchy_load(h, 5000, 1, 0, UINT64_MAX, 1, true, &a);
	assert_int_equal(a.done, 5002);
	hierarchy_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortcuts_change_nothing),
		cmocka_unit_test(warming_is_the_same_either_way),
		cmocka_unit_test(the_end_of_the_address_space_is_nothing_special),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
