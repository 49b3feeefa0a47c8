/* Loops for the keys that public cores and simulators have shown (docs/explanation/real-cores.md): cycles by arithmetic. */
#include "kernel_rig.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Eight instructions of four bytes to a line. A block of 16 bytes that begins where it is entered has four, wherever that
 * is; one that begins at its own boundary has two, when it is entered in its middle. Straight code is entered at one. */
static void bank(void **state)
{
	struct kernel k = {.name = "jumps"}, straight = {.name = "straight"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "fetch.width=16");
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "fetch.block=16");
		for (unsigned bytes = 2; bytes <= 8; bytes *= 2) {
			kernel_set(&m, "fetch.bank=%u", bytes);
			kernel_expect(&m, &straight, STRAIGHT / 4 + 1, 1, "fetch.bank, straight");
			kernel_expect(&m, &k, JUMPS + 1, 1, "fetch.bank, a jump to a block");
		}
	}
	(void)state;
}

static void count_line_ends(void *context, const struct culprit_record *records, size_t count)
{
	uint64_t *ends = context;
	for (size_t i = 0; i < count; i++)
		*ends += (records[i].flags & CULPRIT_FETCH_BREAK_LINE) != 0;
}

static uint64_t line_ends(const struct machine *m)
{
	uint64_t ends = 0;
	struct culprit_record_sink sink = {.context = &ends, .records = count_line_ends};
	struct kernel straight = {.name = "straight", .sink = &sink};
	struct kernel_result result;
	kernel_run(m, &straight, 40, &result);
	return ends;
}

/* Records tell where blocks end, also where the front end had no room for more: without that a graph has no limit there. */
static void bank_without_room(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "fetch.width=16");
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "fetch.block=16");
		kernel_set(&m, "fetch.bank=8");
		const uint64_t ends = line_ends(&m);
		assert_true(ends > 40);
		kernel_set(&m, "dispatch.width=1");
		for (unsigned room = 4; room <= 9; room++) {
			kernel_set(&m, "fetch.buffer=%u", room);
			assert_int_equal(line_ends(&m), ends);
		}
	}
	(void)state;
}

/* Two instructions of the loop lie 8 bytes before a boundary of 16, two behind it: in one block from a bank of 8, in two
 * blocks without banks. */
