/* Known answers for fetch: breaks in fetch groups, redirects, mispredictions, return stack, I-cache and ITLB
 * misses.
 *
 * Notation in the comments: P completion of a branch, S frontend.stages, X issue.dispatch_to_issue, T
 * fetch.taken_limit, one = 1 when T is 1 (a group ends at the loop's own branch and the next starts a cycle
 * later), else 0. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* From the fetch of a branch that waits for nothing to the fetch of its right path: S + X + latency + redirect. */
static uint64_t resolve(const struct machine *m)
{
	return kernel_fetch_to_issue(m) + m->latency[CULPRIT_OP_branch] + m->frontend_redirect;
}

/* Static prediction without limits of the BTB and the return stack: what the kernels' branches were written for. */
static void static_machine(struct machine *m, const char *name)
{
	kernel_machine(m, name);
	kernel_isolate(m);
	kernel_set(m, "branch.predictor=static");
	kernel_set(m, "branch.btb_entries=0");
	kernel_set(m, "branch.ras=0");
}

/* Each iteration is the right path of the branch before: its first group is addi, bnez (taken), and the mispredicted
 * branch, if T allows a second taken branch: resolve + one. On the machine as it is. */
static void always_mispredicted(void **state)
{
	struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_expect(&m, &k, resolve(&m) + (m.fetch_taken_limit == 1), 1, "as it is");
		kernel_set(&m, "frontend.redirect=7");
		kernel_expect(&m, &k, resolve(&m) + (m.fetch_taken_limit == 1), 1, "frontend.redirect");
		kernel_set(&m, "frontend.stages=19");
		kernel_expect(&m, &k, resolve(&m) + (m.fetch_taken_limit == 1), 1, "frontend.stages");
		kernel_set(&m, "latency.branch=4");
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_expect(&m, &k, resolve(&m) + 1, 1, "latency.branch");
	}
	(void)state;
}

/* Two iterations' adds are one chain; then the branch waits for the andi behind its end and is wrong. The chain
 * goes on when the right path's first add issues: resolve + one after the andi's result. */
static void alternating(void **state)
{
	struct kernel k = {.name = "alternate"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		uint64_t alu = kernel_wake(&m, CULPRIT_OP_int_alu);
		uint64_t two = 2 * ALTERNATE_ADDS * alu + alu + resolve(&m) + (m.fetch_taken_limit == 1);
		kernel_expect(&m, &k, two, 2, "every second one");
	}
	(void)state;
}

/* Jumps that the BTB never has (a few entries, used in a circle): each ends its group and costs decode_redirect more.
 * With a perfect BTB: T of them a cycle. JUMPS + 1 jumps in an iteration. */
static void btb_misses(void **state)
{
	struct kernel k = {.name = "jumps"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		for (unsigned taken = 1; taken <= 4; taken++) {
			kernel_set(&m, "fetch.taken_limit=%u", taken);
			kernel_expect(&m, &k, JUMPS + 1, taken, "perfect BTB");
		}
		kernel_set(&m, "branch.btb_entries=8");
		kernel_set(&m, "branch.btb_ways=0");
		for (unsigned bubble = 0; bubble <= 5; bubble++) {
			kernel_set(&m, "frontend.decode_redirect=%u", bubble);
			kernel_expect(&m, &k, (JUMPS + 1) * (1ull + bubble), 1, "never in the BTB");
		}
		kernel_set(&m, "branch.btb_entries=128");
		kernel_expect(&m, &k, JUMPS + 1, 4, "all in the BTB");
	}
	(void)state;
}

/* Jumps that the first-level BTB never has (one entry, used in a circle), or always. JUMPS + 1 jumps in an iteration. */
static void first_btb_misses(void **state)
{
	struct kernel k = {.name = "jumps"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "frontend.decode_redirect=9");
		kernel_set(&m, "branch.l0_entries=1");
		for (unsigned bubble = 0; bubble <= 5; bubble++) {
			kernel_set(&m, "branch.l0_bubble=%u", bubble);
			kernel_expect(&m, &k, (JUMPS + 1) * (1ull + bubble), 1, "never in the first level");
		}
		kernel_set(&m, "branch.l0_entries=0");
		kernel_expect(&m, &k, (JUMPS + 1) * 6, 1, "no first level");
		kernel_set(&m, "branch.l0_entries=128");
		kernel_expect(&m, &k, JUMPS + 1, 1, "all in the first level");
		kernel_set(&m, "branch.btb_entries=8");
		kernel_set(&m, "branch.btb_ways=0");
		kernel_expect(&m, &k, (JUMPS + 1) * 10, 1, "what the BTB lacks is found at decode");
	}
	(void)state;
}

