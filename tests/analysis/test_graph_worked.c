/* Graphs small enough to work out by hand, most of them from the papers. Each test states its arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "culprit/graph.h"

enum { MISS_A = 0x100, MISS_B = 0x200, ELSEWHERE = 0x300 };

/* A machine of nothing but data dependences: no width, no pipeline, a window that never fills. */
static struct culprit_graph_params dataflow(void)
{
	struct culprit_graph_params p = {.rob = 1000, .window_factor = 20};
	culprit_graph_base_classes(&p);
	return p;
}

/* Class 0 = the misses of the load at MISS_A, class 1 = those at MISS_B. */
static const struct culprit_graph_range range_a[] = {{MISS_A, MISS_A + 4}};
static const struct culprit_graph_range range_b[] = {{MISS_B, MISS_B + 4}};

static struct culprit_graph_params two_misses(void)
{
	struct culprit_graph_params p = dataflow();
	p.class_count = 2;
	p.classes[0] = (struct culprit_graph_class){"a", CULPRIT_EVENT_BIT(dmiss), range_a, 1};
	p.classes[1] = (struct culprit_graph_class){"b", CULPRIT_EVENT_BIT(dmiss), range_b, 1};
	return p;
}

static struct culprit_record operation(uint64_t seq, uint64_t pc, uint32_t producer, uint16_t latency)
{
	return (struct culprit_record){
		.seq = seq,
		.pc = pc,
		.length = 4,
		.dest = 5,
		.op_class = CULPRIT_OP_int_alu,
		.producer = {producer},
		.exec_latency = latency,
		.wakeup = latency,
		.complete = latency,
	};
}

static struct culprit_record miss(uint64_t seq, uint64_t pc, uint32_t producer, uint32_t latency)
{
	struct culprit_record r = operation(seq, pc, producer, 0);
	r.op_class = CULPRIT_OP_load;
	r.flags = CULPRIT_LOAD;
	r.dlevel = CULPRIT_LEVEL_MEMORY;
	r.dmiss = latency;
	r.complete = latency;
	r.wakeup = (uint16_t)latency;
	return r;
}

static void push(const struct culprit_graph_params *p, const struct culprit_record *r, size_t n,
		 struct culprit_graph_results *results)
{
	const char *why;
	struct culprit_graph *g = culprit_graph_create(p, &why);
	if (!g)
		fail_msg("%s", why);
	if (!culprit_graph_push(g, r, n))
		fail_msg("%s", culprit_graph_error(g));
	assert_true(culprit_graph_finish(g, results));
	culprit_graph_destroy(g);
}

/* Times as the graph itself will have them do not matter here, only their order and the latencies: start everything
 * when the last operand is there, and commit in order. */
static void run(const struct culprit_graph_params *p, struct culprit_record *r, size_t n,
		struct culprit_graph_results *results)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t latency = r[i].complete, start = p->dispatch_to_issue;
		for (unsigned k = 0; k < 3; k++) {
			size_t from = i - r[i].producer[k];
			if (from < i && r[from].complete > start)
				start = r[from].complete;
		}
		r[i].ready = r[i].issue = start;
		r[i].complete = start + latency;
		r[i].commit = i && r[i - 1].commit > r[i].complete ? r[i - 1].commit : r[i].complete;
	}
	push(p, r, n, results);
}

static void run_at(struct culprit_record *r, uint64_t fetch, uint64_t issue)
{
	r->fetch = r->dispatch = fetch;
	r->ready = r->issue = issue;
	r->complete = r->commit = issue + r->exec_latency;
}

/* 2003, section 2.2: "the cost of each of two completely parallel cache misses is zero", but together all their
 * time. */
static void parallel_misses(void **state)
{
	struct culprit_graph_params p = two_misses();
	struct culprit_record r[] = {miss(0, MISS_A, 0, 100), miss(1, MISS_B, 0, 100)};
	struct culprit_graph_results x;
	run(&p, r, 2, &x);
	assert_int_equal(x.time[0], 100);
	assert_int_equal(x.cost[1], 0);
	assert_int_equal(x.cost[2], 0);
	assert_int_equal(x.cost[3], 100);
	assert_int_equal(x.icost[3], 100);
	assert_true(x.shapley[0] == 50 && x.shapley[1] == 50);
}

static void serial_misses(uint16_t alu, int64_t cost)
{
	struct culprit_graph_params p = two_misses();
	struct culprit_record r[12] = {miss(0, MISS_A, 0, 100), miss(1, MISS_B, 1, 100)};
	for (uint64_t i = 2; i < 12; i++) /* a chain of ten */
		r[i] = operation(i, ELSEWHERE, i > 2, alu / 10);
	struct culprit_graph_results x;
	run(&p, r, 12, &x);
	assert_int_equal(x.time[0], 200);
	assert_int_equal(x.cost[1], cost);
	assert_int_equal(x.cost[2], cost);
	assert_int_equal(x.cost[3], cost);
	assert_int_equal(x.icost[3], -cost);
}

/* 2003, section 2.2: two dependent 100-cycle misses beside 100 cycles of ALU work. Either one away: 100 left. */
static void serial_misses_beside_100(void **state)
{
	serial_misses(100, 100);
}

/* 2004, page 59: beside a 110-cycle chain "execution time is reduced by the same amount (90 cycles)". */
static void serial_misses_beside_110(void **state)
{
	serial_misses(110, 90);
}

