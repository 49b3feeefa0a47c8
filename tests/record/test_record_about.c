/* The description in a record file: what is put is got again; later parameters are in it only up to the last that
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(later_parameters), cmocka_unit_test(writer)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
