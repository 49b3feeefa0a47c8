/* The explorer against single evaluations and brute force, and every kind of error of its file. */
#include "model_rig.h"

#include "interval/explore/explore.h"
#include "machine/machine_rows.h"

#include <math.h>
#include <unistd.h>

static struct explore_space parse(const char *text)
{
	struct explore_space s;
	struct error err;
	if (!explore_parse(&s, text, strlen(text), "t.yaml", &err))
		fail_msg("%s", err.text);
	return s;
}

static void expect_error(const char *text, const char *message)
{
	struct explore_space s;
	struct error err;
	if (explore_parse(&s, text, strlen(text), "t.yaml", &err))
		fail_msg("accepted, but should say: %s", message);
	assert_string_equal(err.text, message);
}

static const char *const small = "sample: 10000\n"
				 "axes:\n"
				 "  - key: dispatch.width\n"
				 "    values: [2, 4]\n"
				 "    follow: [ { key: issue.width }, { key: fetch.width, times: 2 } ]\n"
				 "  - { key: window.rob, min: 32, max: 96, step: 32 }\n"
				 "  - { key: l2.latency, values: [8, 10, 14] }\n"
				 "  - { key: l1d.size, values: [8192, 16384, 32768] }\n"
				 "constraints: [ 'window.rob <= 24 * dispatch.width' ]\n";

/* The explorer has no sample for each geometry. */
static const uint32_t as_explored = MODEL_REFINED & ~(1u << MODEL_REFINE_geometry);

static void a_space_is_a_grid(void **state)
{
	struct explore_space s = parse(small);
	struct machine m;
	struct error err;
	assert_int_equal(explore_size(&s), 2 * 3 * 3 * 3);
	assert_true(explore_machine(&s, 53, &m, &err)); /* the last value of every axis */
	assert_int_equal(m.dispatch_width, 4);
	assert_int_equal(m.issue_width, 4);
	assert_int_equal(m.fetch_width, 8);
	assert_int_equal(m.window_rob, 96);
	assert_int_equal(m.l2_latency, 14);
	assert_int_equal(m.l1d_size, 32768);
	assert_true(explore_machine(&s, 1, &m, &err)); /* the last axis changes first */
	assert_int_equal(m.l1d_size, 16384);
	assert_int_equal(m.window_rob, 32);
	explore_destroy(&s);
}

/* Where only one axis that has an effect by itself leaves the base, the tables hold exactly what the model says. Where two do, the
 * effects are added. */
static void tables_agree_with_single_evaluations(void **state)
{
	struct explore_space s = parse(small);
	struct interval_profile *p = rig_profile(10000, 5);
	struct model model;
	struct error err;
	assert_true(model_open(&model, p, &err));
	struct explore_tables *t = explore_tables_create(&s, &model, 2, &err);
	if (!t)
		fail_msg("%s", err.text);
	for (uint64_t i = 0; i < explore_size(&s); i++) {
		uint32_t digits[EXPLORE_AXES];
		struct machine m;
		struct model_result r;
		explore_digits(&s, i, digits);
		assert_true(explore_machine(&s, i, &m, &err));
		assert_true(model_refined(&model, &m, as_explored, &r, &err));
		assert_float_equal(explore_cpi(t, digits), r.cpi, 1e-9 * r.cpi);
		assert_float_equal(explore_cost_of(t, digits), explore_cost(&m, s.weights), 1e-9);
		bool allowed = m.window_rob <= 24 * m.dispatch_width;
		assert_int_equal(explore_allowed(t, digits, 0), allowed);
	}
	explore_tables_destroy(t);
	explore_destroy(&s);
	model_close(&model);
	rig_profile_free(p);
}

/* The base's value and its double; false: the key cannot be varied alone. */
static bool vary(struct explore_space *s, const struct machine_row *row, const struct machine *base)
{
	char text[300];
	struct error err;
	uint32_t value = machine_row_get(base, row);
	if (row->kind != MACHINE_KIND_UINT || !value || 2 * value > row->max)
		return false;
	snprintf(text, sizeof text, "base: golden-cove\nsample: 1500\naxes: [ { key: %s.%s, values: [%u, %u] } ]\n",
		 row->section, row->name, value, 2 * value);
	if (!explore_parse(s, text, strlen(text), "t.yaml", &err))
		return false;
	struct machine m;
	if (explore_machine(s, 1, &m, &err))
		return true;
	explore_destroy(s);
	return false;
}

