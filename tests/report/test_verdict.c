/* Each sentence of the verdict on a result made by hand, and the screen: its lines, its columns, no colour where none
 * is wanted. A sentence that no case here calls for makes the last test fail. */
#include "report/run/verdict.h"
#include "report/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COMMIT, MEMORY, BRANCH, LONG, FRONT, UNKNOWN, CAUSES };

/* 1,000,000 cycles: 40% memory at one line, 20% branches, 10% long, 30% commits. */
static struct run_report result(void)
{
	static const struct report_cause causes[CAUSES] = {
		[COMMIT] = {"commit", "commit", "committing", NULL, true, 300000, {.weight = 0}, 0},
		[MEMORY] = {"memory",
			    "memory",
			    "loads from memory",
			    "dmiss",
			    false,
			    400000,
			    {.function = "chase", .place = "mix.c:28", .weight = 380000},
			    0},
		[BRANCH] = {"mispredict",
			    "mispredict",
			    "mispredicted branches",
			    "bmisp",
			    false,
			    200000,
			    {.function = "guess", .place = "mix.c:39", .weight = 150000},
			    0},
		[LONG] = {"long_op",
			  "long ops",
			  "long operations",
			  "lgalu",
			  false,
			  100000,
			  {.function = "chain", .place = "mix.c:49", .weight = 90000},
			  0},
		[FRONT] = {"front", "front end", "the front end", NULL, false, 0, {.weight = 0}, 0},
		[UNKNOWN] = {"unknown", "unknown", "causes unknown", NULL, true, 0, {.weight = 0}, 0},
	};
	struct run_report r = {.version = "1", .machine = "eyerman2009-4w", .as_named = true, .program = "./mix"};
	r.instructions = 600000;
	r.cycles = 1000000;
	r.width = 4;
	r.cause_count = CAUSES;
	memcpy(r.causes, causes, sizeof causes);
	return r;
}

static struct run_report with_costs(void)
{
	struct run_report r = result();
	static const char *const names[] = {"dmiss", "bmisp", "lgalu", "bw"};
	static const double costs[] = {42.1, 19.5, 9.5, 3};
	r.costs = (struct report_costs){.method = "graph", .trusted = true, .count = 4, .other = -2};
	for (uint32_t i = 0; i < 4; i++) {
		strcpy(r.costs.classes[i].name, names[i]);
		r.costs.classes[i].cost = costs[i];
	}
	return r;
}

static bool covered[SENTENCES];

/* The sentence is said of the result, in these words. */
static void expect(const struct run_report *r, enum verdict_sentence wanted, const char *words)
{
	enum verdict_sentence said[VERDICT_SENTENCES];
	struct verdict v;
	char text[600] = "";
	bool found = false;
	verdict_find(&v, r);
	unsigned n = verdict_sentences(&v, said);
	assert_true(n <= VERDICT_SENTENCES);
	for (unsigned i = 0; i < n; i++) {
		found |= said[i] == wanted;
		if (said[i] == wanted)
			verdict_say(&v, wanted, text, sizeof text);
	}
	assert_true(found == !!*words);
	assert_string_equal(text, words);
	covered[wanted] = true;
}

static void start(void **state)
{
	struct run_report r = result();
	r.before_main = 490000;
	expect(&r, SENTENCE_START_before_main, "");
	r.before_main = 620000;
	expect(&r, SENTENCE_START_before_main,
	       "62% of the time passes before main is called, in the start of the C library and the loader: --start-at "
	       "main leaves it out.");
	r.cut = "interrupted";
	expect(&r, SENTENCE_START_cut, "The run was interrupted: this is of the part simulated so far.");
	(void)state;
}

