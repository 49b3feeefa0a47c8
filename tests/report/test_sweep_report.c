/* A sweep's table where not all went well: points that failed, that are not there yet, that nothing can be compared with, that
 * ended otherwise. */
#include "report/sweep/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 5 };

/* 1,000 instructions each; the first is the default, of 2,000 cycles. */
static void example(struct sweep_report *r, struct sweep_report_point points[POINTS], struct sweep_report_axis *axis)
{
	static const char *const values[POINTS] = {"8", "16", "32", "64", "128"};
	static const uint64_t cycles[POINTS] = {2000, 1600, 4000, 2000, 1000};
	*axis = (struct sweep_report_axis){.name = "rob", .key = "window.rob"};
	for (uint32_t i = 0; i < POINTS; i++) {
		points[i] = (struct sweep_report_point){.machine = "m",
							.program = "p",
							.region = "all",
							.values = {values[i]},
							.known = true,
							.instructions = 1000,
							.cycles = cycles[i],
							.cause_count = 2};
		points[i].causes[0].name = points[i].causes[0].label = "commit";
		points[i].causes[0].cycles = 600;
		points[i].causes[1].name = points[i].causes[1].label = "memory";
		points[i].causes[1].cycles = cycles[i] - 600;
	}
	points[0].own[0] = true;
	*r = (struct sweep_report){.version = "0",
				   .title = "sweep t",
				   .axis_count = 1,
				   .axes = axis,
				   .count = POINTS,
				   .points = points,
				   .known = POINTS};
}

static void expect(const struct sweep_report *r, const char *wanted)
{
	const struct sweep_report_view view = {.width = 80};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	sweep_report_text(r, &view, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
}

#define TITLE "    #  rob     IPC     CPI  speedup  moved most, CPI\n m\n"
#define LEGEND                                                \
	"  speedup: cycles of the default over the point's\n" \
	"  moved most: the part of the CPI stack that differs most from the default's\n"

static void all_done(void **state)
{
	struct sweep_report r;
	struct sweep_report_point points[POINTS];
	struct sweep_report_axis axis;
	example(&r, points, &axis);
	expect(&r, "culprit 0: sweep t\n  5 points, 5 done\n\np\n" TITLE
		   "    1   8*   0.500   2.000    1.000  the default\n"
		   "    2   16   0.625   1.600    1.250  memory -0.400\n"
		   "    3   32   0.250   4.000    0.500  memory +2.000\n"
		   "    4   64   0.500   2.000    1.000  -\n"
		   "    5  128   1.000   1.000    2.000  memory -1.000\n"
		   "\n  * the machine's own value\n" LEGEND);
	(void)state;
}

static void not_all_done(void **state)
{
	struct sweep_report r;
	struct sweep_report_point points[POINTS];
	struct sweep_report_axis axis;
	example(&r, points, &axis);
	points[1].known = points[2].known = false;
	points[1].trouble = "out of memory";
	points[3].exit_status = 3;
	r.known = 3;
	r.failed = 1;
	r.cut = "interrupted";
	r.results = "file";
	expect(&r, "culprit 0: sweep t\n  5 points, 3 done, 1 failed (interrupted: the same command goes on)\n"
		   "  results: file\n\np\n" TITLE "    1   8*   0.500   2.000    1.000  the default\n"
		   "    2   16  failed, see below\n"
		   "    3   32  not simulated yet\n"
		   "    4   64   0.500   2.000    1.000  -\n"
		   "    5  128   1.000   1.000    2.000  memory -1.000\n"
		   "\n  * the machine's own value\n" LEGEND
		   "  note: in point 4 the program ended with status 3, in point 1 with 0\n"
		   "  point 2: out of memory\n");
	(void)state;
}

/* Of machines alone, the first is no default: it is called what it is. */
static void machines_alone(void **state)
{
	struct sweep_report r;
	struct sweep_report_point points[POINTS];
	struct sweep_report_axis axis;
	example(&r, points, &axis);
	r.axis_count = 0;
	r.count = r.known = 2;
	points[1].machine = "n";
#define MACHINES \
	"culprit 0: sweep t\n  2 points, 2 done\n\np\n    #  machine     IPC     CPI  speedup  moved most, CPI\n"
	expect(&r, MACHINES "    1  m         0.500   2.000    1.000  the first\n"
			    "    2  n         0.625   1.600    1.250  memory -0.400\n"
			    "\n  speedup: cycles of the first over the point's\n"
			    "  moved most: the part of the CPI stack that differs most from the first's\n");
	points[0].reference = points[1].reference = 1; /* marked in a plan */
	expect(&r, MACHINES "    1  m         0.500   2.000    0.800  memory +0.400\n"
			    "    2  n         0.625   1.600    1.000  the default\n"
			    "\n" LEGEND);
	(void)state;
}

/* Without the default no point has a speedup, and how programs ended is compared with nothing. */
static void no_default(void **state)
{
	struct sweep_report r;
	struct sweep_report_point points[POINTS];
	struct sweep_report_axis axis;
	example(&r, points, &axis);
	points[0].known = false;
	points[0].own[0] = false;
	points[4].exit_status = 1;
	r.count = POINTS;
	r.known = 4;
	r.killed = 1;
	points[4].trouble = "SIGSEGV";
	expect(&r, "culprit 0: sweep t\n  5 points, 3 done, 1 killed by a signal, see below\n\np\n" TITLE
		   "    1    8  not simulated yet\n"
		   "    2   16   0.625   1.600        -  no default to compare\n"
		   "    3   32   0.250   4.000        -  no default to compare\n"
		   "    4   64   0.500   2.000        -  no default to compare\n"
		   "    5  128   1.000   1.000        -  no default to compare\n"
		   "\n" LEGEND "  point 5: SIGSEGV\n");
	assert_true(sweep_speedup(&r, 1) == 0);
	double cpi;
	assert_null(sweep_moved(&r, 1, &cpi));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_done), cmocka_unit_test(not_all_done),
					   cmocka_unit_test(machines_alone), cmocka_unit_test(no_default)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
