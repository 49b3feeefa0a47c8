/* Address spaces: TLBs keep them apart, also where two have the same page; caches know lines by frame alone, and two
 * processes' pages at one address are two frames. The rig's latencies: L1D 2, L2 10, memory 100. */
#include "hierarchy_rig.h"

#define FRAME_OF(space) ((uint64_t)(space) << 40)
enum { WALK = 50 };

static struct hierarchy *with_tlbs(struct machine *m)
{
	*m = rig_machine();
	m->tlb_d_entries = 4;
	m->tlb_l2_entries = 0;
	m->tlb_walk_latency = WALK;
	return rig_create(m);
}

static void a_translation_is_of_one_space(void **state)
{
	struct machine m;
	struct hierarchy *h = with_tlbs(&m);
	const uint64_t shared = 0x4000; /* the same frame in both */
	assert_int_equal(rig_load(h, 0, 1, shared).tlb_cycles, WALK);
	assert_int_equal(rig_load(h, 1000, 2, shared).done, 1000 + 2);
	hierarchy_enter_space(h, 1);
	struct memory_access a = rig_load(h, 2000, 3, shared); /* the line is here, the translation is not */
	assert_int_equal(a.tlb_cycles, WALK);
	assert_int_equal(a.level, CULPRIT_LEVEL_L1);
	assert_int_equal(a.done, 2000 + WALK + 2);
	assert_int_equal(rig_load(h, 3000, 4, shared).done, 3000 + 2);
	hierarchy_enter_space(h, 0); /* what it had is still there */
	assert_int_equal(rig_load(h, 4000, 5, shared).done, 4000 + 2);
	hierarchy_destroy(h);
}

static void one_address_in_two_spaces_is_two_lines(void **state)
{
	struct machine m;
	struct hierarchy *h = with_tlbs(&m);
	rig_load(h, 0, 1, 0x4000 | FRAME_OF(0));
	hierarchy_enter_space(h, 1);
	struct memory_access a = rig_load(h, 1000, 2, 0x4000 | FRAME_OF(1));
	assert_int_equal(a.level, CULPRIT_LEVEL_MEMORY);
	assert_int_equal(a.done, 1000 + WALK + 2 + 10 + 100);
	assert_int_equal(rig_load(h, 2000, 3, 0x4000 | FRAME_OF(1)).done, 2000 + 2);
	hierarchy_enter_space(h, 0);
	assert_int_equal(rig_load(h, 3000, 4, 0x4000 | FRAME_OF(0)).done, 3000 + 2); /* in another way of the set */
	hierarchy_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_translation_is_of_one_space),
		cmocka_unit_test(one_address_in_two_spaces_is_two_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
