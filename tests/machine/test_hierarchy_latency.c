/* Exact cycles of single accesses and of accesses to lines in flight. The rig's latencies: L1I 1, L1D 2, L2 10,
 * memory 100; L1 lines are 32 bytes, L2 lines 64. */
#include "hierarchy_rig.h"
#include "machine/stray_line.h"

static void each_level_adds_its_latency(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	struct memory_access a = rig_load(h, 0, 1, 0x4000);
	assert_int_equal(a.done, 2 + 10 + 100);
	assert_int_equal(a.level, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(a.hit_cycles, 2);
	a = rig_load(h, 1000, 2, 0x4000);
	assert_int_equal(a.done, 1000 + 2);
	assert_int_equal(a.level, CULPRIT_LEVEL_L1);
	a = rig_load(h, 2000, 3, 0x4020); /* other half of the L2 line */
	assert_int_equal(a.done, 2000 + 2 + 10);
	assert_int_equal(a.level, CULPRIT_LEVEL_L2);
	assert_false(a.merged);
	hierarchy_destroy(h);
}

static void a_third_level_adds_its_latency(void **state)
{
	struct machine m = rig_machine();
	m.l3_size = 65536;
	m.l3_line = 128;
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_load(h, 0, 1, 0x4000).done, 2 + 10 + 30 + 100);
	struct memory_access a = rig_load(h, 1000, 2, 0x4040); /* other half of the 128-byte L3 line */
	assert_int_equal(a.done, 1000 + 2 + 10 + 30);
	assert_int_equal(a.level, CULPRIT_LEVEL_L3);
	hierarchy_destroy(h);
}

static void fetch_and_load_share_only_the_l2(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_fetch(h, 0, 1, 0x4000).done, 1 + 10 + 100);
	assert_int_equal(rig_fetch(h, 500, 2, 0x401c).done, 500 + 1);
	struct memory_access a = rig_load(h, 1000, 3, 0x4000);
	assert_int_equal(a.done, 1000 + 2 + 10);
	assert_int_equal(a.level, CULPRIT_LEVEL_L2);
	hierarchy_destroy(h);
}

static void an_access_to_a_line_in_flight_waits_for_it(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 7, 0x4000); /* arrives at 112 */
	struct memory_access a = rig_load(h, 5, 8, 0x4010);
	assert_int_equal(a.done, 112);
	assert_int_equal(a.miss_cycles, 112 - 5 - 2);
	assert_true(a.merged);
	assert_int_equal(a.primary_miss, 7);
	assert_int_equal(a.level, CULPRIT_LEVEL_MEMORY);
	a = rig_load(h, 110, 9, 0x4000); /* the hit latency ends as the line arrives */
	assert_int_equal(a.done, 112);
	assert_false(a.merged);
	assert_int_equal(a.level, CULPRIT_LEVEL_L1);
	const struct hierarchy_statistics *s = hierarchy_statistics(h);
	assert_int_equal(s->l1d.accesses[0], 3);
	assert_int_equal(s->l1d.misses[0], 2);
	assert_int_equal(s->l1d.merged[0], 1);
	assert_int_equal(s->memory_reads, 1);
	hierarchy_destroy(h);
}

static void an_access_merges_in_the_l2_too(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 7, 0x4000); /* L2 line arrives at 112 */
	struct memory_access a = rig_load(h, 1, 8, 0x4020);
	assert_int_equal(a.done, 112);
	assert_true(a.merged);
	assert_int_equal(a.primary_miss, 7);
	assert_int_equal(a.level, CULPRIT_LEVEL_MEMORY);
	const struct hierarchy_statistics *s = hierarchy_statistics(h);
	assert_int_equal(s->l1d.merged[0], 0);
	assert_int_equal(s->l2.merged[0], 1);
	assert_int_equal(s->l2.misses[0], 2);
	assert_int_equal(s->memory_reads, 1);
	hierarchy_destroy(h);
}

static void an_access_across_lines_takes_the_later(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	struct memory_access a;
	rig_load(h, 0, 1, 0x4000);
	hierarchy_load(h, 1000, 2, 0x1000, 0x401c, 8, false, &a); /* 0x4000 is in the L1, 0x4020 in the L2 */
	rig_check(1000, &a);
	assert_int_equal(a.done, 1000 + 2 + 10);
	assert_int_equal(a.level, CULPRIT_LEVEL_L2);
	hierarchy_load(h, 2000, 3, 0x1000, 0x401c, 4, false, &a); /* ends with the line */
	assert_int_equal(a.done, 2002);
	hierarchy_load(h, 3000, 4, 0x1000, 0x401c, 8, false, &a); /* both here by now */
	assert_int_equal(a.done, 3002);
	hierarchy_load(h, 4000, 5, 0x1000, 0x3ffc, 8, false, &a); /* the first line is the late one */
	assert_int_equal(a.done, 4112);
	assert_int_equal(a.level, CULPRIT_LEVEL_MEMORY);
	hierarchy_destroy(h);
}

