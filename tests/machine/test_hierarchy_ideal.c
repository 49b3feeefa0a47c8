/* What idealising an event class does. The trace test compares with a plain machine that runs the same accesses far
 * apart: where the plain machine found each line says what the idealised one must charge, by the definitions. */
#include "hierarchy_rig.h"

#define BIT(name) CULPRIT_EVENT_BIT(name)
#define FINER_DATA (BIT(dl2) | BIT(dl3) | BIT(dmem) | BIT(dtlb))
#define FINER_FETCH (BIT(il2) | BIT(il3) | BIT(imem) | BIT(itlb))

static struct machine tlb_and_l3(bool l3)
{
	struct machine m = rig_machine();
	m.l3_size = l3 ? 32768 : 0;
	m.l3_line = 64;
	m.tlb_d_entries = m.tlb_i_entries = 4;
	m.tlb_l2_entries = 16;
	return m;
}

/* Cycles beyond translation that an access to a line found at `level` costs. */
static uint32_t charge(const struct machine *m, culprit_event_set ideal, uint8_t level, bool fetch)
{
	bool l2 = ideal & (fetch ? BIT(il2) : BIT(dl2)), l3 = ideal & (fetch ? BIT(il3) : BIT(dl3));
	bool memory = ideal & (fetch ? BIT(imem) : BIT(dmem));
	uint32_t hit = fetch ? m->l1i_latency : ideal & BIT(dl1) ? 0 : m->l1d_latency;
	uint32_t at_l2 = l2 ? 0 : m->l2_latency;
	uint32_t at_l3 = l3 ? 0 : m->l2_latency + m->l3_latency;
	uint32_t last = m->l3_size ? at_l3 : at_l2;
	uint32_t beyond = m->l2_latency + (m->l3_size ? m->l3_latency : 0) + m->memory_latency;
	switch (level) {
	case CULPRIT_LEVEL_L1:
		return hit;
	case CULPRIT_LEVEL_L2:
		return hit + at_l2;
	case CULPRIT_LEVEL_L3:
		return hit + at_l3;
	default:
		return hit + (memory ? last : beyond);
	}
}

/* Far apart in time, so that nothing overlaps and both machines go through the same states. An idealised TLB asks
 * nothing of the second level, which is therefore left out: its pages would differ for the other side. */
static void compare_serial(struct machine *plain, culprit_event_set ideal)
{
	plain->tlb_l2_entries = ideal & (BIT(dtlb) | BIT(itlb)) ? 0 : 16;
	struct machine m = *plain;
	m.ideal = ideal;
	struct hierarchy *h = rig_create(&m), *reference = rig_create(plain);
	uint64_t seed = 11, seen[CULPRIT_LEVEL_COUNT] = {0};
	bool no_tlb[] = {ideal & BIT(dtlb), ideal & BIT(itlb)};
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t addr = rig_random(&seed, 2) ? 16 * rig_random(&seed, 64) : 16 * rig_random(&seed, 4096);
		bool fetch = rig_random(&seed, 3) == 0;
		struct memory_access a = fetch ? rig_fetch(h, 1000 * i, i, addr) : rig_load(h, 1000 * i, i, addr);
		struct memory_access b = fetch ? rig_fetch(reference, 1000 * i, i, addr)
					       : rig_load(reference, 1000 * i, i, addr);
		uint32_t expected = charge(plain, ideal, b.level, fetch);
		if (a.hit_cycles + a.miss_cycles != expected)
			fail_msg("ideal %x, access %u found at %d: %u cycles, expected %u", ideal, (unsigned)i, b.level,
				 a.hit_cycles + a.miss_cycles, expected);
		assert_int_equal(a.tlb_cycles, no_tlb[fetch] ? 0 : b.tlb_cycles);
		seen[b.level]++;
	}
	assert_true(seen[CULPRIT_LEVEL_L1] > 100 && seen[CULPRIT_LEVEL_L2] > 100 && seen[CULPRIT_LEVEL_MEMORY] > 100);
	assert_true(!plain->l3_size || seen[CULPRIT_LEVEL_L3] > 100);
	hierarchy_destroy(h);
	hierarchy_destroy(reference);
}

