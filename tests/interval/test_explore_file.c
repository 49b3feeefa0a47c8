/* The explorer's file at its limits: every list as long as it may be, and one longer; every number at both ends of its range, and
 * beyond; every comparison on a grid. */
#include "model_rig.h"

#include "interval/explore/explore.h"

#include <math.h>

#define ROB "axes: [ { key: window.rob, values: [64] } ]\n"

static bool parse(struct explore_space *s, const char *text, struct error *err)
{
	*err = (struct error){.text = ""};
	return explore_parse(s, text, strlen(text), "t.yaml", err);
}

static void accepted(const char *text)
{
	struct explore_space s;
	struct error err;
	if (!parse(&s, text, &err))
		fail_msg("refused: %s\n%s", err.text, text);
	explore_destroy(&s);
}

static void refused(const char *text, const char *message)
{
	struct explore_space s;
	struct error err;
	if (parse(&s, text, &err))
		fail_msg("accepted, but should say: %s\n%s", message, text);
	assert_string_equal(err.text, message);
}

/* head, `count` times `item` (whose %u is the number), tail */
static const char *repeated(const char *head, const char *item, unsigned count, const char *tail)
{
	static char text[1 << 17];
	size_t at = (size_t)snprintf(text, sizeof text, "%s", head);
	for (unsigned i = 0; i < count; i++) {
		at += (size_t)snprintf(text + at, sizeof text - at, "%s", i ? ", " : "");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		at += (size_t)snprintf(text + at, sizeof text - at, item, i + 1, i + 1);
#pragma GCC diagnostic pop
	}
	snprintf(text + at, sizeof text - at, "%s", tail);
	return text;
}

static void lists_have_an_end(void **state)
{
	static const struct {
		const char *head, *item, *tail;
		unsigned most;
		const char *message;
	} lists[] = {
		{"axes: [ ", "{ name: a%u, choices: [ { name: b, set: [] } ] }", " ]\n", 16,
		 "t.yaml:1: key axes[16]: more than 16 axes"},
		{"axes: [ { key: window.rob, values: [ ", "%u", " ] } ]\n", 1024,
		 "t.yaml:1: key axes[0].values[1024]: more than 1024 values"},
		{ROB "constraints: [ ", "'window.rob > %u'", " ]\n", 16,
		 "t.yaml:2: key constraints[16]: more than 16 constraints"},
	};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		accepted(repeated(lists[i].head, lists[i].item, lists[i].most, lists[i].tail));
		refused(repeated(lists[i].head, lists[i].item, lists[i].most + 1, lists[i].tail), lists[i].message);
	}
	accepted("axes: [ { key: window.rob, min: 1, max: 1024 } ]\n");
	refused("axes: [ { key: window.rob, min: 1, max: 1025 } ]\n", "t.yaml:1: key axes[0]: more than 1024 values");
	accepted("axes: [ { key: window.rob, min: 1, max: 4095, step: 4 } ]\n");
	(void)state;
}

/* Keys that one value sets. */
static void assignments_have_an_end(void **state)
{
	static const char *const keys[] = {
		"window.lq",  "window.sq",   "issue.width",	"dispatch.width", "commit.width", "fetch.width",
		"window.lsq", "l1d.latency", "l1i.latency",	"l2.latency",	  "l3.latency",	  "memory.latency",
		"l1d.mshrs",  "l2.mshrs",    "frontend.stages", "commit.delay",	  "l1i.mshrs",	  "memory.interval",
	};
	for (unsigned count = 15; count <= 17; count++) {
		char follow[2000] = "", set[2000] = "", text[3000];
		for (unsigned i = 0; i < count; i++) {
			size_t f = strlen(follow), s = strlen(set);
			snprintf(follow + f, sizeof follow - f, "%s{ key: %s, times: 0.1 }", i ? ", " : "", keys[i]);
			snprintf(set + s, sizeof set - s, "%s'%s=2'", i ? ", " : "", keys[i]);
		}
		snprintf(text, sizeof text, "axes: [ { key: window.rob, values: [20], follow: [ %s ] } ]\n", follow);
		if (count <= 15)
			accepted(text);
		else
			refused(text, "t.yaml:1: key axes[0].follow[15].key: more than 15 keys follow");
		snprintf(text, sizeof text, "axes: [ { name: a, choices: [ { name: b, set: [ %s ] } ] } ]\n", set);
		if (count <= 16)
			accepted(text);
		else
			refused(text, "t.yaml:1: key axes[0].choices[0].set[16]: more than 16 assignments");
	}
	refused("axes: [ { key: window.rob, values: [64], follow: [ { times: 2 } ] } ]\n",
		"t.yaml:1: key axes[0]: an entry of follow without a key");
	refused("axes: [ { name: a, choices: [ { set: [ window.rob=64 ] } ] } ]\n",
		"t.yaml:1: key axes[0]: every choice needs a name");
	(void)state;
}

