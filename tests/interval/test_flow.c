/* The flow on streams whose cycles follow by hand. The machine: D = I = R = 4, ROB 128, c_fe 5, one cycle from dispatch to issue, one
 * from completion to commit; load 2, L2 10, memory 250. The first instruction is fetched in cycle 0, dispatched in 5, issued in 6. */
#include "model_rig.h"

#include "interval/flow/flow.h"
#include "interval/flow/sets.h"

enum { N = 1000 };

static const char *const plain_machine = "lsq: { disambiguation: perfect }\ncommit: { delay: 1 }\n";

static struct flow_result run(const struct machine *m, const struct interval_sample *s, size_t n, uint32_t parts)
{
	struct error err;
	struct flow *f = flow_create(m, &err);
	assert_non_null(f);
	struct flow_stream stream = {.samples = s, .count = n};
	struct flow_result r, again;
	flow_run(f, &stream, parts, &r);
	flow_run(f, &stream, parts, &again); /* a second run starts from nothing */
	assert_memory_equal(&r, &again, sizeof r);
	flow_destroy(f);
	return r;
}

/* Nothing depends on anything: four a cycle. The last four are dispatched in 5 + 249, issued in 255, complete in 256, commit in 257. */
static void independent_operations_take_a_slot_each(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[N];
	for (uint32_t i = 0; i < N; i++)
		s[i] = rig_op(i, CULPRIT_OP_int_alu, 0);
	assert_int_equal(run(&m, s, N, 0).cycles, 257);
	/* two units: two a cycle, the last pair issues in 6 + 499, commits two later */
	rig_set(&m, "units.alu.count=2");
	assert_int_equal(run(&m, s, N, FLOW_BIT(units)).cycles, 507);
	assert_int_equal(run(&m, s, N, 0).cycles, 257);
}

/* One chain: one a cycle, whatever the width. The last issues in 6 + 999, completes a cycle later, commits in 1007. */
static void a_chain_takes_its_latency(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[N];
	for (uint32_t i = 0; i < N; i++)
		s[i] = rig_op(i, CULPRIT_OP_int_alu, i ? 1 : 0);
	assert_int_equal(run(&m, s, N, FLOW_ALL).cycles, 1007);
	/* three cycles each: 6 + 3 * 1000 is the last completion */
	rig_set(&m, "latency.int_alu=3");
	assert_int_equal(run(&m, s, N, FLOW_ALL).cycles, 3007);
}

/* A window of 8 and loads from memory, each on its own line: eight at once, 2 + 10 + 250 cycles each. Eight are dispatched in cycles
 * 5 and 6, and issue (two ports, part units off: all at once) in 6 and 7; the 4 of cycle 6 complete in 268 and commit in 269, when
 * the next four are dispatched: a period of 264 cycles for 8 loads. */
static void long_misses_overlap_within_the_window(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[N];
	rig_set(&m, "window.rob=8");
	for (uint32_t i = 0; i < 80; i++) {
		s[i] = rig_op(i, CULPRIT_OP_load, 0);
		s[i].flags = SAMPLE_LOAD;
		s[i].dlevel = CULPRIT_LEVEL_MEMORY;
		s[i].address = 16 * (i + 1) * 1000;
	}
	uint32_t parts = FLOW_BIT(l1d) | FLOW_BIT(l2d);
	uint64_t ten = run(&m, s, 80, parts).cycles, nine = run(&m, s, 72, parts).cycles;
	assert_int_equal(ten - nine, 264);
	/* two MSHRs: two at a time, four times as long, but for the overlap of their start-up */
	rig_set(&m, "l1d.mshrs=2");
	uint64_t limited = run(&m, s, 80, parts | FLOW_BIT(mshr)).cycles;
	assert_true(limited > 39 * 262 && limited < 41 * 264);
	/* one line every 40 cycles: 80 lines take 3200 cycles, more than their latencies */
	rig_set(&m, "memory.interval=40");
	uint64_t narrow = run(&m, s, 80, parts | FLOW_BIT(bus)).cycles;
	assert_true(narrow >= 79 * 40 && narrow < 79 * 40 + 300);
	assert_int_equal(run(&m, s, 80, parts).cycles, ten);
}

