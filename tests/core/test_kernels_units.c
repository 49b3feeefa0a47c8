/* Known answers for widths and execution units: dependent and independent operations.
 *
 * Notation in the comments: L(op) latency, W(op) = max(L, issue.wakeup) what a dependent waits, V(op) interval. */
#include "core/divide.h"
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A chain of n adds takes n W(int_alu); the loop's own two instructions run beside it. On the machine as it is: nothing
 * else takes as long. */
static void dependent_adds(void **state)
{
	struct kernel k = {.name = "chain"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_machine(&m, kernel_machines[i]);
		kernel_isolate(&m);
		kernel_expect(&m, &k, CHAIN_OPS * kernel_wake(&m, CULPRIT_OP_int_alu), 1, "as it is");
		for (unsigned wakeup = 1; wakeup <= 3; wakeup++) {
			kernel_set(&m, "issue.wakeup=%u", wakeup);
			kernel_expect(&m, &k, CHAIN_OPS * kernel_wake(&m, CULPRIT_OP_int_alu), 1, "issue.wakeup");
		}
		kernel_set(&m, "issue.wakeup=2");
		kernel_set(&m, "latency.int_alu=3");
		kernel_expect(&m, &k, CHAIN_OPS * kernel_wake(&m, CULPRIT_OP_int_alu), 1, "latency over wakeup");
	}
	(void)state;
}

/* STREAM_ADDS + 2 instructions an iteration, and one limit of w a cycle: (STREAM_ADDS + 2) / w cycles. */
static void independent_adds(void **state)
{
	static const char *const limits[] = {"fetch.width", "dispatch.width", "issue.width", "commit.width"};
	struct kernel k = {.name = "add_stream", .before = 40, .after = 100};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned limit = 0; limit < 4; limit++) {
			for (unsigned w = 1; w <= 6; w++) {
				struct machine m;
				kernel_wide_machine(&m, kernel_machines[i]);
				kernel_set(&m, "%s=%u", limits[limit], w);
				kernel_expect(&m, &k, STREAM_ADDS + 2, w, limits[limit]);
			}
		}
	}
	(void)state;
}

/* The same for the adders (the branch has one of them too, where the machine says so) and a queue's width. */
static void adders_and_queue_width(void **state)
{
	struct kernel k = {.name = "add_stream", .before = 40, .after = 100};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned w = 1; w <= 5; w++) {
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			uint32_t adder = 0, brancher = 0;
			for (uint32_t u = 0; u < m.unit_count; u++) {
				if (m.units[u].ops & (1u << CULPRIT_OP_int_alu))
					adder = u;
				if (m.units[u].ops & (1u << CULPRIT_OP_branch))
					brancher = u;
			}
			m.units[adder].count = w;
			kernel_expect(&m, &k, STREAM_ADDS + 1 + (adder == brancher), w, "adders");
			m.units[adder].count = 64;
			m.queues[m.units[adder].queue].width = w;
			bool same = m.units[adder].queue == m.units[brancher].queue;
			kernel_expect(&m, &k, STREAM_ADDS + 1 + same, w, "queue width");
		}
	}
	(void)state;
}

static const struct {
	unsigned slot;
	enum culprit_op_class op;
} classes[] = {
	{OP_MUL, CULPRIT_OP_int_mul},	{OP_DIV, CULPRIT_OP_int_div}, {OP_FADD, CULPRIT_OP_fp_add},
	{OP_FMUL, CULPRIT_OP_fp_mul},	{OP_FMA, CULPRIT_OP_fp_fma},  {OP_FDIV, CULPRIT_OP_fp_div},
	{OP_FSQRT, CULPRIT_OP_fp_sqrt}, {OP_FCVT, CULPRIT_OP_fp_cvt}, {OP_FMOVE, CULPRIT_OP_fp_move},
	{OP_ADD, CULPRIT_OP_int_alu},
};
enum { CLASSES = sizeof classes / sizeof *classes };

static struct machine_unit *unit_of(struct machine *m, enum culprit_op_class op)
{
	for (uint32_t u = 0; u < m->unit_count; u++)
		if (m->units[u].ops & (1u << op))
			return &m->units[u];
	fail();
	return NULL;
}

/* A chain of one class: each operation starts W after the one before, unless the only instance of the unit is busy for
 * longer: max(W, V). With more instances another one takes it. */
