/* Critical paths small enough to work out by hand. Each test states its arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "culprit/critical.h"

/* A machine of nothing but data dependences: no width, no pipeline, a window that never fills. */
static struct culprit_critical_params dataflow(void)
{
	return (struct culprit_critical_params){.graph = {.rob = 1000}};
}

/* Instruction number `seq` at address 0x1000 + 4 seq. Times stand still at first: see run. */
static struct culprit_record operation(uint64_t seq, uint32_t producer, uint16_t latency)
{
	return (struct culprit_record){
		.seq = seq,
		.pc = 0x1000 + 4 * seq,
		.length = 4,
		.dest = 5,
		.op_class = CULPRIT_OP_int_alu,
		.producer = {producer},
		.exec_latency = latency,
		.wakeup = latency,
		.complete = latency,
	};
}

struct outcome {
	struct culprit_critical *c;
	struct culprit_critical_totals totals;
	struct culprit_critical_row row[64];
	struct culprit_critical_loop loop;
	bool has_loop;
};

/* Recorded times that contradict nothing: in dataflow order for the operands, in order for the commits. */
static struct outcome run(const struct culprit_critical_params *p, struct culprit_record *r, size_t n)
{
	struct outcome o = {.c = culprit_critical_create(p, NULL)};
	assert_non_null(o.c);
	for (size_t i = 0; i < n; i++) {
		uint64_t latency = r[i].complete, start = r[i].dispatch + p->graph.dispatch_to_issue;
		for (unsigned k = 0; k < 3; k++)
			if (r[i].producer[k] && r[i - r[i].producer[k]].complete > start)
				start = r[i - r[i].producer[k]].complete;
		r[i].ready = r[i].issue = start;
		r[i].complete = start + latency;
		r[i].commit = i && r[i - 1].commit > r[i].complete ? r[i - 1].commit : r[i].complete;
	}
	if (!culprit_critical_push(o.c, r, n))
		fail_msg("%s", culprit_critical_error(o.c));
	assert_true(culprit_critical_finish(o.c, &o.totals));
	for (size_t i = 0; i < 64; i++)
		culprit_critical_row(o.c, i, &o.row[i]);
	o.has_loop = culprit_critical_hottest(o.c, &o.loop);
	culprit_critical_destroy(o.c);
	return o;
}

/* Ten adds, each on the one before: ten cycles, one for each, all critical, each worth its one cycle. */
static void chain_of_adds(void **state)
{
	struct culprit_record r[10];
	for (uint64_t i = 0; i < 10; i++)
		r[i] = operation(i, i ? 1 : 0, 1);
	struct culprit_critical_params p = dataflow();
	struct outcome o = run(&p, r, 10);
	assert_int_equal(o.totals.cycles, 10);
	assert_int_equal(o.totals.by_kind[CULPRIT_CRITICAL_shalu], 10);
	assert_int_equal(o.totals.tied, 0);
	assert_int_equal(o.totals.zero_slack, 10);
	assert_int_equal(o.totals.hops[CULPRIT_CRITICAL_operand], 9);
	/* the first one's way from its fetch, which takes no time here */
	assert_int_equal(o.totals.hops[CULPRIT_CRITICAL_frontend], 1);
	assert_int_equal(o.totals.hops[CULPRIT_CRITICAL_schedule], 1);
	for (size_t i = 0; i < 10; i++) {
		assert_int_equal(o.row[i].path, 1);
		assert_int_equal(o.row[i].cost, 1);
		assert_int_equal(o.row[i].saved, 1);
		assert_int_equal(o.row[i].slack_min, 0);
	}
}

/* Two chains side by side, of 4 + 6 and of 5 + 2 cycles: the run takes 10. The shorter one may be 3 cycles late. Taking
 * away the 4 leaves 7 (3 gone: the other chain is as long then), taking away the 6 the same. */
