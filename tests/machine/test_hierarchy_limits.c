/* MSHRs, ports, the memory bus and writebacks, in exact cycles. The rig's latencies: L1D 2, L2 10, memory 100. */
#include "hierarchy_rig.h"

static void misses_beyond_the_mshrs_wait_for_the_earliest(void **state)
{
	struct machine m = rig_machine();
	m.l1d_mshrs = 2;
	struct hierarchy *h = rig_create(&m);
	/* Known to miss at 2; each round of two takes 110. */
	static const uint64_t rounds[] = {0, 0, 1, 1, 2};
	for (uint64_t i = 0; i < 5; i++) {
		struct memory_access a = rig_load(h, 0, i, 0x4000 + 64 * i);
		assert_int_equal(a.done, 2 + 110 * (rounds[i] + 1));
		assert_int_equal(a.mshr_wait, 110 * rounds[i]);
	}
	hierarchy_destroy(h);
}

/* Lines a multiple of 4 KB apart are taken for one another: the second goes out when the first has come. The third is at
 * another place. An instruction's miss is of another cache. */
static void a_line_waits_for_one_that_it_is_taken_for(void **state)
{
	struct machine m = rig_machine();
	m.l1d_miss_alias = 4096;
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_load(h, 100, 1, 0x4000).done, 212);
	struct memory_access a = rig_load(h, 100, 2, 0x6000);
	assert_int_equal(a.done, 322);
	assert_int_equal(a.bandwidth_wait, 110);
	assert_int_equal(a.mshr_wait, 0);
	a = rig_load(h, 100, 3, 0x6040);
	assert_int_equal(a.done, 212);
	assert_int_equal(rig_load(h, 400, 4, 0x7000).done, 512); /* all have come */
	hierarchy_destroy(h);
}

static void parallel_misses_take_ceil_n_by_k_rounds(void **state)
{
	for (uint32_t k = 1; k <= 9; k++) {
		struct machine m = rig_machine();
		m.l1d_size = 65536;
		m.l1d_mshrs = k;
		struct hierarchy *h = rig_create(&m);
		uint64_t last = 0;
		for (uint64_t i = 0; i < 40; i++) {
			uint64_t done = rig_load(h, 0, i, 0x40000 + 64 * i).done;
			last = done > last ? done : last;
		}
		assert_int_equal(last, 2 + 110 * ((40 + k - 1) / k));
		hierarchy_destroy(h);
	}
}

static void merging_needs_no_mshr(void **state)
{
	struct machine m = rig_machine();
	m.l1d_mshrs = 1;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000);
	struct memory_access a = rig_load(h, 1, 2, 0x4008);
	assert_int_equal(a.done, 112);
	assert_int_equal(a.mshr_wait, 0);
	a = rig_load(h, 112, 3, 0x4040); /* known to miss at 114: free again */
	assert_int_equal(a.mshr_wait, 0);
	hierarchy_destroy(h);
}

static void the_l2_has_mshrs_of_its_own(void **state)
{
	struct machine m = rig_machine();
	m.l2_mshrs = 1;
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_load(h, 0, 1, 0x4000).done, 112);
	struct memory_access a = rig_load(h, 0, 2, 0x8000); /* known to miss the L2 at 12, sent at 112 */
	assert_int_equal(a.done, 212);
	assert_int_equal(a.mshr_wait, 100);
	assert_int_equal(rig_fetch(h, 0, 3, 0xc000).done, 312); /* shared with instructions: sent at 212 */
	hierarchy_destroy(h);
}

static void the_memory_bus_starts_a_line_every_interval(void **state)
{
	struct machine m = rig_machine();
	m.memory_interval = 20;
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 4; i++) { /* at the bus at 12, 32, 52, 72 */
		struct memory_access a = rig_load(h, 0, i, 0x4000 + 64 * i);
		assert_int_equal(a.done, 112 + 20 * i);
		assert_int_equal(a.bandwidth_wait, 20 * i);
	}
	assert_int_equal(rig_load(h, 200, 9, 0x8000).bandwidth_wait, 0);
	hierarchy_destroy(h);
}

