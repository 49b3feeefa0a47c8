/* Loops for the keys that kernels on hardware have shown: cycles by arithmetic. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* HEAD_OPS branches and the loop's own; n are in flight, each from dispatch to commit. (Of four and more, the
 * first of an iteration wait for the count besides.) */
static void branches_in_flight(void **state)
{
	struct kernel k = {.name = "branches"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t held = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch] + m.commit_delay;
		for (unsigned n = 1; n <= 3; n++) {
			kernel_set(&m, "window.branches=%u", n);
			kernel_expect(&m, &k, (HEAD_OPS + 1) * held, n, "window.branches");
		}
	}
	(void)state;
}

/* A chain of moves with an ALU of 3 cycles: each waits for the one before. One to a group: none does, and dispatch
 * limits. Two to a group: the second waits for the first of its group, and that is the second of the group before,
 * by another name. */
static void moves(void **state)
{
	struct kernel k = {.name = "copies"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "latency.int_alu=3");
		kernel_set(&m, "dispatch.width=2");
		kernel_expect(&m, &k, COPIES * 3, 1, "moves that execute");
		kernel_set(&m, "dispatch.move_elimination=rename");
		kernel_expect(&m, &k, COPIES / 2 * 3, 1, "two to a group");
		kernel_set(&m, "dispatch.width=1");
		kernel_expect(&m, &k, COPIES + 2, 1, "one to a group");
	}
	(void)state;
}

/* The same, but only a group looks through its own moves. Two to a group: the second waits for what the first waits for,
 * the next group for the second. Four: the third's source is the second, whose own is the first, so that it waits for the
 * first; and the fourth for the second. The last group of an iteration has two. */
static void moves_of_a_group(void **state)
{
	struct kernel k = {.name = "copies"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "latency.int_alu=3");
		kernel_set(&m, "dispatch.move_elimination=group");
		kernel_set(&m, "dispatch.width=1");
		kernel_expect(&m, &k, COPIES * 3, 1, "one to a group");
		for (unsigned whole = 0; whole < 2; whole++) {
			kernel_set(&m, "dispatch.whole_groups=%s", whole ? "true" : "false");
			kernel_set(&m, "dispatch.width=2");
			kernel_expect(&m, &k, COPIES / 2 * 3, 1, "two to a group");
			kernel_set(&m, "dispatch.width=4");
			kernel_expect(&m, &k, COPIES / 4 * 6 + 3, 1, "four to a group");
		}
	}
	(void)state;
}

static void late_addend(void **state)
{
	struct kernel k = {.name = "addends"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "latency.fp_fma=7");
		for (unsigned late = 0; late <= 4; late++) {
			kernel_set(&m, "issue.late_addend=%u", late);
			kernel_expect(&m, &k, CHAIN_OPS * (7 - late), 1, "issue.late_addend");
		}
	}
	(void)state;
}

/* From an integer register to an FP register and back. With a latency of its own for each way, a conversion is that and
 * the conversion; without, both are as other moves and conversions. */
static void crossing(void **state)
{
	struct kernel moves = {.name = "crossing"}, conversions = {.name = "crossing", .arg = {OP_SLOT}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "latency.fp_move=3");
		kernel_set(&m, "latency.fp_cvt=5");
		kernel_expect(&m, &moves, CHAIN_OPS * 3, 1, "moves");
		kernel_expect(&m, &conversions, CHAIN_OPS * 5, 1, "conversions");
		kernel_set(&m, "issue.int_to_fp=4");
		kernel_expect(&m, &moves, CHAIN_OPS / 2 * (4 + 3), 1, "issue.int_to_fp");
		kernel_expect(&m, &conversions, CHAIN_OPS / 2 * (4 + 5 + 5), 1, "issue.int_to_fp");
		kernel_set(&m, "issue.fp_to_int=6");
		kernel_expect(&m, &moves, CHAIN_OPS / 2 * (4 + 6), 1, "issue.fp_to_int");
		kernel_expect(&m, &conversions, CHAIN_OPS / 2 * (4 + 5 + 5 + 6), 1, "issue.fp_to_int");
	}
	(void)state;
}