static void two_chains(void **state)
{
	struct culprit_record r[] = {operation(0, 0, 4), operation(1, 0, 5), operation(2, 2, 6), operation(3, 2, 2)};
	struct culprit_critical_params p = dataflow();
	struct outcome o = run(&p, r, 4);
	assert_int_equal(o.totals.cycles, 10);
	assert_int_equal(o.row[0].path, 4);
	assert_int_equal(o.row[2].path, 6);
	assert_int_equal(o.row[0].cycles[CULPRIT_CRITICAL_lgalu], 4);
	assert_int_equal(o.row[1].path + o.row[3].path, 0);
	assert_int_equal(o.row[0].slack_min + o.row[2].slack_min, 0);
	assert_int_equal(o.row[1].slack_min, 3);
	assert_int_equal(o.row[3].slack_min, 3);
	assert_int_equal(o.row[0].cost, 3);
	assert_int_equal(o.row[2].cost, 3);
	assert_int_equal(o.row[0].saved, 1);
	assert_int_equal(o.row[1].cost + o.row[3].cost, 0);
	assert_int_equal(o.totals.tied, 0);
}

/* The same with both chains of 10 cycles: every cycle is tied, nothing can wait, and no single one is worth anything. */
static void tied_chains(void **state)
{
	struct culprit_record r[] = {operation(0, 0, 4), operation(1, 0, 5), operation(2, 2, 6), operation(3, 2, 5)};
	struct culprit_critical_params p = dataflow();
	struct outcome o = run(&p, r, 4);
	assert_int_equal(o.totals.cycles, 10);
	assert_int_equal(o.totals.tied, 10);
	assert_int_equal(o.totals.zero_slack, 4);
	assert_int_equal(o.totals.cost, 0);
	/* joined by a third operation of 2 cycles that needs both: those two are not tied, and are worth 2 */
	struct culprit_record j[] = {operation(0, 0, 4), operation(1, 0, 5), operation(2, 2, 6), operation(3, 2, 5),
				     operation(4, 1, 2)};
	j[4].producer[1] = 2;
	o = run(&p, j, 5);
	assert_int_equal(o.totals.cycles, 12);
	assert_int_equal(o.totals.tied, 10);
	assert_int_equal(o.row[4].path, 2);
	assert_int_equal(o.row[4].tied, 0);
	assert_int_equal(o.row[4].cost, 2);
	assert_int_equal(o.totals.cost, 2);
}

/* Fetch to dispatch 5, dispatch to issue 1, completion to commit 1; a branch (1 cycle) that is mispredicted, 2 cycles of
 * redirect: fetched 0, dispatched 5, issues 6, resolves 7, next fetch 9, dispatched 14, issues 15, done 16, commit 17. */
static void mispredicted_branch(void **state)
{
	struct culprit_record r[] = {operation(0, 0, 1), operation(1, 0, 1)};
	r[0].op_class = CULPRIT_OP_branch;
	r[0].branch = CULPRIT_BRANCH_CONDITIONAL;
	r[0].dest = 64;
	r[0].flags = CULPRIT_MISPREDICTED;
	r[0].dispatch = 5;
	r[1].fetch = 9;
	r[1].redirect = 2;
	r[1].dispatch = 14;
	struct culprit_critical_params p = dataflow();
	p.graph.frontend_stages = 5;
	p.graph.dispatch_to_issue = 1;
	p.graph.commit_delay = 1;
	struct outcome o = run(&p, r, 2);
	assert_int_equal(o.totals.cycles, 17);
	assert_int_equal(o.row[0].cycles[CULPRIT_CRITICAL_bmisp], 2 + 5); /* the refill is the branch's as well */
	assert_int_equal(o.row[0].cycles[CULPRIT_CRITICAL_frontend], 5);  /* on its own way in */
	assert_int_equal(o.row[0].cycles[CULPRIT_CRITICAL_shalu], 1);
	assert_int_equal(o.row[0].path, 5 + 1 + 1 + 2 + 5);
	assert_int_equal(o.row[1].path, 1 + 1 + 1);
	assert_int_equal(o.row[1].cycles[CULPRIT_CRITICAL_schedule], 1);
	assert_int_equal(o.row[1].cycles[CULPRIT_CRITICAL_retire], 1);
	assert_int_equal(o.totals.hops[CULPRIT_CRITICAL_bmisp], 1);
	assert_int_equal(o.row[0].cost, 1);
}