static void the_l2_port_takes_an_access_every_interval(void **state)
{
	struct machine m = rig_machine();
	m.l2_interval = 4;
	struct hierarchy *h = rig_create(&m);
	for (uint64_t i = 0; i < 4; i++) { /* at the port at 2, 6, 10, 14 */
		struct memory_access a = rig_load(h, 0, i, 0x4000 + 64 * i);
		assert_int_equal(a.done, 112 + 4 * i);
		assert_int_equal(a.bandwidth_wait, 4 * i);
	}
	hierarchy_destroy(h);
}

static void an_l1_port_can_be_limited(void **state)
{
	struct machine m = rig_machine();
	m.l1d_interval = 3;
	struct hierarchy *h = rig_create(&m);
	hierarchy_warm_data(h, 0, 0x4000, 8, false);
	hierarchy_settle(h);
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(rig_load(h, 0, i, 0x4000).done, 2 + 3 * i);
	hierarchy_destroy(h);
}

/* A miss that waits for an MSHR uses the L2 port later; whoever needs the port before that does not wait for it. */
static void a_reservation_in_the_future_blocks_nobody_before_it(void **state)
{
	struct machine m = rig_machine();
	m.l2_interval = 4;
	m.l1d_mshrs = 1;
	struct hierarchy *h = rig_create(&m);
	rig_load(h, 0, 1, 0x4000);			       /* port 2 to 6, MSHR until 112 */
	assert_int_equal(rig_load(h, 0, 2, 0x8000).done, 222); /* port 112 to 116 */
	struct memory_access a = rig_fetch(h, 20, 3, 0xc000);  /* port at 21 */
	assert_int_equal(a.bandwidth_wait, 0);
	a = rig_fetch(h, 109, 4, 0xd000); /* at the port at 110; 110 to 114 does not fit, 116 is free */
	assert_int_equal(a.bandwidth_wait, 6);
	hierarchy_destroy(h);
}

static void a_dirty_victim_takes_a_slot_of_the_l2_port(void **state)
{
	for (int dirty = 0; dirty < 2; dirty++) {
		struct machine m = rig_machine();
		m.l2_interval = 4;
		struct hierarchy *h = rig_create(&m);
		if (dirty)
			rig_store(h, 0, 1, 0x4000);
		else
			rig_load(h, 0, 1, 0x4000);
		rig_load(h, 300, 2, 0x4200);
		rig_load(h, 1000, 3, 0x4400); /* port 1002 to 1006; the victim's writeback 1006 to 1010 */
		struct memory_access a = rig_load(h, 1001, 4, 0x4820); /* at the port at 1003 */
		assert_int_equal(a.bandwidth_wait, dirty ? 7 : 3);
		assert_int_equal(hierarchy_statistics(h)->l1d.writebacks, dirty);
		assert_int_equal(hierarchy_statistics(h)->memory_writes, 0); /* the L2 has the line */
		hierarchy_destroy(h);
	}
}

/* Replaced before it is here, a dirty line can be written back only once it has come. */
static void a_victim_on_its_way_is_written_back_on_arrival(void **state)
{
	struct machine m = rig_machine();
	m.l1d_ways = 1; /* sets repeat every 1024 bytes */
	m.l2_interval = 4;
	struct hierarchy *h = rig_create(&m);
	assert_int_equal(rig_store(h, 0, 1, 0x4000).done, 112);
	rig_load(h, 10, 2, 0x4400);					  /* port 12 to 16; the writeback 112 to 116 */
	assert_int_equal(rig_fetch(h, 15, 3, 0x8000).bandwidth_wait, 0);  /* at the port at 16 */
	assert_int_equal(rig_fetch(h, 112, 4, 0x9000).bandwidth_wait, 3); /* at the port at 113 */
	hierarchy_destroy(h);
}

