/* The stall report on a small tree made by hand:
 *
 *     rob.empty 70 -> fetch.nothing 70 -> fetch.miss 40 (leaf)
 *                                      -> fetch.flush 30 (leaf)
 *     rob.wait  30 -> alu.long 29 (leaf)
 *                  -> fetch.miss 1 (leaf)
 *
 * of 200 opportunities (50 cycles of 4). */
#include "report/stalls/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NONE, EMPTY, WAIT, NOTHING, MISS, FLUSH, LONG, TYPES };

static const struct culprit_stall_type_info types[TYPES] = {
	[NONE] = {{"none", "none", "nothing", 0}, "stalls"},
	[EMPTY] = {{"empty", "window empty", "nothing in it", 0}, "rob"},
	[WAIT] = {{"wait", "oldest; waits", "not done", 0}, "rob"},
	[NOTHING] = {{"nothing", "nothing came", "no input", 0}, "fetch"},
	[MISS] = {{"miss", "miss <L1I>", "the line & its wait", CULPRIT_STALL_LEAF}, "fetch"},
	[FLUSH] = {{"flush", "flush", "mispredicted", CULPRIT_STALL_LEAF | CULPRIT_STALL_FLUSH}, "fetch"},
	[LONG] = {{"long", "long executing", "slow unit", CULPRIT_STALL_LEAF}, "alu"},
};

static struct culprit_stall_node nodes[] = {
	{CULPRIT_STALL_ROOT, EMPTY, 0, 4, 0, 70},
	{0, NOTHING, 1, 4, 0, 70},
	{1, MISS, 2, 3, 40, 40},
	{1, FLUSH, 2, 4, 30, 30},
	{CULPRIT_STALL_ROOT, WAIT, 0, 7, 0, 30},
	{4, LONG, 1, 6, 29, 29},
	{4, MISS, 1, 7, 1, 1},
};

static struct culprit_stall_node twigs[] = {
	{CULPRIT_STALL_ROOT, MISS, 0, 3, 0, 41},
	{0, NOTHING, 1, 2, 0, 40},
	{0, WAIT, 1, 3, 0, 1},
	{CULPRIT_STALL_ROOT, FLUSH, 0, 5, 0, 30},
	{3, NOTHING, 1, 5, 0, 30},
	{CULPRIT_STALL_ROOT, LONG, 0, 7, 0, 29},
	{5, WAIT, 1, 7, 0, 29},
};

static uint64_t leaf_totals[TYPES] = {[MISS] = 41, [FLUSH] = 30, [LONG] = 29};
static uint64_t node_totals[TYPES] = {
	[EMPTY] = 70, [WAIT] = 30, [NOTHING] = 70, [MISS] = 41, [FLUSH] = 30, [LONG] = 29};

static const struct culprit_stall_results results = {
	.accumulator = "commit",
	.width = 4,
	.counted = 100,
	.lost = 100,
	.type_count = TYPES,
	.types = types,
	.nodes = nodes,
	.node_count = sizeof nodes / sizeof *nodes,
	.leaf_totals = leaf_totals,
	.node_totals = node_totals,
};

static struct stalls_report report(double threshold)
{
	return (struct stalls_report){.program = "a<b",
				      .machine = "m",
				      .cycles = 50,
				      .instructions = 100,
				      .threshold = threshold,
				      .results = &results,
				      .twigs = twigs,
				      .twig_count = sizeof twigs / sizeof *twigs};
}

static char *printed(void (*print)(const struct stalls_report *, FILE *), const struct stalls_report *r)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	print(r, out);
	fclose(out);
	return text;
}

static void folded_has_every_path(void **state)
{
	struct stalls_report r = report(0);
	char *text = printed(stalls_report_folded, &r);
	assert_string_equal(text, "commit;rob: window empty;fetch: nothing came;fetch: miss <L1I> 40\n"
				  "commit;rob: window empty;fetch: nothing came;fetch: flush 30\n"
				  "commit;rob: oldest, waits;alu: long executing 29\n"
				  "commit;rob: oldest, waits;fetch: miss <L1I> 1\n");
	free(text);
}

