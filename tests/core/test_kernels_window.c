/* Known answers for what the window's structures let overlap, for instructions that issue only as the oldest, for
 * serialising ones, and for memory order.
 *
 * Notation in the comments: X issue.dispatch_to_issue, miss = cycles of a load that goes to memory, W(op) what a
 * dependent waits after op's issue, one turn = from the dispatch of an instruction that takes an entry to the next
 * one's. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t line_of(const struct machine *m)
{
	return kernel_max(m->l2_line, m->l3_size ? m->l3_line : 0);
}

/* A missing load's entry is free when it commits: X + miss + commit.delay after its dispatch. */
static uint64_t load_turn(const struct machine *m)
{
	return m->issue_dispatch_to_issue + kernel_load(m, CULPRIT_LEVEL_MEMORY) + m->commit_delay;
}

static void expect_overlap(struct machine *m, const char *kernel, uint64_t turn, uint64_t at_once, const char *what)
{
	struct kernel k = {.name = kernel, .arg = {BARE_DATA, line_of(m)}};
	kernel_expect(m, &k, turn, at_once, what);
}

/* Misses SPACING instructions apart and a ROB of n: when one waits at the head, (n - 1) / SPACING more are in. The load
 * after them dispatches in the cycle in which that one commits. When its is the last entry, then the add that makes its
 * address, SPACING - 1 before it, dispatches in the same cycle, and the load waits for that. */
static void rob_overlap(void **state)
{
	static const unsigned sizes[] = {SPACING / 2, SPACING, SPACING + 1, 2 * SPACING, 2 * SPACING + 1, 4 * SPACING};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "window.rob=%u", sizes[n]);
			uint64_t turn = load_turn(&m);
			if (sizes[n] < SPACING) /* half of them: the other half has to pass before the next load */
				turn += m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_int_alu] + m.commit_delay;
			if (sizes[n] % SPACING == 1)
				turn += kernel_wake(&m, CULPRIT_OP_int_alu);
			expect_overlap(&m, "spaced", turn, (sizes[n] - 1) / SPACING + 1, "window.rob");
		}
	}
	(void)state;
}

/* An iteration is a load, 62 instructions that share entries, and a branch: 64 entries without sharing, 33 in pairs, 23
 * in threes (the last of the run has but two), 18 in fours (likewise). A ROB of n iterations holds n misses. */
static void fold_overlap(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned fold = 1; fold <= 4; fold++) {
			const unsigned entries = 2 + (SPACING - 2 + fold - 1) / fold;
			for (unsigned n = 1; n <= 3; n++) {
				struct machine m;
				kernel_wide_machine(&m, kernel_machines[i]);
				kernel_set(&m, "window.fold=%u", fold);
				kernel_set(&m, "window.rob=%u", n * entries);
				expect_overlap(&m, "spaced", load_turn(&m), n, "window.fold");
			}
		}
	}
	(void)state;
}

/* A group of two has to find so many entries: as if it needed two, of a ROB with so many fewer. */
static void rob_room(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "dispatch.width=2");
		kernel_set(&m, "dispatch.whole_groups=true");
		const struct kernel k = {.name = "spaced", .arg = {BARE_DATA, line_of(&m)}};
		for (unsigned room = 3; room <= 9; room += 3) {
			struct kernel_result with, without;
			kernel_set(&m, "window.rob=%u", SPACING + 4);
			kernel_set(&m, "window.rob_room=%u", room);
			kernel_run(&m, &k, 280, &with);
			kernel_set(&m, "window.rob_room=0");
			kernel_set(&m, "window.rob=%u", SPACING + 4 - (room - 2));
			kernel_run(&m, &k, 280, &without);
			assert_int_equal(with.cycles, without.cycles);
		}
		/* folded, groups of two take one entry, but for the load's and the branch's: 30 of 64 instructions' */
		kernel_set(&m, "window.fold=2");
		kernel_set(&m, "window.rob=%u", SPACING / 2 + 4);
		struct kernel_result with, without;
		kernel_run(&m, &k, 280, &without);
		kernel_set(&m, "window.rob_room=%u", 4);
		kernel_run(&m, &k, 280, &with);
		assert_true(with.cycles > without.cycles);
	}
	(void)state;
}

/* Loads leave the ROB when they would have hit, so that the window is as if the ROB had so many entries more. */
static void released_overlap(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 1; n <= 4; n++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "window.rob=%u", 2 * SPACING);
			kernel_set(&m, "window.released=%u", n * SPACING);
			expect_overlap(&m, "spaced", load_turn(&m), n + 2, "window.released");
		}
	}
	(void)state;
}

/* n entries for loads (in the LQ, or the LSQ that they share with stores): n misses in a turn. */
static void load_queue_overlap(void **state)
{
	static const char *const keys[] = {"window.lq", "window.lsq"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 1; n <= 4; n++) {
			for (unsigned key = 0; key < 2; key++) {
				struct machine m;
				kernel_wide_machine(&m, kernel_machines[i]);
				kernel_set(&m, "window.rob=1024");
				kernel_set(&m, "%s=%u", keys[key], n);
				expect_overlap(&m, "spaced", load_turn(&m), n, keys[key]);
			}
		}
	}
	(void)state;
}

