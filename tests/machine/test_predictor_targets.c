/* BTB and return address stack: hits, replacement, overflow, underflow, repair after a wrong path. */
#include "machine/predictor_rig.h"

static struct prediction predict(struct predictor *p, struct branch_query q)
{
	struct prediction pred;
	predictor_predict(p, &q, &pred);
	return pred;
}

static struct predictor *with_btb(uint32_t entries, uint32_t ways)
{
	struct machine m = default_machine();
	m.branch_btb_entries = entries;
	m.branch_btb_ways = ways;
	return predictor_for(&m);
}

/* Direct jumps are known with or without the BTB; btb_hit tells whether fetch knew. */
static void test_direct(void **state)
{
	(void)state;
	struct predictor *p = with_btb(16, 2);
	struct branch_query q = jump(CULPRIT_BRANCH_JUMP, 0x1000, 0x2000);
	struct prediction pred = predict(p, q);
	assert_true(pred.taken && pred.target_known && !pred.btb_hit);
	assert_int_equal(pred.next_pc, 0x2000);
	run_branch(p, q);
	assert_true(predict(p, q).btb_hit);
	/* A conditional branch enters when it is taken, not before. */
	run_branch(p, conditional(0x1010, 0x800, false));
	assert_false(predict(p, conditional(0x1010, 0x800, true)).btb_hit);
	run_branch(p, conditional(0x1010, 0x800, true));
	assert_true(predict(p, conditional(0x1010, 0x800, true)).btb_hit);
	predictor_destroy(p);
}

/* The last target of an indirect jump. */
static void test_indirect(void **state)
{
	(void)state;
	for (uint32_t entries = 0; entries <= 16; entries += 16) {
		struct predictor *p = with_btb(entries, 2);
		assert_false(predict(p, jump(CULPRIT_BRANCH_INDIRECT_JUMP, 0x1000, 0x2000)).target_known);
		for (uint64_t target = 0x2000; target < 0x3000; target += 0x100) {
			run_branch(p, jump(CULPRIT_BRANCH_INDIRECT_JUMP, 0x1000, target));
			struct prediction pred = predict(p, jump(CULPRIT_BRANCH_INDIRECT_JUMP, 0x1000, 0));
			assert_true(pred.target_known && pred.btb_hit && pred.taken);
			assert_int_equal(pred.next_pc, target);
		}
		predictor_destroy(p);
	}
}

/* 8 sets of 2: three branches of one set; the one used longest ago goes, however often it was used before. */
static void test_replacement(void **state)
{
	(void)state;
	struct predictor *p = with_btb(16, 2);
	struct branch_query a = jump(CULPRIT_BRANCH_JUMP, 0x1000, 0x9000);
	struct branch_query b = jump(CULPRIT_BRANCH_JUMP, 0x1000 + 16, 0x9000);
	struct branch_query c = jump(CULPRIT_BRANCH_JUMP, 0x1000 + 32, 0x9000);
	struct branch_query other = jump(CULPRIT_BRANCH_JUMP, 0x1000 + 2, 0x9000);
	run_branch(p, other);
	run_branch(p, a);
	run_branch(p, b);
	run_branch(p, a);
	run_branch(p, c);
	assert_true(predict(p, a).btb_hit);
	assert_false(predict(p, b).btb_hit);
	assert_true(predict(p, c).btb_hit);
	assert_true(predict(p, other).btb_hit);
	for (int i = 0; i < 5; i++)
		run_branch(p, a);
	run_branch(p, c);
	run_branch(p, b);
	assert_false(predict(p, a).btb_hit);
	predictor_destroy(p);
}

/* Full associativity: any 16 branches stay, the 17th drives out the oldest. */
static void test_fully_associative(void **state)
{
	(void)state;
	struct predictor *p = with_btb(16, 0);
	for (uint64_t i = 0; i < 17; i++) {
		for (uint64_t j = 0; j < i; j++)
			assert_int_equal(predict(p, jump(CULPRIT_BRANCH_JUMP, 0x1000 + j * 64, 0x9000)).btb_hit, 1);
		run_branch(p, jump(CULPRIT_BRANCH_JUMP, 0x1000 + i * 64, 0x9000));
	}
	assert_false(predict(p, jump(CULPRIT_BRANCH_JUMP, 0x1000, 0x9000)).btb_hit);
	predictor_destroy(p);
}