/* As deep as a chain can be: 64 types, one under the other. */
static void folded_prints_the_longest_chain(void **state)
{
	enum { LONGEST = 64 };
	struct culprit_stall_node chain[LONGEST];
	for (uint32_t i = 0; i < LONGEST; i++)
		chain[i] = (struct culprit_stall_node){
			.parent = i ? i - 1 : CULPRIT_STALL_ROOT, .type = i % 2 ? LONG : FLUSH, .depth = i};
	chain[LONGEST - 1].own = 5;
	struct culprit_stall_results deep = results;
	deep.nodes = chain;
	deep.node_count = LONGEST;
	struct stalls_report r = report(0);
	r.results = &deep;
	char *text = printed(stalls_report_folded, &r), expected[4096] = "commit";
	for (uint32_t i = 0; i < LONGEST / 2; i++)
		strcat(expected, ";fetch: flush;alu: long executing");
	strcat(expected, " 5\n");
	assert_string_equal(text, expected);
	free(text);
	(void)state;
}

static void has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("not there: '%s' in\n%s", line, text);
}

static void text_adds_up(void **state)
{
	struct stalls_report r = report(1);
	char *text = printed(stalls_report_text, &r);
	has(text, "               200 100.00%  opportunities: 4 a cycle\n");
	has(text, "               100  50.00%  used");
	has(text, "               100  50.00%  lost\n");
	has(text, "                41  20.50%  fetch      miss <L1I>");
	has(text, "                70  35.00%    nothing came (fetch)\n");
	has(text, "                30  15.00%      flush (fetch)\n");
	/* The path of one slot, 0.5%, is below the threshold of 1%. */
	has(text, "                 1   0.50%    ... 1 more below the threshold\n");
	has(text, "\"miss <L1I>\" (fetch): 20.5% of all opportunities, 41% of the lost ones");
	free(text);
}

static json_int_t check_forest(json_t *list)
{
	json_int_t sum = 0;
	size_t i;
	json_t *node;
	json_array_foreach(list, i, node)
	{
		json_int_t total = json_integer_value(json_object_get(node, "total"));
		json_t *children = json_object_get(node, "children");
		json_int_t own = json_integer_value(json_object_get(node, "own"));
		json_int_t small = json_integer_value(json_object_get(node, "small"));
		assert_int_equal(total, own + small + (children ? check_forest(children) : 0));
		sum += total;
	}
	return sum;
}

static void json_adds_up(void **state)
{
	struct stalls_report r = report(5);
	json_t *o = stalls_report_json(&r);
	assert_int_equal(check_forest(json_object_get(o, "tree")), 100);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(o, "leaves"), "fetch.miss")), 41);
	assert_int_equal(json_integer_value(json_object_get(o, "opportunities")), 200);
	json_decref(o);
}

/* Fetch misses cost 30%, of which all is the one leaf's; the two others share the 20% of theirs as 30 to 29. */
static void leaves_share_what_their_class_costs(void **state)
{
	static const uint8_t classes[TYPES] = {
		[NONE] = CULPRIT_EVENT_COUNT,	 [EMPTY] = CULPRIT_EVENT_COUNT, [WAIT] = CULPRIT_EVENT_COUNT,
		[NOTHING] = CULPRIT_EVENT_COUNT, [MISS] = CULPRIT_EVENT_imiss,	[FLUSH] = CULPRIT_EVENT_bmisp,
		[LONG] = CULPRIT_EVENT_bmisp};
	double costs[CULPRIT_EVENT_COUNT] = {[CULPRIT_EVENT_imiss] = 30, [CULPRIT_EVENT_bmisp] = 20}, gains[TYPES];
	struct stalls_report r = report(1);
	r.classes = classes;
	stalls_report_gains(&r, costs, gains);
	assert_true(isnan(gains[NOTHING]));
	assert_true(fabs(gains[MISS] - 30) < 1e-9);
	assert_true(fabs(gains[FLUSH] - 20 * 30.0 / 59) < 1e-9);
	assert_true(fabs(gains[LONG] - 20 * 29.0 / 59) < 1e-9);
	r.gains = gains;
	r.gain_method = "graph";
	char *text = printed(stalls_report_text, &r);
	has(text, "% of the lost ones.\n  Without it the run would be 30.0% shorter (graph).\n  It means: ");
	has(text, "                41  20.50%   30.00%  fetch      miss <L1I>");
	has(text, "                30  15.00%   10.17%  fetch      flush");
	free(text);
	json_t *o = stalls_report_json(&r);
	assert_true(json_real_value(json_object_get(json_object_get(o, "gains"), "fetch.miss")) == 30);
	assert_null(json_object_get(json_object_get(o, "gains"), "rob.wait"));
	json_t *type = json_array_get(json_object_get(o, "types"), MISS - 1);
	assert_string_equal(json_string_value(json_object_get(type, "class")), "imiss");
	json_decref(o);
}