/* HEAD_OPS branches and, in one block with the counter, the loop's own: blocks of four, or one branch in a cycle. */
static void one_conditional(void **state)
{
	struct kernel k = {.name = "branches"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned block = 16; block <= 64; block *= 2) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "fetch.taken_limit=1");
			kernel_set(&m, "fetch.block=%u", block);
			kernel_expect(&m, &k, (HEAD_OPS + 2) * 4 / block + ((HEAD_OPS + 2) * 4 % block != 0), 1,
				      "blocks");
			kernel_set(&m, "fetch.one_conditional=true");
			kernel_expect(&m, &k, HEAD_OPS + 1, 1, "fetch.one_conditional");
		}
	}
	(void)state;
}

static void one_memory_unit(struct machine *m)
{
	for (uint32_t u = 0; u < m->unit_count; u++)
		if (m->units[u].ops >> CULPRIT_OP_load & 1)
			m->units[u].count = 1;
}

/* A load across a boundary has the only unit for two cycles. */
static void split(void **state)
{
	struct kernel k = {.name = "split", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		one_memory_unit(&m);
		kernel_set(&m, "lsq.split=16");
		kernel_expect(&m, &k, HEAD_OPS, 1, "within 16 bytes");
		kernel_set(&m, "lsq.split=8");
		kernel_expect(&m, &k, 2 * HEAD_OPS, 1, "lsq.split");
	}
	(void)state;
}

static void line_interval(void **state)
{
	struct kernel k = {.name = "lines", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "window.sq=16");
		for (unsigned interval = 3; interval <= 6; interval++) {
			kernel_set(&m, "lsq.line_interval=%u", interval);
			kernel_expect(&m, &k, HEAD_OPS * interval, 1, "lsq.line_interval");
		}
	}
	(void)state;
}

/* With one entry, a store that fetches its line holds up the next one for as long as memory takes; else the
 * pointer's add limits. */
static void stream_lines(void **state)
{
	struct kernel k = {.name = "fill", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "window.sq=8");
		struct kernel_result few, many;
		kernel_run(&m, &k, 280, &few);
		assert_true(few.cycles > 280 / (m.l1d_line / 8) * m.memory_latency / 8);
		kernel_set(&m, "lsq.stream_lines=1");
		kernel_expect(&m, &k, 1, 1, "lsq.stream_lines");
		kernel_run(&m, &k, 280, &many);
		assert_int_equal(few.data_checksum, many.data_checksum);
	}
	(void)state;
}

/* n loads wait at once, each from its address to its data. */
static void waiting_loads(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 1; n <= 8; n *= 2) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			uint64_t line = kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0);
			struct kernel k = {.name = "stream", .arg = {BARE_DATA, line}};
			uint64_t waits = kernel_load(&m, CULPRIT_LEVEL_MEMORY) - m.latency[CULPRIT_OP_load];
			kernel_set(&m, "lsq.waiting_loads=%u", n);
			kernel_expect(&m, &k, STREAM_LOADS * waits, n, "lsq.waiting_loads");
		}
	}
	(void)state;
}

/* One iteration in INSIDE_PERIOD leaves the buffer. */
static void loop_buffer(void **state)
{
	struct kernel k = {.name = "inside"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned bubble = 0; bubble <= 6; bubble += 3) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "fetch.taken_limit=1");
			kernel_set(&m, "fetch.loop_exit=%u", bubble);
			kernel_expect(&m, &k, INSIDE_PERIOD + 1, INSIDE_PERIOD, "no loop buffer");
			kernel_set(&m, "fetch.loop_buffer=16");
			kernel_expect(&m, &k, INSIDE_PERIOD + 1, INSIDE_PERIOD, "a loop that does not fit");
			kernel_set(&m, "fetch.loop_buffer=20");
			kernel_expect(&m, &k, INSIDE_PERIOD + 1 + bubble, INSIDE_PERIOD, "fetch.loop_exit");
		}
	}
	(void)state;
}

static uint64_t more_cycles(const struct machine *m, const struct kernel *k)
{
	struct kernel_result few, many;
	kernel_run(m, k, 40, &few);
	kernel_run(m, k, 280, &many);
	assert_int_equal((many.cycles - few.cycles) % 240, 0);
	return (many.cycles - few.cycles) / 240;
}

/* A load that is taken back every time starts again later. */
static void violation_delay(void **state)
{
	struct kernel k = {.name = "violation", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=store_sets");
		kernel_set(&m, "lsq.ssit_clear=1");
		uint64_t at_once = more_cycles(&m, &k);
		for (unsigned delay = 5; delay <= 20; delay += 5) {
			kernel_set(&m, "lsq.violation_delay=%u", delay);
			kernel_expect(&m, &k, at_once + delay, 1, "lsq.violation_delay");
		}
	}
	(void)state;
}

