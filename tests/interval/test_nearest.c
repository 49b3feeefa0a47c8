/* The nearest structure that a profile holds, and how far it may be off: by hand. */
#include "model_rig.h"

#include "interval/profile/nearest.h"

#include <math.h>

/* 1000 accesses; with 2^(1 + s) sets each way has 10 + s of them. */
static void fill(struct interval_pages *p)
{
	memset(p, 0, sizeof *p);
	p->accesses = 1000;
	for (unsigned s = 0; s < INTERVAL_SETS; s++)
		for (unsigned d = 0; d < INTERVAL_WAYS; d++)
			p->hits[s][d] = 10 + s;
}

static void tlbs_of_many_ways(void **state)
{
	struct interval_pages p;
	fill(&p);
	/* held: 64 sets (s = 5) of 4 ways */
	struct interval_estimate e = interval_estimate_pages(&p, 256, 4);
	assert_float_equal(e.count, 1000 - 4 * 15, 0);
	assert_float_equal(e.off, 0, 0);
	/* 128 sets of 24 ways: 256 sets (s = 7) of 12; of 512 sets of 6 ways (s = 8), one more step, 12 * 17 - 6 * 18 hits fewer */
	e = interval_estimate_pages(&p, 3072, 24);
	assert_int_equal(e.taken.size, 3072);
	assert_int_equal(e.taken.ways, 12);
	assert_float_equal(e.count, 1000 - 12 * 17, 0);
	assert_float_equal(e.off, 12 * 17 - 6 * 18, 1e-9);
	/* 128 sets of 48 ways: 512 of 12, two steps away */
	e = interval_estimate_pages(&p, 6144, 48);
	assert_int_equal(e.taken.ways, 12);
	assert_float_equal(e.off, 2 * (12 * 18 - 6 * 19), 1e-9);
	/* more than there is: 4096 sets (s = 11) of 16 ways stand for eight times as much; half of that is 2048 sets */
	e = interval_estimate_pages(&p, 8 * 65536, 16);
	assert_int_equal(e.taken.size, 65536);
	assert_float_equal(e.off, 3 * 16 * (21 - 20), 1e-9);
}

static void lines_of_other_sizes(void **state)
{
	static struct interval_sweep s;
	rig_sweep(&s, 4, 4000); /* every size of lines alike: depth 0 hits 2000, each other one 40 * (1 + s) / 4 */
	const struct interval_cache held = {16384, 4, 64}, wide = {32768, 4, 256}, narrow = {16384, 4, 16};
	struct interval_estimate e = interval_estimate_misses(&s, INTERVAL_LOAD, &held); /* 64 sets: s = 2 */
	assert_float_equal(e.count, 2000 - 3 * 30, 0);
	assert_float_equal(e.off, 0, 0);
	/* lines of 256 bytes as of 128: 64 sets of 4 ways; of 64 bytes there would be 128 sets, 3 * 40 hits: a step, and the sizes are
	 * one step apart */
	e = interval_estimate_misses(&s, INTERVAL_LOAD, &wide);
	assert_int_equal(e.taken.line, 128);
	assert_int_equal(e.taken.size, 32768);
	assert_float_equal(e.count, 2000 - 3 * 30, 0);
	assert_float_equal(e.off, 3 * 40 - 3 * 30, 1e-9);
	/* of 16 bytes as of 32: 128 sets; of 64 bytes 64 */
	e = interval_estimate_misses(&s, INTERVAL_LOAD, &narrow);
	assert_int_equal(e.taken.line, 32);
	assert_float_equal(e.count, 2000 - 3 * 40, 0);
	assert_float_equal(e.off, 3 * 40 - 3 * 30, 1e-9);
}

static void add(struct interval_profile *p, unsigned at, const char *name, struct interval_branch branch,
		uint64_t direction, uint64_t target)
{
	strcpy(p->predictor[at].name, name);
	p->predictor[at].branch = branch;
	p->predictor[at].direction = direction;
	p->predictor[at].target = target;
}