/* Fetch to dispatch 5, commit 10 cycles after completion. A mispredicted branch resolves at 6 and commits at 16; the right
 * path, fetched at 7, could go two cycles later, at 18, but the squash goes on until 26: done at 27, commit at 37. */
static void squash_after_the_commit(void **state)
{
	struct culprit_record r[] = {operation(0, 0, 1), operation(1, 0, 1)};
	r[0].op_class = CULPRIT_OP_branch;
	r[0].branch = CULPRIT_BRANCH_CONDITIONAL;
	r[0].dest = 64;
	r[0].flags = CULPRIT_MISPREDICTED;
	r[0].dispatch = 5;
	r[1].fetch = 7;
	r[1].redirect = 1;
	r[1].dispatch = 26;
	struct culprit_critical_params p = dataflow();
	p.graph.frontend_stages = 5;
	p.graph.commit_delay = 10;
	p.graph.recovery = 2;
	p.graph.squash_width = 1;
	struct outcome o = run(&p, r, 2);
	assert_int_equal(o.totals.cycles, 37);
	assert_int_equal(o.row[0].cycles[CULPRIT_CRITICAL_bmisp], 20);
}

/* A fetch miss of 10 cycles and an ITLB miss of 30 in front of one operation; the other's 45 cycles hide most of it: it is
 * done at 45, the late one at 40 + 1, which leaves it 4 cycles of slack. With 50 it is the late one's misses that count:
 * done at 51, of which 40 from memory and TLB are charged to the instruction fetched. */
static void fetch_miss(void **state)
{
	for (unsigned late = 0; late < 2; late++) {
		struct culprit_record r[] = {operation(0, 0, 45), operation(1, 0, 1)};
		r[1].imiss = late ? 20 : 10;
		r[1].itlb = 30;
		r[1].ilevel = CULPRIT_LEVEL_MEMORY;
		r[1].fetch = r[1].dispatch = r[1].imiss + r[1].itlb;
		struct culprit_critical_params p = dataflow();
		struct outcome o = run(&p, r, 2);
		assert_int_equal(o.totals.cycles, late ? 51 : 45);
		assert_int_equal(o.row[1].cycles[CULPRIT_CRITICAL_imem], late ? 20 : 0);
		assert_int_equal(o.row[1].cycles[CULPRIT_CRITICAL_itlb], late ? 30 : 0);
		assert_int_equal(o.row[1].slack_min, late ? 0 : 4);
		assert_int_equal(o.row[0].slack_min, late ? 6 : 0);
		assert_int_equal(o.row[0].cost, late ? 0 : 4);
	}
}

/* A fetch that waits 20 cycles and the load that it brings, which waits 30: by the level that has the line, and for the
 * port of the L1 when that has it. */
static void levels(void **state)
{
	static const enum culprit_critical_kind kinds[][2] = {
		[CULPRIT_LEVEL_L1] = {CULPRIT_CRITICAL_iport, CULPRIT_CRITICAL_dport},
		[CULPRIT_LEVEL_L2] = {CULPRIT_CRITICAL_il2, CULPRIT_CRITICAL_dl2},
		[CULPRIT_LEVEL_L3] = {CULPRIT_CRITICAL_il3, CULPRIT_CRITICAL_dl3},
		[CULPRIT_LEVEL_MEMORY] = {CULPRIT_CRITICAL_imem, CULPRIT_CRITICAL_dmem},
	};
	for (unsigned level = CULPRIT_LEVEL_L1; level < CULPRIT_LEVEL_COUNT; level++) {
		struct culprit_record r[] = {operation(0, 0, 1), operation(1, 0, 0)};
		r[1].op_class = CULPRIT_OP_load;
		r[1].flags = CULPRIT_LOAD;
		r[1].ilevel = r[1].dlevel = (uint8_t)level;
		r[1].imiss = r[1].fetch = r[1].dispatch = 20;
		r[1].dmiss = r[1].wakeup = 30;
		r[1].complete = 30;
		struct culprit_critical_params p = dataflow();
		struct outcome o = run(&p, r, 2);
		assert_int_equal(o.totals.cycles, 50);
		assert_int_equal(o.row[1].cycles[kinds[level][0]], 20);
		assert_int_equal(o.row[1].cycles[kinds[level][1]], 30);
	}
}

