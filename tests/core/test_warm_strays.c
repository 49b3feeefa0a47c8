/* Wrong paths in warm-up (core/stray.h): which lines they bring, counted by what the right path misses behind them.
 *
 * A branch at 0 is taken to 0x200, and predicted not to be. From there the program goes on at 0x40 and at 0x80. Lines have 64
 * bytes, so without wrong paths four are missed: those of 0, 0x200, 0x40 and 0x80. */
#include "bare_guest.h"
#include "kernel_rig.h"

#include "core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum {
	WORDS = 1024,
	NOP = 0x13,
	ECALL = 0x73,
	RETURN = 0x8067,
	BRANCH_200 = 0x20000063,
	BRANCH_8 = 0x463,
	BRANCH_210 = 0x20000863,
	BRANCH_400 = 0x40000063,
	EXECUTED = 4
};

/* jal x0 */
static uint32_t jump(int32_t by)
{
	const uint32_t u = (uint32_t)by;
	return (u >> 20 & 1) << 31 | (u >> 1 & 0x3ff) << 21 | (u >> 11 & 1) << 20 | (u & 0xff000) | 0x6f;
}

/* jal ra */
static uint32_t call(int32_t by)
{
	return jump(by) | 1 << 7;
}

static void write_nops(uint32_t code[WORDS])
{
	for (unsigned i = 0; i < WORDS; i++)
		code[i] = NOP;
}

static void write_program(uint32_t code[WORDS])
{
	write_nops(code);
	code[0] = BRANCH_200;
	code[0x200 / 4] = jump(0x40 - 0x200);
	code[0x40 / 4] = jump(0x80 - 0x40);
}

static struct machine not_taken(void)
{
	struct machine m;
	kernel_machine(&m, "eyerman2009-4w");
	m.branch_predictor = direction_predictor_not_taken;
	m.l1i_line = 64;
	m.fetch_width = 4;
	m.frontend_stages = 5;
	return m;
}

/* Of so many instructions; the next one is at `end`. */
static uint64_t misses_of(const struct machine *m, const uint32_t code[WORDS], bool strays, uint64_t instructions,
			  uint64_t end)
{
	struct error err;
	struct core_warmed w;
	uint64_t executed, sum = 0;
	struct guest *g = bare_guest_create((const uint8_t *)code, WORDS * sizeof *code);
	struct core *c = core_create(m, g, &err);
	const uint64_t start = guest_hart(g)->pc;
	if (!c)
		fail_msg("%s", err.text);
	assert_true(!strays || core_warm_strays(c));
	assert_int_equal(core_warm(c, instructions, &executed), GUEST_RUNNING);
	assert_int_equal(executed, instructions);
	assert_int_equal(guest_hart(g)->pc - start, end); /* the right path is as it was */
	core_warmed(c, &w);
	for (unsigned level = 0; level < CULPRIT_LEVEL_COUNT; level++)
		sum += w.accesses.line[HIERARCHY_WARM_FETCH][level];
	core_destroy(c);
	guest_destroy(g);
	return sum;
}

static uint64_t misses(const struct machine *m, const uint32_t code[WORDS], bool strays)
{
	return misses_of(m, code, strays, EXECUTED, 0x84);
}

static void the_next_line(void **state)
{
	uint32_t code[WORDS];
	const struct machine m = not_taken();
	(void)state;
	write_program(code);
	assert_int_equal(misses(&m, code, false), 4);
	/* 16 instructions fill the line; the branch takes longer, and 0x40 is asked for. It does not come in time. */
	assert_int_equal(misses(&m, code, true), 3);
}

static void too_short(void **state)
{
	uint32_t code[WORDS];
	struct machine m = not_taken();
	(void)state;
	write_program(code);
	m.fetch_width = 1; /* the branch has executed after far fewer than 16 cycles */
	assert_true(m.frontend_stages + m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch] < 15);
	assert_int_equal(misses(&m, code, true), 4);
}

/* So long that the first miss is over in time, and the second is not. */
static void a_second_line(void **state)
{
	uint32_t code[WORDS];
	struct machine m = not_taken();
	(void)state;
	write_program(code);
	assert_true(m.memory_latency > 100);
	m.frontend_stages = m.l2_latency + m.memory_latency + 60;
	assert_int_equal(misses(&m, code, true), 2);
}

static void serialised(void **state)
{
	uint32_t code[WORDS];
	const struct machine m = not_taken();
	(void)state;
	write_program(code);
	code[8] = ECALL;
	assert_int_equal(misses(&m, code, true), 4);
}

