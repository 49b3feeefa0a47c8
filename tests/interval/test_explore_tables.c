/* What the explorer's tables are made of: what a machine costs, by arithmetic, and the part of the sample that is timed. */
#include "model_rig.h"

#include "interval/explore/tables.h"

/* --- cost --- */

/* The amount of one row, by its weight alone; doubling the weight doubles it. */
static double amount(const struct machine *m, const char *name)
{
	double weights[EXPLORE_COSTS] = {0};
	uint32_t row = 0;
	while (row < explore_cost_count() && strcmp(explore_cost_name(row), name) != 0)
		row++;
	assert_true(row < explore_cost_count());
	weights[row] = 1;
	const double one = explore_cost(m, weights);
	weights[row] = 2;
	assert_float_equal(explore_cost(m, weights), 2 * one, 1e-9);
	return one;
}

/* No two figures of this machine are equal. */
static struct machine priced(void)
{
	return rig_machine(
		"dispatch: { width: 3 }\n"
		"window: { rob: 97, lq: 11, sq: 13, branches: 7, int_regs: 131, fp_regs: 101 }\n"
		"l1i: { size: 8192 }\nl1d: { size: 32768 }\nl2: { size: 524288 }\nl3: { size: 2097152 }\n"
		"tlb: { i_entries: 16, d_entries: 32, l2_entries: 512 }\n"
		"branch: { predictor: combined, bimodal_entries: 1024, gshare_entries: 4096, meta_entries: 2048,\n"
		"          btb_entries: 256, ras: 5, indirect: btb, tage_kib: 32, ittage_kib: 16 }\n");
}

static void costs_by_arithmetic(void **state)
{
	struct machine m = priced();
	assert_float_equal(amount(&m, "l1"), 8 + 32, 1e-9);
	assert_float_equal(amount(&m, "l2"), 512, 1e-9);
	assert_float_equal(amount(&m, "l3"), 2048, 1e-9);
	assert_float_equal(amount(&m, "tlb"), 16 + 32 + 512, 1e-9);
	assert_float_equal(amount(&m, "window"), 97 * 3, 1e-9);
	assert_float_equal(amount(&m, "queues"), 2 * (11 + 13 + 7 + 131 + 101), 1e-9);
	assert_float_equal(amount(&m, "width"), 9, 1e-9);
	rig_set(&m, "window.lq=0");
	rig_set(&m, "window.sq=0");
	rig_set(&m, "window.lsq=29"); /* one queue for both */
	assert_float_equal(amount(&m, "queues"), 2 * (29 + 7 + 131 + 101), 1e-9);
	double units = 0;
	for (uint32_t i = 0; i < m.unit_count; i++)
		units += m.units[i].count;
	assert_true(units > 1);
	assert_float_equal(amount(&m, "units"), units, 1e-9);
	(void)state;
}

/* Counters of two bits, entries of eight bytes, and of the large predictors what they are said to hold, where they are used. */
static void predictors_by_arithmetic(void **state)
{
	const double targets = (256 + 5) * 8.0;
	struct machine m = priced();
	assert_float_equal(1024 * amount(&m, "predictor"), (1024 + 4096 + 2048) / 4.0 + targets, 1e-6);
	rig_set(&m, "branch.predictor=bimodal");
	assert_float_equal(1024 * amount(&m, "predictor"), 1024 / 4.0 + targets, 1e-6);
	rig_set(&m, "branch.predictor=gshare");
	assert_float_equal(1024 * amount(&m, "predictor"), 4096 / 4.0 + targets, 1e-6);
	rig_set(&m, "branch.predictor=tage_sc_l");
	assert_float_equal(1024 * amount(&m, "predictor"), 32 * 1024 + targets, 1e-6);
	rig_set(&m, "branch.indirect=ittage");
	assert_float_equal(1024 * amount(&m, "predictor"), (32 + 16) * 1024 + targets, 1e-6);
	(void)state;
}

static void cost_is_the_weighted_sum(void **state)
{
	struct machine m = priced();
	double weights[EXPLORE_COSTS] = {0}, sum = 0;
	for (uint32_t i = 0; i < explore_cost_count(); i++) {
		weights[i] = 1 + i;
		sum += (1 + i) * amount(&m, explore_cost_name(i));
	}
	assert_float_equal(explore_cost(&m, weights), sum, 1e-6);
	(void)state;
}

/* --- the part of the sample that is timed --- */

enum { STRETCH = 2048 };