/* Each number: the ends of its range, and just beyond. */
static void numbers_have_ranges(void **state)
{
	static const struct {
		const char *head, *tail, *low, *below, *high, *above, *message;
	} numbers[] = {
		{"sample: ", "\n" ROB, "1000", "999", "10000000", "10000001",
		 "t.yaml:1: key sample: expected a number from 1000 to 1e+07"},
		{"max_cost: ", "\n" ROB, "0.000001", "0.0000009", "1e12", "1.1e12",
		 "t.yaml:1: key max_cost: expected a number from 1e-06 to 1e+12"},
		{"weights: { window: ", " }\n" ROB, "0", "-0.1", "1e6", "1000001",
		 "t.yaml:1: key weights.window: expected a number from 0 to 1e+06"},
		{"axes: [ { key: window.rob, values: [64], follow: [ { key: l1i.mshrs, times: ", " } ] } ]\n", "1e-6",
		 "9e-7", "9", "1000001",
		 "t.yaml:1: key axes[0].follow[0].times: expected a number from 1e-06 to 1e+06"},
		{"axes: [ { key: memory.latency, min: ", ", max: 30000 } ]\n", "29999", "-1", "30000", "4294967296",
		 "t.yaml:1: key axes[0].min: expected a number from 0 to 4.29497e+09"},
		{"axes: [ { key: memory.latency, min: 1, max: ", " } ]\n", "1", "-1", "9", "4294967296",
		 "t.yaml:1: key axes[0].max: expected a number from 0 to 4.29497e+09"},
		{"axes: [ { key: memory.latency, min: 1, max: 9, step: ", " } ]\n", "1", "0.9", "4294967295",
		 "4294967296", "t.yaml:1: key axes[0].step: expected a number from 1 to 4.29497e+09"},
	};
	char text[300];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		for (size_t k = 0; k < 5; k++) {
			const char *const values[] = {numbers[i].low, numbers[i].high, numbers[i].below,
						      numbers[i].above, "nan"};
			snprintf(text, sizeof text, "%s%s%s", numbers[i].head, values[k], numbers[i].tail);
			if (k < 2)
				accepted(text);
			else
				refused(text, numbers[i].message);
		}
	refused("axes: [ { key: window.rob, min: 1.5, max: 9 } ]\n",
		"t.yaml:1: key axes[0]: min and step must be whole numbers");
	refused("axes: [ { key: window.rob, min: 1, max: 9, step: 1.5 } ]\n",
		"t.yaml:1: key axes[0]: min and step must be whole numbers");
	refused("set: window.rob=64\n" ROB, "t.yaml:1: key set: expected a list or a mapping");
	refused("axes: [ { key: [ a ], values: [64] } ]\n", "t.yaml:1: key axes[0].key: expected a text");
	(void)state;
}

/* What was written is what is used. */
static void values_are_kept(void **state)
{
	struct explore_space s;
	struct error err;
	assert_true(parse(&s,
			  "max_cost: 3.5\nsample: 4321\nweights: { window: 7.25 }\n"
			  "axes: [ { key: window.rob, min: 10, max: 31, step: 7,\n"
			  "          follow: [ { key: window.lq, times: 0.3 }, { key: window.sq } ] } ]\n",
			  &err));
	assert_float_equal(s.max_cost, 3.5, 0);
	assert_int_equal(s.sample, 4321);
	for (uint32_t i = 0; i < explore_cost_count(); i++)
		if (!strcmp(explore_cost_name(i), "window"))
			assert_float_equal(s.weights[i], 7.25, 0);
		else
			assert_float_equal(s.weights[i], explore_cost_weight(i), 0);
	assert_int_equal(explore_size(&s), 4);
	for (uint64_t i = 0; i < 4; i++) {
		struct machine m;
		assert_true(explore_machine(&s, i, &m, &err));
		assert_int_equal(m.window_rob, 10 + 7 * i);
		assert_int_equal(m.window_lq, (uint32_t)ceil(0.3 * (10 + 7 * (double)i)));
		assert_int_equal(m.window_sq, 10 + 7 * i);
	}
	explore_destroy(&s);
	(void)state;
}

