/* Prefetchers on synthetic streams. The rig's latencies: L1D 2, L2 10, memory 100; lines of 32 bytes in the L1. The L2's
 * lines are made as wide as the L1's here, so that neighbours do not come for free. */
#include "hierarchy_rig.h"

static struct machine prefetch_machine(enum prefetcher kind, uint32_t degree, uint32_t distance)
{
	struct machine m = rig_machine();
	m.l2_line = 32;
	m.l1d_prefetcher = kind;
	m.l1d_prefetch_degree = degree;
	m.l1d_prefetch_distance = distance;
	return m;
}

static void next_line_brings_the_next(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 1, 1);
	struct hierarchy *h = rig_create(&m);
	struct memory_access a = rig_load(h, 0, 1, 0x4000);
	assert_int_equal(a.done, 112);
	assert_false(a.prefetched);
	assert_true(hierarchy_l1d_has(h, 0x4020));
	assert_false(hierarchy_l1d_has(h, 0x4040));
	a = rig_load(h, 1000, 2, 0x4024); /* first use brings the one after */
	assert_int_equal(a.done, 1002);
	assert_true(a.prefetched);
	assert_true(hierarchy_l1d_has(h, 0x4040));
	a = rig_load(h, 2000, 3, 0x4024); /* a second use does not */
	assert_false(a.prefetched);
	assert_false(hierarchy_l1d_has(h, 0x4060));
	const struct cache_statistics *s = &hierarchy_statistics(h)->l1d;
	assert_int_equal(s->prefetches, 2);
	assert_int_equal(s->prefetches_used, 1);
	assert_int_equal(s->prefetches_late, 0);
	assert_int_equal(s->misses[0], 1);
	assert_int_equal(hierarchy_statistics(h)->l2.accesses[0], 1); /* demand only */
	hierarchy_destroy(h);
}

static void a_late_prefetch_is_waited_for(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 1, 1);
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 5, 0x4000); /* at 2 it is known to miss, and the next line is asked for: 2 + 10 + 100 */
	struct memory_access a = rig_load(h, 50, 6, 0x4020);
	assert_int_equal(a.done, 112);
	assert_true(a.merged && a.prefetched);
	assert_int_equal(a.primary_miss, 5);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches_used, 1);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches_late, 1);
	hierarchy_destroy(h);
}

static void degree_and_distance(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 3, 2);
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000);
	static const bool expected[] = {true, false, true, true, true, false};
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(hierarchy_l1d_has(h, 0x4000 + 32 * i), expected[i]);
	hierarchy_destroy(h);
}

static void nothing_crosses_the_page(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 4, 1);
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4fc0);
	assert_true(hierarchy_l1d_has(h, 0x4fe0));
	assert_false(hierarchy_l1d_has(h, 0x5000));
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 1);
	hierarchy_destroy(h);
}

/* prefetch_pages: the same, and the three lines of the next page as well. */
static void prefetches_go_on_into_the_next_page(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 4, 1);
	m.l1d_prefetch_pages = true;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4fc0);
	for (uint64_t addr = 0x4fe0; addr < 0x5060; addr += 32)
		assert_true(hierarchy_l1d_has(h, addr));
	assert_false(hierarchy_l1d_has(h, 0x5060));
	hierarchy_destroy(h);
}

/* The line that a prefetch brought asks for the next one when it is used; with misses alone it does not. */
static void only_misses_ask(void **state)
{
	for (unsigned misses_only = 0; misses_only < 2; misses_only++) {
		struct machine m = prefetch_machine(prefetcher_next_line, 1, 1);
		m.l1d_prefetch_misses_only = misses_only;
		struct hierarchy *h = rig_create(&m);
		rig_load(h, 0, 1, 0x4000);
		rig_load(h, 1000, 1, 0x4020);
		assert_int_equal(hierarchy_l1d_has(h, 0x4040), !misses_only);
		rig_load(h, 2000, 1, 0x4040);
		assert_int_equal(hierarchy_l1d_has(h, 0x4060), 1);
		hierarchy_destroy(h);
	}
}