static void bank_entered(void **state)
{
	struct kernel k = {.name = "entered"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "fetch.taken_limit=1");
		kernel_set(&m, "fetch.block=16");
		kernel_expect(&m, &k, 2, 1, "in two blocks");
		kernel_set(&m, "fetch.bank=8");
		kernel_expect(&m, &k, 1, 1, "fetch.bank");
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

/* Nothing is learned where the store's address is late: as with store sets that forget in every cycle. */
static void speculative(void **state)
{
	struct kernel k = {.name = "late_address", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=store_sets");
		kernel_set(&m, "lsq.ssit_clear=1");
		uint64_t taken_back = more_cycles(&m, &k);
		kernel_set(&m, "lsq.ssit_clear=0");
		assert_true(more_cycles(&m, &k) < taken_back);
		kernel_set(&m, "lsq.disambiguation=speculative");
		kernel_expect(&m, &k, taken_back, 1, "lsq.disambiguation");
		kernel_set(&m, "lsq.violation_delay=9");
		kernel_expect(&m, &k, taken_back + 9, 1, "lsq.violation_delay");
	}
	(void)state;
}

/* Where only the store's data are late, nothing is taken back if its address is known as soon as its base is there: the
 * load waits for the data. Where its address is late, nothing changes. */
static void data_apart(void **state)
{
	static const char *const ways[] = {"speculative", "store_sets"};
	struct kernel k = {.name = "late_address", .arg = {BARE_DATA}},
		      base = {.name = "late_base", .arg = {BARE_DATA}},
		      data = {.name = "violation", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < 2 * kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result r;
		kernel_wide_machine(&m, kernel_machines[i / 2]);
		kernel_set(&m, "lsq.disambiguation=perfect");
		uint64_t forwarded = more_cycles(&m, &data);
		kernel_set(&m, "lsq.disambiguation=%s", ways[i % 2]);
		kernel_set(&m, "lsq.ssit_clear=1"); /* learns nothing */
		uint64_t taken_back = more_cycles(&m, &k);
		assert_true(more_cycles(&m, &data) > forwarded);
		uint64_t by_division = more_cycles(&m, &base);
		kernel_set(&m, "lsq.store_data=apart");
		kernel_expect(&m, &k, taken_back, 1, "an address that is late");
		kernel_expect(&m, &base, by_division, 1, "an address under way");
		kernel_run(&m, &base, 50, &r);
		assert_int_equal(r.core.violations, 50);
		kernel_expect(&m, &data, forwarded, 1, "data that are late");
		kernel_run(&m, &data, 50, &r);
		assert_int_equal(r.core.violations, 0);
		kernel_set(&m, "lsq.data_penalty=3");
		kernel_expect(&m, &data, forwarded + 3, 1, "lsq.data_penalty");
	}
	(void)state;
}

/* Each load of the word waits for its store's data, and the next one waits, too: so that all behind the older one is fetched
 * again when that has its data, the next division first. */
static void load_order(void **state)
{
	struct kernel k = {.name = "violation", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result r;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=speculative");
		kernel_set(&m, "lsq.store_data=apart");
		kernel_set(&m, "divide.bits=0");
		uint64_t again = m.lsq_forward_latency + m.frontend_redirect + kernel_fetch_to_issue(&m);
		uint64_t round = kernel_wake(&m, CULPRIT_OP_int_div) + kernel_wake(&m, CULPRIT_OP_store) + again;
		for (unsigned delay = 1; delay <= 9; delay += 4) {
			kernel_set(&m, "lsq.load_order=%u", delay);
			kernel_expect(&m, &k, round + delay, 1, "lsq.load_order");
		}
		kernel_run(&m, &k, 50, &r);
		assert_int_equal(r.core.violations, 49); /* nothing comes behind the last */
	}
	(void)state;
}

/* Three loads of a word whose line misses: the second finds the line on its way and issues again when it is there, and the third
 * has looked meanwhile. The fourth, on which the next ones depend, is fetched again with the third, and hits. */
static void load_order_of_lines(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		const uint64_t line = kernel_load(&m, CULPRIT_LEVEL_L2), hit = kernel_load(&m, CULPRIT_LEVEL_L1);
		const uint64_t again = m.frontend_redirect + kernel_fetch_to_issue(&m);
		const struct kernel k = {
			.name = "same_bytes", .ring_nodes = m.l1d_ways + 1, .ring_stride = m.l1d_size / m.l1d_ways};
		kernel_set(&m, "lsq.disambiguation=speculative");
		kernel_set(&m, "lsq.restart=6");
		kernel_expect(&m, &k, CHAIN_OPS * (line + 6), 1, "the last load, as its line comes");
		for (unsigned delay = 1; delay <= 9; delay += 4) {
			kernel_set(&m, "lsq.load_order=%u", delay);
			kernel_expect(&m, &k, CHAIN_OPS * (line + 6 + again + delay + hit), 1, "lsq.load_order");
		}
	}
	(void)state;
}

/* The load touches the store's block but not its word. With blocks of 16 bytes it is taken back when the store is done,
 * and the next division comes after it; else divisions wait for one another alone. */
static void check_bytes(void **state)
{
	struct kernel k = {.name = "near", .arg = {BARE_DATA}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "lsq.disambiguation=speculative");
		kernel_set(&m, "divide.bits=0");
		uint64_t chain = kernel_wake(&m, CULPRIT_OP_int_div);
		kernel_expect(&m, &k, chain, 1, "words that do not overlap");
		kernel_set(&m, "lsq.check_bytes=8");
		kernel_expect(&m, &k, chain, 1, "blocks of 8");
		kernel_set(&m, "lsq.check_bytes=16");
		kernel_expect(&m, &k,
			      chain + m.latency[CULPRIT_OP_store] + m.frontend_redirect + kernel_fetch_to_issue(&m), 1,
			      "lsq.check_bytes");
	}
	(void)state;
}

static void mispredicting(struct machine *m, const char *name)
{
	kernel_wide_machine(m, name);
	kernel_set(m, "branch.predictor=static");
	kernel_set(m, "branch.btb_entries=0");
	kernel_set(m, "fetch.taken_limit=1");
}

/* The right path of each branch is addi, bnez and the branch, an instruction a cycle. A ROB of one row: addi has it for
 * itself, since it comes alone, and so has bnez, which is the next to be handed over, a cycle later; the branch comes when
 * both have left. In entries the ROB has room for all. */
static void rows(void **state)
{
	struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		mispredicting(&m, kernel_machines[i]);
		kernel_set(&m, "fetch.width=1");
		kernel_set(&m, "dispatch.width=4");
		kernel_set(&m, "window.rob=4");
		uint64_t executes = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch];
		uint64_t refill = m.frontend_redirect + m.frontend_stages;
		uint64_t alone = executes + m.commit_delay, first = alone - m.latency[CULPRIT_OP_branch];
		first += m.latency[CULPRIT_OP_int_alu];
		kernel_expect(&m, &k, refill + 2 + executes, 1, "entries");
		kernel_set(&m, "dispatch.rows=true");
		kernel_expect(&m, &k, refill + first + alone + executes, 1, "dispatch.rows");
	}
	(void)state;
}

