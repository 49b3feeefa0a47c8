/* The simple direction predictors: against a textbook model written here, and on patterns whose mispredictions
 * follow by arithmetic. */
#include "machine/predictor_rig.h"

/* Bimodal, gshare and McFarling's combination as the textbook tells them, with integers -2..1 for the counters
 * (taken when >= 0) and a history kept as an array, newest first. */
enum { OWN_HISTORIES = 32 };

struct textbook {
	unsigned bits[3], history_length;
	int8_t bimodal[1024], gshare[1024], meta[1024];
	bool history[64];
	bool own[OWN_HISTORIES][64]; /* tournament */
};

static void textbook_start(struct textbook *t, const struct machine *m)
{
	*t = (struct textbook){.history_length = m->branch_history};
	t->bits[0] = (unsigned)__builtin_ctz(m->branch_bimodal_entries);
	t->bits[1] = (unsigned)__builtin_ctz(m->branch_gshare_entries);
	t->bits[2] = (unsigned)__builtin_ctz(m->branch_meta_entries);
	for (int i = 0; i < 1024; i++)
		t->meta[i] = -1;
}

static unsigned pc_bit(uint64_t pc, unsigned i)
{
	return pc >> (i + 1) & 1;
}

static unsigned textbook_index(const struct textbook *t, int table, uint64_t pc)
{
	unsigned index = 0;
	for (unsigned i = 0; i < t->bits[table]; i++) {
		unsigned bit = pc_bit(pc, i);
		if (table == 1)
			for (unsigned h = i; h < t->history_length; h += t->bits[1])
				bit ^= t->history[h];
		index |= bit << i;
	}
	return index;
}

static void textbook_train(int8_t *counter, bool up)
{
	if (up && *counter < 1)
		++*counter;
	if (!up && *counter > -2)
		--*counter;
}

/* Predict, then learn the outcome. */
static bool textbook_branch(struct textbook *t, enum direction_predictor kind, uint64_t pc, bool taken)
{
	int8_t *b = &t->bimodal[textbook_index(t, 0, pc)];
	int8_t *g = &t->gshare[textbook_index(t, 1, pc)];
	int8_t *m = &t->meta[textbook_index(t, 2, pc)];
	bool says_b = *b >= 0, says_g = *g >= 0;
	bool use_g = kind == direction_predictor_gshare || (kind == direction_predictor_combined && *m >= 0);
	if (says_b != says_g)
		textbook_train(m, says_g == taken);
	textbook_train(b, taken);
	textbook_train(g, taken);
	for (unsigned h = 63; h > 0; h--)
		t->history[h] = t->history[h - 1];
	t->history[0] = taken;
	return use_g ? says_g : says_b;
}

/* Bi-mode: `gshare` for branches mostly taken, `bimodal`, by the same index, for the others, `meta` says which. */
static bool textbook_bi_mode(struct textbook *t, uint64_t pc, bool taken)
{
	unsigned index = textbook_index(t, 1, pc);
	int8_t *choice = &t->meta[textbook_index(t, 2, pc)];
	bool mostly = *choice >= 0;
	int8_t *counter = mostly ? &t->gshare[index] : &t->bimodal[index];
	bool says = *counter >= 0;
	if (!(mostly != taken && says == taken))
		textbook_train(choice, taken);
	textbook_train(counter, taken);
	for (unsigned h = 63; h > 0; h--)
		t->history[h] = t->history[h - 1];
	t->history[0] = taken;
	return says;
}

/* Tournament: `bimodal` by what the branch itself did last, `gshare` and `meta` by what all did. */
static bool textbook_tournament(struct textbook *t, uint64_t pc, bool taken)
{
	bool *own = t->own[(pc >> 1) % OWN_HISTORIES];
	unsigned index[3] = {0};
	for (int table = 0; table < 3; table++)
		for (unsigned i = 0; i < t->bits[table]; i++)
			index[table] |= (unsigned)(table ? i < t->history_length && t->history[i] : own[i]) << i;
	int8_t *b = &t->bimodal[index[0]], *g = &t->gshare[index[1]], *m = &t->meta[index[2]];
	bool says_b = *b >= 0, says_g = *g >= 0, use_g = *m >= 0;
	if (says_b != says_g)
		textbook_train(m, says_g == taken);
	textbook_train(b, taken);
	textbook_train(g, taken);
	for (unsigned h = 63; h > 0; h--) {
		t->history[h] = t->history[h - 1];
		own[h] = own[h - 1];
	}
	t->history[0] = own[0] = taken;
	return use_g ? says_g : says_b;
}