/* 2003, section 2.2: independent when nothing overlaps: dependent misses with nothing beside them. */
static void independent_misses(void **state)
{
	struct culprit_graph_params p = two_misses();
	struct culprit_record r[] = {miss(0, MISS_A, 0, 100), miss(1, MISS_B, 1, 60)};
	struct culprit_graph_results x;
	run(&p, r, 2, &x);
	assert_int_equal(x.cost[1], 100);
	assert_int_equal(x.cost[2], 60);
	assert_int_equal(x.icost[3], 0);
}

/* A miss of `cycles` that waited for an MSHR before. */
static struct culprit_record waiting_miss(uint64_t seq, uint32_t producer, uint16_t waited, uint32_t cycles)
{
	struct culprit_record r = miss(seq, ELSEWHERE, producer, waited + cycles);
	r.mshr_wait = waited;
	return r;
}

/* Two MSHRs, three independent misses of 100 cycles. The third waits until 100 and is done at 200. Without the first there is
 * one for each of the others: 100; likewise without the second. The wait as recorded would stay: 200. */
static void two_mshrs(void **state)
{
	struct culprit_graph_params p = two_misses();
	struct culprit_record r[] = {miss(0, MISS_A, 0, 100), miss(1, MISS_B, 0, 100), waiting_miss(2, 0, 100, 100)};
	struct culprit_graph_results x;
	run(&p, r, 3, &x);
	assert_int_equal(x.time[0], 200);
	assert_int_equal(x.cost[1], 0);
	p.mshrs = 2;
	run(&p, r, 3, &x);
	assert_int_equal(x.time[0], 200);
	assert_int_equal(x.time[1], 100);
	assert_int_equal(x.time[2], 100);
	assert_int_equal(x.time[3], 100);
}

/* One MSHR, misses of 100 cycles. 0 has it from 0 to 100; 2 and 4 wait for 150 cycles of ALU work, 3 for the data of 0. 3 comes
 * first, though younger than 2, and has it from 100 to 200; then 2 to 300, then 4 to 400. Without 3, or without 0, so that 3 is
 * done at 100, 2 has it from 150 to 250 and 4 to 350. */
static void younger_miss_first(void **state)
{
	struct culprit_graph_params p = two_misses();
	struct culprit_record r[] = {miss(0, MISS_A, 0, 100), operation(1, ELSEWHERE, 0, 150),
				     waiting_miss(2, 1, 50, 100), miss(3, MISS_B, 3, 100),
				     waiting_miss(4, 3, 150, 100)};
	struct culprit_graph_results x;
	p.mshrs = 1;
	run(&p, r, 5, &x);
	assert_int_equal(x.time[0], 400);
	assert_int_equal(x.time[1], 350);
	assert_int_equal(x.time[2], 350);
}

/* One MSHR. A store commits at 150, behind 150 cycles of ALU work, and its write misses for 100. The younger load that
 * misses from 0 to 50 is not in its way, nor is it in the load's. Another one issues at 200 and waits for 50 cycles: done at
 * 300. Without the ALU work the store is first, at 0: the first load is done at 150, and the other has no wait: 250. */
static void write_behind_a_younger_miss(void **state)
{
	struct culprit_graph_params p = two_misses();
	p.classes[0].events = CULPRIT_EVENT_BIT(lgalu);
	struct culprit_record r[] = {operation(0, MISS_A, 0, 150), operation(1, ELSEWHERE, 0, 0),
				     miss(2, ELSEWHERE, 0, 50), operation(3, ELSEWHERE, 0, 200),
				     waiting_miss(4, 1, 50, 50)};
	struct culprit_graph_results x;
	p.mshrs = 1;
	r[1].flags = CULPRIT_STORE;
	r[1].op_class = CULPRIT_OP_store;
	r[1].write_miss = 100;
	r[1].write_level = CULPRIT_LEVEL_MEMORY;
	run(&p, r, 5, &x);
	assert_int_equal(x.time[0], 300);
	assert_int_equal(x.time[1], 250);
}

/* A load misses from 0 to 100. A store to the same line has its data at 200, and forwards them to a load in one cycle; 150
 * cycles of ALU work follow: 351. Without what the store waited for these begin at 1, and not when the line is there. */
static void forwarded_beside_a_miss(void **state)
{
	struct culprit_graph_params p = two_misses();
	struct culprit_record r[] = {miss(0, MISS_B, 0, 100), operation(1, MISS_A, 0, 200),
				     operation(2, ELSEWHERE, 1, 0), miss(3, ELSEWHERE, 0, 0),
				     operation(4, ELSEWHERE, 1, 150)};
	struct culprit_graph_results x;
	p.l1_line = p.miss_line = 64;
	p.classes[0].events = CULPRIT_EVENT_BIT(lgalu);
	r[0].mem_addr = 0x4000;
	r[2].flags = CULPRIT_STORE;
	r[2].op_class = CULPRIT_OP_store;
	r[2].mem_addr = r[3].mem_addr = 0x4008;
	r[2].mem_size = r[3].mem_size = 8;
	r[3].flags |= CULPRIT_FORWARDED;
	r[3].mem_producer = 1;
	r[3].producer[0] = 1;
	r[3].dlevel = CULPRIT_LEVEL_NONE;
	r[3].exec_latency = 1;
	r[3].complete = 1;
	run(&p, r, 5, &x);
	assert_int_equal(x.time[0], 351);
	assert_int_equal(x.time[1], 151);
}