/* A store's entry is free when its write is done: X + W(store) + delay to commit, then the L1D miss. One store is
 * written for SPACING instructions. LSQ entries are free at commit; but no more than one iteration is dispatched
 * in a cycle. */
static void store_queue_overlap(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 1; n <= 4; n++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "window.rob=1024");
			kernel_set(&m, "window.sq=%u", n);
			uint64_t to_commit = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_store] + m.commit_delay;
			uint64_t write = kernel_load(&m, CULPRIT_LEVEL_MEMORY) - m.latency[CULPRIT_OP_load];
			expect_overlap(&m, "spaced_store", to_commit + write, n, "window.sq");
			kernel_set(&m, "window.sq=0");
			kernel_set(&m, "window.lsq=%u", n);
			expect_overlap(&m, "spaced_store", kernel_max(to_commit, n), n, "window.lsq");
		}
	}
	(void)state;
}

/* n registers beyond the 32 architectural ones. An iteration of `spaced` takes three integer registers (load,
 * pointer, count), one of `spaced_fp` takes one floating-point register: (n - 1) / 3 + 1 and n misses in a turn.
 * When the load has the last integer register, then the add for its address dispatches together with it, as above. */
static void register_overlap(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 1; n <= 4; n++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "window.rob=1024");
			kernel_set(&m, "window.int_regs=%u", 32 + 3 * n);
			expect_overlap(&m, "spaced", load_turn(&m), n, "window.int_regs");
			kernel_set(&m, "window.int_regs=%u", 32 + 3 * n + 1);
			uint64_t add = kernel_wake(&m, CULPRIT_OP_int_alu);
			expect_overlap(&m, "spaced", load_turn(&m) + add, n + 1, "one more");
			kernel_set(&m, "window.int_regs=0");
			kernel_set(&m, "window.fp_regs=%u", 32 + n);
			expect_overlap(&m, "spaced_fp", load_turn(&m), n, "window.fp_regs");
		}
	}
	(void)state;
}

/* Each load's DEPENDENTS wait in the queue until its data are there, and keep the loop's branch and the next load
 * out of a queue of n DEPENDENTS entries: n loads in X + miss. (An entry is free when its owner issues, in the
 * same cycle.) */
static void issue_queue_overlap(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 1; n <= 3; n++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "window.rob=1024");
			for (uint32_t q = 0; q < m.queue_count; q++)
				m.queues[q].entries = n * DEPENDENTS;
			uint64_t turn = m.issue_dispatch_to_issue + kernel_load(&m, CULPRIT_LEVEL_MEMORY);
			expect_overlap(&m, "dependents", turn, n, "queue entries");
		}
	}
	(void)state;
}

/* Instructions that issue only as the oldest follow each other at latency + commit.delay: the next one is the
 * oldest, and issues, in the cycle in which the one before commits. The loop's own two instructions commit along
 * with the last. */
static void at_head(void **state)
{
	struct kernel amo = {.name = "amo", .arg = {BARE_DATA}}, fence = {.name = "fence"};
	struct kernel pairs = {.name = "lr_sc", .arg = {BARE_DATA}}, fails = {.name = "sc_fails", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned delay = 1; delay <= 3; delay++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "commit.delay=%u", delay);
			uint64_t access = m.latency[CULPRIT_OP_amo] + m.l1d_latency;
			kernel_expect(&m, &amo, HEAD_OPS * (access + delay), 1, "atomics");
			kernel_expect(&m, &pairs, HEAD_OPS * 2 * (access + delay), 1, "LR and SC");
			kernel_expect(&m, &fails, HEAD_OPS * (access + delay), 1, "SC that fail");
			kernel_expect(&m, &fence, HEAD_OPS * (m.latency[CULPRIT_OP_fence] + delay), 1, "fences");
			kernel_set(&m, "lsq.split_amo=true");
			kernel_expect(&m, &amo, HEAD_OPS * 2 * (access + delay), 1, "atomics in two");
			kernel_expect(&m, &pairs, HEAD_OPS * 2 * (access + delay), 1, "LR and SC as they are");
		}
	}
	(void)state;
}

/* After a serialising instruction commits, the next is fetched frontend.redirect later: stages + X + latency +
 * delay + redirect from one fetch to the next. The loop's own: addi, bnez, and the first of the next iteration
 * come together; that one waits until bnez commits: W(int_alu) + latency(branch) + delay after addi's issue. */
static void serialising(void **state)
{
	struct kernel csr = {.name = "csr"}, ecall = {.name = "ecall"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		for (unsigned redirect = 0; redirect <= 3; redirect++) {
			kernel_set(&m, "frontend.redirect=%u", redirect);
			uint64_t around = kernel_fetch_to_issue(&m) + m.commit_delay + redirect;
			uint64_t loop =
				kernel_wake(&m, CULPRIT_OP_int_alu) + m.latency[CULPRIT_OP_branch] + m.commit_delay;
			kernel_expect(&m, &csr, HEAD_OPS * (around + m.latency[CULPRIT_OP_csr]) + loop, 1, "CSR");
			kernel_expect(&m, &ecall, HEAD_OPS * (around + m.latency[CULPRIT_OP_system]) + loop, 1,
				      "ecall");
		}
	}
	(void)state;
}