static void operation_latency(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 0; n < CLASSES; n++) {
			enum culprit_op_class op = classes[n].op;
			struct kernel k = {.name = "op_chain", .arg = {classes[n].slot}, .before = 10, .after = 30};
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_expect(&m, &k, CHAIN_OPS * kernel_wake(&m, op), 1, culprit_op_name(op));
			unit_of(&m, op)->count = 1;
			kernel_set(&m, "interval.%s=%u", culprit_op_name(op), m.latency[op] + 3);
			/* a lone adder also takes the loop's add and, in most machines, the branch, V each */
			uint64_t own = unit_of(&m, op) != unit_of(&m, CULPRIT_OP_int_alu) ? 0 : m.interval[op];
			uint64_t branch =
				unit_of(&m, op) == unit_of(&m, CULPRIT_OP_branch) ? m.interval[CULPRIT_OP_branch] : 0;
			if (op == CULPRIT_OP_int_alu)
				kernel_expect(&m, &k, CHAIN_OPS * (m.latency[op] + 3ull) + own + branch, 1,
					      "interval of adder");
			else
				kernel_expect(&m, &k, CHAIN_OPS * kernel_max(kernel_wake(&m, op), m.interval[op]), 1,
					      "interval");
		}
	}
	(void)state;
}

/* A chain of 3 / 1: a quotient of two bits, and always the same operands. Of the 64 / b cycles that b bits a cycle need
 * at most, all are spared but max(2 / b, least), or all where the last result is kept. */
static void early_division(void **state)
{
	static const struct {
		unsigned bits, least, results, early;
	} cases[] = {{1, 1, 0, 62}, {2, 1, 0, 31}, {4, 3, 0, 13}, {1, 1, 1, 64}, {4, 3, 16, 16}};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
			struct kernel k = {.name = "op_chain", .arg = {OP_DIV}, .before = 10, .after = 30};
			struct machine m;
			kernel_wide_machine(&m, kernel_machines[i]);
			kernel_set(&m, "latency.int_div=70");
			kernel_set(&m, "divide.bits=%u", cases[n].bits);
			kernel_set(&m, "divide.least=%u", cases[n].least);
			kernel_set(&m, "divide.results=%u", cases[n].results);
			kernel_expect(&m, &k, CHAIN_OPS * (70ull - cases[n].early), 1, "latency");
			unit_of(&m, CULPRIT_OP_int_div)->count = 1;
			kernel_set(&m, "interval.int_div=77");
			kernel_expect(&m, &k, CHAIN_OPS * (77ull - cases[n].early), 1, "interval");
		}
	}
	(void)state;
}

/* At four bits a cycle, two cycles at least, of 16: 100 / 10 is one digit; that 2^15 has no remainder left after its
 * first is seen a cycle later; 2^17 + 2 has one until its last digit. */
static void exact_division(void **state)
{
	static const struct {
		uint64_t dividend, divisor;
		unsigned early;
	} cases[] = {{100, 10, 14}, {1u << 30, 1u << 15, 13}, {0x20002, 1, 11}, {0x10000, 1, 13}, {5, 7, 14}};
	const struct riscv_insn insn = {.op = RISCV_OP_div};
	struct machine m;
	kernel_wide_machine(&m, kernel_machines[0]);
	kernel_set(&m, "latency.int_div=22");
	kernel_set(&m, "divide.bits=4");
	kernel_set(&m, "divide.least=2");
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct divider d = {0};
		assert_int_equal(divide_early(&d, &m, &insn, cases[n].dividend, cases[n].divisor), cases[n].early);
	}
	(void)state;
}

/* Independent operations of one class: each of the unit's n instances starts one every V cycles, so CHAIN_OPS of
 * them take CHAIN_OPS V / n. Counted over a multiple of n iterations. An adder has the loop's own to do as well. */
static void operation_throughput(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		for (unsigned n = 0; n < CLASSES; n++) {
			enum culprit_op_class op = classes[n].op;
			struct kernel k = {.name = "op_stream", .arg = {classes[n].slot}, .before = 40, .after = 76};
			struct machine base, m;
			kernel_machine(&base, kernel_machines[i]);
			kernel_wide_machine(&m, kernel_machines[i]);
			struct machine_unit *u = unit_of(&m, op);
			uint64_t ops = CHAIN_OPS;
			if (op == CULPRIT_OP_int_alu)
				ops += 1 + (u == unit_of(&m, CULPRIT_OP_branch));
			u->count = unit_of(&base, op)->count;
			kernel_expect(&m, &k, ops * m.interval[op], u->count, culprit_op_name(op));
			for (u->count = 1; u->count <= 3; u->count++)
				kernel_expect(&m, &k, ops * m.interval[op], u->count, culprit_op_name(op));
		}
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependent_adds),	  cmocka_unit_test(independent_adds),
		cmocka_unit_test(adders_and_queue_width), cmocka_unit_test(operation_latency),
		cmocka_unit_test(early_division),	  cmocka_unit_test(exact_division),
		cmocka_unit_test(operation_throughput),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
