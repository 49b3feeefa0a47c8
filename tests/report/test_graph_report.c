/* The breakdown's rendering: what is listed, what it adds up to, and that pictures are whole. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/graph/causes.h"
#include "report/graph/report.h"

/* Times of four subsets of two classes, in 1000 cycles: a costs 400, b 300, both 500: 200 are serial. A third class
 * costs nothing and interacts with nobody. */
static void example(struct culprit_graph_results *x)
{
	static const uint64_t times[4] = {1000, 600, 700, 500};
	static const int64_t icosts[8] = {0, 400, 300, -200};
	memset(x, 0, sizeof *x);
	x->class_count = 3;
	for (unsigned set = 0; set < 8; set++) {
		x->time[set] = times[set & 3];
		x->cost[set] = 1000 - (int64_t)times[set & 3];
		x->icost[set] = icosts[set];
	}
	x->shapley[0] = 300;
	x->shapley[1] = 200;
	strcpy(x->names[0], "a<b");
	strcpy(x->names[1], "b");
	strcpy(x->names[2], "idle");
	x->kernel = "portable";
}

static char *printed(void (*print)(const struct graph_report *, FILE *), const struct graph_report *r)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	print(r, out);
	fclose(out);
	return text;
}

static void rows_add_up(void **state)
{
	struct culprit_graph_results x;
	example(&x);
	struct graph_report r = {.results = &x};
	struct graph_row rows[GRAPH_ROWS_MAX];
	size_t n = graph_rows(&r, rows);
	assert_int_equal(n, 5); /* three singles, one pair, other */
	assert_true(rows[0].percent == 40 && rows[1].percent == 30 && rows[2].percent == 0);
	assert_string_equal(rows[3].label, "a<b+b");
	assert_true(rows[3].percent == -20);
	assert_string_equal(graph_row_kind(&rows[0]), "single");
	assert_string_equal(graph_row_kind(&rows[3]), "serial");
	assert_string_equal(graph_row_kind(&rows[4]), "other");
	assert_string_equal(rows[4].label, "other");
	assert_true(rows[4].percent == 50);
	r.focus = 1u << 2; /* pairs of the idle class, though they are nothing */
	assert_int_equal(graph_rows(&r, rows), 7);
}

static void text(void **state)
{
	struct culprit_graph_results x;
	example(&x);
	struct graph_report r = {.results = &x, .base = {.method = 1000, .simulated = 1010}};
	char *t = printed(graph_text, &r);
	assert_non_null(strstr(t, "graph 1000 cycles, simulated 1010: -0.99%"));
	assert_non_null(strstr(t, "  a<b+b             -20.0  serial: remove either\n"));
	assert_non_null(strstr(t, "  total             100.0\n"));
	assert_non_null(strstr(t, "a<b costs most: without it the program would take 40.0% less time."));
	assert_non_null(strstr(t, "a<b and b are in series: 20.0% of the time goes when either is removed"));
	assert_null(strstr(t, "parallel"));
	assert_non_null(strstr(t, "other: interactions of three and more classes, pairs below 0.5%, and the time\n"));
	/* order-free: a 40 - 10, b 30 - 10, 500 of 1000 left */
	assert_non_null(strstr(t, " a<b 30.0 b 20.0 idle 0.0 none of these 50.0\n"));
	free(t);
	x.shapley[2] = -0.4; /* of 1000: nothing, which has no sign */
	t = printed(graph_text, &r);
	assert_non_null(strstr(t, " idle 0.0 none"));
	free(t);
}

/* Causes that cost less than what is printed have no sign either. */
static void causes_of_nothing(void **state)
{
	struct graph_causes x = {.count = 1, .graphs = 1, .cycles = 10000, .rest = -4};
	snprintf(x.rows[0].name, sizeof x.rows[0].name, "rob");
	x.rows[0].cost = -4;
	x.rows[0].share = -0.1;
	char *t;
	size_t size;
	FILE *out = open_memstream(&t, &size);
	graph_causes_text(&x, out);
	fclose(out);
	assert_non_null(strstr(t, "  rob                       0.0      0.0\n"));
	assert_null(strstr(t, "-0.0"));
	free(t);
}

/* Pairs in focus are listed even when they are nothing: a hundredth of a percent more or less is nothing either. */
static void independent(void **state)
{
	static const char *const want[] = {"independent", "independent", "parallel: remove both"};
	static const char *const kinds[] = {"independent", "independent", "parallel"};
	static const int64_t icosts[] = {0, -4, 6};
	for (unsigned i = 0; i < 3; i++) {
		struct culprit_graph_results x;
		example(&x);
		for (unsigned set = 0; set < 8; set++)
			x.time[set] *= 10; /* 10,000 cycles: 5 are the first that print */
		x.icost[5] = icosts[i];
		struct graph_report r = {.results = &x, .focus = 1};
		char *t = printed(graph_text, &r), line[80], *drawn = printed(graph_svg, &r);
		snprintf(line, sizeof line, "  a<b+idle       %8s  %s\n", i < 2 ? "0.0" : "0.1", want[i]);
		if (!strstr(t, line))
			fail_msg("no '%s' in: %s", line, t);
		snprintf(line, sizeof line, "a&lt;b+idle %s%%, %s</title>", i < 2 ? "0.0" : "0.1", want[i]);
		assert_true(!icosts[i] || strstr(drawn, line)); /* nothing is not drawn */
		json_t *j = graph_json(&r), *row = json_array_get(json_object_get(j, "breakdown"), 4);
		assert_string_equal(json_string_value(json_object_get(row, "term")), "a<b+idle");
		assert_string_equal(json_string_value(json_object_get(row, "kind")), kinds[i]);
		json_decref(j);
		free(t);
		free(drawn);
	}
}