static void stride_needs_two_equal_strides(void **state)
{
	struct machine m = prefetch_machine(prefetcher_stride, 1, 2);
	struct hierarchy *h = rig_create(&m);
	rig_load_pc(h, 0, 0x100, 0x4000);
	rig_load_pc(h, 1000, 0x100, 0x4100);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 0);
	rig_load_pc(h, 2000, 0x100, 0x4200); /* 0x4200 + 2 * 0x100 */
	assert_true(hierarchy_l1d_has(h, 0x4400));
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 1);
	assert_int_equal(rig_load_pc(h, 3000, 0x100, 0x4300).level,
			 CULPRIT_LEVEL_MEMORY); /* nearer than the distance */
	for (uint64_t i = 4; i < 12; i++) {
		struct memory_access a = rig_load_pc(h, 1000 * i, 0x100, 0x4000 + 0x100 * i);
		assert_int_equal(a.level, CULPRIT_LEVEL_L1);
		assert_true(a.prefetched);
	}
	hierarchy_destroy(h);
}

static void a_broken_stride_asks_for_nothing(void **state)
{
	struct machine m = prefetch_machine(prefetcher_stride, 1, 1);
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 6; i++)
		rig_load_pc(h, 1000 * i, 0x100, 0x4000 + 0x100 * i);
	uint64_t before = hierarchy_statistics(h)->l1d.prefetches;
	assert_int_equal(before, 4);
	rig_load_pc(h, 8000, 0x100, 0x4840);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, before);
	rig_load_pc(h, 9000, 0x100, 0x4940); /* one slip does not unlearn it */
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, before + 1);
	hierarchy_destroy(h);
}

static void strides_of_several_instructions_do_not_mix(void **state)
{
	struct machine m = prefetch_machine(prefetcher_stride, 1, 1);
	m.l1d_size = 32768;
	struct hierarchy *h = rig_create(&m);
	uint64_t seed = 3, misses = 0;
	for (uint64_t i = 0; i < 30; i++) {
		misses += rig_load_pc(h, 3000 * i, 0x100, 0x10000 + 64 * i).level != CULPRIT_LEVEL_L1;
		misses += rig_load_pc(h, 3000 * i + 1000, 0x104, 0x29fc0 - 96 * i).level != CULPRIT_LEVEL_L1;
		rig_load_pc(h, 3000 * i + 2000, 0x108, 0x40000 + 4 * rig_random(&seed, 1 << 20));
	}
	assert_int_equal(misses, 3 + 3); /* the first three of each; both stay within a page */
	hierarchy_destroy(h);
}

/* Eight loads in a row, each from the line behind the last one's, and none twice: by pc there is no stride. The third
 * asks for the fourth's line, and so on. Loads a word apart ask for the next line. */
static void a_stride_of_all_instructions(void **state)
{
	for (unsigned global = 0; global < 2; global++) {
		struct machine m = prefetch_machine(global ? prefetcher_stride_global : prefetcher_stride, 1, 1);
		struct hierarchy *h = rig_create(&m);
		uint64_t misses = 0;
		for (uint64_t i = 0; i < 8; i++)
			misses += rig_load_pc(h, 1000 * i, 0x100 + 4 * i, 0x4000 + 0x40 * i).level != CULPRIT_LEVEL_L1;
		assert_int_equal(misses, global ? 3 : 8);
		hierarchy_destroy(h);
		h = rig_create(&m);
		for (uint64_t i = 0; i < 3; i++)
			rig_load_pc(h, 1000 * i, 0x200 + 4 * i, 0x6000 + 8 * i);
		assert_int_equal(hierarchy_l1d_has(h, 0x6020), global);
		hierarchy_destroy(h);
	}
}

/* A stride by pc goes before the one of all: its load asks for its own next place and no other. */
static void an_own_stride_comes_first(void **state)
{
	struct machine m = prefetch_machine(prefetcher_stride_global, 1, 1);
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 3; i++)
		rig_load_pc(h, 1000 * i, 0x100, 0x4000 + 0x100 * i);
	assert_true(hierarchy_l1d_has(h, 0x4300));
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 1);
	hierarchy_destroy(h);
}