/* Groups of two, all branches but one of the ten. Three entries hold one group of two and the loop's own branch, which
 * goes beside the last pair; two hold one group; with one, a group goes in part, as nothing else is in flight. With two
 * and one, the loop's own branch waits for the count besides. */
static void whole_groups(void **state)
{
	struct kernel k = {.name = "branches"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t held = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch] + m.commit_delay;
		kernel_set(&m, "dispatch.width=2");
		kernel_set(&m, "dispatch.whole_groups=true");
		kernel_set(&m, "window.branches=3");
		kernel_expect(&m, &k, HEAD_OPS / 2 * held, 1, "three entries");
		kernel_set(&m, "window.branches=2");
		kernel_expect(&m, &k, (HEAD_OPS / 2 + 1) * held + kernel_wake(&m, CULPRIT_OP_int_alu), 1,
			      "two entries");
		kernel_set(&m, "window.branches=1");
		kernel_expect(&m, &k, (HEAD_OPS + 1) * held + kernel_wake(&m, CULPRIT_OP_int_alu), 1, "one entry");
	}
	(void)state;
}

static uint64_t all_cycles(const struct machine *m, const struct kernel *k)
{
	struct kernel_result r;
	kernel_run(m, k, 280, &r);
	return r.cycles;
}

/* Groups and one line after the other are limits of bandwidth: with that idealised the kernel takes as long without them. Three branches
 * are in flight, however many of ten have come; lines are written as they are stored. */
static void no_limits_of_bandwidth(void **state)
{
	static const struct {
		struct kernel kernel;
		const char *room, *key;
	} cases[] = {{{.name = "branches"}, "window.branches=3", "dispatch.whole_groups=true"},
		     {{.name = "lines", .arg = {BARE_DATA}}, "window.sq=16", "lsq.line_interval=6"}};
	for (unsigned i = 0; i < kernel_machine_count; i++)
		for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "dispatch.width=2");
			kernel_set(&m, "%s", cases[n].room);
			m.ideal = CULPRIT_EVENT_BIT(bw);
			const uint64_t without = all_cycles(&m, &cases[n].kernel);
			kernel_set(&m, "%s", cases[n].key);
			assert_int_equal(all_cycles(&m, &cases[n].kernel), without);
			m.ideal = 0;
			assert_true(all_cycles(&m, &cases[n].kernel) > without);
		}
	(void)state;
}

/* Groups of two with one integer register each, the loop's own, too: as many groups are in flight as there are registers
 * beyond the architectural ones. */
static void registers_of_groups(void **state)
{
	struct kernel k = {.name = "f0_pairs"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "latency.fp_add=%u", m.latency[CULPRIT_OP_int_alu]);
		uint64_t held = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_int_alu] + m.commit_delay;
		kernel_set(&m, "dispatch.width=2");
		for (unsigned whole = 0; whole <= 1; whole++) {
			kernel_set(&m, "dispatch.whole_groups=%s", whole ? "true" : "false");
			kernel_set(&m, "window.int_regs=34");
			kernel_expect(&m, &k, (HEAD_OPS + 1) * kernel_max(held, 2), 2, "two groups");
		}
	}
	(void)state;
}

/* Operations that take an entry each, in groups of two: of 2 n entries as many groups are in flight, and each has its entries from
 * dispatch until it commits, stores theirs of the SQ until they are written. The loop's own two need none. */