/* Entries used in a circle, half as many as jumps: the oldest is always gone when it is asked for again, and every jump
 * misses, where one replaced at random leaves some. (With nearly as many as jumps some hit: they are replaced after
 * the next round has asked for them, because entries are learnt at commit.) */
static void first_btb_oldest(void **state)
{
	struct kernel k = {.name = "jumps"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "branch.l0_bubble=3");
		kernel_set(&m, "branch.l0_fifo=true");
		kernel_set(&m, "branch.l0_entries=%u", JUMPS / 2);
		kernel_expect(&m, &k, (JUMPS + 1) * 4, 1, "the oldest goes");
		kernel_set(&m, "branch.l0_entries=%u", JUMPS + 1);
		kernel_expect(&m, &k, JUMPS + 1, 1, "all in the first level");
	}
	(void)state;
}

/* Each jump but the last is the first of its block, which a jump that is not in the first level leads to in the first
 * round: all get an entry. Of the last block's two instructions before its jump one is a branch: in blocks of 8 bytes its
 * jump is in the second, behind a branch, and never gets one. */
static void first_btb_by_blocks(void **state)
{
	struct kernel k = {.name = "jumps"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned bubble = 1; bubble <= 3; bubble++) {
			struct machine m;
			static_machine(&m, kernel_machines[i]);
			kernel_widen(&m);
			kernel_set(&m, "fetch.taken_limit=1");
			kernel_set(&m, "branch.l0_entries=128");
			kernel_set(&m, "branch.l0_bubble=%u", bubble);
			kernel_set(&m, "fetch.block=16");
			kernel_set(&m, "branch.l0_blocks=true");
			kernel_expect(&m, &k, JUMPS + 1, 1, "all in the first level");
			kernel_set(&m, "fetch.block=8");
			kernel_expect(&m, &k, JUMPS + 2 + bubble, 1, "all but the one behind a branch");
		}
	}
	(void)state;
}

/* T = 1: a group for each call and return, and the bubble behind each return. */
static void return_bubbles(void **state)
{
	struct kernel k = {.name = "calls"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		for (unsigned bubble = 0; bubble <= 6; bubble += 3) {
			kernel_set(&m, "branch.return_bubble=%u", bubble);
			kernel_expect(&m, &k, 1 + CALL_DEPTH * (2ull + bubble), 1, "late returns");
		}
	}
	(void)state;
}

/* T = 1: a group for each jump; the loop's end is another. */
static void indirect_bubbles(void **state)
{
	struct kernel k = {.name = "steady"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "branch.indirect=btb");
		for (unsigned bubble = 0; bubble <= 6; bubble += 3) {
			kernel_set(&m, "branch.indirect_bubble=%u", bubble);
			kernel_expect(&m, &k, STEADY_JUMPS * (1ull + bubble) + 1, 1, "late targets");
		}
	}
	(void)state;
}

/* Code without branches in lines of L bytes, F instructions a cycle: ceil(instructions in a line / F) cycles for a
 * line (or block of L bytes) when groups end with it; and one more group for the loop's end in its line (T = 1). Else all
 * instructions / F. */
static void fetch_groups(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned width = 2; width <= 12; width += 5) {
			struct kernel k = {.name = "straight"}, c = {.name = "straight_c"};
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "fetch.width=%u", width);
			k.before = c.before = 40, k.after = c.after = 124; /* a multiple of every width apart */
			kernel_expect(&m, &k, STRAIGHT + 2, width, "any line");
			kernel_set(&m, "fetch.within_line=true");
			kernel_set(&m, "fetch.taken_limit=1");
			uint64_t in_line = m.l1i_line / 4, lines = STRAIGHT / in_line;
			kernel_expect(&m, &k, lines * ((in_line + width - 1) / width) + 1, 1, "within a line");
			in_line = m.l1i_line / 2, lines = STRAIGHT / in_line;
			kernel_expect(&m, &c, lines * ((in_line + width - 1) / width) + 1, 1,
				      "within a line, 2 bytes each");
			for (uint64_t block = 8; block <= 32; block *= 2) {
				kernel_set(&m, "fetch.block=%u", (unsigned)block);
				in_line = block / 4, lines = STRAIGHT / in_line;
				kernel_expect(&m, &k, lines * ((in_line + width - 1) / width) + 1, 1, "within a block");
				in_line = block / 2, lines = STRAIGHT / in_line;
				kernel_expect(&m, &c, lines * ((in_line + width - 1) / width) + 1, 1,
					      "within a block, 2 bytes each");
			}
		}
	}
	(void)state;
}