static void streams_run_both_ways(void **state)
{
	static const int64_t directions[] = {32, -32};
	for (int d = 0; d < 2; d++) {
		struct machine m = prefetch_machine(prefetcher_stream, 2, 1);
		struct hierarchy *h = rig_create(&m);
		uint64_t misses = 0;
		for (int64_t i = 0; i < 40; i++)
			misses += rig_load(h, 1000 * (uint64_t)i, 1, (uint64_t)(0x4800 + directions[d] * i)).level !=
				  CULPRIT_LEVEL_L1;
		assert_int_equal(misses, 3); /* the third in a row confirms, the fourth was brought */
		assert_int_equal(hierarchy_statistics(h)->l1d.prefetches_used, 37);
		hierarchy_destroy(h);
	}
}

static void scattered_misses_are_no_stream(void **state)
{
	struct machine m = prefetch_machine(prefetcher_stream, 2, 1);
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 100; i++)
		rig_load(h, 1000 * i, i, 0x10000 + 32 * (i * 7919 % 10007) * 5);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 0);
	hierarchy_destroy(h);
}

static void a_prefetch_takes_only_a_free_mshr(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 4, 1);
	m.l1d_mshrs = 3;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000); /* one for the miss, two for prefetches */
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 2);
	/* And gives it up for a demand miss: the three MSHRs serve three misses at once. */
	assert_int_equal(rig_load(h, 1, 2, 0x8000).mshr_wait, 0);
	assert_int_equal(rig_load(h, 1, 3, 0xc000).mshr_wait, 0);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 2);
	assert_int_equal(rig_load(h, 1, 4, 0xe000).mshr_wait, 112 - 3); /* known at 3; the first is back at 112 */
	hierarchy_destroy(h);
}

static void a_prefetch_needs_room_at_every_level(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 1, 1);
	m.l2_mshrs = 1;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches, 0);
	hierarchy_destroy(h);
}

static void a_prefetch_uses_bandwidth(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 1, 1);
	m.memory_interval = 20;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000); /* bus 12 to 32, its prefetch 32 to 52 */
	assert_int_equal(rig_load(h, 0, 2, 0x8000).bandwidth_wait, 40);
	assert_int_equal(hierarchy_statistics(h)->memory_reads, 4);
	hierarchy_destroy(h);
}

static void the_l2_has_a_prefetcher_of_its_own(void **state)
{
	struct machine m = rig_machine();
	m.l2_prefetcher = prefetcher_next_line;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000);
	struct memory_access a = rig_load(h, 1000, 2, 0x4040);
	assert_int_equal(a.done, 1000 + 2 + 10);
	assert_int_equal(a.level, CULPRIT_LEVEL_L2);
	assert_true(a.prefetched);
	assert_int_equal(hierarchy_statistics(h)->l2.prefetches_used, 1);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches_used, 0);
	hierarchy_destroy(h);
}

