/* The description in a record file, and its ending: what is put is got again; later parameters are in it only up to the last that
 * is not 0, so that files without them are as they were before there were any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/record_chunk.h"
#include "record/record_file.h"

static size_t round_trip(uint32_t regs, uint32_t late_rename, uint32_t select, uint32_t ports, uint32_t asked,
			 const char *want)
{
	struct record_about a = {.program = "p", .machine_name = "m", .machine = "window: {}", .graph.cracked = 2},
			    b = {0};
	struct bytes bytes = {0};
	a.graph.decode_stages = 3;
	a.graph.decode_insns = 4;
	a.graph.regs = regs;
	a.graph.late_rename = late_rename;
	a.graph.select = select;
	a.graph.completion_ports = ports;
	a.graph.fetch_asked = asked;
	record_about_put(&a, &bytes);
	struct cursor from = {.at = bytes.at, .left = bytes.size};
	const char *why = record_about_get(&b, &from);
	if (want)
		assert_string_equal(why, want);
	else
		assert_null(why);
	assert_int_equal(b.graph.cracked, 2);
	assert_int_equal(b.graph.decode_insns, 4);
	assert_int_equal(b.graph.regs, regs);
	assert_int_equal(b.graph.late_rename, late_rename);
	assert_int_equal(b.graph.select, select);
	assert_int_equal(b.graph.completion_ports, ports);
	assert_int_equal(b.graph.fetch_asked, asked);
	record_about_destroy(&b);
	free(bytes.at);
	return bytes.size;
}

static void later_parameters(void **state)
{
	assert_int_equal(round_trip(96, 0, 0, 0, 0, NULL), round_trip(0, 0, 0, 0, 0, NULL) + 4);
	assert_int_equal(round_trip(96, 1, 0, 0, 0, NULL), round_trip(0, 0, 0, 0, 0, NULL) + 8);
	assert_int_equal(round_trip(0, 1, 0, 0, 0, NULL), round_trip(0, 0, 0, 0, 0, NULL) + 8);
	round_trip(CULPRIT_REGS_MOST, 0, 0, 0, 0, NULL);
	assert_int_equal(round_trip(0, 0, 1, 0, 0, NULL), round_trip(0, 0, 0, 0, 0, NULL) + 12);
	assert_int_equal(round_trip(0, 0, 0, CULPRIT_PORTS_MOST, 0, NULL), round_trip(0, 0, 0, 0, 0, NULL) + 16);
	round_trip(0, 0, 0, CULPRIT_PORTS_MOST + 1, 0, "parameters of the graph that cannot be");
	assert_int_equal(round_trip(0, 0, 0, 0, CULPRIT_ASKED_MOST, NULL), round_trip(0, 0, 0, 0, 0, NULL) + 20);
	round_trip(0, 0, 0, 0, CULPRIT_ASKED_MOST + 1, "parameters of the graph that cannot be");
	round_trip(0, 0, 2, 0, 0, "parameters of the graph that cannot be");
	round_trip(0, 2, 0, 0, 0, "parameters of the graph that cannot be");
	round_trip(CULPRIT_REGS_MOST + 1, 0, 0, 0, 0, "parameters of the graph that cannot be");
}

/* Who wrote it, beside whether there is a log: each is told by itself, in the byte that the log alone had. */
static void writer(void **state)
{
	for (unsigned bits = 0; bits < 5; bits++) {
		struct record_about a = {.program = "p", .machine_name = "m", .machine = "window: {}"}, b = {0};
		struct bytes bytes = {0};
		a.has_log = bits & 1;
		a.own = bits & 2;
		record_about_put(&a, &bytes);
		assert_int_equal(bytes.at[8], bits & 3);
		bytes.at[8] = (uint8_t)bits;
		struct cursor from = {.at = bytes.at, .left = bytes.size};
		const char *why = record_about_get(&b, &from);
		if (bits == 4)
			assert_string_equal(why, "a description of a later culprit");
		else
			assert_null(why);
		assert_int_equal(b.has_log, bits & 1);
		assert_int_equal(b.own, (bits & 2) != 0);
		record_about_destroy(&b);
		free(bytes.at);
	}
	(void)state;
}