/* A key that leaves the base alone does what the model says, whichever table it goes to. */
static void every_key_alone_is_exact(void **state)
{
	struct interval_profile *p = rig_profile(1500, 9);
	struct model model;
	struct machine base;
	struct error err;
	unsigned tried = 0, mattered = 0;
	/* every event is in the sample; what is not has the base's penalty on every machine */
	for (unsigned i = 0; i < 5; i++) {
		p->samples.list[100 + 16 * i].ilevel = CULPRIT_LEVEL_MEMORY;
		p->samples.list[500 + 16 * i].itlb = CULPRIT_LEVEL_MEMORY;
	}
	assert_true(model_open(&model, p, &err));
	assert_true(machine_load(&base, "golden-cove", &err));
	for (size_t k = 0; k < machine_row_count; k++) {
		struct explore_space s;
		struct machine m;
		struct model_result was, is;
		const uint32_t digits[EXPLORE_AXES] = {1};
		if (!vary(&s, &machine_rows[k], &base))
			continue;
		struct explore_tables *t = explore_tables_create(&s, &model, 1, &err);
		if (!t)
			fail_msg("%s", err.text);
		assert_true(explore_machine(&s, 1, &m, &err));
		assert_true(model_refined(&model, &base, as_explored, &was, &err));
		assert_true(model_refined(&model, &m, as_explored, &is, &err));
		if (fabs(explore_cpi(t, digits) - is.cpi) > 1e-9 * is.cpi)
			fail_msg("%s.%s: %.9f by the tables, %.9f", machine_rows[k].section, machine_rows[k].name,
				 explore_cpi(t, digits), is.cpi);
		assert_float_equal(explore_cost_of(t, digits), explore_cost(&m, s.weights), 1e-9);
		tried++;
		mattered += is.cpi != was.cpi;
		explore_tables_destroy(t);
		explore_destroy(&s);
	}

	assert_true(tried >= 40);
	assert_true(mattered >= 10);
	model_close(&model);
	rig_profile_free(p);
}

/* ROBs between the seven timed ones: within a few percent of the model's own answer. */
static void long_axes_are_interpolated(void **state)
{
	struct explore_space s = parse("sample: 10000\naxes: [ { key: window.rob, min: 16, max: 256, step: 8 } ]\n");
	struct interval_profile *p = rig_profile(10000, 5);
	struct model model;
	struct error err;
	assert_true(model_open(&model, p, &err));
	struct explore_tables *t = explore_tables_create(&s, &model, 1, &err);
	assert_non_null(t);
	for (uint32_t i = 0; i < s.axes[0].value_count; i++) {
		struct machine m;
		struct model_result r;
		uint32_t digits[EXPLORE_AXES] = {i};
		assert_true(explore_machine(&s, i, &m, &err));
		assert_true(model_refined(&model, &m, as_explored, &r, &err));
		assert_true(fabs(explore_cpi(t, digits) / r.cpi - 1) < 0.04);
	}
	explore_tables_destroy(t);
	explore_destroy(&s);
	model_close(&model);
	rig_profile_free(p);
}

/* A point stays when no other is at least as good in both and better in one, or equal with a lower index. */
static bool stays(const struct explore_point *all, size_t n, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		bool as_good = all[j].cost <= all[i].cost && all[j].cpi <= all[i].cpi;
		bool equal = all[j].cost == all[i].cost && all[j].cpi == all[i].cpi;
		if (as_good && (!equal || all[j].index < all[i].index))
			return false;
	}
	return true;
}

static void fronts_equal_brute_force(void **state)
{
	uint64_t seed = 3;
	for (int round = 0; round < 200; round++) {
		struct explore_point all[60], front[60];
		size_t n = 1 + rig_random(&seed) % 60, expected = 0;
		for (size_t i = 0; i < n; i++)
			all[i] = (struct explore_point){
				.index = i, .cost = 1 + rig_random(&seed) % 20, .cpi = 1 + rig_random(&seed) % 20};
		memcpy(front, all, sizeof all);
		size_t count = explore_front(front, n);
		for (size_t i = 0; i < n; i++) {
			if (!stays(all, n, i))
				continue;
			expected++;
			bool found = false;
			for (size_t j = 0; j < count; j++)
				found |= front[j].index == i;
			assert_true(found);
		}
		assert_int_equal(count, expected);
	}
}