static uint64_t divide(const struct machine *m)
{
	return kernel_wake(m, CULPRIT_OP_int_div);
}

/* div, store, load of the same word, round and round. A machine that knows (or has learned) the dependence: W(div)
 * + W(store) + forwarding. Store sets learn from the first violation. */
static void dependence_known(void **state)
{
	struct kernel k = {.name = "violation", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result r;
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t round = divide(&m) + kernel_wake(&m, CULPRIT_OP_store) +
				 kernel_max(m.lsq_forward_latency, m.issue_wakeup);
		kernel_set(&m, "lsq.disambiguation=perfect");
		kernel_expect(&m, &k, round, 1, "perfect");
		kernel_set(&m, "lsq.disambiguation=conservative");
		kernel_expect(&m, &k, round, 1, "conservative");
		kernel_set(&m, "lsq.disambiguation=store_sets");
		kernel_set(&m, "lsq.ssit_clear=0");
		kernel_expect(&m, &k, round, 1, "learned");
		kernel_run(&m, &k, 50, &r);
		assert_int_equal(r.core.violations, 1);
		assert_int_equal(r.core.forwarded, 49); /* the squashed load finds the store written */
	}
	(void)state;
}

/* Store sets that forget at once: every load violates. The store issues W(div) after the division, completes, the
 * load is fetched again redirect later; by its issue the store has been written, so it reads the L1D. */
static void violations(void **state)
{
	struct kernel k = {.name = "violation", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result r;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=store_sets");
		kernel_set(&m, "lsq.ssit_clear=1");
		uint64_t round = divide(&m) + m.latency[CULPRIT_OP_store] + m.frontend_redirect +
				 kernel_fetch_to_issue(&m) +
				 kernel_max(kernel_load(&m, CULPRIT_LEVEL_L1), m.issue_wakeup);
		assert_true(m.commit_delay < m.frontend_redirect + kernel_fetch_to_issue(&m));
		kernel_expect(&m, &k, round, 1, "never learned");
		kernel_run(&m, &k, 50, &r);
		assert_int_equal(r.core.violations, 50);
		assert_int_equal(r.core.forwarded, 0);
	}
	(void)state;
}

/* A load of another word than the store's. Conservative: it waits for the store's address, that is, its completion:
 * W(div) + latency(store) + load(L1) a round. Else nothing links the rounds but the divider: its interval. */
static void disambiguation(void **state)
{
	struct kernel k = {.name = "unrelated", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t load = kernel_max(kernel_load(&m, CULPRIT_LEVEL_L1), m.issue_wakeup);
		for (unsigned latency = 1; latency <= 3; latency++) {
			kernel_set(&m, "latency.store=%u", latency);
			kernel_set(&m, "lsq.disambiguation=conservative");
			kernel_expect(&m, &k, divide(&m) + latency + load, 1, "conservative");
		}
		for (uint32_t u = 0; u < m.unit_count; u++)
			if (m.units[u].ops & (1u << CULPRIT_OP_int_div))
				m.units[u].count = 1;
		kernel_set(&m, "lsq.disambiguation=perfect");
		kernel_expect(&m, &k, m.interval[CULPRIT_OP_int_div], 1, "perfect");
		kernel_set(&m, "lsq.disambiguation=store_sets");
		kernel_expect(&m, &k, m.interval[CULPRIT_OP_int_div], 1, "store sets");
	}
	(void)state;
}

/* The same with a load whose address comes two adds after the store's data: conservative, it issues when both its
 * address and the store's are known. */
static void late_addresses(void **state)
{
	struct kernel k = {.name = "late_load", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		uint64_t load = kernel_max(kernel_load(&m, CULPRIT_LEVEL_L1), m.issue_wakeup);
		uint64_t address = 2 * kernel_wake(&m, CULPRIT_OP_int_alu);
		kernel_set(&m, "lsq.disambiguation=conservative");
		for (unsigned latency = 1; latency <= 5; latency++) {
			kernel_set(&m, "latency.store=%u", latency);
			kernel_expect(&m, &k, divide(&m) + kernel_max(latency, address) + load, 1, "conservative");
		}
		kernel_set(&m, "lsq.disambiguation=perfect");
		kernel_expect(&m, &k, divide(&m) + address + load, 1, "perfect");
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rob_overlap),
		cmocka_unit_test(fold_overlap),
		cmocka_unit_test(rob_room),
		cmocka_unit_test(released_overlap),
		cmocka_unit_test(load_queue_overlap),
		cmocka_unit_test(store_queue_overlap),
		cmocka_unit_test(register_overlap),
		cmocka_unit_test(issue_queue_overlap),
		cmocka_unit_test(at_head),
		cmocka_unit_test(serialising),
		cmocka_unit_test(dependence_known),
		cmocka_unit_test(violations),
		cmocka_unit_test(disambiguation),
		cmocka_unit_test(late_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
