/* The predictors on one synthetic program: better ones must be better, bigger ones not worse. Prints the table of
 * docs/decisions/branch-prediction.md. */
#include "machine/predictor_mix.h"

#include <stdio.h>
#include <stdlib.h>

enum { BRANCHES = 500000, WARM = 50000 };

static const char *const names[] = {
	[direction_predictor_static_] = "static",      [direction_predictor_taken] = "taken",
	[direction_predictor_not_taken] = "not taken", [direction_predictor_bimodal] = "bimodal",
	[direction_predictor_gshare] = "gshare",       [direction_predictor_bi_mode] = "bi-mode",
	[direction_predictor_combined] = "combined",   [direction_predictor_tage_sc_l] = "TAGE-SC-L",
	[direction_predictor_oracle] = "oracle"};

struct score {
	uint64_t branches, conditional, indirect, returns;
};

static double mpki(uint64_t misses)
{
	return 1000.0 * (double)misses / ((double)(BRANCHES - WARM) * MIX_INSNS_PER_BRANCH);
}

static struct score run(const struct machine *m, const struct branch_query *program)
{
	struct score s = {0};
	struct predictor *p = predictor_for(m);
	for (int i = 0; i < BRANCHES; i++) {
		struct prediction pred;
		bool missed = !branch_through(p, &program[i], &pred) && i >= WARM;
		s.branches += missed;
		s.conditional += missed && program[i].kind == CULPRIT_BRANCH_CONDITIONAL;
		s.returns += missed && program[i].kind == CULPRIT_BRANCH_RETURN;
	}
	s.indirect = s.branches - s.conditional - s.returns;
	struct predictor_storage bits = predictor_storage_bits(p);
	print_message("| %-10s | %-7s | %9llu | %9llu | %7.2f | %7.2f | %7.2f |\n", names[m->branch_predictor],
		      m->branch_indirect == indirect_predictor_btb ? "BTB" : "ITTAGE",
		      (unsigned long long)bits.direction, (unsigned long long)bits.indirect, mpki(s.conditional),
		      mpki(s.indirect), mpki(s.branches));
	predictor_destroy(p);
	return s;
}

static struct branch_query *program_create(void)
{
	struct mix *x = malloc(sizeof *x);
	struct branch_query *program = malloc(BRANCHES * sizeof *program);
	assert_true(x && program);
	mix_start(x, 1);
	for (int i = 0; i < BRANCHES; i++)
		program[i] = mix_next(x);
	free(x);
	return program;
}

static void test_simple_order(void **state)
{
	static const enum direction_predictor worse_to_better[] = {
		direction_predictor_not_taken, direction_predictor_static_,  direction_predictor_bimodal,
		direction_predictor_gshare,    direction_predictor_combined, direction_predictor_tage_sc_l,
		direction_predictor_oracle,
	};
	uint64_t last = UINT64_MAX;
	for (size_t i = 0; i < sizeof worse_to_better / sizeof worse_to_better[0]; i++) {
		struct machine m = machine_with(worse_to_better[i]);
		struct score s = run(&m, *state);
		assert_true(s.conditional < last);
		last = s.conditional;
	}
	assert_int_equal(last, 0);
}

static void test_sizes(void **state)
{
	struct score last = {.conditional = UINT64_MAX, .indirect = UINT64_MAX};
	for (uint32_t kib = 8; kib <= 256; kib *= 2) {
		struct machine m = machine_with(direction_predictor_tage_sc_l);
		m.branch_tage_kib = kib;
		m.branch_ittage_kib = kib;
		m.branch_indirect = indirect_predictor_ittage;
		struct score s = run(&m, *state);
		assert_true(s.conditional < last.conditional);
		assert_true(s.indirect < last.indirect);
		last = s;
	}
}

/* ITTAGE must beat the last target on the interpreters of the mix, clearly. */
static void test_indirect(void **state)
{
	struct machine m = machine_with(direction_predictor_combined);
	struct score btb = run(&m, *state);
	m.branch_indirect = indirect_predictor_ittage;
	struct score ittage = run(&m, *state);
	assert_int_equal(btb.conditional, ittage.conditional);
	assert_true(2 * ittage.indirect < btb.indirect);
}

static int setup(void **state)
{
	*state = program_create();
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple_order),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_indirect),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
