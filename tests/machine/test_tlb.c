/* Translation in exact cycles: first level 4 entries, second level 16 at 8 cycles, walks of 30 cycles, pages of 4 KiB.
 * Behind it the rig: L1D 2, L1I 1, L2 10, memory 100. */
#include "hierarchy_rig.h"

enum { PAGE = 4096 };

static struct machine tlb_machine(void)
{
	struct machine m = rig_machine();
	m.tlb_d_entries = m.tlb_i_entries = 4;
	m.tlb_l2_entries = 16;
	m.tlb_l2_latency = 8;
	m.tlb_walk_latency = 30;
	return m;
}

static void translation_comes_before_the_cache(void **state)
{
	struct machine m = tlb_machine();
	struct hierarchy *h = rig_create(&m);
	struct memory_access a = rig_load(h, 0, 1, 0x40000);
	assert_int_equal(a.tlb_cycles, 30);
	assert_int_equal(a.tlb_level, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(a.done, 30 + 2 + 10 + 100);
	a = rig_load(h, 500, 2, 0x40000);
	assert_int_equal(a.done, 502);
	assert_int_equal(a.tlb_level, CULPRIT_LEVEL_L1);
	hierarchy_destroy(h);
}

static void the_second_level_keeps_what_the_first_loses(void **state)
{
	struct machine m = tlb_machine();
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 5; i++)
		rig_load(h, 1000 * i, i, 0x40000 + PAGE * i + 64 * i);
	struct memory_access a = rig_load(h, 9000, 9, 0x40000);
	assert_int_equal(a.tlb_cycles, 8);
	assert_int_equal(a.tlb_level, CULPRIT_LEVEL_L2);
	assert_int_equal(a.done, 9000 + 8 + 2);
	a = rig_load(h, 9500, 10, 0x40000 + PAGE * 2 + 128); /* still there: 1 went, being the oldest */
	assert_int_equal(a.tlb_cycles, 0);
	a = rig_load(h, 9600, 11, 0x40000 + PAGE * 1 + 64);
	assert_int_equal(a.tlb_cycles, 8);
	const struct hierarchy_statistics *s = hierarchy_statistics(h);
	assert_int_equal(s->dtlb.accesses[0], 8);
	assert_int_equal(s->dtlb.misses[0], 7);
	assert_int_equal(s->tlb2.accesses[0], 7);
	assert_int_equal(s->tlb2.misses[0], 5);
	hierarchy_destroy(h);
}

static void without_a_second_level_every_miss_walks(void **state)
{
	struct machine m = tlb_machine();
	m.tlb_l2_entries = 0;
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 5; i++)
		rig_load(h, 1000 * i, i, 0x40000 + PAGE * i);
	assert_int_equal(rig_load(h, 9000, 9, 0x40000).tlb_cycles, 30);
	assert_int_equal(hierarchy_statistics(h)->tlb2.accesses[0], 0);
	hierarchy_destroy(h);
}

static void a_page_being_walked_is_waited_for(void **state)
{
	struct machine m = tlb_machine();
	m.tlb_walkers = 1;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x40000);
	struct memory_access a = rig_load(h, 10, 2, 0x40040); /* same page: no second walk */
	assert_int_equal(a.tlb_cycles, 20);
	assert_int_equal(a.tlb_level, CULPRIT_LEVEL_MEMORY);
	a = rig_fetch(h, 12, 3, 0x40080); /* the other side finds it on its way in the second level */
	assert_int_equal(a.tlb_cycles, 18);
	a = rig_fetch(h, 25, 4, 0x40080); /* now it is on its way in the ITLB */
	assert_int_equal(a.tlb_cycles, 5);
	assert_int_equal(rig_load(h, 30, 5, 0x40040).tlb_cycles, 0);
	hierarchy_destroy(h);
}

static void walks_beyond_the_walkers_queue(void **state)
{
	for (uint32_t walkers = 0; walkers <= 3; walkers++) {
		struct machine m = tlb_machine();
		m.tlb_walkers = walkers;
		m.tlb_d_entries = 8;
		struct hierarchy *h = rig_create(&m);
		for (uint64_t i = 0; i < 6; i++) {
			uint32_t round = walkers ? (uint32_t)i / walkers : 0;
			assert_int_equal(rig_load(h, 0, i, 0x40000 + PAGE * i).tlb_cycles, 30 * (round + 1));
		}
		hierarchy_destroy(h);
	}
}

static void sides_have_their_own_first_level(void **state)
{
	struct machine m = tlb_machine();
	m.tlb_i_entries = 0;
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_fetch(h, 0, 1, 0x40000).done, 1 + 10 + 100);
	assert_int_equal(rig_load(h, 500, 2, 0x40000).tlb_cycles, 30); /* a perfect ITLB teaches nobody */
	assert_int_equal(hierarchy_statistics(h)->itlb.accesses[0], 0);
	hierarchy_destroy(h);
}

static void an_access_across_pages_translates_both(void **state)
{
	struct machine m = tlb_machine();
	struct hierarchy *h = rig_create(&m);
	struct memory_access a;
	rig_load(h, 0, 1, 0x40ff8);
	hierarchy_load(h, 1000, 2, 0, 0x40ffc, 8, false, &a);
	rig_check(1000, &a);
	assert_int_equal(a.tlb_cycles, 30);
	assert_int_equal(a.done, 1000 + 30 + 2 + 10 + 100);
	hierarchy_destroy(h);
}

static void a_larger_page_covers_more(void **state)
{
	struct machine m = tlb_machine();
	m.tlb_page = 2097152;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x200000);
	assert_int_equal(rig_load(h, 500, 2, 0x3ffff0).tlb_cycles, 0);
	assert_int_equal(rig_load(h, 500, 3, 0x400000).tlb_cycles, 30);
	hierarchy_destroy(h);
}

static void sets_hold_what_their_ways_allow(void **state)
{
	struct machine m = tlb_machine();
	m.tlb_d_ways = 1; /* four sets of one */
	m.tlb_l2_entries = 0;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x0);
	rig_load(h, 1000, 2, 4 * PAGE); /* same set */
	assert_int_equal(rig_load(h, 2000, 3, 1 * PAGE).tlb_cycles, 30);
	assert_int_equal(rig_load(h, 3000, 4, 4 * PAGE).tlb_cycles, 0);
	assert_int_equal(rig_load(h, 4000, 5, 0x0).tlb_cycles, 30);
	hierarchy_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(translation_comes_before_the_cache),
		cmocka_unit_test(the_second_level_keeps_what_the_first_loses),
		cmocka_unit_test(without_a_second_level_every_miss_walks),
		cmocka_unit_test(a_page_being_walked_is_waited_for),
		cmocka_unit_test(walks_beyond_the_walkers_queue),
		cmocka_unit_test(sides_have_their_own_first_level),
		cmocka_unit_test(an_access_across_pages_translates_both),
		cmocka_unit_test(a_larger_page_covers_more),
		cmocka_unit_test(sets_hold_what_their_ways_allow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
