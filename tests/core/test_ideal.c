/* Known answers with event classes idealised away, alone and together.
 *
 * Notation as in test_kernels_memory.c. `alu` is W(int_alu), the chain through the loop's counter: what remains of an
 * iteration when nothing else takes time and the machine is wide. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BIT(name) CULPRIT_EVENT_BIT(name)

/* Where fetch runs far ahead, its cold misses at the loop's end overlap with the iterations; these are enough to
 * cover them. */
#define LONG .before = 600, .after = 840

static void expect(struct machine *m, culprit_event_set ideal, const struct kernel *k, uint64_t cycles, uint64_t per,
		   const char *what)
{
	m->ideal = ideal;
	kernel_expect(m, k, cycles, per, what);
	m->ideal = 0;
}

static uint64_t at_least(const struct machine *m, uint64_t latency)
{
	return CHAIN_OPS * kernel_max(latency, m->issue_wakeup);
}

/* A chase in the L1 takes no load latency: the loop's counter is left, or with that free too the dispatch width.
 * From L2: only what L2 adds. Forwarding: only the store. */
static void load_latency(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t alu = kernel_wake(&m, CULPRIT_OP_int_alu);
		struct kernel l1 = {.name = "chase", .ring_nodes = 1, .ring_stride = 8};
		struct kernel l2 = {
			.name = "chase", .ring_nodes = m.l1d_ways + 1, .ring_stride = m.l1d_size / m.l1d_ways};
		struct kernel forward = {.name = "forward", .arg = {BARE_DATA}};
		expect(&m, BIT(dl1), &l1, alu, 1, "dl1");
		expect(&m, BIT(dl1), &l2, at_least(&m, m.l2_latency), 1, "dl1, from L2");
		kernel_set(&m, "lsq.ssit_clear=0");
		kernel_take_none_back(&m);
		expect(&m, BIT(dl1), &forward, FORWARD_PAIRS * kernel_wake(&m, CULPRIT_OP_store), 1, "dl1, forwarding");
		kernel_set(&m, "dispatch.width=2");
		expect(&m, BIT(dl1) | BIT(shalu), &l1, CHAIN_OPS + 2, 2, "dl1, shalu");
	}
	(void)state;
}

/* Misses cost what an L1 hit does; finer classes what the level above them does. */
static void data_misses(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		bool l3 = m.l3_size;
		uint64_t set = l3 ? m.l3_size / m.l3_ways : m.l2_size / m.l2_ways;
		uint64_t hit = kernel_load(&m, CULPRIT_LEVEL_L1), below = l3 ? CULPRIT_LEVEL_L3 : CULPRIT_LEVEL_L2;
		struct kernel l2 = {
			.name = "chase", .ring_nodes = m.l1d_ways + 1, .ring_stride = m.l1d_size / m.l1d_ways};
		struct kernel memory = {
			.name = "chase", .ring_nodes = (l3 ? m.l3_ways : m.l2_ways) + 1, .ring_stride = set};
		expect(&m, BIT(dmiss), &l2, at_least(&m, hit), 1, "dmiss, L2");
		expect(&m, BIT(dmiss), &memory, at_least(&m, hit), 1, "dmiss, memory");
		expect(&m, BIT(dmiss) | BIT(dl1), &memory, kernel_wake(&m, CULPRIT_OP_int_alu), 1, "dmiss, dl1");
		expect(&m, BIT(dl2), &l2, at_least(&m, hit), 1, "dl2");
		expect(&m, BIT(dmem), &l2, at_least(&m, kernel_load(&m, CULPRIT_LEVEL_L2)), 1, "dmem, L2");
		expect(&m, BIT(dmem), &memory, at_least(&m, kernel_load(&m, below)), 1, "dmem, memory");
		expect(&m, BIT(dl2) | BIT(dl3) | BIT(dmem), &memory, at_least(&m, hit), 1, "all data levels");
		expect(&m, BIT(imiss) | BIT(bmisp), &l2, at_least(&m, kernel_load(&m, CULPRIT_LEVEL_L2)), 1, "others");
		kernel_set(&m, "tlb.d_entries=4");
		kernel_set(&m, "tlb.d_ways=0");
		struct kernel walk = {.name = "chase", .ring_nodes = 5, .ring_stride = m.tlb_page + m.l1d_line};
		expect(&m, 0, &walk, at_least(&m, hit + m.tlb_walk_latency), 1, "walks");
		expect(&m, BIT(dtlb), &walk, at_least(&m, hit), 1, "dtlb");
		expect(&m, BIT(dmiss), &walk, at_least(&m, hit), 1, "dmiss, walks");
	}
	(void)state;
}

/* A branch that goes the other way every time costs nothing; nor do jumps that the BTB misses. */
static void mispredictions(void **state)
{
	struct kernel coin = {.name = "alternate"}, jumps = {.name = "jumps"}, calls = {.name = "calls"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=8");
		kernel_set(&m, "branch.btb_ways=0");
		kernel_set(&m, "branch.ras=2");
		expect(&m, BIT(bmisp), &coin, ALTERNATE_ADDS * kernel_wake(&m, CULPRIT_OP_int_alu), 1, "bmisp");
		kernel_set(&m, "fetch.taken_limit=1");
		expect(&m, BIT(bmisp), &jumps, JUMPS + 1, 1, "bmisp, jumps");
		expect(&m, BIT(bmisp), &calls, 2 * CALL_DEPTH + 1, 1, "bmisp, returns");
	}
	(void)state;
}