static void runs_do_not_depend_on_threads(void **state)
{
	struct explore_space s = parse(small);
	struct interval_profile *p = rig_profile(10000, 5);
	struct model model;
	struct error err;
	struct explore_result one, three;
	assert_true(model_open(&model, p, &err));
	assert_true(explore_run(&s, &model, 1, &one, &err));
	assert_true(explore_run(&s, &model, 3, &three, &err));
	assert_int_equal(one.evaluated + one.rejected, 54);
	assert_int_equal(one.rejected,
			 2 * 9); /* width 2: 64 and 96 are more than 48; width 4: 96 is as much as allowed */
	assert_int_equal(one.front_count, three.front_count);
	for (size_t i = 0; i < one.front_count; i++) {
		assert_int_equal(one.front[i].index, three.front[i].index);
		assert_true(one.front[i].cpi == three.front[i].cpi);
	}
	explore_result_destroy(&one);
	explore_result_destroy(&three);
	explore_destroy(&s);
	model_close(&model);
	rig_profile_free(p);
}

/* A front with one corner: CPI 3, 2, 1 steeply down over cost 1, 2, 4 and flat from there to 64. The corner is the knee. */
static void the_corner_is_the_knee(void **state)
{
	struct explore_point f[] = {{.cost = 1, .cpi = 3},     {.cost = 2, .cpi = 2},	  {.cost = 4, .cpi = 1},
				    {.cost = 8, .cpi = 0.975}, {.cost = 16, .cpi = 0.95}, {.cost = 64, .cpi = 0.9}};
	explore_knees(f, 6, 1);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(f[i].knee, i == 2);
}

#define TEN_LETTERS "abcdefghij"

static void files_are_read_strictly(void **state)
{
	expect_error("sample: 5000\n", "t.yaml:1: no axes: there is nothing to explore");
	expect_error("axis:\n  - { key: window.rob, values: [1] }\n",
		     "t.yaml:2: key axis: unknown key; see docs/explanation/model.md");
	expect_error("axes: [ 64 ]\n", "t.yaml:1: key axes[0]: expected a mapping of keys");
	expect_error("axes:\n  - { name: " TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS
		     "abcd"
		     ", key: window.rob, values: [64] }\n",
		     "t.yaml:2: key axes[0].name: longer than 63 characters");
	expect_error("axes:\n  - { key: window.rob, values: [64], steps: 3 }\n",
		     "t.yaml:2: key axes[0].steps: unknown key; see docs/explanation/model.md");
	expect_error("axes:\n  - { key: window.robb, values: [64] }\n",
		     "t.yaml:2: key axes[0]: value 64: key window.robb: unknown key; did you mean window.rob?");
	expect_error("axes:\n  - { values: [64] }\n", "t.yaml:2: key axes[0]: which key does it vary?");
	expect_error("axes:\n  - { key: window.rob, values: [64], min: 3 }\n",
		     "t.yaml:2: key axes[0]: either values, or min, max and step");
	expect_error("axes:\n  - { key: window.rob, min: 64, max: 32 }\n",
		     "t.yaml:2: key axes[0]: needs values, choices, or min and max (and step)");
	expect_error("axes:\n  - { key: window.rob, min: 1, max: 4000 }\n",
		     "t.yaml:2: key axes[0]: more than 1024 values");
	expect_error("axes:\n  - { key: window.rob, values: [64, 64] }\n", "t.yaml:2: key axes[0]: values must ascend");
	expect_error("axes:\n  - { key: window.rob, values: [64] }\n  - { key: window.rob, values: [32] }\n",
		     "t.yaml:3: key axes[1]: another axis has this name");
	expect_error("axes:\n  - { key: window.rob, values: [64] }\n"
		     "  - { key: window.lq, values: [32], follow: [ { key: window.rob } ] }\n",
		     "t.yaml:3: key axes[1]: window.rob is set twice, by another axis, too");
	expect_error("axes:\n  - { key: window.rob, values: [64], follow: [ { key: window.rob } ] }\n",
		     "t.yaml:2: key axes[0]: window.rob is set twice");
	expect_error("axes:\n  - { name: a, choices: [ { name: b, set: [ window.rob=8 ] }, { name: b } ] }\n",
		     "t.yaml:2: key axes[0]: two choices with one name");
	expect_error("axes:\n  - key: window.rob\n    values: [64, big]\n",
		     "t.yaml:3: key axes[0].values[1]: expected a number from 0 to 4.29497e+09");
	expect_error("axes:\n  - key: window.rob\n    values: [64.5]\n",
		     "t.yaml:3: key axes[0].values[0]: expected a whole number");
	expect_error("axes:\n  - key: window.rob\n    values: [64]\nconstraints:\n  - 'window.rob = 3'\n",
		     "t.yaml:5: key constraints[0]: compare with <, <=, >, >=, == or !=");
	expect_error("axes:\n  - key: window.rob\n    values: [64]\nconstraints: [ 'window.rob' ]\n",
		     "t.yaml:4: key constraints[0]: expected a comparison like 'window.rob <= 64 * dispatch.width'");
	expect_error("axes:\n  - key: window.rob\n    values: [64]\nconstraints: [ 'l1d.size < 3' ]\n",
		     "t.yaml:4: constraint 'l1d.size < 3': no axis varies 'l1d.size'");
	expect_error("weights: { gold: 3 }\naxes: [ { key: window.rob, values: [64] } ]\n",
		     "t.yaml:1: key weights.gold: unknown key; see the costs in docs/explanation/model.md");
	expect_error("set: [ 'window.rob=64' ]\nbase: eyerman2009-4w\n",
		     "t.yaml:2: key base: base must stand before set");
	expect_error("axes:\n  - choices: [ { name: a, set: [ 'window.rob=64' ] } ]\n",
		     "t.yaml:2: key axes[0]: choices need a name for their axis");
	expect_error("axes:\n  - { name: c, key: window.rob, choices: [ { name: a, set: [ 'window.rob=64' ] } ] }\n",
		     "t.yaml:2: key axes[0]: choices stand alone: no key, values, min, max or follow beside them");
	struct explore_space s =
		parse("axes:\n  - { name: " TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS
		      "abc, key: window.rob, values: [64] }\n");
	assert_int_equal(strlen(s.axes[0].name), 63);
	explore_destroy(&s);
}