static void tournament_start(struct textbook *t)
{
	for (int i = 0; i < 1024; i++)
		t->bimodal[i] = t->gshare[i] = t->meta[i] = -2;
}

static void bi_mode_start(struct textbook *t)
{
	for (int i = 0; i < 1024; i++) {
		t->bimodal[i] = -1;
		t->meta[i] = -2;
	}
}

static void matches_textbook(enum direction_predictor kind, unsigned b, unsigned g, unsigned history, unsigned meta)
{
	struct machine m = machine_with(kind);
	m.branch_bimodal_entries = b;
	m.branch_gshare_entries = g;
	m.branch_history = history;
	m.branch_meta_entries = meta;
	m.branch_local_entries = OWN_HISTORIES;
	struct predictor *p = predictor_for(&m);
	struct textbook t;
	textbook_start(&t, &m);
	if (kind == direction_predictor_bi_mode)
		bi_mode_start(&t);
	if (kind == direction_predictor_tournament)
		tournament_start(&t);
	uint64_t seed = history + b;
	for (int i = 0; i < 50000; i++) {
		uint64_t r = rig_random(&seed);
		uint64_t pc = 0x10000 + (r & 0x7fe);
		bool taken = (r >> 20 & 7) < (pc >> 1 & 7) ? r >> 30 & 1 : t.history[0] ^ t.history[2];
		struct branch_query q = conditional(pc, pc + 64, taken);
		struct prediction pred;
		branch_through(p, &q, &pred);
		bool wanted = kind == direction_predictor_bi_mode      ? textbook_bi_mode(&t, pc, taken)
			      : kind == direction_predictor_tournament ? textbook_tournament(&t, pc, taken)
								       : textbook_branch(&t, kind, pc, taken);
		assert_int_equal(pred.taken, wanted);
	}
	predictor_destroy(p);
}

static void test_textbook(void **state)
{
	(void)state;
	matches_textbook(direction_predictor_bimodal, 256, 1, 0, 1);
	matches_textbook(direction_predictor_bimodal, 1, 1, 0, 1);
	matches_textbook(direction_predictor_gshare, 1, 1024, 10, 1);
	matches_textbook(direction_predictor_gshare, 1, 512, 4, 1);
	matches_textbook(direction_predictor_gshare, 1, 128, 0, 1);
	matches_textbook(direction_predictor_gshare, 1, 256, 33, 1);
	matches_textbook(direction_predictor_gshare, 1, 1024, 64, 1);
	matches_textbook(direction_predictor_combined, 512, 1024, 10, 256);
	matches_textbook(direction_predictor_combined, 64, 128, 12, 1024);
	matches_textbook(direction_predictor_bi_mode, 1, 1024, 10, 1024);
	matches_textbook(direction_predictor_bi_mode, 1, 256, 22, 128);
	matches_textbook(direction_predictor_tournament, 256, 1024, 10, 512);
	matches_textbook(direction_predictor_tournament, 1024, 512, 5, 1024);
}

/* Mispredictions of `count` branches at one pc whose outcomes repeat `pattern`, after `warm` unmeasured ones. */
static int pattern_misses(enum direction_predictor kind, const char *pattern, int length, int warm, int count)
{
	struct machine m = machine_with(kind);
	struct predictor *p = predictor_for(&m);
	int misses = 0;
	for (int i = 0; i < warm + count; i++) {
		bool right = run_branch(p, conditional(0x1000, 0x900, pattern[i % length] == 'T'));
		misses += i >= warm && !right;
	}
	predictor_destroy(p);
	return misses;
}

/* A loop of ten: nine taken, one not. Two-bit counters lose the exit, and only that. */
static void test_loop(void **state)
{
	(void)state;
	assert_int_equal(pattern_misses(direction_predictor_bimodal, "TTTTTTTTTN", 10, 0, 1000), 100);
	assert_int_equal(pattern_misses(direction_predictor_taken, "TTTTTTTTTN", 10, 0, 1000), 100);
	assert_int_equal(pattern_misses(direction_predictor_static_, "TTTTTTTTTN", 10, 0, 1000), 100);
	assert_int_equal(pattern_misses(direction_predictor_not_taken, "TTTTTTTTTN", 10, 0, 1000), 900);
	/* Ten outcomes fit into twelve bits of history, so gshare and the chooser learn the exit. */
	assert_int_equal(pattern_misses(direction_predictor_gshare, "TTTTTTTTTN", 10, 200, 1000), 0);
	assert_int_equal(pattern_misses(direction_predictor_combined, "TTTTTTTTTN", 10, 200, 1000), 0);
	assert_int_equal(pattern_misses(direction_predictor_bi_mode, "TTTTTTTTTN", 10, 200, 1000), 0);
	/* a loop's branch that was never seen: two mispredictions turn the chooser round */
	assert_int_equal(pattern_misses(direction_predictor_bi_mode, "T", 1, 0, 1000), 2);
	assert_int_equal(pattern_misses(direction_predictor_oracle, "TTTTTTTTTN", 10, 0, 1000), 0);
}