/* Lines of 64 bytes are two of the L1's. Asked for in cycle 2 + 10, the second is in the L2 from 112 on. */
static void a_line_that_the_l2_prefetched_says_so_once(void **state)
{
	struct machine m = rig_machine();
	m.l2_prefetcher = prefetcher_next_line;
	struct hierarchy *h = rig_create(&m);
	struct memory_access a = rig_load(h, 0, 1, 0x4000);
	assert_int_equal(a.prefetch_below, CULPRIT_LEVEL_NONE);
	a = rig_load(h, 1000, 2, 0x4048);
	assert_int_equal(a.prefetch_below, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(a.prefetch_level, CULPRIT_LEVEL_NONE);
	assert_int_equal(a.prefetch_trigger, -0x48);
	assert_int_equal(a.prefetch_slack, 1000 + 2 + 10 - 112);
	a = rig_load(h, 2000, 3, 0x4060);
	assert_int_equal(a.level, CULPRIT_LEVEL_L2);
	assert_int_equal(a.prefetch_below, CULPRIT_LEVEL_NONE);
	hierarchy_destroy(h);
}

/* The first load has 0x4040 brought into the L2, the second from there into the L1. */
static void a_line_prefetched_twice_tells_both(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 1, 1);
	m.l1d_prefetch_below = 2;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000);
	struct memory_access a = rig_load(h, 1000, 2, 0x4020);
	assert_int_equal(a.prefetch_level, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(a.prefetch_below, CULPRIT_LEVEL_NONE);
	a = rig_load(h, 2000, 3, 0x4040);
	assert_int_equal(a.done, 2002);
	assert_int_equal(a.prefetch_level, CULPRIT_LEVEL_L2);
	assert_int_equal(a.prefetch_below, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(a.prefetch_trigger, -0x20);
	assert_int_equal(a.prefetch_slack, 2002 - (1002 + 10));
	hierarchy_destroy(h);
}

/* An access that needs no line (lsq.stream_lines) says nothing of the prefetch whose line it is the first to touch. */
static void what_needs_no_line_tells_no_prefetch(void **state)
{
	struct machine m = prefetch_machine(prefetcher_next_line, 1, 1);
	struct hierarchy *h = rig_create(&m);
	struct memory_access a;
	rig_load(h, 0, 1, 0x4000);
	hierarchy_data_at_once(h, 50, 2, 0x1000, 0x4020, 8, false, true, &a);
	assert_int_equal(a.done, 52); /* the line comes at 112 */
	assert_true(a.prefetched);
	assert_int_equal(a.prefetch_level, CULPRIT_LEVEL_NONE);
	assert_int_equal(a.prefetch_below, CULPRIT_LEVEL_NONE);
	assert_int_equal(hierarchy_statistics(h)->l1d.prefetches_used, 1);
	hierarchy_destroy(h);
}

static void fetch_can_prefetch_too(void **state)
{
	struct machine m = prefetch_machine(prefetcher_none, 1, 1);
	m.l1i_prefetcher = prefetcher_next_line;
	struct hierarchy *h = rig_create(&m);
	rig_fetch(h, 0, 1, 0x4000);
	struct memory_access a = rig_fetch(h, 1000, 2, 0x4020);
	assert_int_equal(a.done, 1001);
	assert_true(a.prefetched);
	hierarchy_destroy(h);
}

static void warming_trains_and_brings(void **state)
{
	struct machine m = prefetch_machine(prefetcher_stride, 1, 1);
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 3; i++)
		hierarchy_warm_data(h, 0x100, 0x4000 + 0x100 * i, 8, false);
	hierarchy_settle(h);
	assert_int_equal(rig_load_pc(h, 0, 0x100, 0x4300).done, 2);
	assert_true(hierarchy_l1d_has(h, 0x4400));
	hierarchy_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_line_brings_the_next),
		cmocka_unit_test(a_late_prefetch_is_waited_for),
		cmocka_unit_test(degree_and_distance),
		cmocka_unit_test(nothing_crosses_the_page),
		cmocka_unit_test(prefetches_go_on_into_the_next_page),
		cmocka_unit_test(only_misses_ask),
		cmocka_unit_test(stride_needs_two_equal_strides),
		cmocka_unit_test(a_broken_stride_asks_for_nothing),
		cmocka_unit_test(strides_of_several_instructions_do_not_mix),
		cmocka_unit_test(a_stride_of_all_instructions),
		cmocka_unit_test(an_own_stride_comes_first),
		cmocka_unit_test(streams_run_both_ways),
		cmocka_unit_test(scattered_misses_are_no_stream),
		cmocka_unit_test(a_prefetch_takes_only_a_free_mshr),
		cmocka_unit_test(a_prefetch_needs_room_at_every_level),
		cmocka_unit_test(a_prefetch_uses_bandwidth),
		cmocka_unit_test(the_l2_has_a_prefetcher_of_its_own),
		cmocka_unit_test(a_line_that_the_l2_prefetched_says_so_once),
		cmocka_unit_test(a_line_prefetched_twice_tells_both),
		cmocka_unit_test(what_needs_no_line_tells_no_prefetch),
		cmocka_unit_test(fetch_can_prefetch_too),
		cmocka_unit_test(warming_trains_and_brings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