/* Four axes of 1,024 values make 2^40 machines, and one axis of two more is too many. */
static void grids_have_an_end(void **state)
{
	static const char four[] = "axes:\n"
				   "  - { key: window.rob, min: 1, max: 1024 }\n"
				   "  - { key: memory.latency, min: 1, max: 1024 }\n"
				   "  - { key: window.int_regs, min: 33, max: 1056 }\n"
				   "  - { key: window.fp_regs, min: 33, max: 1056 }\n";
	struct explore_space s = parse(four);
	char text[400];
	assert_true(explore_size(&s) == UINT64_C(1) << 40);
	explore_destroy(&s);
	snprintf(text, sizeof text, "%s  - { key: window.lq, values: [8, 16] }\n", four);
	expect_error(text, "t.yaml:1: more than 2^40 machines");
}

/* Files of this many bytes, most of them a comment. */
static bool reads(size_t size, struct error *err)
{
	static const char axes[] = "axes: [ { key: window.rob, values: [64] } ]\n#";
	char path[] = "/tmp/culprit-explore-XXXXXX";
	struct explore_space s;
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");
	assert_non_null(out);
	fputs(axes, out);
	for (size_t i = sizeof axes - 1; i < size; i++)
		fputc('x', out);
	assert_int_equal(fclose(out), 0);
	bool good = explore_read(&s, path, err);
	if (good)
		explore_destroy(&s);
	unlink(path);
	return good;
}

static void files_are_below_a_megabyte(void **state)
{
	struct error err = {0};
	if (!reads(1 << 20, &err))
		fail_msg("%s", err.text);
	assert_false(reads((1 << 20) + 1, &err));
	assert_non_null(strstr(err.text, ": larger than 1048576 bytes"));
	struct explore_space s;
	assert_false(explore_read(&s, "/nonexistent/space.yaml", &err));
	assert_string_equal(err.text, "/nonexistent/space.yaml: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_space_is_a_grid),	    cmocka_unit_test(tables_agree_with_single_evaluations),
		cmocka_unit_test(every_key_alone_is_exact), cmocka_unit_test(long_axes_are_interpolated),
		cmocka_unit_test(fronts_equal_brute_force), cmocka_unit_test(runs_do_not_depend_on_threads),
		cmocka_unit_test(the_corner_is_the_knee),   cmocka_unit_test(files_are_read_strictly),
		cmocka_unit_test(grids_have_an_end),	    cmocka_unit_test(files_are_below_a_megabyte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
