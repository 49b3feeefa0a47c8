/* Lines that prefetches asked for, worked out by hand: when they come in each lane, and that they take an MSHR and the memory
 * bus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "culprit/graph.h"

enum { WIN = CULPRIT_EVENT_BIT(win) };

/* A window of one, of `factor` idealised. A miss takes 100 cycles, and a prefetcher asks for lines of 64 bytes. */
static struct culprit_graph_params prefetching(uint32_t factor)
{
	struct culprit_graph_params p = {.rob = 1, .window_factor = factor};
	p.l1_prefetches = true;
	p.l1_line = p.miss_line = 64;
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = p.memory_latency = 100;
	culprit_graph_base_classes(&p);
	return p;
}

/* An instruction that touches `address`, in the window from `begin` to `end`. */
static struct culprit_record access(uint64_t seq, uint64_t address, uint64_t begin, uint64_t end)
{
	return (struct culprit_record){
		.seq = seq,
		.pc = 0x100 + 4 * seq,
		.length = 4,
		.mem_addr = address,
		.mem_size = 8,
		.dispatch = begin,
		.ready = begin,
		.issue = begin,
		.complete = end,
		.commit = end,
	};
}

/* A load whose line a prefetch asked for as it came: a hit of 2 cycles, and 98 more until the line is there. */
static struct culprit_record load(uint64_t seq, uint64_t address, uint64_t begin)
{
	struct culprit_record r = access(seq, address, begin, begin + 100);
	r.op_class = CULPRIT_OP_load;
	r.flags = CULPRIT_LOAD | CULPRIT_MERGED;
	r.dest = 5;
	r.dlevel = CULPRIT_LEVEL_MEMORY;
	r.exec_latency = 2;
	r.wakeup = 100;
	r.dmiss = 98;
	return r;
}

/* A store that commits at `commit` and whose write takes `miss` cycles. */
static struct culprit_record store(uint64_t seq, uint64_t address, uint64_t commit, uint32_t miss)
{
	struct culprit_record r = access(seq, address, commit, commit);
	r.op_class = CULPRIT_OP_store;
	r.flags = CULPRIT_STORE;
	r.write_miss = miss;
	r.write_level = CULPRIT_LEVEL_MEMORY;
	return r;
}

static uint64_t time_of(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n, unsigned set)
{
	struct culprit_graph *g = culprit_graph_create(p, NULL);
	struct culprit_graph_results x;
	assert_non_null(g);
	assert_true(culprit_graph_push(g, r, n));
	assert_true(culprit_graph_finish(g, &x));
	culprit_graph_destroy(g);
	return x.time[set];
}

/* Two loads of two lines, one behind the other: 200. In a larger window both ask in cycle 0. With one MSHR the second line
 * has it from 100 to 200; with two both are there at 100. The third load is of the second's line, which it finds. */
static void take_mshrs(void **state)
{
	struct culprit_graph_params p = prefetching(20);
	struct culprit_record r[3] = {load(0, 0x1000, 0), load(1, 0x2000, 100), load(2, 0x2008, 200)};
	r[2].complete = r[2].commit = 202;
	r[2].wakeup = 2;
	r[2].dmiss = 0;
	r[2].flags = CULPRIT_LOAD;
	p.mshrs = 1;
	assert_int_equal(time_of(&p, r, 2, 0), 200);
	assert_int_equal(time_of(&p, r, 2, WIN), 200);
	assert_int_equal(time_of(&p, r, 3, WIN), 200);
	p.mshrs = 2;
	assert_int_equal(time_of(&p, r, 2, 0), 200);
	assert_int_equal(time_of(&p, r, 2, WIN), 100);
	p.l1_prefetches = false; /* then nobody knows who brings the line */
	p.mshrs = 1;
	assert_int_equal(time_of(&p, r, 2, WIN), 100);
}

/* Both loads are of one line, which comes once: the second has no MSHR of its own, and is there at 100. */
static void one_line_once(void **state)
{
	struct culprit_graph_params p = prefetching(20);
	struct culprit_record r[2] = {load(0, 0x1000, 0), load(1, 0x1008, 100)};
	p.mshrs = 1;
	assert_int_equal(time_of(&p, r, 2, 0), 200);
	assert_int_equal(time_of(&p, r, 2, WIN), 100);
}

/* Lines of the next level have two of the L1D's. A store's write misses in one half, and a prefetcher asks for the other.
 * Two writes to that wait for it. In a larger window all commit at 0, with a load of another line behind them: that finds
 * two MSHRs taken, one for each half, and not one for each write. */
static void a_part_once(void **state)
{
	struct culprit_graph_params p = prefetching(20);
	struct culprit_record r[4] = {store(0, 0x1000, 0, 100), store(1, 0x1040, 60, 40), store(2, 0x1048, 80, 20),
				      load(3, 0x4000, 100)};
	r[3].flags = CULPRIT_LOAD;
	p.miss_line = 128;
	p.store_writes = true;
	p.sq = 1;
	for (int i = 1; i < 3; i++) {
		r[i].write_merged = true;
		r[i].primary_miss = (uint32_t)i;
	}
	p.mshrs = 3;
	assert_int_equal(time_of(&p, r, 4, WIN), 100);
	p.mshrs = 1;
	assert_int_equal(time_of(&p, r, 4, WIN), 200);
}

/* A bus that takes 30 cycles for a line: the second is there 30 after the first. */
static void take_the_bus(void **state)
{
	struct culprit_graph_params p = prefetching(20);
	struct culprit_record r[2] = {load(0, 0x1000, 0), load(1, 0x2000, 100)};
	p.memory_interval = 30;
	assert_int_equal(time_of(&p, r, 2, 0), 200);
	assert_int_equal(time_of(&p, r, 2, WIN), 130);
	r[1].dlevel = CULPRIT_LEVEL_L3; /* which takes no bus */
	assert_int_equal(time_of(&p, r, 2, WIN), 100);
}