/* One MSHR. 40 misses of 10 cycles come at 1000, behind an operation, and have it to 1400; so has a last one from then on:
 * 1410. A miss of 30 cycles between these comes at 0, before all that are kept, and is in nobody's way. Without the
 * operation it comes behind the 40, from 400 to 430, and the last one waits for it: 440. */
static void miss_before_all_kept(void **state)
{
	enum { MISSES = 40, EARLY = MISSES + 1, LAST };
	struct culprit_graph_params p = two_misses();
	struct culprit_graph_results x;
	struct culprit_record r[LAST + 1] = {operation(0, ELSEWHERE, 0, 1000)};
	for (unsigned i = 1; i <= MISSES; i++)
		r[i] = waiting_miss(i, i, (uint16_t)(10 * (i - 1)), 10);
	r[EARLY] = miss(EARLY, ELSEWHERE, 0, 30);
	r[LAST] = miss(LAST, ELSEWHERE, LAST - MISSES, 10);
	p.classes[0].events = CULPRIT_EVENT_BIT(lgalu);
	p.classes[0].range_count = 0;
	p.mshrs = 1;
	run(&p, r, LAST + 1, &x);
	assert_int_equal(x.time[0], 1410);
	assert_int_equal(x.time[1], 440);
}

/* A memory that is 100 cycles away and takes a line each 20. Two misses at 0 and one at 10: done at 100, 120 and 140. Without
 * either of the first the others are done at 100 and 120, without both the last at 110. */
static void memory_bus(void **state)
{
	struct culprit_graph_params p = two_misses();
	struct culprit_record r[] = {miss(0, MISS_A, 0, 100), miss(1, MISS_B, 0, 120), operation(2, ELSEWHERE, 0, 10),
				     miss(3, ELSEWHERE, 1, 130)};
	struct culprit_graph_results x;
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = p.memory_latency = 100;
	p.memory_interval = 20;
	r[1].bandwidth_wait = 20;
	r[3].bandwidth_wait = 30;
	run(&p, r, 4, &x);
	assert_int_equal(x.time[0], 140);
	assert_int_equal(x.time[1], 120);
	assert_int_equal(x.time[2], 120);
	assert_int_equal(x.time[3], 110);
}

/* The same memory, of a line each 200 cycles. A load misses at 0. A branch is found mispredicted at 10; the right path's line
 * is missing, and a refill that the wrong path had asked for has the MSHR until 60. Asked for then, the line has the bus
 * at 200 and comes at 300. Without the load it comes at 160, and without the misprediction, asked for at 0, at 300 too. */
static void memory_bus_after_a_stray_refill(void **state)
{
	struct culprit_graph_params p = dataflow();
	struct culprit_record r[] = {miss(0, MISS_A, 0, 100), operation(1, ELSEWHERE, 0, 10),
				     operation(2, ELSEWHERE, 0, 0)};
	struct culprit_graph_results x;
	const unsigned bmisp = CULPRIT_EVENT_BIT(bmisp), dmiss = CULPRIT_EVENT_BIT(dmiss);
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = p.memory_latency = 100;
	p.memory_interval = 200;
	r[0].commit = r[1].commit = 100;
	r[1].op_class = CULPRIT_OP_branch;
	r[1].flags = CULPRIT_MISPREDICTED;
	r[2].ilevel = CULPRIT_LEVEL_MEMORY;
	r[2].imiss = 50 + 140 + 100;
	r[2].stray_wait = 50;
	r[2].fetch = r[2].dispatch = r[2].ready = r[2].issue = r[2].complete = r[2].commit = 300;
	push(&p, r, 3, &x);
	assert_int_equal(x.time[0], 300);
	assert_int_equal(x.time[dmiss], 160);
	assert_int_equal(x.time[bmisp], 300);
	assert_int_equal(x.time[bmisp | dmiss], 100);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(imiss)], 100);
}

static unsigned set_of(culprit_event_set events)
{
	return events; /* base classes: class n is event n */
}

/* A chain of loads that hit, in 3 cycles, because a wrong path had brought their lines, or the lines of their code: without
 * mispredictions each misses. That is 4000 cycles, more than an instruction here can take otherwise, and soon more than 16
 * bits hold. Lines are fetched one after the other. */
static void strays(void **state)
{
	enum { LOADS = 600, HIT = 3, MISS = 4000 };
	struct culprit_graph_params p = dataflow();
	p.miss_cycles[CULPRIT_LEVEL_MEMORY] = MISS;
	struct culprit_record r[LOADS];
	struct culprit_graph_results x;
	for (unsigned code = 0; code < 2; code++) {
		for (uint64_t i = 0; i < LOADS; i++) {
			r[i] = operation(i, ELSEWHERE, i > 0, HIT);
			r[i].op_class = CULPRIT_OP_load;
			r[i].flags = CULPRIT_LOAD;
			r[i].fetch = r[i].dispatch = r[i].ready = r[i].issue = i * HIT;
			r[i].complete = r[i].commit = (i + 1) * HIT;
			*(code ? &r[i].istray : &r[i].dstray) = CULPRIT_LEVEL_MEMORY;
		}
		push(&p, r, LOADS, &x);
		assert_int_equal(x.time[0], LOADS * HIT);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(bmisp)], code ? LOADS * MISS + HIT : LOADS * (MISS + HIT));
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(bmisp) | CULPRIT_EVENT_BIT(dmiss)],
				 code ? LOADS * MISS + HIT : LOADS * HIT);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(bmisp) | CULPRIT_EVENT_BIT(imiss)],
				 code ? LOADS * HIT : LOADS * (MISS + HIT));
	}
	(void)state;
}