static void every_set_of_finer_data_classes_charges_as_defined(void **state)
{
	for (int l3 = 0; l3 < 2; l3++) {
		struct machine m = tlb_and_l3(l3);
		for (unsigned bits = 0; bits < 32; bits++) {
			culprit_event_set ideal = (bits & 1 ? BIT(dl2) : 0) | (bits & 2 ? BIT(dl3) : 0) |
						  (bits & 4 ? BIT(dmem) : 0) | (bits & 8 ? BIT(dl1) : 0) |
						  (bits & 16 ? BIT(dtlb) : 0);
			bool whole = (ideal & BIT(dl2)) && (ideal & BIT(dmem)) && (ideal & BIT(dtlb)) &&
				     (ideal & BIT(dl3) || !l3);
			if (!whole) /* those have no state: tested below */
				compare_serial(&m, ideal);
		}
	}
}

static void every_set_of_finer_fetch_classes_charges_as_defined(void **state)
{
	for (int l3 = 0; l3 < 2; l3++) {
		struct machine m = tlb_and_l3(l3);
		for (unsigned bits = 0; bits < 16; bits++) {
			culprit_event_set ideal = (bits & 1 ? BIT(il2) : 0) | (bits & 2 ? BIT(il3) : 0) |
						  (bits & 4 ? BIT(imem) : 0) | (bits & 8 ? BIT(itlb) : 0);
			bool whole = (ideal & BIT(il2)) && (ideal & BIT(imem)) && (ideal & BIT(itlb)) &&
				     (ideal & BIT(il3) || !l3);
			if (!whole)
				compare_serial(&m, ideal);
		}
	}
}

/* Everything limited, accesses close together: what idealising must make disappear. */
static struct machine crowded(void)
{
	struct machine m = tlb_and_l3(true);
	m.l1d_mshrs = m.l2_mshrs = 2;
	m.l2_interval = 3;
	m.memory_interval = 25;
	m.tlb_walkers = 1;
	return m;
}

static struct memory_access mixed(struct hierarchy *h, uint64_t *seed, uint64_t i, bool *fetch)
{
	uint64_t addr = 8 * rig_random(seed, 16384), kind = rig_random(seed, 3);
	*fetch = kind == 0;
	return kind == 0   ? rig_fetch(h, 2 * i, i, addr)
	       : kind == 1 ? rig_load(h, 2 * i, i, addr)
			   : rig_store(h, 2 * i, i, addr);
}

static void compare_runs(culprit_event_set one, culprit_event_set other)
{
	struct machine m = crowded(), n = crowded();
	m.ideal = one;
	n.ideal = other;
	struct hierarchy *a = rig_create(&m), *b = rig_create(&n);
	uint64_t seed_a = 5, seed_b = 5;
	for (uint64_t i = 0; i < 5000; i++) {
		bool fetch;
		struct memory_access x = mixed(a, &seed_a, i, &fetch), y = mixed(b, &seed_b, i, &fetch);
		assert_int_equal(x.done, y.done);
		assert_int_equal(x.level, y.level);
		assert_int_equal(x.tlb_cycles, y.tlb_cycles);
	}
	hierarchy_destroy(a);
	hierarchy_destroy(b);
}

static void base_classes_equal_their_finer_ones(void **state)
{
	compare_runs(BIT(dmiss), FINER_DATA);
	compare_runs(BIT(imiss), FINER_FETCH);
	compare_runs(BIT(dmiss) | BIT(imiss), FINER_DATA | FINER_FETCH);
	compare_runs(BIT(dmiss) | BIT(dl1), FINER_DATA | BIT(dl1));
	compare_runs(BIT(dmiss), FINER_DATA | BIT(dmiss));
	compare_runs(0, BIT(win) | BIT(bw) | BIT(bmisp) | BIT(shalu) | BIT(lgalu));
}