/* Two loads that miss for 100 cycles, with room for two instructions in the window, and an add of one cycle after each:
 * the second load enters when the first has left. 100 + 100 + the last add that needs it 1; the window's edge has no cycles
 * of its own, but it is on the path once. */
static void full_window(void **state)
{
	struct culprit_record r[] = {operation(0, 0, 0), operation(1, 0, 1), operation(2, 0, 0), operation(3, 1, 1)};
	for (unsigned i = 0; i < 4; i += 2) {
		r[i].op_class = CULPRIT_OP_load;
		r[i].flags = CULPRIT_LOAD;
		r[i].dlevel = CULPRIT_LEVEL_MEMORY;
		r[i].dmiss = 100;
		r[i].wakeup = 100;
		r[i].complete = 100;
		r[i].dispatch = i ? 100 : 0;
	}
	r[3].dispatch = 100;
	struct culprit_critical_params p = dataflow();
	p.graph.rob = 2;
	struct outcome o = run(&p, r, 4);
	assert_int_equal(o.totals.cycles, 201);
	assert_int_equal(o.totals.by_kind[CULPRIT_CRITICAL_dmem], 200);
	assert_int_equal(o.totals.by_kind[CULPRIT_CRITICAL_win], 0);
	assert_int_equal(o.totals.hops[CULPRIT_CRITICAL_win], 1);
	assert_int_equal(o.row[0].cost, 100); /* the second load then enters at once */
	assert_int_equal(o.row[2].cost, 100);
}

/* Four operations of ten cycles, an integer's result and a floating-point one in turn, and two registers in one file for
 * both: the third and the fourth are dispatched when the first has committed and the second. 10 + 10, and the file's edge
 * is on the path once. In files of two each nothing waits. */
static void one_register_file(void **state)
{
	for (int together = 0; together < 2; together++) {
		struct culprit_record r[] = {operation(0, 0, 10), operation(1, 0, 10), operation(2, 0, 10),
					     operation(3, 0, 10)};
		struct culprit_critical_params p = dataflow();
		r[1].dest = r[3].dest = 40;
		r[2].dispatch = r[3].dispatch = together ? 10 : 0;
		p.graph.regs = together ? 2 : 0;
		p.graph.int_regs = p.graph.fp_regs = 2;
		struct outcome o = run(&p, r, 4);
		assert_int_equal(o.totals.cycles, together ? 20 : 10);
		assert_int_equal(o.totals.hops[CULPRIT_CRITICAL_win], together);
	}
}

/* Store queue of 1, ROB of 2: a store commits at once and is written 50 cycles later; the store behind it, three
 * instructions on, has to wait for that. By then the first has left the ROB, and the wait of 50 cycles must not be lost with it. */
static void written_late(void **state)
{
	struct culprit_record r[] = {operation(0, 0, 0), operation(1, 0, 0), operation(2, 0, 0), operation(3, 0, 0)};
	r[0].flags = r[3].flags = CULPRIT_STORE;
	r[0].op_class = r[3].op_class = CULPRIT_OP_store;
	r[3].window = CULPRIT_WINDOW_SQ;
	r[3].dispatch = 50;
	struct culprit_critical_params p = dataflow();
	p.graph.rob = 2;
	p.graph.sq = 1;
	struct outcome o = run(&p, r, 4);
	assert_int_equal(o.totals.cycles, 50);
	assert_int_equal(o.totals.by_kind[CULPRIT_CRITICAL_win], 50);
}

/* Store queue of 1 whose writes are in the records: the first store is written 2 + 40 cycles after its commit, and the
 * next one waits for that. The wait has the kind of the write's longest part. */