/* Figure 2 of 2003: a ROB of four, two wide at fetch and commit. Eight independent loads that miss for 100 cycles:
 *   D: 0 0 1 1, then as the ROB frees: P = 100 100 101 101, C = 100 100 101 101
 *   D of 4..7 = C of 0..3 = 100 100 101 101, C = 200 200 201 201
 * Window idealised: D = 0 0 1 1 2 2 3 3, C = 103. Misses idealised: D = C = 0 0 1 1 2 2 3 3 = 3.
 * Bandwidth idealised: two rounds of 100. Window and misses are in series: 201 - 103 = 98, 201 - 3 = 198, both 198. */
static void four_entry_rob(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.rob = 4;
	p.fetch_width = p.dispatch_width = p.commit_width = 2;
	struct culprit_record r[8];
	for (uint64_t i = 0; i < 8; i++)
		r[i] = miss(i, ELSEWHERE, 0, 100);
	struct culprit_graph_results x;
	run(&p, r, 8, &x);
	unsigned win = set_of(CULPRIT_EVENT_BIT(win)), dmiss = set_of(CULPRIT_EVENT_BIT(dmiss));
	unsigned bw = set_of(CULPRIT_EVENT_BIT(bw));
	assert_int_equal(x.time[0], 201);
	assert_int_equal(x.time[win], 103);
	assert_int_equal(x.time[dmiss], 3);
	assert_int_equal(x.time[win | dmiss], 3);
	assert_int_equal(x.time[bw], 200);
	assert_int_equal(x.icost[win | dmiss], -98);
	assert_int_equal(x.time[bw | dmiss], 0);
	assert_int_equal(x.icost[bw | dmiss], 201 - 1 - 198);
}

/* 2003, figure 2: EP and CD edges in series for some loads. One load a ROB apart depends on nothing, yet waits:
 * 4-entry ROB; instruction 0 a 100-cycle miss, instruction 4 another; between them nothing. 4 is dispatched when 0
 * commits, at 100, and is done at 200. A window 20 times larger: both at once, 100. */
static void window_makes_misses_serial(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.rob = 4;
	struct culprit_record r[5] = {miss(0, MISS_A, 0, 100)};
	for (uint64_t i = 1; i < 4; i++)
		r[i] = operation(i, ELSEWHERE, 0, 1);
	r[4] = miss(4, MISS_B, 0, 100);
	struct culprit_graph_results x;
	run(&p, r, 5, &x);
	assert_int_equal(x.time[0], 200);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(win)], 100);
	assert_int_equal(x.cost[CULPRIT_EVENT_BIT(dmiss)], 199);
	assert_int_equal(x.icost[CULPRIT_EVENT_BIT(dmiss) | CULPRIT_EVENT_BIT(win)], -100);
}

/* A mispredicted branch that waits for a miss: PD edge. stages 5, redirect 1, dispatch-to-issue 1, commit delay 1.
 *   load   F 0  D 5  E 6  P 6+3+100 = 109
 *   branch E 109 P 110
 *   next   F 110+1 = 111  D 116  E 117  P 118  C 119
 * Oracle prediction: next F 0, D 5, E 6, P 7; C = C of the branch = 111. Misses gone: branch E 9 P 10, F 11 .. C 19. */
static void mispredicted_on_a_miss(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.frontend_stages = 5;
	p.dispatch_to_issue = p.commit_delay = 1;
	struct culprit_record r[3] = {miss(0, MISS_A, 0, 103), operation(1, ELSEWHERE, 1, 1),
				      operation(2, ELSEWHERE, 0, 1)};
	r[0].dmiss = 100;
	r[0].exec_latency = 3;
	r[1].op_class = CULPRIT_OP_branch;
	r[1].flags = CULPRIT_MISPREDICTED;
	r[2].redirect = 1;
	struct culprit_graph_results x;
	run(&p, r, 3, &x);
	assert_int_equal(x.time[0], 119);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(bmisp)], 111);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], 19);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dl1)], 116);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(bmisp) | CULPRIT_EVENT_BIT(dmiss)], 11);
	/* a zero-latency branch still resolves a cycle after its issue, unless it is predicted right */
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(shalu)], 118);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(shalu) | CULPRIT_EVENT_BIT(bmisp)], 110);
}

/* Stages 5, redirect 1, commit delay 10; what is renamed again waits 2 cycles from the commit on, and for a squash that
 * takes one instruction a cycle out.
 *   branch D 5  P 6  C 16
 *   next   F 7  D 12 at the earliest, 18 by the commit, 6+20 = 26 by the squash of 20  P 27  C 37
 * With no limit of bandwidth, or if there are 8 to take out, the commit decides: D 18, C 29. */