/* A class whose cost nobody knows, and a leaf without a class. */
static void unknown_costs_are_no_gains(void **state)
{
	static const uint8_t classes[TYPES] = {[MISS] = CULPRIT_EVENT_imiss, [LONG] = CULPRIT_EVENT_COUNT};
	double costs[CULPRIT_EVENT_COUNT] = {[CULPRIT_EVENT_imiss] = NAN}, gains[TYPES];
	struct stalls_report r = report(1);
	r.classes = classes;
	stalls_report_gains(&r, costs, gains);
	assert_true(isnan(gains[MISS]) && isnan(gains[LONG]));
	r.gains = gains;
	r.gain_method = "graph";
	char *text = printed(stalls_report_text, &r);
	has(text, "                29  14.50%        -  alu        long executing");
	free(text);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;
	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void svg_draws_what_is_above_the_threshold(void **state)
{
	struct stalls_report r = report(10);
	char *text = printed(stalls_report_svg, &r);
	/* The seven nodes and the top row without the path of one slot: a tenth of the threshold is 1%. */
	assert_int_equal(count(text, "<g class=\"b\""), 7);
	assert_int_equal(count(text, "<g "), count(text, "</g>"));
	has(text, "a&lt;b on m");
	has(text, "fetch: miss &lt;L1I&gt;");
	/* 70 of 100 slots: 70% of 1180 pixels. */
	has(text, "width=\"826.00\"");
	assert_null(strstr(text, "http://www.w3.org/1999/xlink"));
	free(text);
}

/* A set has the palette's colour (btb of the predictor, half white), an unknown one is grey. A chain of 66. */
static void svg_of_many_sets(void **state)
{
	enum { SETS = 66 };
	char names[SETS][8];
	struct culprit_stall_type_info many[SETS];
	struct culprit_stall_node chain[SETS];
	for (uint32_t i = 0; i < SETS; i++) {
		snprintf(names[i], sizeof names[i], "s%u", i);
		many[i] = types[WAIT];
		many[i].set = i % 2 ? names[i] : "predictor";
		chain[i] = (struct culprit_stall_node){.parent = i ? i - 1 : CULPRIT_STALL_ROOT, .type = i, .depth = i};
		chain[i].end = SETS;
		chain[i].total = 5;
	}
	struct culprit_stall_results deep = results;
	deep.types = many;
	deep.type_count = SETS;
	deep.leaf_totals = deep.node_totals = (uint64_t[SETS]){0};
	deep.nodes = chain;
	deep.node_count = SETS;
	deep.lost = 5;
	struct stalls_report r = report(1);
	r.results = &deep;
	r.twig_count = 0;
	char *text = printed(stalls_report_svg, &r);
	assert_int_equal(count(text, "<g class=\"b\""), 1 + SETS);
	assert_int_equal(count(text, "\"#fbdbc5\""), SETS / 2); /* 0.4 * (245, 165, 110) + 0.6 * 255 */
	assert_int_equal(count(text, "\"#c9c9c9\""), SETS / 2);
	free(text);
	(void)state;
}

static void nothing_lost_is_fine(void **state)
{
	struct culprit_stall_results none = {.accumulator = "commit",
					     .width = 4,
					     .type_count = TYPES,
					     .types = types,
					     .leaf_totals = (uint64_t[TYPES]){0},
					     .node_totals = (uint64_t[TYPES]){0}};
	struct stalls_report r = report(1);
	r.results = &none;
	r.twig_count = 0;
	free(printed(stalls_report_text, &r));
	free(printed(stalls_report_svg, &r));
	char *text = printed(stalls_report_folded, &r);
	assert_string_equal(text, "");
	free(text);
	json_decref(stalls_report_json(&r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_has_every_path),
		cmocka_unit_test(folded_prints_the_longest_chain),
		cmocka_unit_test(text_adds_up),
		cmocka_unit_test(json_adds_up),
		cmocka_unit_test(leaves_share_what_their_class_costs),
		cmocka_unit_test(unknown_costs_are_no_gains),
		cmocka_unit_test(svg_draws_what_is_above_the_threshold),
		cmocka_unit_test(svg_of_many_sets),
		cmocka_unit_test(nothing_lost_is_fine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
