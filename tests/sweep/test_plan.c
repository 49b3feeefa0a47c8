/* What a plan may hold, and what each mistake in it is called. */
#include "sweep/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool parse(struct sweep_plan *p, const char *text, struct error *err)
{
	*err = (struct error){0};
	return sweep_plan_parse(p, text, strlen(text), "p", err);
}

static void test_all_keys(void **state)
{
	(void)state;
	struct sweep_plan p;
	struct error err;
	assert_true(parse(
		&p,
		"title: T\nmachines: [a, b]\ndefault_machine: b\nset: [ k.x=1 ]\noptions: [ --with=graph ]\n"
		"programs:\n  - { name: n, command: [./p, '', x], input: in, sysroot: s, env: [A=1, B=2] }\n"
		"  - { command: [/usr/bin/q] }\n"
		"regions:\n  - { name: r, program: n, skip: 3M, warmup: 1k, max-insns: 5, start-at: f, stop-at: g }\n"
		"  - { name: r, program: q }\n"
		"axes:\n  - { key: window.rob, values: [64, 128], default: 128 }\n"
		"  - name: c\n    choices: [ { name: none, set: [] }, { name: both, set: [k.y=2, k.z=3] } ]\n",
		&err));
	assert_string_equal(p.title, "T");
	assert_int_equal(p.machines.count, 2);
	assert_string_equal(p.marked, "b");
	assert_string_equal(p.sets.items[0], "k.x=1");
	assert_string_equal(p.options.items[0], "--with=graph");
	assert_int_equal(p.program_count, 2);
	assert_int_equal(p.programs[0].command.count, 3);
	assert_string_equal(p.programs[0].command.items[1], "");
	assert_string_equal(p.programs[0].input, "in");
	assert_string_equal(p.programs[0].options.items[0], "--sysroot=s");
	assert_string_equal(p.programs[0].options.items[2], "--env=B=2");
	assert_string_equal(p.programs[1].name, "q");
	assert_int_equal(p.region_count, 2);
	assert_int_equal(p.regions[0].options.count, 5);
	assert_string_equal(p.regions[0].options.items[4], "--stop-at=g");
	assert_int_equal(p.axis_count, 2);
	assert_string_equal(p.axes[0].name, "window.rob");
	assert_string_equal(p.axes[0].marked, "128");
	assert_string_equal(p.axes[0].values[1].sets.items[0], "window.rob=128");
	assert_string_equal(p.axes[1].values[1].name, "both");
	assert_int_equal(p.axes[1].values[0].sets.count, 0);
	assert_string_equal(p.axes[1].values[1].sets.items[1], "k.z=3");
	sweep_plan_destroy(&p);
}

/* Without regions there is one, and a program is called by the last part of its path. */
static void test_least(void **state)
{
	(void)state;
	struct sweep_plan p;
	struct error err;
	assert_true(parse(&p, "machines: [a]\nprograms: [ { command: [../bin/prog] } ]\n", &err));
	assert_string_equal(p.programs[0].name, "prog");
	assert_int_equal(p.region_count, 1);
	assert_string_equal(p.regions[0].name, "all");
	assert_int_equal(p.regions[0].options.count, 0);
	sweep_plan_destroy(&p);
}

#define PROGRAM "programs: [ { command: [p] } ]\n"

static void test_mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "p:1: empty: the file is a mapping of keys"},
		{"machines: [a]\n", "p: no program"},
		{PROGRAM, "p: no machine"},
		{"machines: a\n" PROGRAM, "p:1: key machines: expected a list"},
		{"machines: [[a]]\n" PROGRAM, "p:1: key machines[0]: expected a text"},
		{"machines: [a, a]\n" PROGRAM, "p: machines: named twice: a"},
		{"machines: [a]\ndefault_machine: b\n" PROGRAM, "p: default_machine: not among the machines: b"},
		{"machines: [a]\nmachine: b\n" PROGRAM, "p:2: key machine: unknown key; did you mean machines?"},
		{"machines: [a]\nprograms: [ { name: x } ]\n", "p:2: a program needs its command"},
		{"machines: [a]\nprograms: [ { command: [p], inputs: x } ]\n",
		 "p:2: key programs[0].inputs: unknown key; did you mean input?"},
		{"machines: [a]\nprograms: [ { command: [p] }, { command: [q/p] } ]\n",
		 "p:2: two programs of one name"},
		{"machines: [a]\n" PROGRAM "regions: [ { skip: 3 } ]\n", "p:3: a region needs a name"},
		{"machines: [a]\n" PROGRAM "regions: [ { name: r, program: q } ]\n", "p:3: no program of this name: q"},
		{"machines: [a]\n" PROGRAM "regions: [ { name: r }, { name: r } ]\n",
		 "p:3: two regions of one name: r"},
		{"machines: [a]\n" PROGRAM "axes: [ { key: window.rob } ]\n", "p:3: an axis has a key and values"},
		{"machines: [a]\n" PROGRAM "axes: [ { name: n, values: [1] } ]\n", "p:3: an axis has a key and values"},
		{"machines: [a]\n" PROGRAM "axes: [ { key: k, choices: [ { name: n } ] } ]\n",
		 "p:3: an axis has a key and values"},
		{"machines: [a]\n" PROGRAM "axes: [ { choices: [ { name: n } ] } ]\n",
		 "p:3: choices need a name for their axis"},
		{"machines: [a]\n" PROGRAM "axes: [ { name: c, choices: [ { set: [a=1] } ] } ]\n",
		 "p:3: every choice needs a name"},
		{"machines: [a]\n" PROGRAM "axes: [ { key: k, values: [1, 1] } ]\n",
		 "p:3: a value of an axis stands there twice: 1"},
		{"machines: [a]\n" PROGRAM "axes: [ { key: k, values: [1], choices: [ { name: n } ] } ]\n",
		 "p:3: key axes[0].choices[0]: either values or choices"},
		{"machines: [a]\n" PROGRAM "axes: [ { key: k, values: [1, 2], default: 3 } ]\n",
		 "p:3: default: not among the values: 3"},
		{"machines: [a]\n" PROGRAM "axes: [ { key: k, values: [1] }, { key: k, values: [2] } ]\n",
		 "p:3: two axes of one name: k"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct sweep_plan p;
		struct error err;
		assert_false(parse(&p, rows[i].text, &err));
		if (strncmp(err.text, rows[i].error, strlen(rows[i].error)) != 0)
			fail_msg("'%s': said '%s', not '%s'", rows[i].text, err.text, rows[i].error);
		sweep_plan_destroy(&p);
	}
}

static void test_run(void **state)
{
	(void)state;
	char *words[] = {"run",	  "-m",	   "a,b",	"--jobs", "3",	 "-n", "5k",
			 "--set", "k.x=1", "--results", "f",	  "./p", "-m", NULL};
	struct options o;
	struct error err = {0};
	struct sweep_plan p;
	assert_true(options_parse(&o, words, FOR_RUN, &err));
	assert_true(sweep_plan_of_run(&p, &o, &err));
	assert_int_equal(p.machines.count, 2);
	assert_string_equal(p.machines.items[1], "b");
	assert_int_equal(p.options.count, 2); /* not --machine, --jobs, --results */
	assert_string_equal(p.options.items[0], "--set=k.x=1");
	assert_string_equal(p.options.items[1], "--max-insns=5000");
	assert_int_equal(p.programs[0].command.count, 2);
	sweep_plan_destroy(&p);
	o.machine = "a,,b";
	assert_false(sweep_plan_of_run(&p, &o, &err));
	sweep_plan_destroy(&p);
	options_destroy(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_keys),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
