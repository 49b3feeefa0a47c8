/* What is said of samples that do not do: each warning where its figure has just passed what is tolerated, and not before. */
#include "report/shotgun/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A profile of a real machine's samples with which nothing is wrong. */
struct example {
	struct culprit_shotgun_results results;
	struct shotgun_perf_report perf;
	struct shotgun_report r;
};

static void good(struct example *e)
{
	memset(e, 0, sizeof *e);
	e->results.built = 1000;
	e->results.instructions = 100000;
	e->results.compared_fragments = 900;
	e->results.accesses = 1000;
	e->results.own_accesses = 1000;
	e->results.scatter = 7;
	e->perf.made = (struct culprit_precise_made){.stacks = 1000, .used = 1000, .instructions = 40000};
	e->r.results = &e->results;
	e->r.perf = &e->perf;
	e->r.graph.base = (struct graph_base){.method = 2, .simulated = 2, .interval = 3};
}

static char *printed(void (*print)(const struct shotgun_report *, FILE *), const struct shotgun_report *r)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	print(r, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Does the text have these words? NULL: it has no warning at all. */
static void expect(void (*print)(const struct shotgun_report *, FILE *), const struct example *e, const char *words)
{
	char *text = printed(print, &e->r);
	if (words ? !strstr(text, words) : !!strstr(text, "***"))
		fail_msg("expected %s in:\n%s", words ? words : "no warning", text);
	free(text);
}

/* --- a real machine's samples --- */

static void half_of_the_stacks_fit(void **state)
{
	struct example e;
	good(&e);
	e.perf.made.used = 500;
	expect(shotgun_perf_base, &e, NULL);
	e.perf.made.used = 499;
	expect(shotgun_perf_base, &e, "50.1% of the branch stacks do not fit the code");
	(void)state;
}

static void twenty_fragments(void **state)
{
	struct example e;
	good(&e);
	e.results.built = 20;
	expect(shotgun_perf_base, &e, NULL);
	e.results.built = 19;
	expect(shotgun_perf_base, &e, "Only 19 fragments were built: the intervals below are too narrow");
	e.results.built = 1;
	expect(shotgun_perf_base, &e, "Only 1 fragment was built");
	(void)state;
}

/* 2.1 cycles an instruction in the graph, 2 recorded: 105.0% of them are explained. */
static void cycles_explained(void **state)
{
	struct example e;
	good(&e);
	e.r.graph.base.method = 2.1;
	expect(shotgun_perf_base, &e,
	       "cycles explained: 105.0% (2.100 an instruction in the graph, 2.000 in the\n"
	       "  branch records; fragment by fragment they differ by 7% on average)");
	expect(shotgun_perf_base, &e, "The graph's time is 5.0% longer than the recorded one");
	expect(shotgun_perf_base, &e, "explains 3.0%. Is -m the machine that was sampled?");
	e.r.graph.base.method = 1.9;
	expect(shotgun_perf_base, &e, "The graph's time is 5.0% shorter than the recorded one");
	expect(shotgun_perf_base, &e, "Either -m is not the machine that was sampled, or costs are missing");
	e.r.graph.base.interval = 6; /* chance explains it */
	expect(shotgun_perf_base, &e, NULL);
	e.results.compared_fragments = 0;
	expect(shotgun_perf_base, &e, "The branch records have no cycles");
	(void)state;
}

static void accesses_left_out(void **state)
{
	struct example e;
	good(&e);
	strcpy(e.perf.slowest_event, "mem_loads");
	e.perf.slowest = 5; /* a hit of the first level takes as long */
	expect(shotgun_perf_base, &e, NULL);
	e.perf.slowest = 6;
	expect(shotgun_perf_base, &e, "mem_loads leaves out accesses of fewer than 6 cycles");
	e.perf.slowest = 0;
	e.results.own_accesses = 980;
	expect(shotgun_perf_base, &e, "a sample of their own address: 98.0%");
	expect(shotgun_perf_base, &e, NULL);
	e.results.own_accesses = 979;
	expect(shotgun_perf_base, &e, "More samples of loads and stores help");
	good(&e);
	e.perf.all_paths = true;
	expect(shotgun_perf_base, &e, "No event with branch stacks counts instructions");
	(void)state;
}

/* Every figure stands beside its own words; rows of zero are left out. */
static void what_became_of_them(void **state)
{
	struct example e;
	good(&e);
	e.perf.samples = 123456;
	e.perf.made.details = 4321;
	char *none = printed(shotgun_perf_samples, &e.r);
	assert_string_equal(none, "  123,456 samples: 1,000 paths of 40 instructions on average, 4,321 accesses\n");
	free(none);
	e.perf.made.stacks = 1011;
	e.perf.made.cut = 12;
	e.perf.made.no_code = 13;
	e.perf.made.no_path = 14;
	e.perf.made.interrupted = 15;
	e.perf.made.strange = 16;
	e.perf.lost_objects = 17;
	e.perf.unused = 18;
	e.perf.merged = 19;
	e.perf.others = 20;
	e.perf.unread = 21;
	static const char *const rows[] = {
		"11  branch stacks of which nothing fits", "12  paths without their older branches",
		"13  of these: outside the objects",	   "14  of these: the branch is not where the code has one",
		"15  of these: more cycles than",	   "16  accesses at instructions that access no memory",
		"17  mapped objects that were not found",  "18  samples of events that count misses",
		"19  samples printed more than once",	   "20  lines that are no sample",
		"21  words of samples that have no use",
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		expect(shotgun_perf_samples, &e, rows[i]);
	(void)state;
}

/* Where branches that were not taken are not recorded, the cost of mispredictions is the least that it may be. */
static void mispredictions_at_least(void **state)
{
	struct example e;
	good(&e);
	struct graph_row bmisp = {.set = CULPRIT_EVENT_BIT(bmisp)}, dmiss = {.set = CULPRIT_EVENT_BIT(dmiss)};
	assert_true(shotgun_row_least(&e.r, &bmisp));
	assert_false(shotgun_row_least(&e.r, &dmiss));
	e.perf.made.not_taken = true;
	assert_false(shotgun_row_least(&e.r, &bmisp));
	e.perf.made.not_taken = false;
	e.r.perf = NULL;
	assert_false(shotgun_row_least(&e.r, &bmisp));
	(void)state;
}

/* --- samples of the simulated hardware --- */

static void simulated(struct example *e)
{
	good(e);
	e->r.perf = NULL;
	e->results.graph.class_count = 2;
	strcpy(e->results.graph.names[0], "dmiss");
	strcpy(e->results.graph.names[1], "imiss");
}

/* More than 1% beyond what chance explains. */
static void fragments_time(void **state)
{
	struct example e;
	simulated(&e);
	e.r.graph.base = (struct graph_base){.method = 2.078, .simulated = 2, .interval = 3}; /* 3.9%: 0.9% beyond */
	expect(shotgun_base_text, &e, NULL);
	expect(shotgun_base_head, &e, NULL);
	e.r.graph.base.method = 2.082;
	expect(shotgun_base_text, &e, "The fragments' time is 4.1% longer than the run's");
	expect(shotgun_base_text, &e, "Chance explains 3.0%");
	expect(shotgun_base_text, &e, "No figure of this profile says why");
	expect(shotgun_base_head, &e, "the fragments' time is 4.1% longer than the run's");
	e.r.graph.base.method = 1.918;
	expect(shotgun_base_text, &e, "The fragments' time is 4.1% shorter than the run's");
	expect(shotgun_base_head, &e, "the fragments' time is 4.1% shorter than the run's");
	(void)state;
}

/* Why the time is off, each reason at its limit. */
static void reasons(void **state)
{
	struct example e;
	simulated(&e);
	e.r.graph.base.method = 2.2;
	e.results.built = 30;
	expect(shotgun_base_text, &e, "No figure of this profile says why");
	e.results.built = 29;
	expect(shotgun_base_text, &e, "Only 29 fragments were built");
	e.results.built = 980;
	e.results.aborted = 20;
	expect(shotgun_base_text, &e, "No figure of this profile says why");
	e.results.aborted = 21;
	expect(shotgun_base_text, &e, "21 fragments of 1001 could not be built");
	e.results.aborted = 0;
	e.results.missing = e.results.borrowed = 2000;
	expect(shotgun_base_text, &e, "No figure of this profile says why");
	e.results.borrowed = 2100;
	expect(shotgun_base_text, &e, "2.1% of the instructions have no detailed sample of their own");
	e.results.borrowed = 0;
	e.results.missing = 2300;
	expect(shotgun_base_text, &e, "2.3% of the instructions have no detailed sample of their own");
	e.r.graph.base.gaps[0] = "a.key: a reason";
	e.r.graph.base.gap_count = 1;
	expect(shotgun_base_text, &e, "The graph does not model all that this machine has: a.key: a reason");
	(void)state;
}

/* The class that differs most, when it is by 5% of the time and by a quarter of the larger. */
static void unlike_the_run(void **state)
{
	struct example e;
	simulated(&e);
	e.results.has_single[0] = e.results.has_single[1] = true;
	e.results.unlike[1] = 1;
	e.results.single[1] = 20;
	e.results.single_used[1] = 15.1; /* less than 5% */
	expect(shotgun_base_text, &e, NULL);
	char *text = printed(shotgun_base_text, &e.r);
	assert_string_equal(text, "");
	free(text);
	e.results.single_used[1] = 15;
	expect(shotgun_base_text, &e,
	       "Latencies of imiss, added up,\n  are 20.0% of the time in all detailed samples, 15.0%");
	e.results.single[1] = 15;
	e.results.single_used[1] = 20; /* either way */
	expect(shotgun_base_text, &e, "are 15.0% of the time in all detailed samples, 20.0% in the fragments");
	e.results.single[1] = 40;
	e.results.single_used[1] = 30.1; /* less than a quarter */
	text = printed(shotgun_base_text, &e.r);
	assert_string_equal(text, "");
	free(text);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_stacks_fit), cmocka_unit_test(twenty_fragments),
		cmocka_unit_test(cycles_explained),	  cmocka_unit_test(accesses_left_out),
		cmocka_unit_test(what_became_of_them),	  cmocka_unit_test(mispredictions_at_least),
		cmocka_unit_test(fragments_time),	  cmocka_unit_test(reasons),
		cmocka_unit_test(unlike_the_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