static void first(void **state)
{
	struct run_report r = result();
	expect(&r, SENTENCE_FIRST_one_place,
	       "40.0% of the time waits for loads from memory, 95% of that at mix.c:28 in chase.");
	r.causes[MEMORY].spot.weight = 100000;
	expect(&r, SENTENCE_FIRST_spread,
	       "40.0% of the time waits for loads from memory, spread over many places; the worst has 25% of it, "
	       "mix.c:28 "
	       "in chase.");
	r.causes[MEMORY].cycles = 100000;
	r.causes[COMMIT].cycles = 599000;
	expect(&r, SENTENCE_FIRST_mostly_commits, "");
	r.causes[COMMIT].cycles = 600000;
	expect(&r, SENTENCE_FIRST_mostly_commits,
	       "Instructions commit in 60.0% of the cycles, 1.0 of at most 4 in each. The largest wait, 20.0% of the "
	       "time, is for mispredicted branches, 75% of that at mix.c:39 in guess.");
	/* nobody has 5%: commits, or nothing that can be accused */
	r.causes[MEMORY].cycles = r.causes[BRANCH].cycles = r.causes[LONG].cycles = 49000;
	r.causes[COMMIT].cycles = 853000;
	expect(&r, SENTENCE_FIRST_commits,
	       "No wait stands out: instructions commit in 85.3% of the cycles, 0.7 of at most 4 in each.");
	r.causes[COMMIT].cycles = 300000;
	r.causes[UNKNOWN].cycles = 553000;
	expect(&r, SENTENCE_FIRST_nothing, "No cause stands out: none that can be accused takes 5% of the time.");
	expect(&r, SENTENCE_TRUST_unexplained, "55.3% of the time has no recorded cause: trust the ranking less.");
	(void)state;
}

static void gain(void **state)
{
	struct run_report r = result();
	expect(&r, SENTENCE_GAIN_unknown,
	       "How much less time the program would take without it is not known yet: --with graph tells.");
	r = with_costs();
	expect(&r, SENTENCE_GAIN_gain,
	       "Without data-cache and TLB misses the program would take 42.1% less time (graph; mean error of twelve "
	       "programs on this machine 0.32 points).");
	/* the error of a scored machine is that of our own core, unchanged, with all that it tells */
	r.as_named = false;
	expect(&r, SENTENCE_GAIN_gain,
	       "Without data-cache and TLB misses the program would take 42.1% less time (graph; not scored on this "
	       "machine; mean error on others up to 0.74 points).");
	r.as_named = r.foreign = true;
	r.records = "file";
	expect(&r, SENTENCE_GAIN_gain,
	       "Without data-cache and TLB misses the program would take 42.1% less time (graph; mean error up to 0.74 "
	       "points where Culprit's own core tells all; of these records not known).");
	expect(&r, SENTENCE_TRUST_foreign,
	       "Shares are counted from the records; costs are a model's, and nothing here simulates again to check "
	       "them.");
	r.costs.unfit = true;
	r.costs.trusted = false;
	expect(&r, SENTENCE_GAIN_unfit,
	       "How much less time the program would take without it is not said: the records do not fit the graph, as "
	       "the lines above "
	       "count.");
	r = with_costs();
	r.lacking = 2;
	expect(&r, SENTENCE_GAIN_gain,
	       "Without data-cache and TLB misses the program would take 42.1% less time (graph; mean error up to 0.74 "
	       "points where Culprit's own core tells all; of these records not known).");
	r = with_costs();
	r.machine = "my-core";
	expect(&r, SENTENCE_GAIN_gain,
	       "Without data-cache and TLB misses the program would take 42.1% less time (graph; not scored on this "
	       "machine; mean error on others up to 0.74 points).");
	r.costs.classes[0].cost =
		0.7; /* above the error of eyerman2009-4w, below that of a machine that was not scored */
	expect(&r, SENTENCE_GAIN_small,
	       "Without data-cache and TLB misses the program would take 0.7% less time: no more than the graph errs "
	       "(not scored on this machine; mean error on others up to 0.74 points).");
	r.costs.base_error = 3.25;
	r.costs.trusted = false;
	expect(&r, SENTENCE_GAIN_off,
	       "How much less time the program would take without it is not said: the graph's own time is off by "
	       "3.2%.");
	expect(&r, SENTENCE_GAIN_gain, "");
	expect(&r, SENTENCE_TRUST_costs, "");
	r = with_costs(); /* a cost that is withheld is not said of the first cause, nor of others, nor as the largest */
	r.costs.classes[0].withheld = true;
	expect(&r, SENTENCE_GAIN_withheld,
	       "How much less time the program would take without it is not known: the records do not tell what its "
	       "cost is made of.");
	expect(&r, SENTENCE_GAIN_gain, "");
	expect(&r, SENTENCE_TOGETHER_serial, "");
	r = with_costs();
	r.causes[FRONT].cycles = 450000;
	expect(&r, SENTENCE_GAIN_no_class,
	       "The graph has no class of events for it, so what removing it would gain is not known.");
	expect(&r, SENTENCE_TOGETHER_alone, "");
	(void)state;
}