static void an_earlier_request_may_come_later(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 100, 1, 0x4000); /* arrives at 212 */
	struct memory_access a = rig_load(h, 90, 2, 0x4000);
	assert_int_equal(a.done, 212);
	assert_true(a.merged);
	hierarchy_destroy(h);
}

/* The wrong path of branch 1000 brings a line, and the right path uses it: stray_line.h. The window has 128 entries. */
static struct hierarchy *with_stray_line(void)
{
	struct machine m = rig_machine();
	m.window_rob = 128;
	struct hierarchy *h = rig_create(&m);
	struct memory_access a;
	hierarchy_load(h, 0, 1000 | WRONG_PATH_SEQ, 0x1000, 0x4000, 8, true, &a);
	return h;
}

static void the_first_use_behind_the_branch_is_a_stray_ones(void **state)
{
	struct hierarchy *h = with_stray_line();
	assert_int_equal(rig_load(h, 500, 1001, 0x4000).stray, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(rig_load(h, 501, 1002, 0x4000).stray, CULPRIT_LEVEL_NONE);
	hierarchy_destroy(h);
	/* a late one in front of the branch leaves it to those behind, as long as they can be in flight together */
	h = with_stray_line();
	assert_int_equal(rig_load(h, 500, 999, 0x4000).stray, CULPRIT_LEVEL_NONE);
	assert_int_equal(rig_load(h, 501, 873, 0x4004).stray, CULPRIT_LEVEL_NONE);
	assert_int_equal(rig_load(h, 502, 1128, 0x4000).stray, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(rig_load(h, 503, 1129, 0x4000).stray, CULPRIT_LEVEL_NONE);
	hierarchy_destroy(h);
	h = with_stray_line();
	rig_load(h, 500, 999, 0x4000);
	assert_int_equal(rig_load(h, 501, 1129, 0x4000).stray, CULPRIT_LEVEL_NONE);
	assert_int_equal(rig_load(h, 502, 1130, 0x4000).stray, CULPRIT_LEVEL_NONE);
	hierarchy_destroy(h);
	/* nobody was late: the first use may come at any time. So it is where numbers have begun anew */
	h = with_stray_line();
	assert_int_equal(rig_load(h, 9000, 9000, 0x4000).stray, CULPRIT_LEVEL_MEMORY);
	hierarchy_destroy(h);
	h = with_stray_line();
	assert_int_equal(rig_load(h, 500, 872, 0x4000).stray, CULPRIT_LEVEL_MEMORY);
	hierarchy_destroy(h);
	/* in warm-up wrong paths have no numbers: the region's first instruction is none in front of the branch */
	struct machine m = rig_machine();
	struct memory_access a;
	h = rig_create(&m);
	hierarchy_load(h, 0, 0, 0x1000, 0x4000, 8, true, &a);
	assert_int_equal(rig_load(h, 500, 0, 0x4000).stray, CULPRIT_LEVEL_MEMORY);
	hierarchy_destroy(h);
}

static void wrong_path_accesses_count_apart(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	struct memory_access a;
	hierarchy_load(h, 0, 1, 0x1000, 0x4000, 8, true, &a);
	hierarchy_fetch(h, 0, 1, 0x8000, true, &a);
	assert_int_equal(rig_load(h, 500, 2, 0x4000).done, 502); /* what the wrong path brought stays */
	const struct hierarchy_statistics *s = hierarchy_statistics(h);
	assert_int_equal(s->l1d.accesses[1], 1);
	assert_int_equal(s->l1d.misses[1], 1);
	assert_int_equal(s->l1d.accesses[0], 1);
	assert_int_equal(s->l1d.misses[0], 0);
	assert_int_equal(s->l1i.misses[1], 1);
	assert_int_equal(s->l2_data_misses[1], 1);
	assert_int_equal(s->l2_instruction_misses[1], 1);
	assert_int_equal(s->l2_data_misses[0], 0);
	hierarchy_destroy(h);
}

static void warming_takes_no_time(void **state)
{
	struct machine m = rig_machine();
	m.memory_interval = 50;
	m.l1d_mshrs = 1;
	m.tlb_d_entries = m.tlb_i_entries = 8;
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 8; i++)
		hierarchy_warm_data(h, 0x1000, 0x4000 + 64 * i, 8, i & 1);
	hierarchy_warm_fetch(h, 0x10000);
	hierarchy_settle(h);
	for (uint64_t i = 0; i < 8; i++)
		assert_int_equal(rig_load(h, 0, 1, 0x4000 + 64 * i).done, 2);
	assert_int_equal(rig_fetch(h, 0, 1, 0x10000).done, 1);
	assert_int_equal(hierarchy_statistics(h)->l1d.accesses[0], 8);
	assert_int_equal(hierarchy_statistics(h)->l1d.misses[0], 0);
	assert_int_equal(rig_load(h, 0, 2, 0x5000).tlb_cycles, 30); /* a new page: the walkers are idle too */
	hierarchy_destroy(h);
}

/* Nobody settles in between here: warming asks for nothing and waits for nothing in flight. */
static void warming_amid_a_run_takes_no_time_either(void **state)
{
	struct machine m = rig_machine();
	m.tlb_d_entries = 8;
	m.tlb_walkers = 1;
	m.memory_interval = 50;
	m.l1d_mshrs = m.l2_mshrs = 1;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x40000); /* walk 30, in flight until 142 */
	hierarchy_warm_data(h, 0x1000, 0x50000, 4, false);
	hierarchy_warm_data(h, 0x1000, 0x40020, 4, false); /* the L2 line in flight */
	struct memory_access a = rig_load(h, 1, 2, 0x50000);
	assert_int_equal(a.done, 3);
	assert_int_equal(rig_load(h, 31, 3, 0x40020).done, 33);
	assert_int_equal(rig_load(h, 31, 3, 0x40000).done, 142);
	hierarchy_destroy(h);
}