static void squash_after_the_commit(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.frontend_stages = 5;
	p.commit_delay = 10;
	p.recovery = 2;
	p.squash_width = 1;
	for (unsigned squashed = 8; squashed <= 20; squashed += 12) {
		const uint64_t again = squashed == 20 ? 26 : 18;
		struct culprit_record r[2] = {operation(0, ELSEWHERE, 0, 1), operation(1, ELSEWHERE, 0, 1)};
		struct culprit_graph_results x;
		run_at(&r[0], 0, 5);
		r[0].op_class = CULPRIT_OP_branch;
		r[0].flags = CULPRIT_MISPREDICTED;
		r[0].dispatch = 5;
		r[0].commit += p.commit_delay;
		run_at(&r[1], 7, again);
		r[1].redirect = 1;
		r[1].dispatch = again;
		r[1].commit += p.commit_delay;
		push(&p, r, 2, &x);
		assert_int_equal(x.time[0], again + 1 + 10);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(bw)], 18 + 1 + 10);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(bmisp)], 5 + 1 + 10);
	}
}

/* The same behind a load that misses, and leaves when it would have hit, at 5+3+10 = 18; with it the branch, long before
 * it commits at 118. The right path waits until 20, or for the squash until 26; its operation takes 200 cycles, and 10 to
 * commit. Without the hit's 3 cycles the branch leaves at 16: that helps only where the squash was not the later one. */
static void squash_after_leaving(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.frontend_stages = 5;
	p.commit_delay = 10;
	p.released = 100;
	p.recovery = 2;
	p.squash_width = 1;
	for (uint64_t again = 20; again <= 26; again += 6) {
		struct culprit_record r[3] = {miss(0, MISS_A, 0, 100), operation(1, ELSEWHERE, 0, 1),
					      operation(2, ELSEWHERE, 0, 200)};
		struct culprit_graph_results x;
		r[0].exec_latency = 3;
		r[0].wakeup = 103;
		run_at(&r[0], 0, 5);
		r[0].complete = 108;
		run_at(&r[1], 0, 5);
		r[1].op_class = CULPRIT_OP_branch;
		r[1].flags = CULPRIT_MISPREDICTED;
		r[0].dispatch = r[1].dispatch = 5;
		r[0].commit = r[1].commit = 118;
		run_at(&r[2], 7, again);
		r[2].redirect = 1;
		r[2].dispatch = again;
		r[2].commit += p.commit_delay;
		push(&p, r, 3, &x);
		assert_int_equal(x.time[0], again + 210);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], again + 210);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(bw)], 20 + 210);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(dl1)], (again == 20 ? 18 : again) + 210);
	}
}

/* Two loads of one line, 100 cycles away: the second completes with the first (PP). Without the first one's 7 cycles
 * of address computation (lgalu) the line comes 7 earlier, and so does the second load: 107 -> 100. */
static void shared_line(void **state)
{
	struct culprit_graph_params p = dataflow();
	struct culprit_record r[3] = {operation(0, ELSEWHERE, 0, 7), miss(1, MISS_A, 1, 100), miss(2, MISS_B, 0, 107)};
	r[2].flags |= CULPRIT_MERGED;
	r[2].primary_miss = 1;
	struct culprit_graph_results x;
	run(&p, r, 3, &x);
	assert_int_equal(x.time[0], 107);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(lgalu)], 100);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], 7);
}

/* A window of two. The first load hits, and has a prefetcher ask for the line of the last one, which is three
 * behind it: dispatched as the second instruction leaves, in cycle 2, it hits in 2 and waits 50 for the line. */
static void line_of_an_old_prefetch(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.rob = 2;
	struct culprit_record r[4] = {miss(0, MISS_A, 0, 0), operation(1, ELSEWHERE, 0, 1),
				      operation(2, ELSEWHERE, 0, 1), miss(3, MISS_B, 0, 50)};
	static const uint64_t dispatched[4] = {0, 0, 2, 2}, completed[4] = {2, 1, 3, 54};
	for (size_t i = 0; i < 4; i++) {
		r[i].dispatch = r[i].ready = r[i].issue = dispatched[i];
		r[i].complete = completed[i];
		r[i].wakeup = (uint16_t)(completed[i] - dispatched[i]);
		r[i].commit = i && r[i - 1].commit > completed[i] ? r[i - 1].commit : completed[i];
	}
	r[0].exec_latency = r[3].exec_latency = 2;
	r[3].flags |= CULPRIT_MERGED;
	r[3].primary_miss = 3;
	struct culprit_graph_results x;
	push(&p, r, 4, &x);
	assert_int_equal(x.time[0], 54);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], 4);
}

/* A taken branch ends its fetch group, a line's end too: three groups, F 0, 1, 2. */
static void fetch_breaks(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.fetch_width = 8;
	p.taken_limit = 1;
	p.fetch_line = 32;
	struct culprit_record r[4];
	for (uint64_t i = 0; i < 4; i++)
		r[i] = operation(i, 0x1010 + 4 * i, 0, 1);
	r[0].op_class = CULPRIT_OP_branch;
	r[0].flags = CULPRIT_TAKEN;
	r[1].pc = 0x2018;
	r[2].pc = 0x201c;
	r[3].pc = 0x2020;
	struct culprit_graph_results x;
	run(&p, r, 4, &x);
	assert_int_equal(x.time[0], 3);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(bw)], 1);
	/* two taken branches a cycle: the first one no longer ends the group */
	p.taken_limit = 2;
	run(&p, r, 4, &x);
	assert_int_equal(x.time[0], 2);
}

/* A load six instructions after the store of its bytes, in a ROB of four: the record names no producer, because the
 * store has left when the load is fetched. The store's data come from a 100-cycle miss: E 100, P 101, C 106
 * (commit takes 5).   base: the load's D = C of number 2 = 106, P 108, C 113.
 *   window idealised: E = the store's 101, P 103, C 108; if the store writes only half of the bytes, after it has
 *   left: E 106, C 113. Without the dependence it would be done at once and commit with the store, at 106. */
