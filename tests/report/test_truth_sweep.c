/* What a sweep's report says of the interaction costs: they told which curve gains more, told it wrongly, or could not tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/truth/report.h"

enum { CURVES = 4 };

/* Gains of 10, 20, 20 and 30 cycles; the lower icost gains more, but where it is equal. */
static const uint64_t cycles[CURVES][2] = {{100, 90}, {200, 180}, {300, 280}, {400, 370}};

static struct truth_report sweep(struct truth_curve *curves, struct truth_value_row *icosts, const int64_t *icost)
{
	static char *values[] = {"64", "128"}, *latencies[] = {"1", "2", "3", "4"};
	for (size_t i = 0; i < CURVES; i++) {
		curves[i] = (struct truth_curve){.cycles = cycles[i]};
		snprintf(curves[i].name, sizeof curves[i].name, "l1d.latency=%zu", i + 1);
		icosts[i] = (struct truth_value_row){
			.name = "dl1+win", .size = 2, .known = true, .cycles = icost[i], .base = 1000};
		icosts[i].word = icosts[i].meaning = "";
	}
	return (struct truth_report){.version = "1",
				     .machine = "given",
				     .program = "program",
				     .instructions = 50,
				     .cycles = 100,
				     .icost_count = CURVES,
				     .icosts = icosts,
				     .x_key = "window.rob",
				     .x_count = 2,
				     .x_values = values,
				     .curve_count = CURVES,
				     .curves = curves,
				     .varied_count = 2,
				     .varied = {{"l1d.latency", 4, latencies}, {"window.rob", 2, values}}};
}

static void expect(const int64_t *icost, const char *sentence, const char *ties, int agree, int disagree, int tied)
{
	struct truth_curve curves[CURVES];
	struct truth_value_row icosts[CURVES];
	struct truth_report r = sweep(curves, icosts, icost);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	truth_report_text(&r, out);
	fclose(out);
	assert_non_null(strstr(text, sentence));
	assert_true(ties ? strstr(text, ties) != NULL : !strstr(text, "equal in"));
	free(text);
	json_t *root = truth_report_json(&r);
	json_t *v = json_array_get(json_object_get(json_object_get(root, "sweep"), "verdicts"), 0);
	assert_string_equal(json_string_value(json_object_get(v, "set")), "dl1+win");
	assert_int_equal(json_integer_value(json_object_get(v, "agree")), agree);
	assert_int_equal(json_integer_value(json_object_get(v, "disagree")), disagree);
	assert_int_equal(json_integer_value(json_object_get(v, "ties")), tied);
	json_decref(root);
}

/* Six pairs of curves; of the second and third the gains are equal. */
static void ties_say_nothing(void **state)
{
	static const int64_t right[] = {-1, -2, -2, -3}, wrong[] = {-3, -2, -2, -1}, mixed[] = {-1, -1, -3, -2},
			     equal[] = {-5, -5, -5, -5};
	const char *one = "    1 more pair is equal in the one or the other, and says nothing.\n";
	expect(right, "gains more: in 5 of 5 pairs.", one, 5, 0, 1);
	expect(wrong, "gains more: in 0 of 5 pairs.", one, 0, 5, 1);
	/* 1-2 equal icosts, 2-3 equal gains; 1-3, 1-4 and 2-4 right, 3-4 wrong */
	expect(mixed, "gains more: in 3 of 4 pairs.", "    2 more pairs are equal", 3, 1, 2);
	expect(equal, "No two curves differ both in dl1+win", " and in what they gain.\n", 0, 0, 6);
}

/* The machine is named as given; no point of the grid stands for it. */
static void head(void **state)
{
	static const int64_t icost[CURVES] = {0};
	struct truth_curve curves[CURVES];
	struct truth_value_row icosts[CURVES];
	struct truth_report r = sweep(curves, icosts, icost);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	truth_report_text(&r, out);
	fclose(out);
	assert_non_null(strstr(text, "program on given, idealised re-simulation\n"
				     "  varied:      l1d.latency = 1, 2, 3, 4\n"
				     "               window.rob = 64, 128\n"));
	assert_non_null(strstr(text, "  instructions                 50\n"));
	assert_null(strstr(text, "  IPC "));
	assert_null(strstr(text, "\n  cycles "));
	free(text);
	json_t *root = truth_report_json(&r), *varied = json_object_get(json_object_get(root, "sweep"), "varied");
	assert_true(json_is_null(json_object_get(root, "cycles")));
	assert_int_equal(json_array_size(varied), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(varied, 0), "key")), "l1d.latency");
	assert_int_equal(json_array_size(json_object_get(json_array_get(varied, 0), "values")), 4);
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ties_say_nothing), cmocka_unit_test(head)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