static void idealised_sides_always_hit(void **state)
{
	static const culprit_event_set sets[] = {BIT(dmiss), BIT(dmiss) | BIT(dl1), BIT(imiss),
						 BIT(imiss) | BIT(dmiss) | BIT(dl1)};
	for (int n = 0; n < 4; n++) {
		struct machine m = crowded();
		m.ideal = sets[n];
		struct hierarchy *h = rig_create(&m);
		uint64_t seed = 7, hit = m.ideal & BIT(dl1) ? 0 : m.l1d_latency;
		for (uint64_t i = 0; i < 2000; i++) {
			bool fetch;
			struct memory_access a = mixed(h, &seed, i, &fetch);
			if (fetch && m.ideal & BIT(imiss))
				assert_int_equal(a.done, 2 * i + m.l1i_latency);
			if (!fetch && m.ideal & BIT(dmiss))
				assert_int_equal(a.done, 2 * i + hit);
		}
		const struct hierarchy_statistics *s = hierarchy_statistics(h);
		if (m.ideal & BIT(dmiss))
			assert_int_equal(s->l2_data_misses[0] + s->l1d.misses[0] + s->dtlb.misses[0], 0);
		if (m.ideal & BIT(imiss))
			assert_int_equal(s->l2_instruction_misses[0] + s->l1i.misses[0] + s->itlb.misses[0], 0);
		if (m.ideal & BIT(imiss) && m.ideal & BIT(dmiss))
			assert_int_equal(s->memory_reads + s->memory_writes + s->l2.accesses[0], 0);
		hierarchy_destroy(h);
	}
}

/* Idealising data misses takes the data side's traffic away from the instruction side: as if there were none. */
static void idealised_data_leave_fetch_alone(void **state)
{
	struct machine m = crowded(), plain = crowded();
	m.ideal = BIT(dmiss);
	struct hierarchy *h = rig_create(&m), *only_fetch = rig_create(&plain);
	uint64_t seed = 9;
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t addr = 8 * rig_random(&seed, 16384);
		rig_load(h, 4 * i, i, 8 * rig_random(&seed, 16384));
		assert_int_equal(rig_fetch(h, 4 * i, i, addr).done, rig_fetch(only_fetch, 4 * i, i, addr).done);
	}
	hierarchy_destroy(h);
	hierarchy_destroy(only_fetch);
}

static void free_levels_do_not_queue(void **state)
{
	struct machine m = crowded();
	m.ideal = BIT(dl2) | BIT(dl3) | BIT(dmem);
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 50; i++) { /* 50 misses at once in one page, through 2 MSHRs */
		struct memory_access a = rig_load(h, 100, i, 0x4000 + 64 * i);
		assert_int_equal(a.hit_cycles + a.miss_cycles, 2);
		assert_int_equal(a.level, CULPRIT_LEVEL_L1);
		assert_int_equal(rig_load(h, 101, i, 0x4000 + 64 * i).miss_cycles, 0); /* and no waiting for it */
	}
	hierarchy_destroy(h);
	m.ideal = BIT(dmem);
	m.l1d_mshrs = m.l2_mshrs = 0;
	m.l3_mshrs = 1;
	h = rig_create(&m);
	for (uint64_t i = 0; i < 20; i++) { /* at the L2's port every 3 cycles; no MSHR of the L3 and no bus */
		struct memory_access a = rig_load(h, 100, i, 0x3000 + 64 * i);
		assert_int_equal(a.bandwidth_wait, 3 * i);
		assert_int_equal(a.miss_cycles, 10 + 30 + 3 * i);
		assert_int_equal(a.mshr_wait, 0);
		assert_int_equal(a.level, CULPRIT_LEVEL_L3);
	}
	hierarchy_destroy(h);
}