static void a_line_written_back_is_dirty_in_the_l2(void **state)
{
	struct machine m = rig_machine();
	m.memory_interval = 20;
	struct hierarchy *h = rig_create(&m);
	rig_store(h, 0, 1, 0x0);
	/* L1 set 0 repeats every 512 bytes, L2 set 0 every 2048: fill L1 set 0 from other L2 sets, then L2 set 0. */
	rig_load(h, 1000, 2, 0x200);
	rig_load(h, 2000, 3, 0x400);
	assert_int_equal(hierarchy_statistics(h)->l1d.writebacks, 1);
	for (uint64_t i = 1; i < 4; i++)
		rig_load(h, 2000 + 1000 * i, 3 + i, 2048 * i);
	assert_int_equal(hierarchy_statistics(h)->memory_writes, 0);
	rig_load(h, 9000, 8, 2048 * 4); /* bus 9012 to 9032; the victim 9032 to 9052 */
	assert_int_equal(hierarchy_statistics(h)->l2.writebacks, 1);
	assert_int_equal(hierarchy_statistics(h)->memory_writes, 1);
	assert_int_equal(rig_load(h, 9001, 9, 0x10840).bandwidth_wait, 9052 - 9013);
	hierarchy_destroy(h);
}

/* Non-inclusive: the L2 drops a line that the L1 keeps, and its later writeback goes on to memory. */
static void levels_are_not_inclusive(void **state)
{
	struct machine m = rig_machine();
	m.l2_size = 128;
	m.l2_ways = 1;
	struct hierarchy *h = rig_create(&m);
	rig_store(h, 0, 1, 0x0);
	rig_load(h, 1000, 2, 0x80); /* the same line of the L2, another set of the L1 */
	assert_int_equal(rig_load(h, 2000, 3, 0x0).done, 2002);
	rig_load(h, 3000, 4, 0x200);
	rig_load(h, 4000, 5, 0x400);
	assert_int_equal(hierarchy_statistics(h)->l1d.writebacks, 1);
	assert_int_equal(hierarchy_statistics(h)->l2.writebacks, 0);
	assert_int_equal(hierarchy_statistics(h)->memory_writes, 1);
	hierarchy_destroy(h);
}

static void a_store_allocates(void **state)
{
	struct machine m = rig_machine();
	struct hierarchy *h = rig_create(&m);
	struct memory_access a = rig_store(h, 0, 3, 0x4000);
	assert_int_equal(a.done, 112);
	a = rig_load(h, 10, 4, 0x4000);
	assert_true(a.merged);
	assert_int_equal(a.primary_miss, 3);
	assert_int_equal(rig_store(h, 500, 5, 0x4000).done, 502);
	hierarchy_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misses_beyond_the_mshrs_wait_for_the_earliest),
		cmocka_unit_test(a_line_waits_for_one_that_it_is_taken_for),
		cmocka_unit_test(parallel_misses_take_ceil_n_by_k_rounds),
		cmocka_unit_test(merging_needs_no_mshr),
		cmocka_unit_test(the_l2_has_mshrs_of_its_own),
		cmocka_unit_test(the_memory_bus_starts_a_line_every_interval),
		cmocka_unit_test(the_l2_port_takes_an_access_every_interval),
		cmocka_unit_test(an_l1_port_can_be_limited),
		cmocka_unit_test(a_reservation_in_the_future_blocks_nobody_before_it),
		cmocka_unit_test(a_dirty_victim_takes_a_slot_of_the_l2_port),
		cmocka_unit_test(a_victim_on_its_way_is_written_back_on_arrival),
		cmocka_unit_test(a_line_written_back_is_dirty_in_the_l2),
		cmocka_unit_test(levels_are_not_inclusive),
		cmocka_unit_test(a_store_allocates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