static void settling_ends_what_is_in_flight(void **state)
{
	struct machine m = rig_machine();
	m.memory_interval = 50;
	m.l1d_mshrs = 1;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 1000000, 1, 0x4000);
	hierarchy_settle(h);
	assert_int_equal(rig_load(h, 0, 2, 0x4000).done, 2);
	assert_int_equal(rig_load(h, 0, 3, 0x8000).done, 112);
	hierarchy_destroy(h);
}

static void l1d_has_tells_without_touching(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	assert_false(hierarchy_l1d_has(h, 0x4000));
	rig_load(h, 0, 1, 0x4000);
	assert_true(hierarchy_l1d_has(h, 0x401f));
	assert_false(hierarchy_l1d_has(h, 0x4020));
	rig_load(h, 500, 2, 0x4200); /* same set (16 sets of 32 bytes), now the younger */
	hierarchy_l1d_has(h, 0x4000);
	rig_load(h, 1000, 3, 0x4400);
	assert_false(hierarchy_l1d_has(h, 0x4000));
	assert_true(hierarchy_l1d_has(h, 0x4200));
	hierarchy_destroy(h);
}

static void impossible_shapes_are_refused(void **state)
{
	struct error err;
	struct machine m = rig_machine();
	m.l1d_size = 96 * 32;
	assert_null(hierarchy_create(&m, &err));
	assert_non_null(strstr(err.text, "l1d"));
	m = rig_machine();
	m.l2_line = 16;
	assert_null(hierarchy_create(&m, &err));
	assert_non_null(strstr(err.text, "l2.line"));
	m = rig_machine();
	m.l2_size = 0;
	assert_null(hierarchy_create(&m, &err));
	m = rig_machine();
	m.l1d_ways = 3;
	m.l1d_size = 3 * 512;
	m.l1d_replacement = replacement_plru;
	assert_null(hierarchy_create(&m, &err));
	assert_non_null(strstr(err.text, "PLRU"));
	m = rig_machine();
	m.tlb_d_entries = 48;
	m.tlb_d_ways = 5;
	assert_null(hierarchy_create(&m, &err));
	assert_non_null(strstr(err.text, "tlb.d"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_level_adds_its_latency),
		cmocka_unit_test(a_third_level_adds_its_latency),
		cmocka_unit_test(fetch_and_load_share_only_the_l2),
		cmocka_unit_test(an_access_to_a_line_in_flight_waits_for_it),
		cmocka_unit_test(an_access_merges_in_the_l2_too),
		cmocka_unit_test(an_access_across_lines_takes_the_later),
		cmocka_unit_test(an_earlier_request_may_come_later),
		cmocka_unit_test(wrong_path_accesses_count_apart),
		cmocka_unit_test(the_first_use_behind_the_branch_is_a_stray_ones),
		cmocka_unit_test(warming_takes_no_time),
		cmocka_unit_test(warming_amid_a_run_takes_no_time_either),
		cmocka_unit_test(settling_ends_what_is_in_flight),
		cmocka_unit_test(l1d_has_tells_without_touching),
		cmocka_unit_test(impossible_shapes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