/* The perfect BTB knows every direct branch at once and forgets no indirect one, however many there are. */
static void test_perfect(void **state)
{
	(void)state;
	struct predictor *p = with_btb(0, 0);
	assert_true(predict(p, jump(CULPRIT_BRANCH_CALL, 0x1234, 0x5678)).btb_hit);
	assert_true(predict(p, conditional(0x1234, 0x1000, true)).btb_hit);
	for (uint64_t i = 0; i < 10000; i++)
		run_branch(p, jump(CULPRIT_BRANCH_INDIRECT_CALL, 0x10000 + 2 * i, 0x90000 + 4 * i));
	for (uint64_t i = 0; i < 10000; i++) {
		struct prediction pred = predict(p, jump(CULPRIT_BRANCH_INDIRECT_CALL, 0x10000 + 2 * i, 0));
		assert_true(pred.target_known && pred.btb_hit);
		assert_int_equal(pred.next_pc, 0x90000 + 4 * i);
	}
	predictor_destroy(p);
}

/* How late each kind is, and where fetch goes without a target: the next block of 16 bytes, or behind the branch. */
static void test_next_block(void **state)
{
	(void)state;
	const uint64_t behind[][2] = {{0, 0x100c}, {16, 0x1010}};
	const uint8_t kinds[] = {CULPRIT_BRANCH_INDIRECT_JUMP, CULPRIT_BRANCH_INDIRECT_CALL, CULPRIT_BRANCH_RETURN};
	for (unsigned b = 0; b < 2; b++) {
		struct machine m = default_machine();
		m.fetch_block = (uint32_t)behind[b][0];
		m.branch_indirect = indirect_predictor_next_block;
		m.branch_returns = return_predictor_next_block;
		m.branch_indirect_bubble = 3;
		m.branch_return_bubble = 2;
		m.branch_call_bubble = b ? 5 : 0;
		m.branch_btb_direct = true;
		const uint8_t late[] = {3, b ? 5 : 3, 2};
		struct predictor *p = predictor_for(&m);
		for (unsigned k = 0; k < 3; k++)
			for (unsigned again = 0; again < 2; again++) {
				struct prediction pred;
				struct branch_query q = jump(kinds[k], 0x1008, 0x4000);
				branch_through(p, &q, &pred);
				assert_true(pred.taken && pred.target_known && pred.btb_hit);
				assert_int_equal(pred.next_pc, behind[b][1]);
				assert_int_equal(pred.late, late[k]);
			}
		predictor_destroy(p);
	}
}

static struct predictor *with_ras(uint32_t entries)
{
	struct machine m = default_machine();
	m.branch_ras = entries;
	return predictor_for(&m);
}

/* `depth` calls, then as many returns: the innermost `entries` are right, the rest find the stack empty. */
static void test_ras_depth(void **state)
{
	(void)state;
	struct predictor *p = with_ras(8);
	for (uint64_t depth = 1; depth <= 20; depth++) {
		for (uint64_t i = 0; i < depth; i++)
			run_branch(p, jump(i & 1 ? CULPRIT_BRANCH_CALL : CULPRIT_BRANCH_INDIRECT_CALL, 0x1000 * (i + 1),
					   0x1000 * (i + 2) - 0x100));
		for (uint64_t i = depth; i-- > 0;) {
			struct branch_query q = jump(CULPRIT_BRANCH_RETURN, 0x1000 * (i + 2) - 4, 0x1000 * (i + 1) + 4);
			struct prediction pred = predict(p, q);
			assert_int_equal(pred.target_known, depth - i <= 8);
			assert_int_equal(run_branch(p, q), depth - i <= 8);
			assert_int_equal(pred.component, PREDICTOR_RAS);
		}
	}
	predictor_destroy(p);
}

static void test_ras_perfect(void **state)
{
	(void)state;
	struct predictor *p = with_ras(0);
	for (uint64_t i = 0; i < 100; i++)
		assert_true(run_branch(p, jump(CULPRIT_BRANCH_RETURN, 0x1000, 0x2000 + 8 * i)));
	predictor_destroy(p);
}

/* A compressed call returns two bytes further on. */
static void test_ras_length(void **state)
{
	(void)state;
	struct predictor *p = with_ras(8);
	struct branch_query q = jump(CULPRIT_BRANCH_INDIRECT_CALL, 0x1000, 0x2000);
	q.length = 2;
	run_branch(p, q);
	assert_int_equal(predict(p, jump(CULPRIT_BRANCH_RETURN, 0x2000, 0)).next_pc, 0x1002);
	predictor_destroy(p);
}

