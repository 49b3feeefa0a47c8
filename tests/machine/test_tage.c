/* TAGE-SC-L: the folded history against its definition, the storage budget, and patterns that one component after
 * the other must learn, where gshare or TAGE alone cannot. */
#include "machine/predictor_rig.h"

#include "machine/tage.h"

/* Fold bit by bit: the bit of age a goes to position a mod HISTORY_FOLD. */
static uint64_t fold_by_definition(const bool *newest_last, int count, int length)
{
	uint64_t fold = 0;
	for (int age = 0; age < length && age < count; age++)
		fold ^= (uint64_t)newest_last[count - 1 - age] << age % HISTORY_FOLD;
	return fold;
}

static void test_folds(void **state)
{
	(void)state;
	static const uint16_t lengths[HISTORY_TABLES] = {1, 2, 7, 60, 61, 62, 121, 122, 123, 500, 1000, 2000};
	static struct history h;
	static bool bits[5000];
	history_create(&h, lengths, HISTORY_TABLES);
	uint64_t seed = 3;
	for (int n = 1; n <= 5000; n++) {
		bits[n - 1] = rig_random(&seed) & 1;
		history_push(&h, bits[n - 1], HISTORY_TABLES);
		for (int i = 0; i < HISTORY_TABLES && n % 7 == 0; i++)
			assert_true(h.now.fold[i] == fold_by_definition(bits, n, lengths[i]));
	}
}

/* Each budget is kept and at least 95% used; the sum is stated here once more, from the geometry's columns. */
static void test_storage(void **state)
{
	(void)state;
	for (uint32_t kib = 8; kib <= 256; kib *= 2) {
		struct machine m = machine_with(direction_predictor_tage_sc_l);
		m.branch_tage_kib = kib;
		struct predictor *p = predictor_for(&m);
		uint64_t bits = predictor_storage_bits(p).direction;
		assert_in_range(bits, kib * 8192 * 95 / 100, kib * 8192);
		predictor_destroy(p);
	}
	struct tage *t = tage_create(64, NULL);
	uint64_t tags = 0;
	for (int i = 0; i < 12; i++)
		tags += 9 + i / 2;
	uint64_t expected = 2048 * (tags + 12 * 5) /* tagged */ + 8192 * 2 /* base */ + 13 * 1024 * 6 /* corrector */ +
			    256 * 11 + 64 * 6 + 12 + 14 + 10 + 40 /* its histories and thresholds */ +
			    64 * (10 + 30 + 8 + 1) + 7 /* loops */ + 1000 + 16 /* histories */ + 64 + 10 + 64;
	assert_int_equal(tage_storage_bits(t), expected);
	tage_destroy(t);
	struct error err = {0};
	assert_null(tage_create(48, &err));
	assert_non_null(strstr(err.text, "tage_kib"));
}

struct tally {
	int misses, count, by_component[PREDICTOR_COMPONENT_COUNT];
};

static void tally(struct tally *t, struct predictor *p, struct branch_query q, bool counts)
{
	struct prediction pred;
	bool right = branch_through(p, &q, &pred);
	if (!counts)
		return;
	t->misses += !right;
	t->count++;
	t->by_component[pred.component]++;
}

/* A coin is tossed, `distance` always-taken branches pass, then a branch repeats the coin. */
static struct tally echo(enum direction_predictor kind, int distance, int rounds)
{
	struct machine m = machine_with(kind);
	struct predictor *p = predictor_for(&m);
	struct tally t = {0};
	uint64_t seed = 11;
	for (int i = 0; i < 2 * rounds; i++) {
		bool coin = rig_random(&seed) & 1;
		run_branch(p, conditional(0x1234, 0x1334, coin));
		for (int k = 0; k < distance; k++)
			run_branch(p, conditional(0x2000 + 8 * (uint64_t)k, 0x3000, true));
		tally(&t, p, conditional(0x4568, 0x4600, coin), i >= rounds);
	}
	predictor_destroy(p);
	return t;
}

/* gshare's 12 outcomes reach over a distance of 11; TAGE's lengths go much further (1000 at 64 KiB). */
static void test_long_correlation(void **state)
{
	(void)state;
	assert_true(echo(direction_predictor_gshare, 8, 2000).misses < 20);
	assert_in_range(echo(direction_predictor_gshare, 20, 2000).misses, 900, 1100);
	assert_in_range(echo(direction_predictor_combined, 20, 2000).misses, 900, 1100);
	assert_true(echo(direction_predictor_tage_sc_l, 8, 2000).misses < 20);
	assert_true(echo(direction_predictor_tage_sc_l, 20, 2000).misses < 20);
	assert_true(echo(direction_predictor_tage_sc_l, 100, 2000).misses < 20);
	assert_true(echo(direction_predictor_tage_sc_l, 400, 2000).misses < 40);
}