/* The walk through code that comes from memory: a cycle for each jump is left (T = 1). */
static void instruction_misses(void **state)
{
	struct kernel k = {.name = "jumps"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "l1i.ways=2");
		kernel_set(&m, "l1i.size=2048");
		expect(&m, BIT(imiss), &k, JUMPS + 1, 1, "imiss");
		expect(&m, BIT(il2), &k, JUMPS + 1, 1, "il2");
		expect(&m, BIT(dmiss), &k, (JUMPS + 1) * (1ull + m.l2_latency), 1, "dmiss is no help");
		kernel_set(&m, "l3.size=0");
		kernel_set(&m, "l2.ways=2");
		kernel_set(&m, "l2.size=4096");
		expect(&m, BIT(imiss), &k, JUMPS + 1, 1, "imiss, memory");
		expect(&m, BIT(imem), &k, (JUMPS + 1) * (1ull + m.l2_latency), 1, "imem");
		expect(&m, BIT(il2) | BIT(imem), &k, JUMPS + 1, 1, "il2, imem");
	}
	(void)state;
}

/* Operations without latency: dependents issue in the same cycle, so the widths are left. Units still take one a
 * cycle. */
static void operations(void **state)
{
	struct kernel adds = {.name = "chain"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "dispatch.width=2");
		expect(&m, BIT(shalu), &adds, CHAIN_OPS + 2, 2, "shalu");
		kernel_set(&m, "dispatch.width=64");
		for (unsigned op = OP_MUL; op <= OP_FMOVE; op++) {
			struct kernel k = {.name = "op_chain", .arg = {op}};
			expect(&m, BIT(lgalu), &k, kernel_wake(&m, CULPRIT_OP_int_alu), 1, "lgalu");
		}
		struct kernel mul = {.name = "op_chain", .arg = {OP_MUL}, LONG};
		expect(&m, BIT(shalu), &mul, CHAIN_OPS * kernel_wake(&m, CULPRIT_OP_int_mul), 1, "shalu is no help");
		for (uint32_t u = 0; u < m.unit_count; u++)
			if (m.units[u].ops & (1u << CULPRIT_OP_int_mul))
				m.units[u].count = 1;
		expect(&m, BIT(lgalu), &mul, CHAIN_OPS, 1, "lgalu, one unit");
		expect(&m, BIT(lgalu) | BIT(bw), &mul, kernel_wake(&m, CULPRIT_OP_int_alu), 1, "lgalu, bw");
	}
	(void)state;
}

/* Twenty times the ROB: 20 misses at once instead of one. Widths of one, unlimited: the loop's counter is left. */
static void window_and_bandwidth(void **state)
{
	struct kernel adds = {.name = "add_stream", LONG};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "window.rob=%u", SPACING);
		struct kernel k = {.name = "spaced",
				   .arg = {BARE_DATA, kernel_max(m.l2_line, m.l3_size ? m.l3_line : 0)}};
		uint64_t turn = m.issue_dispatch_to_issue + kernel_load(&m, CULPRIT_LEVEL_MEMORY) + m.commit_delay;
		expect(&m, 0, &k, turn, 1, "base");
		expect(&m, BIT(win), &k, turn, 20, "win");
		uint64_t hit = m.issue_dispatch_to_issue + kernel_load(&m, CULPRIT_LEVEL_L1) + m.commit_delay;
		expect(&m, BIT(dmiss), &k, hit, 1, "dmiss");
		kernel_set(&m, "window.rob=1024");
		kernel_set(&m, "fetch.width=1");
		kernel_set(&m, "dispatch.width=1");
		kernel_set(&m, "issue.width=1");
		kernel_set(&m, "commit.width=1");
		kernel_set(&m, "fetch.taken_limit=1");
		for (uint32_t u = 0; u < m.unit_count; u++)
			m.units[u].count = 1;
		expect(&m, 0, &adds, STREAM_ADDS + 2, 1, "base");
		expect(&m, BIT(bw), &adds, kernel_wake(&m, CULPRIT_OP_int_alu), 1, "bw");
	}
	(void)state;
}

/* div, store, load of the same word, and round again: each class takes its part away, in any order. Then the five
 * instructions' dispatch is left. */
static void one_chain_in_parts(void **state)
{
	struct kernel k = {.name = "violation", .arg = {BARE_DATA}, LONG};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=perfect");
		kernel_set(&m, "dispatch.width=1");
		uint64_t div = kernel_wake(&m, CULPRIT_OP_int_div), store = kernel_wake(&m, CULPRIT_OP_store);
		uint64_t load = kernel_max(m.lsq_forward_latency, m.issue_wakeup);
		static const culprit_event_set part[] = {BIT(lgalu), BIT(shalu), BIT(dl1)};
		for (unsigned set = 0; set < 8; set++) {
			uint64_t cycles = (set & 1 ? 0 : div) + (set & 2 ? 0 : store) + (set & 4 ? 0 : load);
			culprit_event_set ideal = 0;
			for (unsigned n = 0; n < 3; n++)
				ideal |= set >> n & 1 ? part[n] : 0;
			expect(&m, ideal, &k, kernel_max(cycles, 5), 1, "in parts");
		}
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_latency),	      cmocka_unit_test(data_misses),
		cmocka_unit_test(mispredictions),     cmocka_unit_test(instruction_misses),
		cmocka_unit_test(operations),	      cmocka_unit_test(window_and_bandwidth),
		cmocka_unit_test(one_chain_in_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