/* The same line again is no second miss: it waits for the first, and both commit in the same cycle. */
static void a_line_in_flight_is_waited_for(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[2];
	for (uint32_t i = 0; i < 2; i++) {
		s[i] = rig_op(i, CULPRIT_OP_load, 0);
		s[i].flags = SAMPLE_LOAD;
		s[i].dlevel = i ? CULPRIT_LEVEL_L1 : CULPRIT_LEVEL_MEMORY;
		s[i].address = 4000 + i; /* eight bytes apart */
	}
	/* 6 + 2 + 10 + 250 = 268, commit in 269 */
	assert_int_equal(run(&m, s, 2, FLOW_ALL).cycles, 269);
	s[1].address = 5000;
	s[1].producer[0] = 1; /* another line, after the first: issues in 268, completes in 270 */
	assert_int_equal(run(&m, s, 2, FLOW_ALL).cycles, 271);
}

/* 1500 lines next to each other are on their way at once, four more each cycle, for 2 + 10 + 5000 cycles, and none is forgotten: a
 * load of line j, behind them all, waits for it, and a division for the load. */
static void many_lines_in_flight_are_remembered(void **state)
{
	enum { LINES = 1500, LOAD = LINES, DIVIDE };
	static struct interval_sample s[LINES + 2];
	struct machine m = rig_machine(plain_machine);
	rig_set(&m, "memory.latency=5000");
	rig_set(&m, "latency.int_div=1000");
	rig_set(&m, "window.rob=2000");
	for (uint32_t i = 0; i <= LOAD; i++) {
		s[i] = rig_op(i, CULPRIT_OP_load, 0);
		s[i].flags = SAMPLE_LOAD;
		s[i].dlevel = i < LINES ? CULPRIT_LEVEL_MEMORY : CULPRIT_LEVEL_L1;
		s[i].address = m.l1d_line / 8 * (1000 + i);
	}
	s[DIVIDE] = rig_op(DIVIDE, CULPRIT_OP_int_div, 1);
	for (uint32_t j = 0; j < LINES; j += 29) {
		s[LOAD].address = s[j].address;
		uint64_t arrives = 6 + j / 4 + 5012;
		assert_int_equal(run(&m, s, LINES + 2, FLOW_BIT(l1d) | FLOW_BIT(l2d)).cycles, arrives + 1000 + 1);
	}
	(void)state;
}

/* A mispredicted branch is the fourth of a group: dispatched in 5, issued in 6, done in 7. Redirect 1: the next is fetched in 8 and
 * dispatched in 13: each group of 4 takes 8 cycles. Resolution: 2 cycles. */
static void a_misprediction_costs_resolution_and_refill(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[N];
	for (uint32_t i = 0; i < 80; i++) {
		s[i] = rig_op(i, i % 4 == 3 ? CULPRIT_OP_branch : CULPRIT_OP_int_alu, 0);
		s[i].flags = i % 4 == 3 ? SAMPLE_MISPREDICTED : 0;
	}
	struct flow_result r = run(&m, s, 80, FLOW_ALL);
	assert_int_equal(r.cycles - run(&m, s, 72, FLOW_ALL).cycles, 16);
	assert_int_equal(r.mispredictions, 20);
	assert_int_equal(r.resolution, 40);
	assert_int_equal(run(&m, s, 80, FLOW_ALL & ~FLOW_BIT(bmisp)).cycles, 27); /* 5 + 19 + 3 */
}

/* A branch that depends on a long miss, and a long miss behind it: they add up (section 3.5 of the paper). Without the dependence the
 * second miss begins while the first is under way. */