/* Where a wrong path jumps: not to the line at 0x40, but to that of 0x80. */
static void jumps(void **state)
{
	uint32_t code[WORDS];
	struct machine m = not_taken();
	(void)state;
	write_program(code);
	code[1] = jump(0x80 - 4);
	code[0x80 / 4] = NOP;
	m.frontend_decode_redirect = 1;
	assert_int_equal(misses(&m, code, true), 3);
	m.frontend_decode_redirect = 100; /* decode finds it when the branch has executed */
	assert_int_equal(misses(&m, code, true), 4);
}

/* An endless loop, fetched as often as one likes in a cycle: a path has so many instructions at most as the core's own. */
static void endless(void **state)
{
	uint32_t code[WORDS];
	struct machine m = not_taken();
	(void)state;
	write_program(code);
	code[1] = jump(0);
	m.ideal = CULPRIT_EVENT_BIT(bw);
	m.branch_btb_entries = 0;
	assert_int_equal(misses(&m, code, true), 4);
}

/* Two calls of one function, whose branch jumps over a return that the wrong path takes. Behind the first call that is
 * back in the line at 0, which brings nothing, and behind the second on to the line at 0x80: where a path with a return
 * leads, its branch alone does not say. The calls are in lines that have come before. */
static void returns(void **state)
{
	uint32_t code[WORDS];
	struct machine m = not_taken();
	(void)state;
	write_nops(code);
	code[0] = jump(0x40);
	code[0x40 / 4] = jump(4 - 0x40);
	code[4 / 4] = call(0x200 - 4);
	code[0x38 / 4] = jump(0x7c - 0x38);
	code[0x7c / 4] = call(0x200 - 0x7c);
	code[0x200 / 4] = BRANCH_8;
	code[0x204 / 4] = code[0x208 / 4] = RETURN;
	m.fetch_width = 1; /* so that the first wrong path ends before the jump at 0x38 */
	m.frontend_decode_redirect = 1;
	const uint64_t nops = (0x38 - 8) / 4, instructions = 2 + 3 + nops + 1 + 3 + 1;
	assert_true(m.frontend_stages + m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch] < nops);
	assert_int_equal(misses_of(&m, code, false, instructions, 0x84), 4);
	assert_int_equal(misses_of(&m, code, true, instructions, 0x84), 3);
}

/* A branch at 0x30 goes to 0x240, and is come back to. Its wrong path goes on to the line at 0x40, which is there at
 * first. Then 0x240, which has the same place in a cache of eight lines, sends that line away. So the path brings it
 * the second time, and the right path misses 0x240 once more. */
static void a_line_that_has_left(void **state)
{
	uint32_t code[WORDS];
	struct machine m = not_taken();
	(void)state;
	write_nops(code);
	code[0] = jump(0x40);
	code[0x40 / 4] = jump(0x30 - 0x40);
	code[0x30 / 4] = BRANCH_210;
	code[0x240 / 4] = jump(0x30 - 0x240);
	m.l1i_size = 8 * 64;
	m.l1i_ways = 1;
	assert_int_equal(misses_of(&m, code, false, 6, 0x30), 3);
	assert_int_equal(misses_of(&m, code, true, 6, 0x30), 4);
}

/* 127 instructions up to the next line, more than the decoder keeps in one piece: four in each cycle from 1 on, so that
 * the line is asked for in cycle 32. */
static void a_long_way(void **state)
{
	enum { BEFORE = 127, ASKED = 1 + BEFORE / 4 };
	uint32_t code[WORDS];
	struct machine m = not_taken();
	(void)state;
	write_nops(code);
	code[0] = BRANCH_400;
	code[0x400 / 4] = jump(0x200 - 0x400);
	assert_true(RISCV_BLOCK_MAX < BEFORE);
	m.l1i_line = m.l2_line = m.l3_line = 4 * (1 + BEFORE);
	const uint32_t behind = m.issue_dispatch_to_issue + m.latency[CULPRIT_OP_branch];
	m.frontend_stages = ASKED + 1 - behind; /* the branch has executed a cycle later */
	assert_int_equal(misses_of(&m, code, false, 3, 0x204), 3);
	assert_int_equal(misses_of(&m, code, true, 3, 0x204), 2);
	m.frontend_stages--; /* in that cycle */
	assert_int_equal(misses_of(&m, code, true, 3, 0x204), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_next_line), cmocka_unit_test(too_short),
					   cmocka_unit_test(a_second_line), cmocka_unit_test(serialised),
					   cmocka_unit_test(jumps),	    cmocka_unit_test(endless),
					   cmocka_unit_test(returns),	    cmocka_unit_test(a_line_that_has_left),
					   cmocka_unit_test(a_long_way)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