static struct explore_tables *tables_of(struct explore_space *s, const char *text, const struct model *model)
{
	struct error err;
	if (!explore_parse(s, text, strlen(text), "t.yaml", &err))
		fail_msg("%s", err.text);
	struct explore_tables *t = explore_tables_create(s, model, 1, &err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

/* Of nine stretches the first, the fourth and the seventh, with their wrong paths at their new places. */
static void every_third_stretch(void **state)
{
	struct interval_profile *p = rig_profile(9 * STRETCH, 3);
	struct model model;
	struct explore_space s;
	struct error err;
	p->samples.wrong = calloc(9 * 2, sizeof *p->samples.wrong);
	for (uint32_t i = 0; i < 9; i++) { /* the first and the last instruction of each stretch */
		p->samples.wrong[p->samples.wrong_count++].branch = i * STRETCH;
		p->samples.wrong[p->samples.wrong_count++].branch = i * STRETCH + STRETCH - 1;
	}
	assert_true(model_open(&model, p, &err));
	struct explore_tables *t = tables_of(&s, "sample: 6144\naxes: [ { key: window.rob, values: [64] } ]\n", &model);
	assert_int_equal(t->stream.count, 3 * STRETCH);
	assert_int_equal(t->stream.stretch, STRETCH);
	for (uint32_t i = 0; i < 3; i++)
		assert_memory_equal(&t->stream.samples[i * STRETCH], &model.stream.samples[3 * i * STRETCH],
				    STRETCH * sizeof *t->stream.samples);
	assert_int_equal(t->stream.wrong_count, model.stream.wrong_count / 3);
	for (uint32_t i = 0; i < t->stream.wrong_count; i++)
		assert_int_equal(t->stream.wrong[i].branch, i / 2 * STRETCH + (i % 2 ? STRETCH - 1 : 0));
	explore_tables_destroy(t);
	explore_destroy(&s);
	model_close(&model);
	rig_profile_free(p);
	(void)state;
}

/* A sample that is no longer than what is asked for is timed whole; of one that is longer by one, whole stretches. */
static void whole_samples(void **state)
{
	struct interval_profile *p = rig_profile(2 * STRETCH, 3);
	struct model model;
	struct error err;
	assert_true(model_open(&model, p, &err));
	for (unsigned less = 0; less < 2; less++) {
		struct explore_space s;
		char text[100];
		snprintf(text, sizeof text, "sample: %u\naxes: [ { key: window.rob, values: [64] } ]\n",
			 2 * STRETCH - less);
		struct explore_tables *t = tables_of(&s, text, &model);
		assert_int_equal(t->stream.samples == model.stream.samples, !less);
		assert_int_equal(t->stream.count, 2 * STRETCH);
		assert_memory_equal(t->stream.samples, model.stream.samples, 2 * STRETCH * sizeof *t->stream.samples);
		explore_tables_destroy(t);
		explore_destroy(&s);
	}
	model_close(&model);
	rig_profile_free(p);
	(void)state;
}

/* What an axis changes: the core, of which all axes are varied together; how long something takes; or how often an event of a structure
 * happens. A last level changes how long the misses take that L2 counts. */
static void what_each_key_changes(void **state)
{
	static const struct {
		const char *key, *value;
		bool core, effect;
		uint32_t groups;
	} keys[] = {
		{"fetch.width", "4", true, false, 0},
		{"dispatch.width", "4", true, false, 0},
		{"window.rob", "64", true, false, 0},
		{"issue.width", "4", true, false, 0},
		{"commit.width", "4", true, false, 0},
		{"lsq.forward_latency", "3", true, false, 0},
		{"memory.latency", "200", false, true, 0},
		{"latency.int_mul", "4", false, true, 0},
		{"l1i.size", "16384", false, false, 1 << EXPLORE_L1I},
		{"l1i.latency", "2", false, true, 1 << EXPLORE_L1I},
		{"l1d.ways", "4", false, false, 1 << EXPLORE_L1D},
		{"l1d.latency", "3", false, true, 1 << EXPLORE_L1D},
		{"l2.size", "1048576", false, false, 1 << EXPLORE_L2},
		{"l2.latency", "12", false, true, 1 << EXPLORE_L2},
		{"l3.size", "4194304", false, true, 1 << EXPLORE_L2},
		{"l3.ways", "8", false, true, 1 << EXPLORE_L2},
		{"l3.latency", "30", false, true, 1 << EXPLORE_L2},
		{"tlb.d_entries", "32", false, false, 1 << EXPLORE_TLB},
		{"tlb.i_ways", "0", false, false, 1 << EXPLORE_TLB},
		{"tlb.walk_latency", "40", false, true, 1 << EXPLORE_TLB},
		{"branch.history", "8", false, false, 1 << EXPLORE_BRANCH},
		{"branch.btb_entries", "512", false, false, 1 << EXPLORE_BRANCH},
	};
	struct interval_profile *p = rig_profile(STRETCH, 3);
	struct model model;
	struct error err;
	assert_true(model_open(&model, p, &err));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct explore_space s;
		char text[100];
		snprintf(text, sizeof text, "axes: [ { key: %s, values: [%s] } ]\n", keys[i].key, keys[i].value);
		struct explore_tables *t = tables_of(&s, text, &model);
		if (t->axes[0].core != keys[i].core || t->axes[0].effect != keys[i].effect ||
		    t->axes[0].groups != keys[i].groups)
			fail_msg("%s: core %d, effect %d, groups %u", keys[i].key, t->axes[0].core, t->axes[0].effect,
				 t->axes[0].groups);
		explore_tables_destroy(t);
		explore_destroy(&s);
	}
	model_close(&model);
	rig_profile_free(p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(costs_by_arithmetic),
					   cmocka_unit_test(predictors_by_arithmetic),
					   cmocka_unit_test(cost_is_the_weighted_sum),
					   cmocka_unit_test(every_third_stretch),
					   cmocka_unit_test(whole_samples),
					   cmocka_unit_test(what_each_key_changes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