static void together(void **state)
{
	struct run_report r = with_costs();
	expect(&r, SENTENCE_TOGETHER_alone, "This gain depends on no other change.");
	r.costs.pairs[0][1] = r.costs.pairs[1][0] = 0.4;
	r.costs.pairs[0][3] = r.costs.pairs[3][0] = -6.5;
	expect(&r, SENTENCE_TOGETHER_serial,
	       "Of this gain, 6.5 points could be had by removing limits of width and units instead.");
	r.costs.pairs[0][1] = r.costs.pairs[1][0] = 7.5;
	expect(&r, SENTENCE_TOGETHER_parallel,
	       "Another 7.5% of the time is gained only by removing branch mispredictions as well.");
	strcpy(r.costs.classes[1].name, "win");
	expect(&r, SENTENCE_TOGETHER_parallel,
	       "Another 7.5% of the time is gained only by enlarging the window as well.");
	r.costs.other = -101;
	expect(&r, SENTENCE_TOGETHER_vague,
	       "Which other change goes with it is not said: interactions of three and more classes exceed the whole "
	       "time.");
	expect(&r, SENTENCE_TOGETHER_parallel, "");
	covered[SENTENCE_TOGETHER_not_asked] = true; /* says nothing: `gain` has seen it */
	(void)state;
}

/* Of causes of the user's choice: the one that gains most alone, and what structures of the window gain. */
static void alone(void **state)
{
	struct run_report r = with_costs();
	expect(&r, SENTENCE_ALONE_not_asked, "");
	r.costs.alone = (struct report_alone){"dl2", 40.04};
	expect(&r, SENTENCE_ALONE_cause,
	       "Of the causes asked for, removing dl2 alone gains most, 40.0% of the time (all of them: --show "
	       "graph).");
	r.costs.window = (struct report_alone){"rob", 0.31}; /* less than the graph errs here, 0.32 */
	expect(&r, SENTENCE_ALONE_no_window,
	       "Of the causes asked for, removing dl2 alone gains most, 40.0% of the time; no structure of the window "
	       "alone gains more than 0.3% (all of them: --show graph).");
	r.costs.window.cost = -0.04;
	expect(&r, SENTENCE_ALONE_nothing_window,
	       "Of the causes asked for, removing dl2 alone gains most, 40.0% of the time; no structure of the window "
	       "alone gains anything (all of them: --show graph).");
	r.costs.window.cost = 5.13;
	r.records = "x.crec"; /* culprit analyse prints all of them */
	expect(&r, SENTENCE_ALONE_and_window,
	       "Of the causes asked for, removing dl2 alone gains most, 40.0% of the time; of the window's structures "
	       "enlarging rob, 5.1%.");
	r.costs.alone = r.costs.window;
	expect(&r, SENTENCE_ALONE_window, "Of the causes asked for, enlarging rob alone gains most, 5.1% of the time.");
	r.costs.alone.cost = r.costs.window.cost = 0.32;
	expect(&r, SENTENCE_ALONE_none,
	       "Of the causes asked for, none alone gains more than 0.3% of the time, and the graph errs as much.");
	r.costs.trusted = false;
	expect(&r, SENTENCE_ALONE_none, "");
	(void)state;
}