/* A line that comes in no time asks for no MSHR, though others hold them, and keeps no request back. */
static void an_idealised_hit_below_takes_no_mshr(void **state)
{
	struct machine m = rig_machine();
	m.ideal = BIT(dl2);
	m.l1d_mshrs = 1;
	m.l1d_miss_alias = 0x4000; /* 0x8000 would be taken for 0x4000 */
	struct hierarchy *h = rig_create(&m);
	rig_fetch(h, 0, 1, 0x8000);				   /* into the L2 */
	assert_int_equal(rig_load(h, 1000, 2, 0x4000).done, 1112); /* the one MSHR, until then */
	struct memory_access a = rig_load(h, 1010, 3, 0x8000);
	assert_int_equal(a.done, 1012);
	assert_int_equal(a.mshr_wait + a.bandwidth_wait, 0);
	assert_int_equal(rig_load(h, 1020, 4, 0xc000).done, 1222); /* when that MSHR is free */
	hierarchy_destroy(h);
}

/* The instruction side's miss is real and under way; data that idealise memory need not wait for it. */
static void a_line_on_its_way_from_an_idealised_level_is_here(void **state)
{
	struct machine m = rig_machine();
	m.ideal = BIT(dmem);
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_fetch(h, 0, 1, 0x4000).done, 111);
	assert_int_equal(rig_load(h, 20, 2, 0x4000).done, 20 + 2 + 10);
	m.ideal = 0;
	hierarchy_destroy(h);
	h = rig_create(&m);
	rig_fetch(h, 0, 1, 0x4000);
	assert_int_equal(rig_load(h, 20, 2, 0x4000).done, 111);
	hierarchy_destroy(h);
}

/* Its L2 hit is idealised, wherever the line comes from. */
static void a_line_on_its_way_into_an_idealised_level_is_here(void **state)
{
	struct machine m = rig_machine();
	m.ideal = BIT(dl2);
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_fetch(h, 0, 1, 0x4000).done, 111);
	assert_int_equal(rig_load(h, 20, 2, 0x4000).done, 20 + 2);
	assert_int_equal(rig_fetch(h, 21, 3, 0x4000).done, 111); /* whose own wait is real */
	hierarchy_destroy(h);
}

static void the_set_can_change_after_warm_up(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	hierarchy_warm_data(h, 0, 0x4000, 4, false);
	hierarchy_settle(h);
	hierarchy_idealise(h, BIT(dl1) | BIT(dmem));
	assert_int_equal(rig_load(h, 0, 1, 0x4000).done, 0);
	assert_int_equal(rig_load(h, 0, 1, 0x8000).done, 10);
	hierarchy_idealise(h, BIT(dmiss));
	assert_int_equal(rig_load(h, 100, 1, 0xc000).done, 102);
	assert_true(hierarchy_l1d_has(h, 0xf000));
	hierarchy_idealise(h, 0);
	assert_int_equal(rig_load(h, 1000, 1, 0x4000).done, 1002);
	assert_int_equal(rig_load(h, 1000, 1, 0xc000).done, 1112); /* dmiss left no line behind */
	hierarchy_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_set_of_finer_data_classes_charges_as_defined),
		cmocka_unit_test(every_set_of_finer_fetch_classes_charges_as_defined),
		cmocka_unit_test(base_classes_equal_their_finer_ones),
		cmocka_unit_test(idealised_sides_always_hit),
		cmocka_unit_test(idealised_data_leave_fetch_alone),
		cmocka_unit_test(free_levels_do_not_queue),
		cmocka_unit_test(an_idealised_hit_below_takes_no_mshr),
		cmocka_unit_test(a_line_on_its_way_from_an_idealised_level_is_here),
		cmocka_unit_test(a_line_on_its_way_into_an_idealised_level_is_here),
		cmocka_unit_test(the_set_can_change_after_warm_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
