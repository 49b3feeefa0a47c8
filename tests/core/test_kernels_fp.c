/* Loops of FP loads, moves, divisions and square roots: cycles by arithmetic. */
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A load to an FP register and the move back are a load's latency, the key's cycles and a move's. A load to an integer
 * register is as before. */
static void fp_loads(void **state)
{
	struct kernel k = {.name = "fp_loads", .arg = {BARE_DATA}},
		      integers = {.name = "chase", .ring_nodes = 1, .ring_stride = 8};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		const uint64_t load = kernel_load(&m, CULPRIT_LEVEL_L1), move = kernel_wake(&m, CULPRIT_OP_fp_move);
		for (unsigned more = 0; more <= 3; more++) {
			kernel_set(&m, "lsq.fp_load=%u", more);
			kernel_expect(&m, &k, CHAIN_OPS / 2 * (load + more + move), 1, "lsq.fp_load");
			kernel_expect(&m, &integers, CHAIN_OPS * load, 1, "lsq.fp_load");
		}
		kernel_set(&m, "ideal=dl1");
		kernel_expect(&m, &k, CHAIN_OPS / 2 * move, 1, "lsq.fp_load, ideal");
	}
	(void)state;
}

/* As of integers: each waits for the one before; two to a group, and one. */
static void fp_moves(void **state)
{
	struct kernel k = {.name = "fp_copies"};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "latency.fp_move=3");
		kernel_set(&m, "dispatch.width=2");
		kernel_expect(&m, &k, COPIES * 3, 1, "moves that execute");
		kernel_set(&m, "dispatch.move_elimination=rename");
		kernel_expect(&m, &k, COPIES / 2 * 3, 1, "two to a group");
		kernel_set(&m, "dispatch.width=1");
		kernel_expect(&m, &k, COPIES + 2, 1, "one to a group");
	}
	(void)state;
}

/* Cycles of the unit, by hand: a double has 53 bits and two more, so 14 cycles of four bits, 28 of two; a single 26 bits,
 * 7 and 13. A result with n bits behind its point needs n + 2, and a cycle in which no remainder is left. */
static void fp_ends(void **state)
{
	static const struct {
		uint64_t slot, bits;
		unsigned by_four, by_two;
	} cases[] = {
		{0, 0x3ff0000000000000, 2, 2},		 /* 1 */
		{0, 0x3ff2000000000000, 3, 4},		 /* 1.125 */
		{0, 0x3ff0000000000001, 14, 28},	 /* 1 + 2^-52 */
		{0, 0x3ff0000000400000, 9, 17},		 /* 1 + 2^-30 */
		{0, 0x7ff0000000000000, 1, 1},		 /* infinite */
		{0, 0, 1, 1},				 /* 0 */
		{0, 0xbff8000000000000, 2, 3},		 /* -1.5 */
		{OP_SLOT, 0xffffffff3f800001, 7, 13},	 /* single: 1 + 2^-23 */
		{OP_SLOT, 0xffffffff40400000, 2, 3},	 /* single: 3 */
		{OP_SLOT, 0x3ff0000000000000, 1, 1},	 /* no single: a NaN */
		{2 * OP_SLOT, 0x3ff0000000000000, 2, 2}, /* the root of 1 */
		{2 * OP_SLOT, 0, 1, 1},			 /* of 0 */
		{2 * OP_SLOT, 0xfff8000000000000, 1, 1}, /* of a NaN */
	};
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		kernel_wide_machine(&m, kernel_machines[i]);
		kernel_set(&m, "latency.fp_div=40");
		kernel_set(&m, "latency.fp_sqrt=40");
		for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
			struct kernel k = {.name = "fp_ends", .arg = {cases[n].slot, cases[n].bits}};
			kernel_set(&m, "divide.fp_bits=0");
			kernel_expect(&m, &k, CHAIN_OPS * 40, 1, "all as long");
			kernel_set(&m, "divide.fp_bits=4");
			kernel_expect(&m, &k, CHAIN_OPS * (40 - 14 + cases[n].by_four), 1, "four bits");
			kernel_set(&m, "divide.fp_bits=2");
			kernel_expect(&m, &k, CHAIN_OPS * (40 - 28 + cases[n].by_two), 1, "two bits");
		}
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fp_loads), cmocka_unit_test(fp_moves),
					   cmocka_unit_test(fp_ends)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