static void memory_beyond_the_window(void **state)
{
	for (unsigned half = 0; half < 2; half++) {
		struct culprit_graph_params p = dataflow();
		p.rob = 4;
		p.commit_delay = 5;
		struct culprit_record r[7] = {miss(0, MISS_A, 0, 100), operation(1, ELSEWHERE, 1, 1)};
		for (uint64_t i = 2; i < 6; i++)
			r[i] = operation(i, ELSEWHERE, 0, 1);
		r[6] = operation(6, ELSEWHERE, 0, 2);
		r[0].mem_addr = 0x4000;
		r[1].mem_addr = r[6].mem_addr = 0x8000;
		r[0].mem_size = r[6].mem_size = 8;
		r[1].mem_size = half ? 4 : 8;
		r[1].op_class = CULPRIT_OP_store;
		r[1].flags = CULPRIT_STORE;
		r[6].op_class = CULPRIT_OP_load;
		r[6].flags = CULPRIT_LOAD;
		struct culprit_graph_results x;
		run(&p, r, 7, &x);
		assert_int_equal(x.time[0], 113);
		assert_int_equal(x.time[CULPRIT_EVENT_BIT(win)], half ? 113 : 108);
	}
}

/* The decomposition by itself: three classes, times worked out on paper. t = 10, cost of single a 2, b 3, c 0; ab 5
 * (independent), ac 4 (+2), bc 2 (-1); abc 10: icost = 10 - 2 - 3 - 0 - 0 - 2 + 1 = 4.
 * Shapley of c: 0 + 2/2 - 1/2 + 4/3 = 11/6. */
static void decomposition(void **state)
{
	struct culprit_graph_results x = {.class_count = 3, .time = {10, 8, 7, 5, 10, 6, 8, 0}};
	culprit_graph_decompose(&x);
	const int64_t icost[8] = {0, 2, 3, 0, 0, 2, -1, 4};
	int64_t sum = 0;
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(x.icost[i], icost[i]);
		sum += x.icost[i];
	}
	assert_int_equal(sum, 10);
	double error = x.shapley[2] - 11.0 / 6;
	assert_true(error < 1e-12 && error > -1e-12);
	error = x.shapley[0] + x.shapley[1] + x.shapley[2] - 10;
	assert_true(error < 1e-12 && error > -1e-12);
}

/* Conservative disambiguation. The store at 1 writes what the load reads, but commits (at 5, behind the operation before
 * it) while the load waits for the address of the store at 3, so it forwards nothing. That store waits 20 cycles for a
 * multiplication. Without long operations both stores issue at 0, the load at 1, and 3 cycles remain. */
static void store_that_left(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.ordered_loads = true;
	struct culprit_record r[] = {operation(0, ELSEWHERE, 0, 5), operation(1, ELSEWHERE, 0, 1),
				     operation(2, ELSEWHERE, 0, 20), operation(3, ELSEWHERE, 1, 1),
				     operation(4, ELSEWHERE, 0, 2)};
	const uint64_t issue[] = {0, 0, 0, 20, 21}, commit[] = {5, 5, 20, 21, 23};
	for (size_t i = 0; i < 5; i++) {
		r[i].ready = r[i].issue = issue[i];
		r[i].complete = issue[i] + r[i].exec_latency;
		r[i].commit = commit[i];
	}
	r[2].op_class = CULPRIT_OP_int_mul;
	r[1].op_class = r[3].op_class = CULPRIT_OP_store;
	r[1].flags = r[3].flags = CULPRIT_STORE;
	r[4].op_class = CULPRIT_OP_load;
	r[4].flags = CULPRIT_LOAD;
	r[4].mem_producer = 3;
	r[4].order_waited = 1;
	r[1].mem_size = r[3].mem_size = r[4].mem_size = 8;
	r[1].mem_addr = r[4].mem_addr = 0x1000;
	r[3].mem_addr = 0x2000;
	struct culprit_graph_results x;
	push(&p, r, 5, &x);
	assert_int_equal(x.time[0], 23);
	assert_int_equal(x.cost[CULPRIT_EVENT_BIT(lgalu)], 23 - 3);
}

/* An issue queue of two entries. A miss of 100 (0) and what waits for it (1), a multiplication of 200 (2) and what waits for it (3);
 * 1 and 3 hold the entries until 100 and 200. A miss of 150 (4) is dispatched at 100, when 1 issues: 250. With a
 * multiplication that takes no time it is 3 that issues first, at 0: 150. Without misses (0 at once, too) 3 ends last, at 201. */
static void entries_freed_in_another_order(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.queue_count = 1;
	p.queue_entries[0] = 2;
	struct culprit_record r[] = {miss(0, MISS_A, 0, 100), operation(1, ELSEWHERE, 1, 1),
				     operation(2, ELSEWHERE, 0, 200), operation(3, ELSEWHERE, 1, 1),
				     miss(4, MISS_B, 0, 150)};
	r[2].op_class = CULPRIT_OP_int_mul;
	struct culprit_graph_results x;
	run(&p, r, 5, &x);
	assert_int_equal(x.time[0], 250);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(lgalu)], 150);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], 201);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(win)], 201);
}