/* Two coroutines that switch with `jalr t0, t0`-like jumps: each pops the other's address and pushes its own. */
static void test_coroutine(void **state)
{
	(void)state;
	struct predictor *p = with_ras(4);
	run_branch(p, jump(CULPRIT_BRANCH_CALL, 0x1000, 0x2000));
	uint64_t here = 0x2000, there = 0x1004;
	for (int i = 0; i < 20; i++) {
		struct branch_query q = jump(CULPRIT_BRANCH_INDIRECT_CALL, here, there);
		q.link_register = 1;
		struct prediction pred = predict(p, q);
		assert_int_equal(pred.component, PREDICTOR_RAS);
		assert_true(run_branch(p, q));
		uint64_t next = here + 4;
		here = there;
		there = next;
	}
	predictor_destroy(p);
}

static void wander(struct predictor *p, const uint8_t *kinds, int count)
{
	for (int i = 0; i < count; i++) {
		struct branch_query q = jump(kinds[i], 0x70000 + 16 * (uint64_t)i, 0x80000);
		predictor_speculate(p, &q, true, 0x80000);
	}
}

/* What the repair of pointer and top entry restores, and what it does not. */
static void test_ras_repair(void **state)
{
	(void)state;
	enum { C = CULPRIT_BRANCH_CALL, R = CULPRIT_BRANCH_RETURN };
	static const struct {
		uint8_t kinds[6];
		int count, right; /* returns right after the repair, of 3 */
	} cases[] = {
		{{C, C, C}, 3, 3}, /* pushes only */
		{{R, R, R}, 3, 3}, /* pops only */
		{{R, C}, 2, 3},	   /* top overwritten: repaired */
		{{R, C, C}, 3, 3},
		{{R, R, C}, 3, 2},	 /* second entry overwritten: lost */
		{{R, R, R, C, C}, 5, 1}, /* second and third */
		{{R, R, C, C, C, R}, 6, 2},
	};
	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct predictor *p = with_ras(16);
		for (uint64_t i = 1; i <= 3; i++)
			run_branch(p, jump(CULPRIT_BRANCH_CALL, 0x1000 * i, 0x1000 * (i + 1)));
		uint64_t save[512];
		predictor_save(p, save);
		wander(p, cases[k].kinds, cases[k].count);
		predictor_restore(p, save);
		int right = 0;
		for (uint64_t i = 3; i >= 1; i--)
			right += run_branch(p, jump(CULPRIT_BRANCH_RETURN, 0x5000, 0x1000 * i + 4));
		assert_int_equal(right, cases[k].right);
		predictor_destroy(p);
	}
}

/* The oracle, chosen as predictor or by idealising bmisp, is right about everything and knows every branch. */
static void test_oracle(void **state)
{
	(void)state;
	for (int ideal = 0; ideal < 2; ideal++) {
		struct machine m = machine_with(ideal ? direction_predictor_bimodal : direction_predictor_oracle);
		m.ideal = ideal ? CULPRIT_EVENT_BIT(bmisp) : 0;
		struct predictor *p = predictor_for(&m);
		uint64_t seed = 1;
		for (int i = 0; i < 1000; i++) {
			uint64_t r = rig_random(&seed);
			uint8_t kind = 1 + r % (CULPRIT_BRANCH_COUNT - 1);
			struct branch_query q = kind == CULPRIT_BRANCH_CONDITIONAL
							? conditional(r & 0xfffe, r >> 20 & 0xfffe, r >> 50 & 1)
							: jump(kind, r & 0xfffe, r >> 20 & 0xfffe);
			struct prediction pred = predict(p, q);
			assert_true(prediction_right(&q, &pred) && pred.btb_hit);
			run_branch(p, q);
		}
		predictor_destroy(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),	    cmocka_unit_test(test_indirect),
		cmocka_unit_test(test_replacement), cmocka_unit_test(test_fully_associative),
		cmocka_unit_test(test_next_block),  cmocka_unit_test(test_perfect),
		cmocka_unit_test(test_ras_depth),   cmocka_unit_test(test_ras_perfect),
		cmocka_unit_test(test_ras_length),  cmocka_unit_test(test_coroutine),
		cmocka_unit_test(test_ras_repair),  cmocka_unit_test(test_oracle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