static void misses_serialise_through_a_misprediction(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[3] = {rig_op(0, CULPRIT_OP_load, 0), rig_op(1, CULPRIT_OP_branch, 1),
				       rig_op(2, CULPRIT_OP_load, 0)};
	s[0].flags = s[2].flags = SAMPLE_LOAD;
	s[0].dlevel = s[2].dlevel = CULPRIT_LEVEL_MEMORY;
	s[0].address = 10000;
	s[2].address = 20000;
	s[1].flags = SAMPLE_MISPREDICTED;
	/* 268: the first miss, and the branch issues; 269: done; fetch in 270, dispatch in 275, issue in 276, done in 538 */
	assert_int_equal(run(&m, s, 3, FLOW_ALL).cycles, 539);
	s[1].producer[0] = 0;
	/* the branch is done in 7, the second load fetched in 8, dispatched in 13, issued in 14, done in 276 */
	assert_int_equal(run(&m, s, 3, FLOW_ALL).cycles, 277);
}

/* Eight instructions: a load from memory, a branch that waits for it and is mispredicted, and two behind it a load from another line.
 * `strays` are the branch's wrong path. */
static uint64_t cycles_with(struct interval_sample *strays, uint32_t count)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[8];
	struct error err;
	for (uint32_t i = 0; i < 8; i++)
		s[i] = rig_op(i, CULPRIT_OP_int_alu, 0);
	s[4] = rig_op(4, CULPRIT_OP_load, 0);
	s[5] = rig_op(5, CULPRIT_OP_branch, 1);
	s[5].flags = SAMPLE_MISPREDICTED;
	s[7].op = CULPRIT_OP_load;
	s[4].flags = s[7].flags = SAMPLE_LOAD;
	s[4].dlevel = s[7].dlevel = CULPRIT_LEVEL_MEMORY;
	s[4].address = 10000;
	s[7].address = 20000;
	const struct interval_wrong_path wrong = {.branch = 5, .first = 0, .count = count};
	struct flow_stream stream = {
		.samples = s, .count = 8, .wrong = &wrong, .wrong_count = count != 0, .strays = strays};
	assert_true(flow_judge_strays(&stream, &m, strays, &err));
	struct flow *f = flow_create(&m, &err);
	struct flow_result r;
	flow_run(f, &stream, FLOW_ALL & ~FLOW_BIT(fetch), &r);
	flow_destroy(f);
	return r.cycles;
}

static void a_wrong_path_brings_lines(void **state)
{
	struct interval_sample strays[3];
	/* Load 4 is dispatched in 6, issues in 7, done in 269; the branch in 270; fetch 271, dispatch 276, issue 277 (the load behind it
	 * in the same cycle), done 539, commit 540. */
	assert_int_equal(cycles_with(NULL, 0), 540);
	/* The wrong path loads the line while the branch waits: for the right path a hit, 277 + 2, commit in 280. */
	strays[0] = rig_op(0, CULPRIT_OP_load, 0);
	strays[0].flags = SAMPLE_LOAD;
	strays[0].address = 20000;
	assert_int_equal(cycles_with(strays, 1), 280);
	assert_int_equal(strays[0].dlevel, CULPRIT_LEVEL_MEMORY); /* where the right path finds it */
	/* ... of L2's 128 bytes another 32: found in L2, 277 + 12 */
	strays[0].address = 20004;
	assert_int_equal(cycles_with(strays, 1), 290);
	/* another line does not help */
	strays[0].address = 30000;
	assert_int_equal(cycles_with(strays, 1), 540);
	/* It waits for load 4 (2 before the first instruction behind the branch), issues in 269, a cycle before the branch is done, and
	 * the line comes 262 later, in 531. */
	strays[0].address = 20000;
	strays[0].producer[0] = 2;
	assert_int_equal(cycles_with(strays, 1), 532);
	/* Behind another mispredicted branch on the wrong path: that one is dispatched in 6, done in 8; fetch 9, issue 15, data in 277. */
	strays[1] = strays[0];
	strays[1].producer[0] = 0;
	strays[0] = rig_op(0, CULPRIT_OP_branch, 0);
	strays[0].flags = SAMPLE_MISPREDICTED;
	assert_int_equal(cycles_with(strays, 2), 280);
	/* ... where that branch would have led: in time; and if it is squashed before it issues (three cycles of dispatch), it is not */
	strays[1].flags |= SAMPLE_INNER;
	assert_int_equal(cycles_with(strays, 2), 280);
	strays[2] = strays[1];
	strays[1] = rig_op(1, CULPRIT_OP_int_div, 0);
	strays[1].flags = SAMPLE_INNER;
	strays[2].producer[0] = 1; /* the division takes 20 cycles */
	assert_int_equal(cycles_with(strays, 3), 540);
}