static void others(void **state)
{
	struct run_report r = result();
	expect(&r, SENTENCE_OTHERS_two,
	       "Next come mispredicted branches, 20.0% (most at mix.c:39 in guess), and long operations, 10.0% "
	       "(mix.c:49 in "
	       "chain).");
	r.causes[LONG].cycles = 49000;
	expect(&r, SENTENCE_OTHERS_one, "Next come mispredicted branches, 20.0% (most at mix.c:39 in guess).");
	r = with_costs();
	expect(&r, SENTENCE_OTHERS_two,
	       "Next come mispredicted branches, 20.0%, worth 19.5% (most at mix.c:39 in guess), and long operations, "
	       "10.0%, "
	       "worth 9.5% (mix.c:49 in chain).");
	/* a class's cost is not that of one cause among two */
	r.causes[FRONT].event = "bmisp";
	r.causes[FRONT].cycles = 10000;
	expect(&r, SENTENCE_OTHERS_two,
	       "Next come mispredicted branches, 20.0% (most at mix.c:39 in guess), and long operations, 10.0%, worth "
	       "9.5% "
	       "(mix.c:49 in chain).");
	r.causes[FRONT].cycles = 9999;
	r.costs.classes[3].cost = 50;
	expect(&r, SENTENCE_OTHERS_worth_more_and,
	       "Worth more, by the graph: limits of width and units, 50.0%; next in the time come mispredicted "
	       "branches, "
	       "20.0%, worth 19.5% (mix.c:39).");
	r.causes[LONG].cycles = r.causes[BRANCH].cycles = 49000;
	expect(&r, SENTENCE_OTHERS_worth_more, "Worth more, by the graph: limits of width and units, 50.0%.");
	r.causes[MEMORY].cycles = 49000;
	expect(&r, SENTENCE_OTHERS_worth_most,
	       "Most is gained by removing limits of width and units: 50.0% of the time (graph; mean error of twelve "
	       "programs on this machine 0.32 points).");
	(void)state;
}

/* What comes behind the first is in the order of costs, and what one change removes with it is not named again. */
static void others_by_cost(void **state)
{
	struct run_report r = with_costs();
	r.costs.classes[2].cost = 30;
	expect(&r, SENTENCE_OTHERS_two,
	       "Next come long operations, 10.0%, worth 30.0% (most at mix.c:49 in chain), and mispredicted branches, "
	       "20.0%, worth 19.5% (mix.c:39 in guess).");
	/* what costs most and what comes next are one: it is named once, if the cost is all its own */
	r.costs.classes[2].cost = 60;
	expect(&r, SENTENCE_OTHERS_worth_more_next,
	       "Worth more, by the graph: long operations, 10.0% of the time, worth 60.0% (most at mix.c:49 in "
	       "chain).");
	r.causes[FRONT].event = "lgalu";
	r.causes[FRONT].cycles = 10000;
	expect(&r, SENTENCE_OTHERS_worth_more_next, "");
	r.costs.classes[2].cost = 30;
	r.causes[LONG].event = "dmiss";
	expect(&r, SENTENCE_OTHERS_one,
	       "Next come mispredicted branches, 20.0%, worth 19.5% (most at mix.c:39 in guess).");
	(void)state;
}

/* The verdict names a function that has little time in all: it has its row. */
static void named_functions_stay(void **state)
{
	struct run_report r = result();
	char *text;
	size_t size;
	r.function_count = REPORT_FUNCTIONS_MAX;
	for (uint32_t i = 0; i < r.function_count; i++) {
		snprintf(r.functions[i].name, sizeof r.functions[i].name, "function_%u", i);
		r.functions[i].cycles = 100000 - 1000 * i;
	}
	strcpy(r.functions[REPORT_FUNCTIONS_MAX - 1].name, "chase");
	FILE *out = open_memstream(&text, &size);
	const struct report_view view = {.width = 80};
	run_report_screen(&r, &view, out);
	fclose(out);
	assert_non_null(strstr(text, "\n  chase "));
	assert_non_null(strstr(text, "\n  function_0 "));
	assert_null(strstr(text, "\n  function_8 "));
	free(text);
	(void)state;
}