/* Alternation: a counter that starts weakly taken goes 2 (T, right) 3 (N, wrong) 2 3 ...: every N is lost. */
static void test_alternation(void **state)
{
	(void)state;
	assert_int_equal(pattern_misses(direction_predictor_bimodal, "TN", 2, 0, 1000), 500);
	/* N first: 2 (N, wrong) 1 (T, wrong) 2 ...: all are lost. */
	assert_int_equal(pattern_misses(direction_predictor_bimodal, "NT", 2, 0, 1000), 1000);
	assert_int_equal(pattern_misses(direction_predictor_gshare, "TN", 2, 50, 1000), 0);
	assert_int_equal(pattern_misses(direction_predictor_combined, "NT", 2, 50, 1000), 0);
}

/* gshare sees exactly `history` outcomes: a loop one longer than that cannot be told from its body. */
static void test_history_length(void **state)
{
	(void)state;
	struct machine m = machine_with(direction_predictor_gshare);
	for (uint32_t history = 4; history <= 12; history++) {
		m.branch_history = history;
		for (uint32_t trips = history; trips <= history + 2; trips++) {
			struct predictor *p = predictor_for(&m);
			int misses = 0;
			for (uint32_t i = 0; i < trips * 200; i++) {
				bool right = run_branch(p, conditional(0x1000, 0x900, i % trips != trips - 1));
				misses += i >= trips * 100 && !right;
			}
			/* The exit follows trips - 1 taken; the history shows whether an exit lies within. */
			assert_int_equal(misses, trips <= history + 1 ? 0 : 100);
			predictor_destroy(p);
		}
	}
}

/* Backward taken, forward not. */
static void test_static(void **state)
{
	(void)state;
	struct machine m = machine_with(direction_predictor_static_);
	struct predictor *p = predictor_for(&m);
	struct prediction pred;
	struct branch_query q = conditional(0x1000, 0xf00, true);
	predictor_predict(p, &q, &pred);
	assert_true(pred.taken);
	assert_int_equal(pred.next_pc, 0xf00);
	q = conditional(0x1000, 0x1100, true);
	predictor_predict(p, &q, &pred);
	assert_false(pred.taken);
	assert_int_equal(pred.next_pc, 0x1004);
	assert_int_equal(pred.component, PREDICTOR_STATIC);
	predictor_destroy(p);
}

static void test_bad_sizes(void **state)
{
	(void)state;
	struct error err = {0};
	struct machine m = machine_with(direction_predictor_gshare);
	m.branch_gshare_entries = 3000;
	assert_null(predictor_create(&m, &err));
	assert_non_null(strstr(err.text, "gshare_entries"));
	m = machine_with(direction_predictor_combined);
	m.branch_btb_ways = 3;
	assert_null(predictor_create(&m, &err));
	assert_non_null(strstr(err.text, "btb_entries"));
}

/* Four taken and one not, of which the last two global outcomes do not tell: they are T, T before three of the five. The
 * branch's own eleven do. */
static void test_local_history(void **state)
{
	(void)state;
	int misses[2];
	static const enum direction_predictor kinds[] = {direction_predictor_tournament, direction_predictor_gshare};
	for (int k = 0; k < 2; k++) {
		struct machine m = machine_with(kinds[k]);
		m.branch_history = 2;
		struct predictor *p = predictor_for(&m);
		misses[k] = 0;
		for (int i = 0; i < 1200; i++) {
			bool right = run_branch(p, conditional(0x1000, 0x900, i % 5 != 4));
			misses[k] += i >= 200 && !right;
		}
		predictor_destroy(p);
	}
	assert_int_equal(misses[0], 0);
	assert_int_equal(misses[1], 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_textbook),      cmocka_unit_test(test_loop),
		cmocka_unit_test(test_alternation),   cmocka_unit_test(test_history_length),
		cmocka_unit_test(test_static),	      cmocka_unit_test(test_bad_sizes),
		cmocka_unit_test(test_local_history),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
