/* Lines of two versions of a program are matched by their text, the first of the same text with the first. */
#include "report/code/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct line {
	unsigned number, cycles;
	const char *text;
};

/* A result of one function, an instruction to a line, in this order of addresses. */
static json_t *result_of(const struct line *lines, size_t count)
{
	json_t *texts = json_array(), *code = json_array();
	unsigned cycles = 0;
	for (size_t i = 0; i < count; i++) {
		const int number = (int)lines[i].number, spent = (int)lines[i].cycles;
		cycles += lines[i].cycles;
		json_array_append_new(code, json_pack("{s:i, s:s, s:i, s:i, s:i, s:i, s:{s:i}}", "pc",
						      (int)(16 + 4 * i), "text", "nop", "file", 0, "line", number,
						      "executions", 1, "cycles", spent, "causes", "commit", spent));
	}
	for (unsigned number = 1; number < 100; number++)
		for (size_t i = 0; i < count; i++)
			if (lines[i].number == number)
				json_array_append_new(
					texts, json_pack("{s:i, s:s}", "line", (int)number, "text", lines[i].text));
	json_t *function = json_pack("{s:s, s:s, s:n, s:i, s:i, s:i, s:i, s:{s:i}, s:o}", "function", "f", "object",
				     "p", "symbol", "start", 16, "end", (int)(16 + 4 * count), "executions", (int)count,
				     "cycles", (int)cycles, "causes", "commit", (int)cycles, "instructions", code);
	return json_pack("{s:s, s:s, s:s, s:b, s:i, s:i, s:{s:[{s:s, s:s}], s:i, s:[{s:s, s:o}], s:[], s:[o], s:[]}}",
			 "schema", "culprit-run/1", "program", "p", "machine", "m", "complete", 1, "instructions",
			 (int)count, "cycles", (int)cycles, "code", "causes", "name", "commit", "label", "a", "outside",
			 0, "files", "path", "x.c", "lines", texts, "inlined", "functions", function, "calls");
}

static const struct diff_row *row_of(const struct code_diff *d, const char *text, unsigned was)
{
	for (size_t i = 0; i < d->lines.count; i++)
		if (!strcmp(d->lines.rows[i].text, text) && d->lines.rows[i].line[DIFF_A] == was)
			return &d->lines.rows[i];
	fail_msg("no line %u in A that says %s", was, text);
	return NULL;
}

/* Another line was put in front, and the compiler has moved the code: addresses and line numbers both differ. */
static void repeated_lines(void **state)
{
	static const struct line a[] = {
		{9, 40, "i++;"}, {2, 10, "i++;"}, {4, 20, "j++;"}, {5, 30, "i++;"}, {7, 5, "j++;"}};
	static const struct line b[] = {{3, 11, "i++;"},  {1, 7, "new();"}, {8, 6, "j++;"},
					{10, 44, "i++;"}, {5, 22, "j++;"},  {6, 33, "i++;"}};
	struct code_diff d = {.path = {"a.json", "b.json"}, .root = {result_of(a, 5), result_of(b, 6)}};
	struct error err;
	if (!code_diff_make(&d, &err))
		fail_msg("%s", err.text);
	assert_int_equal(d.lines.count, 6);
	static const struct {
		const char *text;
		unsigned line[DIFF_SIDES];
		int change;
	} wanted[] = {{"i++;", {2, 3}, 1}, {"i++;", {5, 6}, 3}, {"i++;", {9, 10}, 4},
		      {"j++;", {4, 5}, 2}, {"j++;", {7, 8}, 1}, {"new();", {0, 1}, 7}};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const struct diff_row *row = row_of(&d, wanted[i].text, wanted[i].line[DIFF_A]);
		assert_int_equal(row->line[DIFF_B], wanted[i].line[DIFF_B]);
		assert_int_equal(row->has[DIFF_A], wanted[i].line[DIFF_A] != 0);
		assert_int_equal(diff_change(row->n), wanted[i].change);
	}
	code_diff_destroy(&d);
	(void)state;
}

/* --- an object without names and lines --- */

/* A result of one function that begins at 0x40 of the object, at `start`, with three instructions; the machine has 22
 * other values of branch.*, one of l1d.size. Cycles are all of `memory`. */