static void trust(void **state)
{
	struct run_report r = result();
	expect(&r, SENTENCE_TRUST_shares,
	       "Every cycle was counted, none sampled: the shares are exact for this machine.");
	r.parts = 2;
	expect(&r, SENTENCE_TRUST_parts,
	       "Every cycle of the 2 parts was counted. Where two meet, they are not quite the cycles of one "
	       "simulation, which --jobs 1 is.");
	r.parts = 1;
	expect(&r, SENTENCE_TRUST_parts, "");
	r.instructions = 99999;
	expect(&r, SENTENCE_TRUST_short_run,
	       "99,999 instructions are few: cold caches and predictors weigh much in all of this.");
	r.instructions = 1;
	expect(&r, SENTENCE_TRUST_one_instruction,
	       "One instruction is few: cold caches and predictors weigh much in all of this.");
	r.samples = 1234;
	r.instructions = 100000;
	expect(&r, SENTENCE_TRUST_windows,
	       "The shares are those of windows, 1,234 in number, that stand for the whole: nothing is known of their "
	       "error.");
	r.confidence = 99.7;
	expect(&r, SENTENCE_TRUST_sampled,
	       "Shares are estimates from 1,234 samples: behind +- is half of a 99.7% interval, in points.");
	r.samples = 1;
	r.confidence = 0; /* as it is of one */
	expect(&r, SENTENCE_TRUST_single, "How far off the shares are is not known: there are fewer than two samples.");
	r.lacking = 3;
	expect(&r, SENTENCE_TRUST_lacking,
	       "The records lack 3 groups of facts, listed below: waits for what they would tell count as others.");
	r = with_costs();
	expect(&r, SENTENCE_TRUST_costs,
	       "Shares are exact for this machine; costs are a model's: `culprit truth` checks them.");
	strcpy(r.costs.gaps, "lsq.check_bytes, lsq.fill");
	expect(&r, SENTENCE_TRUST_gaps,
	       "Shares are exact for this machine; costs are a model's, which does not follow all that the machine has "
	       "(lsq.check_bytes, lsq.fill): `culprit truth` checks them.");
	(void)state;
}

static void next(void **state)
{
	struct run_report r = result();
	struct verdict_next rows[2];
	struct verdict v;
	verdict_find(&v, &r);
	assert_int_equal(verdict_next(&v, rows, 2), 2);
	assert_string_equal(rows[0].options, "--with graph");
	assert_string_equal(rows[1].options, "annotate");
	r = with_costs();
	r.has_critical = true;
	verdict_find(&v, &r);
	assert_int_equal(verdict_next(&v, rows, 2), 2);
	assert_string_equal(rows[0].options, "truth --classes dmiss");
	assert_string_equal(rows[1].options, "annotate");
	/* a checkpoint, which no other command than annotate can start from */
	r.words = "";
	verdict_find(&v, &r);
	verdict_next(&v, rows, 2);
	assert_string_equal(rows[0].options, "annotate");
	r.words = "./mix";
	r.before_main = 900000;
	verdict_find(&v, &r);
	verdict_next(&v, rows, 1);
	assert_string_equal(rows[0].options, "--start-at main");
	(void)state;
}

/* --- the screen --- */

/* A result that has more of everything than there is room for, in names that are too long. */
static struct run_report crowded(void)
{
	struct run_report r = with_costs();
	r.program = "/a/very/long/path/that/does/not/fit/into/eighty/columns/together/with/the/machine/program";
	r.skipped = 1;
	r.before_main = 900000;
	r.costs.pairs[0][1] = 7.5;
	r.function_count = REPORT_FUNCTIONS_MAX;
	r.branch_spots = r.load_spots = REPORT_WORST_MAX;
	for (unsigned i = 0; i < REPORT_FUNCTIONS_MAX; i++) {
		struct report_function_row *f = &r.functions[i];
		snprintf(f->name, sizeof f->name, "a_function_whose_name_is_far_too_long_%u", i);
		snprintf(f->place, sizeof f->place, "a_file_whose_name_is_far_too_long.c:%u", i);
		f->cycles = 90000;
		f->instructions = 60000;
		f->causes[BRANCH] = 80000;
	}
	for (unsigned i = 0; i < REPORT_WORST_MAX; i++) {
		struct report_spot s = {.weight = 60000 - i, .instances = 123456789012, .bad = 123456789012};
		snprintf(s.function, sizeof s.function, "%s", r.functions[i].name);
		snprintf(s.place, sizeof s.place, "%s", r.functions[i].place);
		r.worst_branches[i] = r.worst_loads[i] = s;
	}
	return r;
}