/* A random pattern of `period` outcomes at one branch, repeated. */
static int long_pattern_misses(enum direction_predictor kind, int period)
{
	struct machine m = machine_with(kind);
	struct predictor *p = predictor_for(&m);
	struct tally t = {0};
	for (int round = 0; round < 60; round++) {
		uint64_t seed = 17;
		for (int i = 0; i < period; i++)
			tally(&t, p, conditional(0x1000, 0x900, rig_random(&seed) & 1), round >= 50);
	}
	predictor_destroy(p);
	return t.misses;
}

/* Ten rounds of 3000 outcomes: 12 bits of history occur about 3000 / 4096 times each by chance, so gshare mixes many
 * of them up; TAGE tells all apart. */
static void test_long_period(void **state)
{
	(void)state;
	int gshare = long_pattern_misses(direction_predictor_gshare, 3000);
	int tage = long_pattern_misses(direction_predictor_tage_sc_l, 3000);
	assert_true(gshare > 2000);
	assert_true(tage < 60);
}

/* A wrong path that runs on in the loop, and comes back. */
static void astray_in_loop(struct predictor *p, int branches)
{
	uint64_t save[1024];
	assert_true(predictor_save_size(p) <= sizeof save);
	predictor_save(p, save);
	for (int i = 0; i < branches; i++) {
		struct branch_query q = conditional(0x1020, 0x0ff0, i % 5 != 4);
		predictor_speculate(p, &q, q.actual_taken, q.actual_next);
	}
	predictor_restore(p, save);
}

/* A loop of 300 trips whose body tosses a coin: no global history shows the count, the loop predictor does. */
static void test_loop_predictor(void **state)
{
	(void)state;
	struct machine m = machine_with(direction_predictor_tage_sc_l);
	struct predictor *p = predictor_for(&m);
	struct tally exits = {0}, body = {0};
	uint64_t seed = 23;
	for (int round = 0; round < 200; round++)
		for (int i = 0; i < 300; i++) {
			bool right = run_branch(p, conditional(0x1000, 0x1100, rig_random(&seed) & 1));
			astray_in_loop(p, right ? 0 : i % 8);
			tally(i == 299 ? &exits : &body, p, conditional(0x1020, 0x0ff0, i != 299), round >= 100);
		}
	assert_int_equal(exits.count, 100);
	assert_int_equal(exits.misses, 0);
	assert_int_equal(body.misses, 0);
	assert_int_equal(exits.by_component[PREDICTOR_LOOP], 100);
	/* When the trip count changes, it is learnt anew. */
	struct tally changed = {0};
	for (int round = 0; round < 100; round++)
		for (int i = 0; i < 200; i++) {
			run_branch(p, conditional(0x1000, 0x1100, rig_random(&seed) & 1));
			tally(&changed, p, conditional(0x1020, 0x0ff0, i != 199), round >= 60);
		}
	assert_int_equal(changed.misses, 0);
	predictor_destroy(p);
}

/* Eleven branches with a period of 7 of their own each, called in random order: the global history is noise, the
 * local one tells all. TAGE's tables alone, fed the same, do badly. */
static void test_local_history(void **state)
{
	(void)state;
	struct machine m = machine_with(direction_predictor_tage_sc_l);
	struct predictor *p = predictor_for(&m);
	struct tage *alone = tage_create(64, NULL);
	struct tally t = {0};
	int alone_misses = 0, visits[11] = {0};
	uint64_t seed = 29;
	for (int i = 0; i < 80000; i++) {
		int which = (int)(rig_random(&seed) % 11);
		bool taken = 0x35 >> visits[which]++ % 7 & 1;
		struct branch_query q = conditional(0x1000 + 0x52 * (uint64_t)which, 0x8000, taken);
		tally(&t, p, q, i >= 40000);
		struct tage_note note;
		tage_tables_predict(alone, q.pc, &note);
		alone_misses += i >= 40000 && note.tage_taken != taken;
		tage_speculate(alone, &q, taken, q.actual_next);
		tage_tables_update(alone, q.pc, &note, taken);
	}
	assert_true(t.misses < 400);
	assert_true(alone_misses > 4000);
	assert_true(t.by_component[PREDICTOR_CORRECTOR] > 1000);
	tage_destroy(alone);
	predictor_destroy(p);
}

/* An inner loop of 24 with a branch that depends on the iteration alone, in a fixed pattern, and is reached in half of
 * the iterations only, at random: neither its own history nor the global one tells the iteration, the IMLI count does. */
