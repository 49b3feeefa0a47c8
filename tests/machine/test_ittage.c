/* ITTAGE against the BTB's last target: history-dependent targets, interpreters, targets that never change. */
#include "machine/predictor_rig.h"

static struct predictor *with_indirect(enum indirect_predictor indirect, uint32_t kib)
{
	struct machine m = machine_with(direction_predictor_bimodal);
	m.branch_indirect = indirect;
	m.branch_ittage_kib = kib;
	return predictor_for(&m);
}

/* Two targets, chosen by a coin that a conditional branch showed `distance` conditional branches before. */
static int echo_misses(enum indirect_predictor indirect, int distance)
{
	struct predictor *p = with_indirect(indirect, 64);
	int misses = 0;
	uint64_t seed = 41;
	for (int i = 0; i < 4000; i++) {
		bool coin = rig_random(&seed) & 1;
		run_branch(p, conditional(0x1234, 0x1334, coin));
		for (int k = 0; k < distance; k++)
			run_branch(p, conditional(0x2000 + 8 * (uint64_t)k, 0x3000, true));
		bool right = run_branch(p, jump(CULPRIT_BRANCH_INDIRECT_CALL, 0x4568, coin ? 0x5000 : 0x6000));
		misses += i >= 2000 && !right;
	}
	predictor_destroy(p);
	return misses;
}

static void test_correlation(void **state)
{
	(void)state;
	assert_in_range(echo_misses(indirect_predictor_btb, 2), 900, 1100);
	assert_true(echo_misses(indirect_predictor_ittage, 2) < 10);
	assert_true(echo_misses(indirect_predictor_ittage, 40) < 10);
	assert_true(echo_misses(indirect_predictor_ittage, 150) < 40);
}

/* One dispatch jump that runs a loop of 60 operations of 8 kinds: after a few operations the next one is known. */
static int interpreter_misses(enum indirect_predictor indirect, uint32_t kib)
{
	struct predictor *p = with_indirect(indirect, kib);
	int misses = 0;
	for (int round = 0; round < 100; round++) {
		uint64_t seed = 43;
		for (int i = 0; i < 60; i++) {
			uint64_t handler = 0x10000 + 0x3a * (rig_random(&seed) % 8);
			bool right = run_branch(p, jump(CULPRIT_BRANCH_INDIRECT_JUMP, 0x1000, handler));
			misses += round >= 50 && !right;
		}
	}
	predictor_destroy(p);
	return misses;
}

static void test_interpreter(void **state)
{
	(void)state;
	assert_true(interpreter_misses(indirect_predictor_btb, 64) > 2000); /* 7 in 8 of 3000 by chance */
	assert_true(interpreter_misses(indirect_predictor_ittage, 64) < 15);
	assert_true(interpreter_misses(indirect_predictor_ittage, 4) < 300);
}

/* Targets that never change: one miss each (the first), with noise in the history and with either predictor. */
static void test_constant_targets(void **state)
{
	(void)state;
	for (int indirect = 0; indirect < 2; indirect++) {
		struct predictor *p = with_indirect(indirect, 64);
		int misses = 0;
		uint64_t seed = 47;
		for (int i = 0; i < 20000; i++) {
			uint64_t site = rig_random(&seed) % 20;
			run_branch(p, conditional(0x1000, 0x1100, rig_random(&seed) & 1));
			misses += !run_branch(
				p, jump(CULPRIT_BRANCH_INDIRECT_CALL, 0x2000 + 0x22 * site, 0x9000 + 64 * site));
		}
		assert_int_equal(misses, 20);
		predictor_destroy(p);
	}
}

/* A jump that moved for good is followed after one miss, or two where the old target had gained confidence. */
static void test_moved_target(void **state)
{
	(void)state;
	struct predictor *p = with_indirect(indirect_predictor_ittage, 4);
	for (int move = 0; move < 10; move++) {
		int misses = 0;
		for (int i = 0; i < 200; i++)
			misses += !run_branch(
				p, jump(CULPRIT_BRANCH_INDIRECT_JUMP, 0x1000, 0x2000 + 0x100 * (uint64_t)move));
		assert_in_range(misses, 1, 10);
	}
	predictor_destroy(p);
}

static void test_storage(void **state)
{
	(void)state;
	for (uint32_t kib = 4; kib <= 256; kib *= 2) {
		struct predictor *p = with_indirect(indirect_predictor_ittage, kib);
		uint64_t bits = predictor_storage_bits(p).indirect;
		/* Tables of a power of two of 54-bit entries: 128 for each KiB. */
		assert_in_range(bits, kib * 128 * 54, kib * 8192);
		predictor_destroy(p);
	}
	struct machine m = machine_with(direction_predictor_bimodal);
	m.branch_indirect = indirect_predictor_ittage;
	m.branch_ittage_kib = 24;
	struct error err = {0};
	assert_null(predictor_create(&m, &err));
	assert_non_null(strstr(err.text, "ittage_kib"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_correlation),	 cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_constant_targets), cmocka_unit_test(test_moved_target),
		cmocka_unit_test(test_storage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