/* Stores that take a cycle each and write in 2. A store queue of one: the first's entry is free at 101, when its line is
 * there (1 + 2 + 98), and the second's at 202, with its own. The third enters the window then: 203. In a store queue of two
 * the second is in the window from the start, and its line asked for in cycle 1, as the first's. The third waits for the
 * first alone, and is done at 102; the fourth waits for the second. With one MSHR, the first's until 101, that one's line
 * is there at 201, and the fourth done at 202; with two MSHRs at 102. */
static void writes_wait(void **state)
{
	static const uint64_t begin[4] = {0, 101, 202, 204};
	struct culprit_graph_params p = prefetching(2);
	struct culprit_record r[4];
	p.rob = 100;
	p.sq = 1;
	p.store_writes = true;
	p.write_hit = 2;
	for (uint64_t i = 0; i < 4; i++) {
		r[i] = access(i, 0x1000 * (i + 1), begin[i], begin[i] + 1);
		r[i].op_class = CULPRIT_OP_store;
		r[i].flags = CULPRIT_STORE;
		r[i].exec_latency = r[i].wakeup = 1;
		r[i].write_miss = i < 2 ? 98 : 0;
		r[i].write_merged = i < 2;
		r[i].write_level = CULPRIT_LEVEL_MEMORY;
	}
	p.mshrs = 1;
	assert_int_equal(time_of(&p, r, 3, 0), 203);
	assert_int_equal(time_of(&p, r, 3, WIN), 102);
	assert_int_equal(time_of(&p, r, 4, WIN), 202);
	p.mshrs = 2;
	assert_int_equal(time_of(&p, r, 3, 0), 203);
	assert_int_equal(time_of(&p, r, 4, WIN), 102);
}

/* A load that hits, of 2 cycles, a multiplication of 300, and a load of the next line. The first load makes the prefetcher
 * ask for that, after its 2 cycles, and it is there at 102: for 202 cycles at 304. */
static void three_in_time(struct culprit_record r[3])
{
	static const uint64_t begin[3] = {0, 2, 302}, end[3] = {2, 302, 304};
	for (uint64_t i = 0; i < 3; i++) {
		r[i] = access(i, 0x1000 + 0x20 * i, begin[i], end[i]);
		r[i].exec_latency = r[i].wakeup = (uint16_t)(end[i] - begin[i]);
		r[i].op_class = i == 1 ? CULPRIT_OP_int_mul : CULPRIT_OP_load;
		r[i].flags = i == 1 ? 0 : CULPRIT_LOAD;
		r[i].dlevel = i == 1 ? CULPRIT_LEVEL_NONE : CULPRIT_LEVEL_L1;
		r[i].dest = 5;
	}
	r[1].mem_addr = r[1].mem_size = 0;
	r[2].flags |= CULPRIT_PREFETCHED;
	r[2].prefetch_level = CULPRIT_LEVEL_MEMORY;
	r[2].prefetch_slack = 202;
	r[2].prefetch_trigger = -0x40;
}

/* Without the multiplication the second load comes in cycle 2, and has to wait for the line: 102; by itself it would have it
 * at 104. Of a trigger that is not known the line is there in time: 4. */
static void late_in_a_faster_lane(void **state)
{
	enum { LGALU = CULPRIT_EVENT_BIT(lgalu), DMISS = CULPRIT_EVENT_BIT(dmiss), DL1 = CULPRIT_EVENT_BIT(dl1) };
	struct culprit_graph_params p = prefetching(20);
	struct culprit_record r[3];
	three_in_time(r);
	p.load_hit = 2;
	assert_int_equal(time_of(&p, r, 3, 0), 304);
	assert_int_equal(time_of(&p, r, 3, LGALU), 102);
	assert_int_equal(time_of(&p, r, 3, LGALU | DMISS), 4);
	assert_int_equal(time_of(&p, r, 3, LGALU | DL1), 100);
	r[2].prefetch_trigger = -0x80; /* nobody was there */
	assert_int_equal(time_of(&p, r, 3, LGALU), 4);
	r[2].prefetch_trigger = -0x38; /* beside the first load */
	assert_int_equal(time_of(&p, r, 3, LGALU), 102);
}

/* A wrong path had asked for the line, so that it was there at 202. Without mispredictions the first load does: at 102, in
 * time for 304, late where the multiplication is gone. Of a trigger that is not known the second load misses. */
static void brought_by_a_wrong_path(void **state)
{
	enum { LGALU = CULPRIT_EVENT_BIT(lgalu), BMISP = CULPRIT_EVENT_BIT(bmisp) };
	struct culprit_graph_params p = prefetching(20);
	struct culprit_record r[3];
	three_in_time(r);
	p.load_hit = 2;
	r[2].dstray = CULPRIT_LEVEL_MEMORY;
	r[2].prefetch_slack = 102;
	assert_int_equal(time_of(&p, r, 3, 0), 304);
	assert_int_equal(time_of(&p, r, 3, LGALU), 4);
	assert_int_equal(time_of(&p, r, 3, BMISP), 304);
	assert_int_equal(time_of(&p, r, 3, BMISP | LGALU), 102);
	r[2].prefetch_trigger = 0;
	assert_int_equal(time_of(&p, r, 3, BMISP), 404);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(take_mshrs),
		cmocka_unit_test(one_line_once),
		cmocka_unit_test(a_part_once),
		cmocka_unit_test(take_the_bus),
		cmocka_unit_test(writes_wait),
		cmocka_unit_test(late_in_a_faster_lane),
		cmocka_unit_test(brought_by_a_wrong_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