static bool compare(const char *op, double a, double b)
{
	if (!strcmp(op, "<"))
		return a < b;
	if (!strcmp(op, "<="))
		return a <= b;
	if (!strcmp(op, ">"))
		return a > b;
	if (!strcmp(op, ">="))
		return a >= b;
	return strcmp(op, "==") ? a != b : a == b;
}

/* Every comparison, with factors on either side or a number alone, on every machine of a grid. */
static void constraints_compare(void **state)
{
	static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
	static const struct {
		const char *left, *right;
		double a, b, c, d; /* a x rob + b, c x lq + d */
	} sides[] = {
		{"window.rob", "window.lq", 1, 0, 1, 0},
		{"2 * window.rob", "3*window.lq", 2, 0, 3, 0},
		{"window.rob", "32", 1, 0, 0, 32},
		{"24", " 0.5 * window.lq ", 0, 24, 0.5, 0},
		{"1.5 * window.rob", "window.lq", 1.5, 0, 1, 0},
	};
	struct interval_profile *p = rig_profile(2000, 5);
	struct model model;
	struct error err;
	assert_true(model_open(&model, p, &err));
	for (size_t i = 0; i < 6 * sizeof sides / sizeof *sides; i++) {
		struct explore_space s;
		char text[300];
		snprintf(text, sizeof text,
			 "sample: 1000\naxes: [ { key: window.rob, values: [16, 24, 32, 48] },\n"
			 "        { key: window.lq, values: [16, 24, 32, 48] } ]\nconstraints: [ '%s %s %s' ]\n",
			 sides[i / 6].left, ops[i % 6], sides[i / 6].right);
		assert_true(parse(&s, text, &err));
		struct explore_tables *t = explore_tables_create(&s, &model, 1, &err);
		assert_non_null(t);
		for (uint64_t at = 0; at < explore_size(&s); at++) {
			uint32_t digits[EXPLORE_AXES];
			explore_digits(&s, at, digits);
			double rob = s.axes[0].values[digits[0]].number, lq = s.axes[1].values[digits[1]].number;
			bool holds = compare(ops[i % 6], sides[i / 6].a * rob + sides[i / 6].b,
					     sides[i / 6].c * lq + sides[i / 6].d);
			assert_int_equal(explore_allowed(t, digits, 10), holds);
		}
		explore_tables_destroy(t);
		explore_destroy(&s);
	}
	model_close(&model);
	rig_profile_free(p);
	(void)state;
}

/* The limit itself is not too expensive. */
static void costs_have_a_limit(void **state)
{
	struct interval_profile *p = rig_profile(2000, 5);
	struct explore_space s;
	struct model model;
	struct error err;
	const uint32_t digits[EXPLORE_AXES] = {0};
	assert_true(model_open(&model, p, &err));
	assert_true(parse(&s, "sample: 1000\nmax_cost: 10\n" ROB, &err));
	struct explore_tables *t = explore_tables_create(&s, &model, 1, &err);
	assert_non_null(t);
	assert_true(explore_allowed(t, digits, 10));
	assert_false(explore_allowed(t, digits, nextafter(10, 11)));
	explore_tables_destroy(t);
	model_close(&model);
	p->samples.count = 0;
	assert_true(model_open(&model, p, &err));
	assert_null(explore_tables_create(&s, &model, 1, &err));
	assert_string_equal(err.text, "the profile has no sample to time");
	model_close(&model);
	explore_destroy(&s);
	rig_profile_free(p);
	(void)state;
}

/* Two keys that are right alone and make no machine together: the error says where it comes from and which key. */
static void combination_that_is_no_machine(void **state)
{
	static const char text[] = "base: eyerman2009-4w\nsample: 1000\naxes: [ { key: l1d.size, values: [32768] },"
				   " { key: l1d.ways, values: [5, 8] } ]\n";
	struct explore_space s;
	struct machine m;
	struct error err = {0};
	assert_true(explore_parse(&s, text, strlen(text), "t.yaml", &err));
	assert_false(explore_machine(&s, 0, &m, &err));
	assert_int_equal(strncmp(err.text, "explore: keys l1d.size and l1d.ways", 35), 0);
	assert_true(explore_machine(&s, 1, &m, &err));
	explore_destroy(&s);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_an_end),
		cmocka_unit_test(assignments_have_an_end),
		cmocka_unit_test(numbers_have_ranges),
		cmocka_unit_test(values_are_kept),
		cmocka_unit_test(combination_that_is_no_machine),
		cmocka_unit_test(constraints_compare),
		cmocka_unit_test(costs_have_a_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