static json_t *bare_result(const char *object, const char *name, int start, const int cycles[3], int value)
{
	static const char *const texts[] = {"lbu a1,0(a2)", "c.addi a2,1", "bne a1,a3,0x40"};
	json_t *code = json_array(), *branch = json_object();
	const int all = cycles[0] + cycles[1] + cycles[2];
	for (int i = 0; i < 3; i++)
		json_array_append_new(code,
				      json_pack("{s:i, s:s, s:i, s:i, s:{s:i}}", "pc", start + 4 * i, "text", texts[i],
						"executions", 1, "cycles", cycles[i], "causes", "memory", cycles[i]));
	for (int i = 0; i < 22; i++) {
		char key[8];
		snprintf(key, sizeof key, "k%d", i);
		json_object_set_new(branch, key, json_integer(value));
	}
	json_t *function = json_pack("{s:s, s:s, s:n, s:i, s:i, s:i, s:i, s:{s:i}, s:o}", "function", name, "object",
				     object, "symbol", "start", start, "end", start + 12, "executions", 3, "cycles",
				     all, "causes", "memory", all, "instructions", code);
	json_t *machine = json_pack("{s:o, s:{s:i}}", "branch", branch, "l1d", "size", value);
	return json_pack("{s:s, s:s, s:s, s:b, s:i, s:i, s:{s:o, s:[i]},"
			 " s:{s:[{s:s, s:s}, {s:s, s:s}], s:i, s:[], s:[], s:[o], s:[]}}",
			 "schema", "culprit-run/1", "program", object, "machine", "m", "complete", 1, "instructions", 3,
			 "cycles", all, "provenance", "machine", machine, "arguments", value, "code", "causes", "name",
			 "commit", "label", "commit", "name", "memory", "label", "memory", "outside", 0, "files",
			 "inlined", "functions", function, "calls");
}

static struct code_diff bare_diff(void)
{
	struct code_diff d = {.path = {"a.json", "b.json"},
			      .root = {bare_result("p", "p+0x40", 0x2040, (int[]){100, 20, 3}, 1),
				       bare_result("p", "+0x40", 0x7040, (int[]){170, 20, 4}, 2)}};
	struct error err;
	if (!code_diff_make(&d, &err))
		fail_msg("%s", err.text);
	return d;
}

/* They match by their offsets, wherever the object lies, and are called as on the first screen; a result of before
 * called its functions by the offset alone. */
static void instructions_match_by_offset(void **state)
{
	struct code_diff d = bare_diff();
	assert_int_equal(d.functions.count, 1);
	assert_string_equal(d.functions.rows[0].name, "p+0x40");
	assert_int_equal(d.lines.count, 3);
	assert_string_equal(d.lines.rows[0].place, "p+0x40");
	assert_string_equal(d.lines.rows[0].insn, "lbu a1,0(a2)");
	assert_int_equal(diff_change(d.lines.rows[0].n), 70);
	assert_string_equal(d.lines.rows[1].place, "p+0x48");
	assert_int_equal(diff_change(d.lines.rows[1].n), 1);
	for (size_t i = 0; i < 3; i++)
		assert_true(d.lines.rows[i].has[DIFF_A] && d.lines.rows[i].has[DIFF_B]);
	code_diff_destroy(&d);
	(void)state;
}

static char *text_of(const struct code_diff *d, bool verbose)
{
	const struct diff_view view = {80, verbose};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	code_diff_text(d, &view, out);
	fclose(out);
	return text;
}

/* What was run comes first, then the key that acts on the cause that changed, the last in the file. */
static void what_explains_most_is_first(void **state)
{
	struct code_diff d = bare_diff();
	assert_int_equal(d.setup.differences, 24);
	assert_string_equal(d.settings[0].difference->place, "arguments[0]");
	assert_string_equal(d.settings[1].difference->place, "machine.l1d.size");
	assert_string_equal(d.settings[2].difference->place, "machine.branch.k0");
	assert_string_equal(d.settings[23].difference->place, "machine.branch.k21");
	char *text = text_of(&d, false);
	assert_non_null(
		strstr(text, "IPC 0.0155\n  arguments[0]: 1 in A, 2 in B\n  machine.l1d.size: 1 in A, 2 in B\n"));
	assert_non_null(strstr(text, "  machine.branch.k17: 1 in A, 2 in B\n  and 4 more: --verbose."));
	free(text);
	text = text_of(&d, true);
	assert_non_null(strstr(text, "  machine.branch.k21: 1 in A, 2 in B\n\n"));
	free(text);
	json_t *json = code_diff_json(&d), *setup = json_object_get(json, "setup");
	assert_int_equal(json_array_size(setup), 24);
	assert_string_equal(json_string_value(json_object_get(json_array_get(setup, 1), "cause")), "memory");
	assert_true(json_is_null(json_object_get(json_array_get(setup, 2), "cause")));
	json_decref(json);
	code_diff_destroy(&d);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(repeated_lines),
					   cmocka_unit_test(instructions_match_by_offset),
					   cmocka_unit_test(what_explains_most_is_first)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