/* CALL_DEPTH calls, R entries. T = 1, so a group for each call and return: the right path of the last iteration's
 * last return (group 0) is addi, beqz, j; then CALL_DEPTH calls and R returns that the stack has. The next one is
 * fetched in cycle 1 + CALL_DEPTH + R and has no target; each of the CALL_DEPTH - R of them takes resolve, and
 * waits for the mv before it. All calls have gone through by then. */
static void return_stack(void **state)
{
	struct kernel k = {.name = "calls"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		for (unsigned entries = 2; entries < CALL_DEPTH; entries += 3) {
			kernel_set(&m, "branch.ras=%u", entries);
			uint64_t lost = resolve(&m) + kernel_wake(&m, CULPRIT_OP_int_alu);
			kernel_expect(&m, &k, 1 + CALL_DEPTH + entries + (CALL_DEPTH - entries) * lost, 1, "overflow");
		}
		kernel_set(&m, "branch.ras=%u", CALL_DEPTH);
		kernel_expect(&m, &k, 1 + 2 * CALL_DEPTH, 1, "just enough");
		/* each function has one caller, so that its last target is the right one */
		kernel_set(&m, "branch.returns=indirect");
		kernel_set(&m, "branch.indirect=btb");
		kernel_set(&m, "branch.ras=1");
		kernel_expect(&m, &k, 1 + 2 * CALL_DEPTH, 1, "last targets");
		/* as a stack of none would */
		kernel_set(&m, "branch.returns=next_block");
		uint64_t lost = resolve(&m) + kernel_wake(&m, CULPRIT_OP_int_alu);
		kernel_expect(&m, &k, 1 + CALL_DEPTH + CALL_DEPTH * lost - kernel_wake(&m, CULPRIT_OP_int_alu), 1,
			      "nothing tells");
	}
	(void)state;
}

/* A switch takes the address to go to from the return stack and leaves the next one there. T = 1: a group for each taken
 * branch, and a switch executes when the one before it has. */
static void coroutines(void **state)
{
	struct kernel k = {.name = "coroutine"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "branch.indirect=btb");
		kernel_set(&m, "branch.ras=4");
		uint64_t chain = 4 * kernel_wake(&m, CULPRIT_OP_branch);
		kernel_expect(&m, &k, chain > 7 ? chain : 7, 1, "switches");
	}
	(void)state;
}

/* A jump whose last target is always the wrong one: resolve for each, and the mv before it. All of an iteration is
 * in one group of the widened machine. */
static void indirect_jumps(void **state)
{
	struct kernel k = {.name = "indirect"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "branch.indirect=btb");
		kernel_expect(&m, &k, kernel_wake(&m, CULPRIT_OP_int_alu) + resolve(&m), 1, "last target");
	}
	(void)state;
}

/* Jumps that always go to the same place, one to 64 bytes, and nothing tells where: each takes resolve, and waits for
 * the addition before it. The loop's own group comes before the first of the next iteration, and its addition before
 * that one's. In blocks of 64 bytes the next one is where they go. */
static void indirect_jumps_lost(void **state)
{
	struct kernel k = {.name = "steady"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "branch.indirect=next_block");
		uint64_t alu = kernel_wake(&m, CULPRIT_OP_int_alu);
		for (unsigned block = 0; block <= 32; block += 16) {
			kernel_set(&m, "fetch.block=%u", block);
			kernel_expect(&m, &k, STEADY_JUMPS * (alu + resolve(&m)) + kernel_max(alu, 1), 1,
				      "nothing tells");
		}
		kernel_set(&m, "fetch.block=64");
		kernel_expect(&m, &k, (STEADY_JUMPS + 1) * kernel_max(alu, 1), 1, "the next block is right");
	}
	(void)state;
}

/* One entry for STEADY_JUMPS jumps and the loop's own. What a BTB of direct branches lacks is the loop's own alone, once
 * it is there no more; without a BTB the others' bubbles stay as they are. */
