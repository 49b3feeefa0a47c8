/* Classes with two units: which one dispatch chooses, group by group, and that both are used fully. */
#include "core/steer.h"
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char two_alus[] =
	"dispatch: {width: 3}\n"
	"issue: {width: 8}\n"
	"queues: [{name: q0, width: 1}, {name: q1, width: 1}, {name: rest, width: 4}]\n"
	"units:\n"
	"  - {name: alu0, queue: q0, ops: [int_alu]}\n"
	"  - {name: alu1, queue: q1, ops: [int_alu, int_mul]}\n"
	"  - {name: div, queue: q0, ops: [int_div]}\n"
	"  - {name: rest, count: 4, queue: rest, ops: [branch, load, store, amo, fp_add, fp_mul,\n"
	"      fp_fma, fp_div, fp_sqrt, fp_cvt, fp_move, csr, fence, system]}\n";

static void read_machine(struct machine *m)
{
	struct error err = {0};
	assert_true(machine_parse(m, two_alus, strlen(two_alus), "two-alus.yaml", &err));
}

/* Where the group's instructions go: a, m and d are an ALU operation, a multiplication, a division. `lead`: entries
 * that the first queue holds more. */
static void expect_group(const char *group, unsigned lead, const char *queues)
{
	struct machine m;
	read_machine(&m);
	struct core *c = calloc(1, sizeof *c);
	struct slot *slots = aligned_alloc(256, 8 * sizeof *slots);
	struct riscv_insn insns[8];
	assert_non_null(c);
	assert_non_null(slots);
	memset(slots, 0, 8 * sizeof *slots);
	memset(insns, 0, sizeof insns);
	machine_idealise(&c->d, &m);
	assert_true(c->d.steered);
	c->m = m;
	c->slots = slots;
	c->mask = 7;
	c->now = 100;
	c->queues[0].used = 1 + lead;
	c->queues[1].used = 1;
	steer_look(c);
	for (unsigned i = 0; group[i]; i++) {
		insns[i].op_class = group[i] == 'a'   ? CULPRIT_OP_int_alu
				    : group[i] == 'm' ? CULPRIT_OP_int_mul
						      : CULPRIT_OP_int_div;
		slots[i].insn = &insns[i];
		slots[i].place = c->d.place[insns[i].op_class];
	}
	steer_group(c, 0, strlen(group));
	for (unsigned i = 0; group[i]; i++) {
		assert_int_equal(slots[i].place.queue, queues[i] - '0');
		assert_int_equal(m.units[slots[i].place.unit].queue, slots[i].place.queue);
		assert_true(m.units[slots[i].place.unit].ops >> insns[i].op_class & 1);
	}
	free(slots);
	free(c);
}

static void groups(void **state)
{
	expect_group("aaa", 0, "010");
	expect_group("aa", 0, "01");
	expect_group("maa", 0, "100"); /* the multiplication counts first: one each, then the first again */
	expect_group("aam", 0, "001");
	expect_group("daa", 0, "010");
	expect_group("dda", 0, "001");
	expect_group("aaa", 1, "010");
	expect_group("aaa", 2, "110"); /* two of the group are moved */
	expect_group("ada", 2, "101");
	expect_group("a", 2, "1");
	(void)state;
}

/* What was used a cycle before counts, not what is used now. */
static void looks_back(void **state)
{
	struct machine m;
	read_machine(&m);
	struct core *c = calloc(1, sizeof *c);
	assert_non_null(c);
	c->m = m;
	c->now = 10;
	c->queues[0].used = 1;
	steer_look(c);
	c->now = 11;
	c->queues[0].used = 5;
	steer_look(c);
	assert_int_equal(c->queues[0].seen_before, 1);
	c->now = 20; /* cycles were skipped: nothing changed in them */
	steer_look(c);
	assert_int_equal(c->queues[0].seen_before, 5);
	free(c);
	(void)state;
}

/* ALU operations that hold their unit for two cycles: STREAM_ADDS + 1 of them on one unit take twice as many cycles, on
 * two, each in a queue of its own, as many. A chain waits for its latency alone. */
static void both_units(void **state)
{
	struct kernel stream = {.name = "add_stream", .before = 40, .after = 100}, chain = {.name = "chain"};
	struct machine m;
	for (int groups = 0; groups < 2; groups++) {
		read_machine(&m);
		kernel_isolate(&m);
		kernel_set(&m, "dispatch.whole_groups=%s", groups ? "true" : "false");
		kernel_set(&m, "interval.int_alu=2");
		kernel_set(&m, "latency.int_alu=2");
		kernel_expect(&m, &stream, STREAM_ADDS + 1, 1, "two units");
		kernel_expect(&m, &chain, CHAIN_OPS * 2, 1, "a chain");
		m.units[1].ops &= ~(1u << CULPRIT_OP_int_alu);
		kernel_expect(&m, &stream, (STREAM_ADDS + 1) * 2, 1, "one unit");
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(looks_back),
		cmocka_unit_test(both_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
