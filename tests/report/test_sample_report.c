/* The head of an estimate: what was sampled, and each word of doubt where its figure has just passed what is tolerated. */
#include "report/sample/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 400 }; /* no line is folded */

/* A million instructions, the first 100,000 in full, then 90 samples of 1,000: 19% in detail. CPI 2 +- 0.02: 1%. */
static struct sample_report good(void)
{
	return (struct sample_report){.version = "0",
				      .machine = "m",
				      .program = "p",
				      .instructions = 1000000,
				      .start = 100000,
				      .measured = 190000,
				      .interval = 10000,
				      .length = 1000,
				      .samples = 90,
				      .covered = 1,
				      .confidence = 0.95,
				      .cpi = {.value = 2, .half = 0.02}};
}

static char *head(const struct sample_report *r, unsigned width, unsigned *lines)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	*lines = sample_report_head(r, width, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect(const struct sample_report *r, const char *wanted)
{
	unsigned lines, counted = 0;
	char *text = head(r, WIDTH, &lines);
	assert_string_equal(text, wanted);
	for (const char *c = text; *c; c++)
		counted += *c == '\n';
	assert_int_equal(lines, counted);
	free(text);
}

#define FIRST "culprit: p on m\n"
#define SAMPLED                                                                                                       \
	FIRST "  1,000,000 instructions: the first 100,000 in full, then 90 samples of 1,000, one in 10,000; 19% in " \
	      "detail\n"
#define CPI "  CPI 2.0000 +- 0.0200 (1.00%), IPC 0.500; confidence 95%\n"

#define GAPS "  Predictors learn in the last 20,000 instructions before a sample: "
static void predictors_with_gaps(void **state)
{
	struct sample_report r = good();
	r.gaps = true;
	r.trained = 20000;
	r.compared = 2;
	r.more = -1.5;
	r.half = 2.25;
	expect(&r, SAMPLED CPI GAPS "-1.50 +- 2.25% mispredictions, of 2 samples compared; estimates are corrected.\n");
	r.compared = 1;
	expect(&r, SAMPLED CPI GAPS "too few samples were compared with predictors that learn always, so bmisp and btb "
				    "may be anything from 0 to twice their value.\n");
	(void)state;
}

static void what_was_sampled(void **state)
{
	struct sample_report r = good();
	expect(&r, SAMPLED CPI);
	r.start = 0;
	r.samples = 1;
	expect(&r, FIRST "  1,000,000 instructions: 1 sample of 1,000, one in 10,000; 19% in detail\n" CPI
			 "  Fewer than 30 samples: the intervals are rough. A shorter --sample-interval helps.\n");
	r = good();
	r.start = r.instructions; /* a program that ends within the start */
	r.samples = 0;
	expect(&r, FIRST "  1,000,000 instructions: the first 1,000,000 in full\n" CPI);
	r = good();
	r.cut = "interrupted";
	expect(&r,
	       FIRST "  1,000,000 instructions: the first 100,000 in full, then 90 samples of 1,000, one in 10,000; "
		     "19% in detail; interrupted\n" CPI);
	r.measured = 0;
	r.cut = NULL;
	expect(&r,
	       FIRST "  1,000,000 instructions: the first 100,000 in full, then 90 samples of 1,000, one in 10,000; "
		     "0% in detail\n");
	(void)state;
}

/* An error of 1/64 where e is asked for takes (1/64/e)^2 times the samples, rounded up. */
static void error_asked_for(void **state)
{
	struct sample_report r = good();
	r.cpi.half = 2.0 / 64;
	r.error = 1.0 / 64;
#define ROUGH SAMPLED "  CPI 2.0000 +- 0.0312 (1.56%), IPC 0.500; confidence 95%\n"
	expect(&r, ROUGH);
	r.error = 1.0 / 128;
	expect(&r, ROUGH "  The error asked for, 0.78125%, is not reached: try --samples 360.\n");
	r.error = 0.01; /* 90 * 2.44 = 219.7 */
	expect(&r, ROUGH "  The error asked for, 1%, is not reached: try --samples 220.\n");
	(void)state;
}

static void few_samples(void **state)
{
	struct sample_report r = good();
	r.few = 1;
	expect(&r,
	       SAMPLED CPI "  Intervals of 1 row of the commit stack rest on fewer than 5 samples that have them.\n");
	r.few = 2;
	expect(&r,
	       SAMPLED CPI "  Intervals of 2 rows of the commit stack rest on fewer than 5 samples that have them.\n");
	r = good();
	r.samples = 30;
	char *text;
	unsigned lines;
	assert_null(strstr(text = head(&r, WIDTH, &lines), "Fewer than 30 samples"));
	free(text);
	r.samples = 29;
	assert_non_null(strstr(text = head(&r, WIDTH, &lines), "Fewer than 30 samples"));
	free(text);
	r.samples = 0;
	assert_non_null(strstr(text = head(&r, WIDTH, &lines), "No sample: the figures are those of the start alone."));
	assert_null(strstr(text, "Fewer than 30 samples"));
	free(text);
	(void)state;
}

/* One sample has no spread, and its interval no end: none is printed, nor advice from it. */
static void one_sample(void **state)
{
	struct sample_report r = good();
	r.cpi.half = INFINITY;
	r.samples = 1;
	r.few = 3;
	r.error = 0.01;
#define ONE                                                                                                         \
	FIRST "  1,000,000 instructions: the first 100,000 in full, then 1 sample of 1,000, one in 10,000; 19% in " \
	      "detail\n"
	expect(&r, ONE "  CPI 2.0000, IPC 0.500; no interval: one sample does not tell its error\n");
	(void)state;
}

/* Windows with weights tell no error; weights are printed with few digits, so that 0.995 is all. */
static void chosen_windows(void **state)
{
	struct sample_report r = good();
	r.chosen = true;
	r.start = 0;
	r.samples = 4;
	r.measured = 4000;
	r.covered = 0.995;
#define CHOSEN FIRST "  1,000,000 instructions: 4 windows of 1,000 that SimPoint chose, weighted; 0.4% in detail\n"
#define NO_INTERVAL "  CPI 2.0000, IPC 0.500; no interval: chosen windows do not tell their error\n"
	expect(&r, CHOSEN NO_INTERVAL);
	r.covered = 0.9949;
	expect(&r, CHOSEN NO_INTERVAL
	       "  The weights sum to 0.995: the rest of the program is taken to be like these windows.\n");
	r.samples = 1;
	r.covered = 1;
	expect(&r, FIRST "  1,000,000 instructions: 1 window of 1,000 that SimPoint chose, weighted; 0.4% in "
			 "detail\n" NO_INTERVAL);
	(void)state;
}

/* As many lines as are printed, folded to the width. */
static void lines_are_counted(void **state)
{
	struct sample_report r = good();
	unsigned wide, narrow, counted = 0;
	free(head(&r, WIDTH, &wide));
	char *text = head(&r, 50, &narrow);
	for (const char *c = text; *c; c++)
		counted += *c == '\n';
	assert_int_equal(wide, 3);
	assert_true(narrow > wide);
	assert_int_equal(narrow, counted);
	free(text);
	(void)state;
}

/* Rows that print as 0.0 are left out, and said to be; at most twelve. */
static void sections(void **state)
{
	struct sample_report r = good();
	struct sample_row rows[14];
	for (size_t i = 0; i < 14; i++)
		rows[i] = (struct sample_row){.name = (char[]){'a', 0},
					      .value = 20 - (double)i,
					      .half = 0.25,
					      .low = 19.75 - (double)i,
					      .high = 20.25 - (double)i};
	rows[0].half = INFINITY;
	r.sections[0] = (struct sample_section){.title = "title", .unit = "unit", .rows = rows, .count = 13};
	r.section_count = 1;
	for (unsigned asked = 0; asked < 2; asked++) {
		char *text;
		size_t size, count = 0;
		r.sections[0].asked = asked;
		FILE *out = open_memstream(&text, &size);
		sample_report_sections(&r, false, out);
		assert_int_equal(fclose(out), 0);
		for (char *c = text; (c = strstr(c, "+- 0.25")); c++)
			count++;
		assert_int_equal(count, asked ? 11 : 0); /* the first has no interval, the thirteenth no room */
		assert_int_equal(!!strstr(text, "    20.00\n"), asked);
		assert_int_equal(!!strstr(text, "(the rest: smaller; --json has all)"), asked);
		free(text);
	}
	r.sections[0].count = 2;
	rows[1].value = -0.05;
	rows[1].low = -0.3;
	rows[1].high = 0.2;
	strcpy(rows[1].label, "long ops");
	for (unsigned small = 0; small < 2; small++, rows[1].value = 0.0499) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		sample_report_sections(&r, true, out);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(!!strstr(text, "  long ops                                     -0.05 +- 0.25"),
				 !small);
		assert_int_equal(!!strstr(text, "(the rest: smaller"), small);
		free(text);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_sampled),	cmocka_unit_test(predictors_with_gaps),
					   cmocka_unit_test(error_asked_for),	cmocka_unit_test(few_samples),
					   cmocka_unit_test(one_sample),	cmocka_unit_test(chosen_windows),
					   cmocka_unit_test(lines_are_counted), cmocka_unit_test(sections)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