/* From the branch's dispatch until it is done, 16 instructions a cycle are dispatched, three of which are the right path
 * up to the branch. All others are squashed, and the right path waits for that. */
static void squash_width(void **state)
{
	struct kernel k = {.name = "mispredict"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result wide, slow;
		mispredicting(&m, kernel_machines[i]);
		kernel_set(&m, "dispatch.width=16");
		uint64_t executes = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch];
		uint64_t refill = m.frontend_redirect + m.frontend_stages + 1 + executes;
		kernel_expect(&m, &k, refill, 1, "all at once");
		kernel_set(&m, "dispatch.squash_width=1");
		kernel_expect(&m, &k, 16 * executes - 3 + executes, 1, "dispatch.squash_width");
		kernel_set(&m, "dispatch.squash_width=64");
		kernel_expect(&m, &k, refill, 1, "hidden by the front end");
		/* it is a width: without limits of bandwidth there is none */
		m.ideal = CULPRIT_EVENT_BIT(bw);
		kernel_run(&m, &k, 280, &wide);
		kernel_set(&m, "dispatch.squash_width=1");
		kernel_run(&m, &k, 280, &slow);
		assert_int_equal(slow.core.cycles, wide.core.cycles);
	}
	(void)state;
}

/* The sum takes a branch where the addition is skipped, and an addition where it is not. */
static void short_forward(void **state)
{
	struct kernel k = {.name = "skip"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		struct kernel_result with;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "branch.predictor=static");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "branch.sfb=8");
		for (unsigned latency = 3; latency <= 9; latency += 3) {
			kernel_set(&m, "latency.branch=%u", latency);
			kernel_expect(&m, &k, kernel_wake(&m, CULPRIT_OP_branch) + kernel_wake(&m, CULPRIT_OP_int_alu),
				      2, "branch.sfb");
		}
		kernel_run(&m, &k, 280, &with);
		assert_int_equal(with.core.mispredicted[CULPRIT_BRANCH_CONDITIONAL], 1); /* the loop's end */
		kernel_set(&m, "branch.sfb=4");						 /* over nothing */
		kernel_run(&m, &k, 280, &with);
		assert_int_equal(with.core.mispredicted[CULPRIT_BRANCH_CONDITIONAL], 141);
	}
	(void)state;
}

/* An instruction a cycle, nine in two iterations. gshare knows the branch; the counter, which outcomes move to and fro,
 * always says taken, and is overruled every second time. */
static void early_counters(void **state)
{
	struct kernel k = {.name = "skip", .before = 80, .after = 320};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "branch.predictor=gshare");
		kernel_set(&m, "branch.btb_entries=0");
		kernel_set(&m, "branch.l0_bubble=0");
		kernel_set(&m, "fetch.width=1");
		kernel_set(&m, "branch.early_entries=1024");
		for (unsigned bubble = 0; bubble <= 4; bubble += 2) {
			kernel_set(&m, "branch.early_bubble=%u", bubble);
			kernel_expect(&m, &k, 9 + bubble, 2, "branch.early_bubble");
		}
	}
	(void)state;
}

/* No machine file of the project commits more instructions in a cycle than it dispatches, whatever its other widths. */
static void never_above_the_width(void **state)
{
	static const char *const names[] = {"straight", "jumps", "chain", "branches", "skip"};
	DIR *dir = opendir("machines");
	assert_non_null(dir);
	unsigned count = 0;
	for (struct dirent *entry; (entry = readdir(dir));) {
		char *dot = strrchr(entry->d_name, '.');
		if (!dot || strcmp(dot, ".yaml") != 0)
			continue;
		*dot = 0;
		struct machine m;
		kernel_machine(&m, entry->d_name);
		for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
			struct kernel k = {.name = names[n]};
			struct kernel_result r;
			kernel_run(&m, &k, 400, &r);
			if (r.core.committed > r.cycles * m.dispatch_width)
				fail_msg("%s: %s commits %llu in %llu cycles", m.name, names[n],
					 (unsigned long long)r.core.committed, (unsigned long long)r.cycles);
		}
		count++;
	}
	closedir(dir);
	assert_true(count >= 27);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bank),
		cmocka_unit_test(bank_without_room),
		cmocka_unit_test(bank_entered),
		cmocka_unit_test(speculative),
		cmocka_unit_test(data_apart),
		cmocka_unit_test(load_order),
		cmocka_unit_test(load_order_of_lines),
		cmocka_unit_test(check_bytes),
		cmocka_unit_test(rows),
		cmocka_unit_test(squash_width),
		cmocka_unit_test(short_forward),
		cmocka_unit_test(early_counters),
		cmocka_unit_test(never_above_the_width),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