static void btb_of_direct(void **state)
{
	struct kernel k = {.name = "steady"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_widen(&m);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "branch.indirect_bubble=2");
		kernel_set(&m, "frontend.decode_redirect=5");
		kernel_set(&m, "branch.btb_entries=1");
		kernel_set(&m, "branch.btb_ways=1");
		kernel_set(&m, "branch.indirect=path");
		kernel_expect(&m, &k, STEADY_JUMPS * 6 + 6, 1, "they push each other out");
		kernel_set(&m, "branch.btb_direct=true");
		kernel_expect(&m, &k, STEADY_JUMPS * 3 + 1, 1, "branch.btb_direct");
		kernel_set(&m, "branch.btb=false");
		kernel_expect(&m, &k, STEADY_JUMPS * 3 + 6, 1, "branch.btb");
		kernel_set(&m, "branch.btb_direct=false");
		kernel_expect(&m, &k, STEADY_JUMPS * 6 + 6, 1, "none in the BTB");
	}
	(void)state;
}

/* As always_mispredicted with T = 1: the right path's addition and branch go to the queue first, and the mispredicted
 * branch a cycle later. It passes by them if they have issued by the next cycle. */
static void bypass(void **state)
{
	struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		static_machine(&m, kernel_machines[i]);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "issue.bypass=true");
		for (unsigned alu = 1; alu <= 2; alu++)
			for (unsigned far = 1; far <= 3; far++) {
				kernel_set(&m, "latency.int_alu=%u", alu);
				kernel_set(&m, "issue.dispatch_to_issue=%u", far);
				bool behind = alu > 1 || far > 1;
				kernel_expect(&m, &k, resolve(&m) + 1 + behind, 1, "issue.bypass");
			}
	}
	(void)state;
}

/* A walk through more lines than the L1I has: each jump's line comes from the next level that has it. With T = 1
 * the jump is fetched in one cycle and the next line asked for in the next; with more, in the same cycle. JUMPS +
 * 1 lines. */
static void icache_misses(void **state)
{
	struct kernel k = {.name = "jumps"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned taken = 1; taken <= 2; taken++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "fetch.taken_limit=%u", taken);
			uint64_t lines = JUMPS + 1, step = taken == 1, beyond = m.l2_latency;
			kernel_set(&m, "l1i.ways=2");
			kernel_set(&m, "l1i.size=2048");
			kernel_expect(&m, &k, lines * (step + beyond), 1, "from L2");
			kernel_set(&m, "l2.ways=2");
			kernel_set(&m, "l2.size=4096");
			if (m.l3_size) {
				beyond += m.l3_latency;
				kernel_expect(&m, &k, lines * (step + beyond), 1, "from L3");
				kernel_set(&m, "l3.ways=2");
				kernel_set(&m, "l3.size=4096");
			}
			beyond += m.memory_latency;
			kernel_expect(&m, &k, lines * (step + beyond), 1, "from memory");
		}
	}
	(void)state;
}

/* The same walk over 9 pages of 1 KiB with a two-entry ITLB: one walk for each page, one cycle for each jump (T =
 * 1). */
static void itlb_walks(void **state)
{
	struct kernel k = {.name = "jumps"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "tlb.page=1024");
		kernel_set(&m, "tlb.i_entries=2");
		kernel_set(&m, "tlb.i_ways=0");
		uint64_t pages = JUMPS * JUMP_BLOCK / 1024 + 1;
		kernel_expect(&m, &k, JUMPS + 1 + pages * m.tlb_walk_latency, 1, "walks");
		kernel_set(&m, "tlb.l2_entries=64");
		kernel_set(&m, "tlb.l2_ways=0");
		kernel_expect(&m, &k, JUMPS + 1 + pages * m.tlb_l2_latency, 1, "second level");
		kernel_set(&m, "tlb.i_entries=16");
		kernel_expect(&m, &k, JUMPS + 1, 1, "enough entries");
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(always_mispredicted),
		cmocka_unit_test(alternating),
		cmocka_unit_test(btb_misses),
		cmocka_unit_test(fetch_groups),
		cmocka_unit_test(return_stack),
		cmocka_unit_test(indirect_jumps),
		cmocka_unit_test(coroutines),
		cmocka_unit_test(first_btb_misses),
		cmocka_unit_test(first_btb_oldest),
		cmocka_unit_test(first_btb_by_blocks),
		cmocka_unit_test(return_bubbles),
		cmocka_unit_test(indirect_bubbles),
		cmocka_unit_test(icache_misses),
		cmocka_unit_test(itlb_walks),
		cmocka_unit_test(indirect_jumps_lost),
		cmocka_unit_test(btb_of_direct),
		cmocka_unit_test(bypass),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