/* Lines with wrong paths and without, by two caches that know all from the beginning: what the sample says of a cache without wrong
 * paths, corrected, is what a cache with them does. */
static void changed_sets_are_those_of_two_caches(void **state)
{
	enum { SETS = 8, WAYS = 2, LINES = 40, STEPS = 20000 };
	struct flow_sets s, truth; /* truth.with and .without: LRU arrays of their own */
	uint64_t seed = 3, brought = 0, lost = 0;
	assert_true(flow_sets_create(&s, SETS * WAYS, WAYS));
	assert_true(flow_sets_create(&truth, SETS * WAYS, WAYS));
	for (uint64_t i = 0; i < STEPS; i++) {
		uint64_t line = rig_random(&seed) % LINES;
		bool stray = rig_random(&seed) % 3 == 0;
		bool with = flow_set_use(&truth, flow_set(&truth, truth.with, line), line);
		if (stray) {
			assert_int_equal(flow_sets_stray(&s, line, !with), !with);
			continue;
		}
		bool without = flow_set_use(&truth, flow_set(&truth, truth.without, line), line);
		enum flow_seen seen = flow_sets_use(&s, line);
		assert_int_equal(seen == FLOW_BROUGHT || (seen == FLOW_AS_MEASURED && without), with);
		brought += seen == FLOW_BROUGHT;
		lost += seen == FLOW_LOST;
	}
	assert_true(brought > 100 && lost > 100);
	flow_sets_free(&s);
	flow_sets_free(&truth);
}

/* A fetch miss of 10 cycles finds 8 instructions in the fetch buffer, two cycles of dispatch: 8 are lost (section 3.1.1 sees this as
 * penalties below the latency). Behind a full window it costs nothing. */
static void fetch_misses_hide_behind_a_full_window(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[N];
	for (uint32_t i = 0; i < 400; i++)
		s[i] = rig_op(i, CULPRIT_OP_int_alu, 0);
	s[200].ilevel = CULPRIT_LEVEL_L2;
	uint64_t with = run(&m, s, 400, FLOW_BIT(l1i)).cycles, without = run(&m, s, 400, 0).cycles;
	assert_int_equal(without, 107);
	assert_int_equal(with - without, 8);
	s[8].op = CULPRIT_OP_load;
	s[8].flags = SAMPLE_LOAD;
	s[8].dlevel = CULPRIT_LEVEL_MEMORY;
	s[8].address = 10000;
	s[200].ilevel = CULPRIT_LEVEL_NONE;
	s[180].ilevel = CULPRIT_LEVEL_L2; /* fetched long before the window of 128 behind the load moves on */
	rig_set(&m, "fetch.buffer=256");
	uint32_t data = FLOW_BIT(l1d) | FLOW_BIT(l2d);
	assert_int_equal(run(&m, s, 400, data | FLOW_BIT(l1i)).cycles, run(&m, s, 400, data).cycles);
}

/* Two taken branches a group at most; here every second instruction is one: groups of 4 in place of 8. With one allowed: of 2. */
static void fetch_groups_end_at_taken_branches(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[N];
	for (uint32_t i = 0; i < N; i++) {
		s[i] = rig_op(i, i % 2 ? CULPRIT_OP_branch : CULPRIT_OP_int_alu, 0);
		s[i].flags = i % 2 ? SAMPLE_TAKEN : 0;
	}
	rig_set(&m, "fetch.taken_limit=2");
	assert_int_equal(run(&m, s, N, FLOW_BIT(fetch)).cycles, 257); /* still as wide as dispatch */
	rig_set(&m, "fetch.taken_limit=1");
	assert_int_equal(run(&m, s, N, FLOW_BIT(fetch)).cycles, 507); /* 2 a cycle: the last in 499 + 8 */
}

