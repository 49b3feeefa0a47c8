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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(repeated_lines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