static void test_iteration_count(void **state)
{
	(void)state;
	struct machine m = machine_with(direction_predictor_tage_sc_l);
	struct predictor *p = predictor_for(&m);
	struct tally t = {0};
	uint64_t seed = 31;
	for (int round = 0; round < 3000; round++)
		for (int i = 0; i < 24; i++) {
			bool reached = rig_random(&seed) & 1;
			run_branch(p, conditional(0x1000, 0x1100, !reached));
			if (reached)
				tally(&t, p, conditional(0x1020, 0x1100, 0x9d2c56 >> i & 1), round >= 2000);
			run_branch(p, conditional(0x1040, 0x0ff0, i != 23));
		}
	assert_true(t.misses < t.count / 50);
	predictor_destroy(p);
}

/* Tables full of useful entries must age, or a program's next phase finds no room: six phases, each with 16 branches
 * that echo a coin at distances of their own, at the smallest budget. */
static void test_ageing(void **state)
{
	(void)state;
	struct tage *t = tage_create(8, NULL);
	int misses[6] = {0}, at = 0;
	bool coins[64] = {0};
	uint64_t seed = 53;
	for (int i = 0; i < 6 * 60000; i++) {
		int phase = i / 60000;
		uint64_t site = (uint64_t)i % 16;
		bool taken = site % 2 ? coins[(at - 1 - (int)(site / 4)) & 63] : rig_random(&seed) & 1;
		struct branch_query q = conditional(0x10000 + (uint64_t)phase * 0x1500 + 0x22 * site, 0x8000, taken);
		struct tage_note note;
		tage_tables_predict(t, q.pc, &note);
		misses[phase] += site % 2 && i % 60000 >= 30000 && note.tage_taken != taken;
		tage_speculate(t, &q, taken, q.actual_next);
		tage_tables_update(t, q.pc, &note, taken);
		assert_true(t->pressure < 1023);
		coins[at++ & 63] = taken;
	}
	for (int phase = 0; phase < 6; phase++)
		assert_true(misses[phase] < 2000); /* of 15000; without ageing 3000 to 6000 in the last three */
	tage_destroy(t);
}

/* TAGE's tables alone, on coins that fall on one side nine times in ten: weak new entries must not be trusted over
 * what the base knows. */
static void test_alternate(void **state)
{
	(void)state;
	struct tage *t = tage_create(64, NULL);
	int misses = 0, exceptions = 0;
	uint64_t seed = 59;
	for (int i = 0; i < 100000; i++) {
		bool taken = rig_random(&seed) % 10 != 0;
		struct branch_query q = conditional(0x1000 + 0x40 * (uint64_t)(i % 5), 0x8000, taken);
		struct tage_note note;
		tage_tables_predict(t, q.pc, &note);
		misses += note.tage_taken != taken;
		exceptions += !taken;
		tage_speculate(t, &q, taken, q.actual_next);
		tage_tables_update(t, q.pc, &note, taken);
	}
	assert_true(misses < exceptions * 13 / 10);
	tage_destroy(t);
}

/* Taken nine times in ten at random: nothing beats saying taken; a predictor that chases noise does worse. */
static void test_biased(void **state)
{
	(void)state;
	struct machine m = machine_with(direction_predictor_tage_sc_l);
	struct predictor *p = predictor_for(&m);
	struct tally t = {0};
	uint64_t seed = 37;
	int exceptions = 0;
	for (int i = 0; i < 100000; i++) {
		bool taken = rig_random(&seed) % 10 != 0;
		exceptions += i >= 50000 && !taken;
		tally(&t, p, conditional(0x1000 + 0x40 * (uint64_t)(i % 5), 0x8000, taken), i >= 50000);
	}
	assert_true(t.misses < exceptions * 105 / 100);
	predictor_destroy(p);
}

/* The corrector's threshold rises while its sums are wrong (outcomes at random), and falls while they are right. */
static void test_threshold(void **state)
{
	(void)state;
	struct corrector c;
	struct corrector_spec spec = {0};
	assert_true(corrector_create(&c, 10));
	int start = c.threshold, risen = 0;
	uint64_t seed = 61;
	for (int i = 0; i < 40000; i++) {
		bool random = i < 20000;
		bool taken = random ? rig_random(&seed) & 1 : i % 3 == 0;
		struct corrector_input in = {.pc = 0x1000, .tage_taken = rig_random(&seed) & 1};
		struct corrector_note note;
		corrector_predict(&c, &spec, &in, &note);
		corrector_speculate(&spec, in.pc, false, taken);
		corrector_update(&c, in.pc, &note, taken);
		if (i == 20000)
			risen = c.threshold;
	}
	assert_true(risen > start);
	assert_true(c.threshold < risen);
	corrector_destroy(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folds),
		cmocka_unit_test(test_storage),
		cmocka_unit_test(test_long_correlation),
		cmocka_unit_test(test_long_period),
		cmocka_unit_test(test_loop_predictor),
		cmocka_unit_test(test_local_history),
		cmocka_unit_test(test_iteration_count),
		cmocka_unit_test(test_ageing),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_alternate),
		cmocka_unit_test(test_biased),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