/* A store queue of one entry, writes of 2 cycles when they hit. The first store commits at 1, its write misses for 100
 * and is done at 103: then the second is dispatched, to commit at 104. Each alone and both together, without:
 * the window 1; misses 1 + 2 + 1 = 4; hits 1 + 100 + 1 = 102; both 1 + 1 = 2. */
static void writes_hold_the_store_queue(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.sq = 1;
	p.store_writes = true;
	p.write_hit = 2;
	struct culprit_record r[] = {operation(0, ELSEWHERE, 0, 1), operation(1, ELSEWHERE, 0, 1)};
	for (size_t i = 0; i < 2; i++) {
		r[i].op_class = CULPRIT_OP_store;
		r[i].flags = CULPRIT_STORE;
		r[i].wakeup = 0;
	}
	r[0].write_miss = 100;
	r[0].write_level = CULPRIT_LEVEL_MEMORY;
	struct culprit_graph_results x;
	run(&p, r, 2, &x);
	const unsigned dl1 = CULPRIT_EVENT_BIT(dl1), dmiss = CULPRIT_EVENT_BIT(dmiss);
	assert_int_equal(x.time[0], 104);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(win)], 1);
	assert_int_equal(x.time[dmiss], 4);
	assert_int_equal(x.time[dl1], 102);
	assert_int_equal(x.time[dl1 | dmiss], 2);
}

/* A line that an older store brings: store 1 writes to the line on its way for store 0, whose write takes until 103; a queue of two
 * entries. The third store takes the first's entry at 103, the fourth the second's, then too, whatever its own wait. */
static void write_to_a_line_on_its_way(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.sq = 2;
	p.store_writes = true;
	p.write_hit = 2;
	struct culprit_record r[4];
	for (uint64_t i = 0; i < 4; i++) {
		r[i] = operation(i, ELSEWHERE, 0, 1);
		r[i].op_class = CULPRIT_OP_store;
		r[i].flags = CULPRIT_STORE;
	}
	r[0].write_miss = r[1].write_miss = 100;
	r[0].write_level = r[1].write_level = CULPRIT_LEVEL_MEMORY;
	r[1].write_merged = 1;
	r[1].primary_miss = 1;
	struct culprit_graph_results x;
	run(&p, r, 4, &x);
	assert_int_equal(x.time[0], 104);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dmiss)], 4);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(dl1)], 102);
}

/* A store set: the load is told to wait for the store, which waits 50 cycles for a multiplication. 50 + 1 + 2 = 53; without
 * long operations 3. */
static void told_to_wait(void **state)
{
	struct culprit_graph_params p = dataflow();
	struct culprit_record r[] = {operation(0, ELSEWHERE, 0, 50), operation(1, ELSEWHERE, 1, 1),
				     operation(2, ELSEWHERE, 0, 2)};
	r[0].op_class = CULPRIT_OP_int_mul;
	r[1].op_class = CULPRIT_OP_store;
	r[1].flags = CULPRIT_STORE;
	r[2].op_class = CULPRIT_OP_load;
	r[2].flags = CULPRIT_LOAD;
	r[2].order_waited = 1;
	const uint64_t issue[] = {0, 50, 51}, commit[] = {50, 51, 53};
	for (size_t i = 0; i < 3; i++) {
		r[i].ready = r[i].issue = issue[i];
		r[i].complete = issue[i] + r[i].exec_latency;
		r[i].commit = commit[i];
	}
	struct culprit_graph_results x;
	push(&p, r, 3, &x);
	assert_int_equal(x.time[0], 53);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(lgalu)], 3);
}

/* One divider, as wide as its queue, that takes 10 cycles and no other meanwhile. The first division waits for a miss of 7, the second
 * could begin at 0, but its 10 cycles would run into the first's from 7 on: it begins at 17 (the core would let the
 * younger go first: 20, too, were it alone). Without long operations: 7, the miss. */
static void divider_is_held(void **state)
{
	struct culprit_graph_params p = dataflow();
	p.issue_slots = true;
	p.unit_count = p.queue_count = 1;
	p.units[0].count = p.queue_width[0] = 1;
	p.issue_width = 4;
	p.interval[CULPRIT_OP_int_div] = 10;
	struct culprit_record r[] = {miss(0, MISS_A, 0, 7), operation(1, ELSEWHERE, 1, 10),
				     operation(2, ELSEWHERE, 0, 10)};
	r[0].queue = r[0].unit = 1; /* elsewhere */
	r[1].op_class = r[2].op_class = CULPRIT_OP_int_div;
	struct culprit_graph_results x;
	run(&p, r, 3, &x);
	assert_int_equal(x.time[0], 27);
	assert_int_equal(x.time[CULPRIT_EVENT_BIT(lgalu)], 7);
}

/* A store that waits 20 cycles for its address and completes at 21, with a wake-up loop of 3: whoever takes its data issues at 23. */
static void late_store(struct culprit_record *r)
{
	r[0] = operation(0, ELSEWHERE, 0, 20);
	r[0].op_class = CULPRIT_OP_int_mul;
	r[0].commit = 20;
	r[1] = operation(1, ELSEWHERE, 1, 1);
	r[1].op_class = CULPRIT_OP_store;
	r[1].flags = CULPRIT_STORE;
	r[1].wakeup = 3;
	r[1].ready = r[1].issue = 20;
	r[1].complete = r[1].commit = 21;
}