static void queues_of_groups(void **state)
{
	static const struct {
		const char *kernel, *key;
		uint32_t base;
		enum culprit_op_class op;
	} cases[] = {{"loads", "lq", 0, CULPRIT_OP_load},
		     {"loads", "lsq", 0, CULPRIT_OP_load},
		     {"stores", "sq", 0, CULPRIT_OP_store},
		     {"stores", "lsq", 0, CULPRIT_OP_store},
		     {"fp_adds", "fp_regs", 32, CULPRIT_OP_fp_add}};
	for (unsigned i = 0; i < kernel_machine_count; i++)
		for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++)
			for (unsigned whole = 0; whole <= 1; whole++)
				for (unsigned groups = 1; groups <= 2; groups++) {
					struct kernel k = {.name = cases[n].kernel, .arg = {BARE_DATA}};
					struct machine m;
					kernel_wide_machine(&m, kernel_machines[i]);
					bool load = cases[n].op == CULPRIT_OP_load, sq = !strcmp(cases[n].key, "sq");
					uint64_t latency = load ? kernel_load(&m, CULPRIT_LEVEL_L1)
								: m.latency[cases[n].op];
					uint64_t held = m.issue_dispatch_to_issue + latency + m.commit_delay +
							(sq ? m.l1d_latency : 0);
					kernel_set(&m, "dispatch.width=2");
					kernel_set(&m, "dispatch.whole_groups=%s", whole ? "true" : "false");
					kernel_set(&m, "window.%s=%u", cases[n].key,
						   cases[n].base + 2 * groups + whole);
					kernel_expect(&m, &k, HEAD_OPS / 2 * held, groups, cases[n].key);
				}
	(void)state;
}

/* Each iteration is the right path of a branch that is always mispredicted and waits for nothing: addi, bnez, which waits
 * for it and commits before, and a group later the branch. The path goes on when it has come through the front end, and
 * `recovery` cycles after the branch commits, whichever is later. */
static void recovery(void **state)
{
	struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "dispatch.width=4");
		uint64_t executes = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch];
		uint64_t refill = m.frontend_stages + executes + m.frontend_redirect + 1;
		for (unsigned cycles = 0; cycles <= 36; cycles += 6) {
			kernel_set(&m, "dispatch.recovery=%u", cycles);
			uint64_t leaves = kernel_wake(&m, CULPRIT_OP_int_alu) + executes + m.commit_delay + cycles;
			kernel_expect(&m, &k, cycles ? kernel_max(refill, leaves) : refill, 1, "dispatch.recovery");
		}
	}
	(void)state;
}

/* A violation takes a branch along that has squashed and not left: nothing waits for its recovery any more. */
static void recovery_of_none(void **state)
{
	struct kernel k = {.name = "violated_branch", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct kernel_result few, more;
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "lsq.disambiguation=speculative");
		kernel_set(&m, "latency.int_div=100");
		kernel_run(&m, &k, 40, &few);
		kernel_run(&m, &k, 80, &more);
		assert_int_equal(more.core.violations, 80);
		kernel_set(&m, "dispatch.recovery=60");
		kernel_expect(&m, &k, more.cycles - few.cycles, 40, "no recovery");
	}
	(void)state;
}

/* A load leaves before its data, and behind it a branch that is mispredicted and waits for nothing. The right path, and
 * with it the next load, is dispatched a cycle and `recovery` after the data. */
static void recovery_data(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		uint64_t line = kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0);
		struct kernel k = {.name = "left_load", .arg = {BARE_DATA, line}};
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "dispatch.width=8");
		kernel_set(&m, "window.released=4096");
		uint64_t data = m.issue_dispatch_to_issue + kernel_load(&m, CULPRIT_LEVEL_MEMORY);
		for (unsigned cycles = 1; cycles <= 9; cycles += 4) {
			struct kernel_result early;
			kernel_set(&m, "dispatch.recovery=%u", cycles);
			kernel_set(&m, "dispatch.recovery_data=false");
			kernel_run(&m, &k, 280, &early);
			assert_true(early.cycles < 280 * data);
			kernel_set(&m, "dispatch.recovery_data=true");
			kernel_expect(&m, &k, data + 1 + cycles, 1, "dispatch.recovery_data");
		}
	}
	(void)state;
}

/* Each load misses; it and its line take turns of the only unit, one more where a line makes way. Lines come at once,
 * or loads would be far ahead of their lines when a run ends. */
static void fill(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "memory.latency=1");
		kernel_set(&m, "l2.latency=1");
		kernel_set(&m, "l3.latency=1");
		one_memory_unit(&m);
		uint64_t line = kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0);
		struct kernel k = {.name = "stream", .arg = {BARE_DATA, line}};
		for (unsigned n = 2; n <= 6; n += 2) {
			kernel_set(&m, "lsq.fill=%u", n);
			kernel_set(&m, "l1d.size=4194304");
			kernel_expect(&m, &k, (uint64_t)STREAM_LOADS * (1 + n), 1, "lsq.fill");
			kernel_set(&m, "l1d.size=4096");
			kernel_expect(&m, &k, (uint64_t)STREAM_LOADS * (2 + n), 1, "lsq.fill of other lines' places");
		}
	}
	(void)state;
}