static void svg(void **state)
{
	struct culprit_graph_results x;
	example(&x);
	struct graph_report r = {.results = &x};
	char *t = printed(graph_svg, &r);
	assert_int_equal(strncmp(t, "<svg ", 5), 0);
	assert_non_null(strstr(t, "</svg>\n"));
	assert_non_null(strstr(t, "a&lt;b"));
	assert_null(strstr(t, "a<b"));
	free(t);
}

static void json(void **state)
{
	struct culprit_graph_results x;
	example(&x);
	struct graph_report r = {.results = &x, .base = {.method = 1000, .simulated = 1010}};
	json_t *j = graph_json(&r);
	assert_non_null(j);
	assert_int_equal(json_array_size(json_object_get(j, "sets")), 8);
	json_t *both = json_array_get(json_object_get(j, "sets"), 3);
	assert_int_equal(json_integer_value(json_object_get(both, "icost")), -200);
	assert_int_equal(json_array_size(json_object_get(both, "classes")), 2);
	json_decref(j);
}

/* Said at the top and flagged. `says` NULL: nothing to say. */
static void check_base(double simulated, const char *says, double percent)
{
	struct culprit_graph_results x;
	example(&x);
	struct graph_report r = {.results = &x, .base = {.method = 1000, .simulated = simulated}};
	char *t = printed(graph_text, &r);
	json_t *j = graph_json(&r), *base = json_object_get(j, "base");
	assert_int_equal(json_is_true(json_object_get(base, "trusted")), says == NULL);
	assert_true(fabs(json_real_value(json_object_get(base, "error_percent")) - percent) < 1e-5);
	assert_int_equal(strstr(t, "***") != NULL, says != NULL);
	if (says) {
		assert_non_null(strstr(t, "(dependence graph)\n  *** ")); /* right below the title */
		assert_non_null(strstr(t, says));
		assert_non_null(strstr(t, "If yours has none, this is a fault; please report it. ***"));
	}
	json_decref(j);
	free(t);
}

/* When the graph's own time is more than one percent off, either way; not before. */
static void base_that_differs(void **state)
{
	check_base(1010, NULL, -0.990099);
	check_base(1000.0 / 1.0099, NULL, 0.99);
	check_base(988, "*** The graph's time is 1.21% longer than the simulation's, more than 1%: the figures below",
		   1.214575);
	check_base(1012, "*** The graph's time is 1.19% shorter than the simulation's, more than 1%: the fig",
		   -1.185771);
}

/* What the machine has and the graph does not model is named as the reason, in both. */
static void base_with_reason(void **state)
{
	struct culprit_graph_results x;
	example(&x);
	struct graph_report r = {.results = &x,
				 .base = {.method = 1000, .simulated = 900, .gaps = {"a.key: for b"}, .gap_count = 1}};
	char *t = printed(graph_text, &r);
	assert_non_null(strstr(t, "The graph does not model all that this machine has: a.key: for b ***\n"));
	assert_null(strstr(t, "this is a fault"));
	json_t *j = graph_json(&r), *gaps = json_object_get(json_object_get(j, "base"), "not_modelled");
	assert_string_equal(json_string_value(json_array_get(gaps, 0)), "a.key: for b");
	json_decref(j);
	free(t);
}

/* Samples leave something open: that much more is allowed. */
static void base_of_samples(void **state)
{
	struct graph_base b = {.method = 1.04, .simulated = 1, .interval = 3.5};
	assert_false(graph_base_off(&b));
	b.interval = 2.5;
	assert_true(graph_base_off(&b));
	b.simulated = 0;
	assert_false(graph_base_off(&b));
}

/* A trace of one instruction: the cycle of the last commit, which no path has, is no fault. */
static void base_of_few_cycles(void **state)
{
	struct graph_base b = {.method = 6, .simulated = 7, .fewer = 1};
	assert_false(graph_base_off(&b));
	b.simulated = 8;
	assert_true(graph_base_off(&b));
	struct culprit_graph_results x;
	example(&x);
	struct graph_report r = {.results = &x, .base = b};
	char *t = printed(graph_text, &r);
	assert_non_null(strstr(t, "this is a fault"));
	free(t);
	/* a trace of another simulator need not tell everything */
	r.base.told_less = true;
	t = printed(graph_text, &r);
	assert_null(strstr(t, "this is a fault"));
	assert_non_null(strstr(t, "The records do not tell all that the graph needs: the list above says what. ***\n"));
	free(t);
}

static void no_instructions(void **state)
{
	struct culprit_graph_results x;
	memset(&x, 0, sizeof x);
	x.class_count = 8;
	x.kernel = "portable";
	struct graph_report r = {.results = &x};
	free(printed(graph_text, &r));
	free(printed(graph_svg, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up),
		cmocka_unit_test(text),
		cmocka_unit_test(causes_of_nothing),
		cmocka_unit_test(independent),
		cmocka_unit_test(svg),
		cmocka_unit_test(json),
		cmocka_unit_test(no_instructions),
		cmocka_unit_test(base_that_differs),
		cmocka_unit_test(base_with_reason),
		cmocka_unit_test(base_of_samples),
		cmocka_unit_test(base_of_few_cycles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