/* A load that no store set told to wait, ready at 0: its unit was taken until 55. Meanwhile the store before it, which waits 50 cycles for
 * a multiplication, had the load's data at 51. The wait for the unit goes on from there: 55, and 2 to execute. */
static void wait_behind_a_store(void **state)
{
	struct culprit_graph_params p = dataflow();
	struct culprit_graph_results x;
	struct culprit_record r[3];
	late_store(r);
	r[0].complete = r[0].commit = r[0].exec_latency = r[0].wakeup = 50;
	r[1].ready = r[1].issue = 50;
	r[1].complete = r[1].commit = 51;
	r[1].wakeup = 1;
	r[2] = operation(2, ELSEWHERE, 0, 2);
	r[2].op_class = CULPRIT_OP_load;
	r[2].flags = CULPRIT_LOAD;
	r[2].mem_producer = 1;
	run_at(&r[2], 0, 55);
	r[2].ready = 0;
	push(&p, r, 3, &x);
	assert_int_equal(x.time[0], 57);
}

/* Conservative disambiguation: a load of other bytes waits for the address, not for the wake-up loop: at 21, and 2 to execute. */
static void address_before_wakeup(void **state)
{
	struct culprit_graph_params p = dataflow();
	struct culprit_graph_results x;
	struct culprit_record r[3];
	p.ordered_loads = true;
	late_store(r);
	r[2] = operation(2, ELSEWHERE, 0, 2);
	r[2].op_class = CULPRIT_OP_load;
	r[2].flags = CULPRIT_LOAD;
	r[2].order_waited = 1;
	run_at(&r[2], 0, 21);
	push(&p, r, 3, &x);
	assert_int_equal(x.time[0], 23);
}

/* A load that went ahead of it is fetched again 4 cycles after the store's completion: at 25, and 5 for the operation behind it. */
static void violation_before_wakeup(void **state)
{
	struct culprit_graph_params p = dataflow();
	struct culprit_graph_results x;
	struct culprit_record r[4];
	late_store(r);
	r[2] = operation(2, ELSEWHERE, 0, 1);
	r[2].op_class = CULPRIT_OP_load;
	r[2].flags = CULPRIT_LOAD | CULPRIT_VIOLATED | CULPRIT_REPLAYED;
	r[2].mem_producer = 1;
	r[2].redirect = 4;
	run_at(&r[2], 25, 25);
	r[3] = operation(3, ELSEWHERE, 0, 5);
	run_at(&r[3], 25, 25);
	push(&p, r, 4, &x);
	assert_int_equal(x.time[0], 30);
}

/* Forty operations of ten cycles, an integer's result and a floating-point one in turn, and four registers beyond the
 * architectural ones. In one file for both, the fifth is dispatched when the first commits: four in ten cycles, 100 in
 * all. In files of four each, eight in ten cycles, 50 in all. With the window idealised all begin at once: 10. */
static void one_register_file(void **state)
{
	struct culprit_record r[40];
	struct culprit_graph_params p = dataflow();
	struct culprit_graph_results x;
	for (uint64_t i = 0; i < 40; i++) {
		r[i] = operation(i, ELSEWHERE, 0, 10);
		r[i].dest = i & 1 ? 63 : 1;
	}
	p.regs = 4;
	run(&p, r, 40, &x);
	assert_int_equal(x.time[0], 100);
	assert_int_equal(x.cost[CULPRIT_EVENT_BIT(win)], 90);
	for (uint64_t i = 0; i < 40; i++)
		r[i] = operation(i, ELSEWHERE, 0, 10), r[i].dest = i & 1 ? 63 : 1;
	p.regs = 0;
	p.int_regs = p.fp_regs = 4;
	run(&p, r, 40, &x);
	assert_int_equal(x.time[0], 50);
	assert_int_equal(x.cost[CULPRIT_EVENT_BIT(win)], 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_register_file),
		cmocka_unit_test(parallel_misses),
		cmocka_unit_test(serial_misses_beside_100),
		cmocka_unit_test(serial_misses_beside_110),
		cmocka_unit_test(independent_misses),
		cmocka_unit_test(two_mshrs),
		cmocka_unit_test(miss_before_all_kept),
		cmocka_unit_test(forwarded_beside_a_miss),
		cmocka_unit_test(younger_miss_first),
		cmocka_unit_test(write_behind_a_younger_miss),
		cmocka_unit_test(memory_bus),
		cmocka_unit_test(memory_bus_after_a_stray_refill),
		cmocka_unit_test(four_entry_rob),
		cmocka_unit_test(window_makes_misses_serial),
		cmocka_unit_test(mispredicted_on_a_miss),
		cmocka_unit_test(squash_after_the_commit),
		cmocka_unit_test(squash_after_leaving),
		cmocka_unit_test(shared_line),
		cmocka_unit_test(line_of_an_old_prefetch),
		cmocka_unit_test(fetch_breaks),
		cmocka_unit_test(memory_beyond_the_window),
		cmocka_unit_test(decomposition),
		cmocka_unit_test(store_that_left),
		cmocka_unit_test(entries_freed_in_another_order),
		cmocka_unit_test(writes_hold_the_store_queue),
		cmocka_unit_test(write_to_a_line_on_its_way),
		cmocka_unit_test(told_to_wait),
		cmocka_unit_test(divider_is_held),
		cmocka_unit_test(wait_behind_a_store),
		cmocka_unit_test(address_before_wakeup),
		cmocka_unit_test(violation_before_wakeup),
		cmocka_unit_test(strays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