static void written_by_record(void **state)
{
	static const struct {
		uint32_t miss;
		uint16_t dtlb;
		enum culprit_critical_kind kind;
	} cases[] = {{40, 0, CULPRIT_CRITICAL_dmem}, {10, 30, CULPRIT_CRITICAL_dtlb}, {0, 0, CULPRIT_CRITICAL_dl1}};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct culprit_record r[] = {operation(0, 0, 0), operation(1, 0, 0)};
		r[0].flags = r[1].flags = CULPRIT_STORE;
		r[0].op_class = r[1].op_class = CULPRIT_OP_store;
		r[0].write_miss = cases[i].miss;
		r[0].write_dtlb = cases[i].dtlb;
		r[0].write_level = cases[i].miss ? CULPRIT_LEVEL_MEMORY : CULPRIT_LEVEL_L1;
		uint32_t cycles = 2 + cases[i].miss + cases[i].dtlb;
		r[1].dispatch = cycles;
		struct culprit_critical_params p = dataflow();
		p.graph.sq = 1;
		p.graph.store_writes = true;
		p.graph.write_hit = 2;
		struct outcome o = run(&p, r, 2);
		assert_int_equal(o.totals.cycles, cycles);
		assert_int_equal(o.totals.by_kind[CULPRIT_CRITICAL_win], 0);
		assert_int_equal(o.totals.by_kind[cases[i].kind], cycles);
		assert_int_equal(o.row[1].cycles[cases[i].kind], cycles); /* of the store that waits */
	}
}

/* A loop of four: load (3 cycles, address from its own last result), add on it, add on its own last value, branch back.
 * The chain is the load by itself, three cycles an iteration. */
static void loop_chain(void **state)
{
	enum { ITERATIONS = 200 };
	struct culprit_record *r = calloc(4 * ITERATIONS, sizeof *r);
	assert_non_null(r);
	for (uint64_t i = 0; i < 4 * ITERATIONS; i++) {
		r[i] = operation(i, i >= 4 && i % 4 != 1 ? 4 : 0, 1);
		r[i].pc = 0x1000 + 4 * (i % 4);
		if (i % 4 == 0) {
			r[i].op_class = CULPRIT_OP_load;
			r[i].flags = CULPRIT_LOAD;
			r[i].exec_latency = r[i].wakeup = 3;
			r[i].complete = 3;
		}
		if (i % 4 == 1)
			r[i].producer[0] = 1;
		if (i % 4 == 3) {
			r[i].op_class = CULPRIT_OP_branch;
			r[i].branch = CULPRIT_BRANCH_CONDITIONAL;
			r[i].flags = i + 1 < 4 * ITERATIONS ? CULPRIT_TAKEN : 0;
			r[i].producer[0] = 1;
			r[i].dest = 64;
		}
	}
	struct culprit_critical_params p = dataflow();
	struct outcome o = run(&p, r, 4 * ITERATIONS);
	assert_int_equal(o.totals.rows, 4);
	assert_int_equal(o.totals.cycles, 3 * ITERATIONS + 1); /* the last add */
	assert_true(o.has_loop);
	assert_int_equal(o.loop.first, 0x1000);
	assert_int_equal(o.loop.end, 0x1010);
	assert_int_equal(o.loop.iterations, ITERATIONS - 1);
	assert_int_equal(o.loop.cycles, 3 * ITERATIONS + 1);
	assert_int_equal(o.loop.steps, 1);
	assert_int_equal(o.loop.chain[0].row, 0);
	assert_int_equal(o.loop.chain[0].next, CULPRIT_CRITICAL_operand);
	assert_int_equal(o.loop.chain[0].taken, ITERATIONS - 1);
	assert_int_equal(o.loop.chain_cycles, 3 * ITERATIONS);
	assert_int_equal(o.row[0].zero_slack, ITERATIONS);
	assert_int_equal(o.row[1].zero_slack, 1);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_of_adds),
		cmocka_unit_test(two_chains),
		cmocka_unit_test(tied_chains),
		cmocka_unit_test(mispredicted_branch),
		cmocka_unit_test(squash_after_the_commit),
		cmocka_unit_test(fetch_miss),
		cmocka_unit_test(levels),
		cmocka_unit_test(one_register_file),
		cmocka_unit_test(full_window),
		cmocka_unit_test(written_late),
		cmocka_unit_test(written_by_record),
		cmocka_unit_test(loop_chain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