/* A chain of second loads of lines that the L2 has: each finds its line on its way, and issues again. */
static void restart(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		one_memory_unit(&m);
		const uint64_t line = kernel_load(&m, CULPRIT_LEVEL_L2);
		struct kernel k = {
			.name = "line_pair", .ring_nodes = m.l1d_ways + 1, .ring_stride = m.l1d_size / m.l1d_ways};
		kernel_expect(&m, &k, CHAIN_OPS * line, 1, "the line as it comes");
		for (unsigned again = 4; again <= 12; again += 4) {
			kernel_set(&m, "lsq.restart=%u", again);
			kernel_expect(&m, &k, CHAIN_OPS * (line + again), 1, "lsq.restart");
		}
	}
	(void)state;
}

/* Two loads of each line of a stream, the second while the line is on its way: the first of them takes one turn of the only
 * unit, and the second one that comes to nothing and another when it issues again. */
static void restart_takes_turns(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "memory.latency=1");
		one_memory_unit(&m);
		const struct kernel k = {.name = "stream", .arg = {BARE_DATA, m.l1d_line / 2}};
		kernel_expect(&m, &k, STREAM_LOADS, 1, "a turn for each load");
		for (unsigned again = 4; again <= 12; again += 4) {
			kernel_set(&m, "lsq.restart=%u", again);
			kernel_expect(&m, &k, STREAM_LOADS / 2 * 3, 1, "three turns for two loads");
		}
	}
	(void)state;
}

/* The same of the queue's width, where loads have a queue that the ALU does not take from. */
static void restart_takes_width(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "memory.latency=1");
		uint32_t load = 0, alu = 0;
		for (uint32_t u = 0; u < m.unit_count; u++) {
			load = m.units[u].ops & (1u << CULPRIT_OP_load) ? m.units[u].queue : load;
			alu = m.units[u].ops & (1u << CULPRIT_OP_int_alu) ? m.units[u].queue : alu;
		}
		if (load == alu)
			continue;
		m.queues[load].width = 1;
		const struct kernel k = {.name = "stream", .arg = {BARE_DATA, m.l1d_line / 2}};
		kernel_expect(&m, &k, STREAM_LOADS, 1, "a turn for each load");
		kernel_set(&m, "lsq.restart=8");
		kernel_expect(&m, &k, STREAM_LOADS / 2 * 3, 1, "three turns for two loads");
	}
	(void)state;
}

/* One such pair at a time, and always other loads that want the turn. */
static void restart_takes_one_turn(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		one_memory_unit(&m);
		const struct kernel k = {.name = "pair_among",
					 .arg = {0, BARE_DATA + m.l1d_line},
					 .ring_nodes = m.l1d_ways + 1,
					 .ring_stride = m.l1d_size / m.l1d_ways};
		assert_true(kernel_load(&m, CULPRIT_LEVEL_L2) + 12 < AMONG_LOADS);
		kernel_expect(&m, &k, HEAD_OPS * (AMONG_LOADS + 2), 1, "a turn for each load");
		for (unsigned again = 4; again <= 12; again += 4) {
			kernel_set(&m, "lsq.restart=%u", again);
			kernel_expect(&m, &k, HEAD_OPS * (AMONG_LOADS + 3), 1, "one turn more");
		}
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_in_flight),
		cmocka_unit_test(moves_of_a_group),
		cmocka_unit_test(moves),
		cmocka_unit_test(crossing),
		cmocka_unit_test(one_conditional),
		cmocka_unit_test(late_addend),
		cmocka_unit_test(split),
		cmocka_unit_test(line_interval),
		cmocka_unit_test(stream_lines),
		cmocka_unit_test(waiting_loads),
		cmocka_unit_test(loop_buffer),
		cmocka_unit_test(violation_delay),
		cmocka_unit_test(whole_groups),
		cmocka_unit_test(no_limits_of_bandwidth),
		cmocka_unit_test(registers_of_groups),
		cmocka_unit_test(queues_of_groups),
		cmocka_unit_test(recovery),
		cmocka_unit_test(recovery_of_none),
		cmocka_unit_test(recovery_data),
		cmocka_unit_test(fill),
		cmocka_unit_test(restart),
		cmocka_unit_test(restart_takes_turns),
		cmocka_unit_test(restart_takes_width),
		cmocka_unit_test(restart_takes_one_turn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