static void predictors_by_kind_then_size(void **state)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct machine m =
		rig_machine("description: d\nbranch: { predictor: tage_sc_l, tage_kib: 16, indirect: ittage, "
			    "ittage_kib: 16 }\n");
	for (unsigned i = 0; i < INTERVAL_PREDICTORS; i++)
		p->predictor[i].branch.kind = INTERVAL_NOT_RUN;
	add(p, 1, "gshare-4k",
	    (struct interval_branch){.kind = direction_predictor_gshare, .gshare = 4096, .history = 12}, 900, 30);
	add(p, 2, "combined-4k",
	    (struct interval_branch){
		    .kind = direction_predictor_combined, .bimodal = 4096, .gshare = 4096, .meta = 4096, .history = 12},
	    600, 30);
	/* no TAGE: the combined one, and all that can be said is that there are no fewer than none */
	struct interval_direction_estimate e = interval_estimate_directions(p, &m);
	assert_string_equal(e.taken->name, "combined-4k");
	assert_float_equal(e.count, 600, 0);
	assert_float_equal(e.off, 600, 0);
	assert_null(interval_estimate_targets(p, &m).taken);
	/* TAGEs of 8 and 64 KiB: 8 is a factor of two away from 16 of the three between them, and 90 mispredictions are between them. The
	 * ITTAGE of 32 KiB is one away of the two to 8: half of the difference of 10. */
	struct interval_branch tage = {
		.kind = direction_predictor_tage_sc_l, .tage_kib = 8, .indirect = indirect_predictor_ittage};
	tage.ittage_kib = 8;
	add(p, 3, "tage-8k", tage, 300, 20);
	tage.tage_kib = 64;
	tage.ittage_kib = 32;
	add(p, 4, "tage-64k", tage, 210, 10);
	e = interval_estimate_directions(p, &m);
	assert_string_equal(e.taken->name, "tage-8k");
	assert_float_equal(e.count, 300, 0);
	assert_float_equal(e.off, 30, 1e-9);
	e = interval_estimate_targets(p, &m);
	assert_float_equal(e.off, 5, 1e-9);
	/* held as it is */
	rig_set(&m, "branch.tage_kib=64");
	rig_set(&m, "branch.ittage_kib=32");
	assert_float_equal(interval_estimate_directions(p, &m).off, 0, 0);
	assert_float_equal(interval_estimate_targets(p, &m).off, 0, 0);
	free(p);
}

/* Always the same answer gets 300 or 700 of 1000 branches wrong. */
static void predictors_without_tables(void **state)
{
	struct interval_profile *p = calloc(1, sizeof *p);
	struct machine m = rig_machine("description: d\nbranch: { predictor: static }\n");
	for (unsigned i = 0; i < INTERVAL_PREDICTORS; i++)
		p->predictor[i].branch.kind = INTERVAL_NOT_RUN;
	add(p, 1, "bimodal-4k", (struct interval_branch){.kind = direction_predictor_bimodal, .bimodal = 4096}, 100, 0);
	p->mix.branch[CULPRIT_BRANCH_CONDITIONAL] = 1000;
	p->mix.taken[CULPRIT_BRANCH_CONDITIONAL] = 700;
	struct interval_direction_estimate e = interval_estimate_directions(p, &m);
	assert_float_equal(e.count, 100, 0);
	assert_float_equal(e.off, 600, 0);
	free(p);
}

static void return_stacks_between_the_sizes(void **state)
{
	struct interval_returns r = {.wrong = {800, 700, 600, 500, 400, 300, 200, 100}};
	assert_float_equal(interval_estimate_returns(&r, 16).count, 400, 0);
	assert_float_equal(interval_estimate_returns(&r, 16).off, 0, 1e-9);
	assert_float_equal(interval_estimate_returns(&r, 12).count, 400, 0); /* 4 / 3 of it, and 3 / 2 of 8 */
	assert_float_equal(interval_estimate_returns(&r, 12).off, 100 * log2(4.0 / 3), 1e-9);
	assert_float_equal(interval_estimate_returns(&r, 10).count, 500, 0);
	assert_float_equal(interval_estimate_returns(&r, 1024).count, 100, 0);
	assert_float_equal(interval_estimate_returns(&r, 1024).off, 300, 1e-9);
	assert_float_equal(interval_estimate_returns(&r, 0).off, 100, 0); /* unlimited: no fewer than none */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tlbs_of_many_ways),
		cmocka_unit_test(lines_of_other_sizes),
		cmocka_unit_test(predictors_by_kind_then_size),
		cmocka_unit_test(predictors_without_tables),
		cmocka_unit_test(return_stacks_between_the_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