static char *screen_of(const uint64_t percents[7])
{
	static const char *const names[] = {"one", "two", "three", "four", "chase", "guess", "chain"};
	struct run_report r = crowded();
	const struct report_view view = {.width = 80};
	char *text;
	size_t size;
	r.function_count = sizeof names / sizeof *names;
	for (uint32_t i = 0; i < r.function_count; i++) {
		strcpy(r.functions[i].name, names[i]);
		r.functions[i].cycles = percents[i] * 10000;
	}
	FILE *out = open_memstream(&text, &size);
	run_report_screen(&r, &view, out);
	fclose(out);
	return text;
}

/* Where the verdict takes the room of the table, the three functions that it names do not have the rows of those with most
 * time, but one has the last: unless that one's own function has a tenth of the time. */
static void large_functions_stay(void **state)
{
	char *text = screen_of((uint64_t[]){36, 16, 9, 5, 3, 3, 3});
	assert_non_null(strstr(text, "\n  one "));
	assert_non_null(strstr(text, "\n  two "));
	assert_non_null(strstr(text, "\n  chase "));
	assert_null(strstr(text, "\n  three "));
	assert_null(strstr(text, "\n  guess "));
	free(text);
	text = screen_of((uint64_t[]){36, 15, 10, 5, 3, 3, 3});
	assert_non_null(strstr(text, "\n  three "));
	assert_null(strstr(text, "\n  chase "));
	free(text);
	(void)state;
}

static char *draw(const struct run_report *r, const struct report_view *view)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	run_report_screen(r, view, out);
	fclose(out);
	return text;
}

static void measure(const char *text, size_t *lines, size_t *widest)
{
	*lines = *widest = 0;
	for (; *text; text += strcspn(text, "\n") + 1) {
		size_t length = strcspn(text, "\n");
		*widest = length > *widest ? length : *widest;
		++*lines;
	}
}

static void fits(void **state)
{
	static const unsigned widths[] = {80, 100, 160};
	struct run_report r = crowded();
	for (size_t i = 0; i < 3; i++) {
		size_t lines, widest;
		char *text = draw(&r, &(struct report_view){.width = widths[i]});
		measure(text, &lines, &widest);
		assert_in_range(lines, 24, 28); /* 24, what was skipped, and a long command */
		assert_non_null(strstr(text, "more branches or loads: --verbose\n"));
		assert_in_range(widest, widths[i] - 6, widths[i]);
		assert_null(strchr(text, '\033'));
		assert_non_null(strstr(text, "too_long.c:0 "));
		free(text);
	}
	char *text = draw(&r, &(struct report_view){.width = 80, .colour = true});
	assert_non_null(strchr(text, '\033'));
	free(text);
	(void)state;
}

/* What not every run has takes no rows from the tables; --verbose has all rows that are listed, and says how many are not. */
static void rows_stay(void **state)
{
	struct run_report r = crowded();
	char *text = draw(&r, &(struct report_view){.width = 80}), *other;
	size_t lines, more, widest;
	measure(text, &lines, &widest);
	r.warnings = "  one\n  two\n  three\n  four\n  five\n";
	other = draw(&r, &(struct report_view){.width = 80});
	measure(other, &more, &widest);
	assert_int_equal(more, lines + 5);
	free(text);
	free(other);
	r.function_worth = REPORT_FUNCTIONS_MAX + 3;
	text = draw(&r, &(struct report_view){.width = 80, .verbose = true});
	for (unsigned i = 0; i < REPORT_FUNCTIONS_MAX; i++) {
		char name[40];
		snprintf(name, sizeof name, "far_too_long_%u ", i);
		assert_non_null(strstr(text, name));
	}
	assert_non_null(strstr(text, "\n  and 3 more functions: --json-code 0 --json FILE\n"));
	free(text);
	(void)state;
}

/* 600,000 instructions need 15% of the cycles at full width; the other 15% with commits are below it. */
static void the_bar(void **state)
{
	struct run_report r = result();
	char *text = draw(&r, &(struct report_view){.width = 103});
	assert_non_null(strstr(text,
			       "\n  |memory 40%============================="
			       "|mispredict 20%-----|full width 15%|part width 15%|10%======|\n  then long ops 10%\n"));
	free(text);
	(void)state;
}