/* A load behind a store that gets its address late. Conservative: it waits for the store's completion. */
static void loads_wait_for_stores(void **state)
{
	struct machine m = rig_machine(plain_machine);
	struct interval_sample s[3] = {rig_op(0, CULPRIT_OP_int_div, 0), rig_op(1, CULPRIT_OP_store, 1),
				       rig_op(2, CULPRIT_OP_load, 0)};
	s[1].flags = SAMPLE_STORE;
	s[2].flags = SAMPLE_LOAD;
	s[1].address = 100;
	s[2].address = 200;
	/* the division issues in 6, is done in 26; the store in 27, and all commit in 28 */
	assert_int_equal(run(&m, s, 3, FLOW_ALL).cycles, 28);
	rig_set(&m, "lsq.disambiguation=conservative"); /* the load issues in 27, done in 29, commits in 30 */
	assert_int_equal(run(&m, s, 3, FLOW_ALL).cycles, 30);
	rig_set(&m, "lsq.disambiguation=perfect");
	s[2].mem_producer = 1; /* the same address: forwarded, 27 + 2 */
	s[2].covers = 1;
	assert_int_equal(run(&m, s, 3, FLOW_ALL).cycles, 30);
	s[2].covers = 0; /* only a part: from the store's commit in 28 on, out of the cache: 30, commit in 31 */
	assert_int_equal(run(&m, s, 3, FLOW_ALL).cycles, 31);
}

/* An issue queue of 4 entries behind a chain of divisions: no more than 4 wait. Two divisions in a chain done in 26 and 46. */
static void a_small_issue_queue_holds_dispatch(void **state)
{
	struct machine m = rig_machine(
		"lsq: { disambiguation: perfect }\nqueues: [ { name: all, entries: 4 } ]\n"
		"units: [ { name: any, count: 8, ops: [int_alu, branch, csr, fence, system, int_mul, int_div, load, "
		"store, amo, fp_add, fp_cvt, fp_move, fp_mul, fp_fma, fp_div, fp_sqrt] } ]\n");
	struct interval_sample s[12];
	for (uint32_t i = 0; i < 12; i++)
		s[i] = rig_op(i, CULPRIT_OP_int_div, i && i < 6 ? 1 : 0);
	/* 0 issues in 6, 1 in 26, 2 in 46 ...: 5 in 106. Dispatched: 0-3 in 5; 4 in 6; 5 in 26 (when 1 issues); 6 in 46 and issues in
	 * 47, so 7 in 47, issues in 48 ... the chain ends it: 5 is done in 126, all commit in order from 127 on, 4 a cycle: 5-8, 9-11 */
	assert_int_equal(run(&m, s, 12, FLOW_ALL).cycles, 128);
}

/* More parts never make the whole random stream faster by more than the odd reordering: each event part adds cycles. */
static void parts_add_up(void **state)
{
	struct machine m = rig_machine(plain_machine);
	static struct interval_sample s[20000];
	uint64_t seed = 1;
	for (uint32_t i = 0; i < 20000; i++)
		s[i] = rig_random_sample(i, &seed);
	uint64_t before = run(&m, s, 20000, 0).cycles;
	assert_true(before >= 5000);
	for (uint32_t part = 0, parts = 0; part < FLOW_PARTS; part++) {
		parts |= 1u << part;
		uint64_t now = run(&m, s, 20000, parts).cycles;
		assert_true(now + 20 >= before);
		before = now;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_operations_take_a_slot_each),
		cmocka_unit_test(a_chain_takes_its_latency),
		cmocka_unit_test(long_misses_overlap_within_the_window),
		cmocka_unit_test(a_line_in_flight_is_waited_for),
		cmocka_unit_test(many_lines_in_flight_are_remembered),
		cmocka_unit_test(a_misprediction_costs_resolution_and_refill),
		cmocka_unit_test(misses_serialise_through_a_misprediction),
		cmocka_unit_test(a_wrong_path_brings_lines),
		cmocka_unit_test(changed_sets_are_those_of_two_caches),
		cmocka_unit_test(fetch_misses_hide_behind_a_full_window),
		cmocka_unit_test(fetch_groups_end_at_taken_branches),
		cmocka_unit_test(loads_wait_for_stores),
		cmocka_unit_test(a_small_issue_queue_holds_dispatch),
		cmocka_unit_test(parts_add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