/* --- how it ended --- */

static char instruction[] = "c.sw a4,8(a5)", reason[] = "not mapped", one[] = "/bin/one", two[] = "/bin/t\two",
	    other[] = "/bin/o\ther";

static struct record_about ending(unsigned told)
{
	static struct record_program programs[] = {{one, 1, 2, 3}, {two, UINT64_MAX, 5, 6}};
	struct record_about a = {.cut = told & 1};
	if (told & 2)
		a.death = (struct record_death){11,	 true,	      0x10000, 8,
						0x10004, instruction, reason,  told & 8 ? other : NULL};
	if (told & 4)
		a.programs = programs, a.program_count = 2;
	return a;
}

static void assert_ending(const struct record_about *b, unsigned told)
{
	assert_int_equal(b->cut, told & 1);
	assert_int_equal(b->death.signal, told & 2 ? 11 : 0);
	assert_int_equal(b->program_count, told & 4 ? 2 : 0);
	if (told & 2) {
		assert_true(b->death.has_address);
		assert_int_equal(b->death.pc, 0x10000);
		assert_int_equal(b->death.address, 8);
		assert_int_equal(b->death.caller, 0x10004);
		assert_string_equal(b->death.instruction, instruction);
		assert_string_equal(b->death.reason, reason);
		assert_int_equal(!b->death.program, !(told & 8));
	}
	if (told & 8)
		assert_string_equal(b->death.program, "/bin/o?her");
	if (told & 4) {
		assert_string_equal(b->programs[0].path, one);
		assert_string_equal(b->programs[1].path, "/bin/t?wo"); /* what a terminal must not get */
		assert_int_equal(b->programs[0].processes, 1);
		assert_int_equal(b->programs[1].processes, UINT64_MAX);
		assert_int_equal(b->programs[1].cycles, 5);
		assert_int_equal(b->programs[1].instructions, 6);
	}
}

/* Every part by itself and beside the others; cut short anywhere it is refused. Nothing to say takes no byte, and cut
 * alone is the byte that it was before there were others. */
static void endings(void **state)
{
	for (unsigned told = 0; told < 16; told++) {
		if ((told & 8) && !(told & 2)) /* a program that died, and no death */
			continue;
		struct record_about a = ending(told);
		struct bytes bytes = {0};
		record_ending_put(&a, &bytes);
		assert_true(told > 1 ? bytes.size > 1 && bytes.at[0] == told : bytes.size == told);
		for (size_t size = 0; size <= bytes.size; size++) {
			struct record_about b = {0};
			struct cursor from = {.at = bytes.at, .left = size};
			const char *why = record_ending_get(&b, &from);
			assert_true(!why == (size == 0 || size == bytes.size));
			if (size == bytes.size)
				assert_ending(&b, told);
			record_about_destroy(&b);
		}
		free(bytes.at);
	}
	(void)state;
}

static void endings_refused(void **state)
{
	static const struct {
		uint8_t bytes[6];
		size_t size;
		const char *why;
	} cases[] = {{{16}, 1, "an ending of a later culprit"},
		     {{8}, 1, "its ending does not fit"},
		     {{1, 0}, 2, "its ending does not fit"},
		     {{4, 0, 0, 0, 0}, 5, "its programs do not fit"},
		     {{4, 255, 255, 255, 255}, 5, "its programs do not fit"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record_about b = {0};
		struct cursor from = {.at = cases[i].bytes, .left = cases[i].size};
		assert_string_equal(record_ending_get(&b, &from), cases[i].why);
		record_about_destroy(&b);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(later_parameters), cmocka_unit_test(writer),
					   cmocka_unit_test(endings), cmocka_unit_test(endings_refused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