/* Where figures are estimates, each says how good it is, and the next command is one that estimates, too. */
static void sampled(void **state)
{
	struct run_report r = crowded();
	r.before_main = 0;
	r.samples = 400;
	r.confidence = 95;
	r.causes[MEMORY].half = 12345;
	r.functions[0].half = 23456;
	r.worst_loads[0].half = 34567;
	r.words = "./mix a\\ b ";
	r.command = "--samples 400 ";
	char *text = draw(&r, &(struct report_view){.width = 80});
	assert_non_null(strstr(text, "40.0 +- 1.2% of the time waits"));
	assert_non_null(strstr(text, "mostly                   +-\n"));
	assert_non_null(strstr(text, "   2.35\n"));
	assert_non_null(strstr(text, "miss% % time   +-\n"));
	assert_non_null(strstr(text, "  3.5\n"));
	assert_non_null(strstr(text, " 123,000,000,000 "));
	assert_non_null(strstr(text, "next: culprit sample --with critical --samples 400 -- ./mix a\\ b\n"));
	assert_null(strstr(text, "culprit truth --"));
	free(text);
	(void)state;
}

static void from_records(void **state)
{
	struct run_report r = crowded();
	r.records = "a 'b.crec";
	char *text = draw(&r, &(struct report_view){.width = 80});
	assert_non_null(strstr(text, "  from the records in a 'b.crec\n"));
	assert_non_null(strstr(text, "next: culprit analyse --with critical a\\ \\'b.crec\n"));
	free(text);
	(void)state;
}

static void brief(void **state)
{
	struct run_report r = crowded();
	char *text = draw(&r, &(struct report_view){.width = 80, .brief = true});
	assert_non_null(strstr(text, "would take 42.1%"));
	assert_null(strstr(text, "too_long.c:0"));
	free(text);
	(void)state;
}

static void wrapped(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(terminal_wrap("one two three", 2, 9, out), 2);
	assert_int_equal(terminal_wrap("one two\\ three\\ four f", 2, 9, out), 3);
	fclose(out);
	assert_string_equal(text, "  one two\n  three\n  one\n  two\\ three\\ four\n  f\n");
	free(text);
	(void)state;
}

static void folded(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	terminal_fold("12345678901234567890\n  1.0  2.0  a b c  name\n\n│ one two three four\n", 18, out);
	fclose(out);
	assert_string_equal(text, "12345678901234567890\n  1.0  2.0  a b c\n            name\n\n│ one two three\n"
				  "            four\n");
	free(text);
	(void)state;
}

/* Between columns, where a later gap is one between words. */
static void folded_between_columns(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	terminal_fold("  alpha  beta gamma  much too long a name\n", 30, out);
	fclose(out);
	assert_string_equal(text, "  alpha  beta gamma\n            much too long a\n            name\n");
	free(text);
	(void)state;
}

/* The last column goes on below itself, a line without columns below its first word. */
static void folded_columns(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	terminal_fold("  win  12.5  full window of very many things\n  a sentence that has no columns at all\n", 36,
		      out);
	fclose(out);
	assert_string_equal(text, "  win  12.5  full window of very\n             many things\n"
				  "  a sentence that has no columns at\n  all\n");
	free(text);
	(void)state;
}

static void all_sentences_are_tested(void **state)
{
	for (unsigned i = 0; i < SENTENCES; i++)
		if (!covered[i])
			fail_msg("sentence %u of verdict.def has no case", i);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start),
		cmocka_unit_test(first),
		cmocka_unit_test(gain),
		cmocka_unit_test(together),
		cmocka_unit_test(alone),
		cmocka_unit_test(others),
		cmocka_unit_test(others_by_cost),
		cmocka_unit_test(named_functions_stay),
		cmocka_unit_test(large_functions_stay),
		cmocka_unit_test(trust),
		cmocka_unit_test(next),
		cmocka_unit_test(fits),
		cmocka_unit_test(the_bar),
		cmocka_unit_test(rows_stay),
		cmocka_unit_test(sampled),
		cmocka_unit_test(from_records),
		cmocka_unit_test(brief),
		cmocka_unit_test(wrapped),
		cmocka_unit_test(folded),
		cmocka_unit_test(folded_columns),
		cmocka_unit_test(folded_between_columns),
		cmocka_unit_test(all_sentences_are_tested),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
