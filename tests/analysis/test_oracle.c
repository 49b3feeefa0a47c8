/* The oracle against a second one that asks for each cycle by itself whose it is, and on cases worked by hand. */
#include "analysis/oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 4000, BATCH = 77, PLACES = 40 };

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void run(struct oracle *o, const struct culprit_record *r, size_t count)
{
	struct error err;
	memset(o, 0, sizeof *o);
	for (size_t i = 0; i < count; i += BATCH)
		oracle_push(o, r + i, count - i < BATCH ? count - i : BATCH);
	assert_true(oracle_finish(o, &err));
}

/* --- by hand --- */

/* Cycles 0 to 3 pass before A enters, 4 and 5 while it executes; A, B and C commit in 6. C was mispredicted: 7 to
 * 10 are its own; D, a load from memory, enters in 11 and commits alone in 20. E had not been fetched: 21 to 24
 * are E's, and so are 25 and 26. */
static void four_cases_by_hand(void **state)
{
	const struct culprit_record r[] = {
		{.pc = 2, .dispatch = 4, .commit = 6},
		{.pc = 4, .dispatch = 4, .commit = 6},
		{.pc = 6,
		 .dispatch = 5,
		 .commit = 6,
		 .branch = CULPRIT_BRANCH_CONDITIONAL,
		 .flags = CULPRIT_MISPREDICTED},
		{.pc = 8,
		 .dispatch = 11,
		 .commit = 20,
		 .flags = CULPRIT_LOAD,
		 .dlevel = CULPRIT_LEVEL_MEMORY,
		 .dmiss = 5},
		{.pc = 10, .dispatch = 25, .commit = 27, .imiss = 4, .ilevel = CULPRIT_LEVEL_L2},
	};
	static const struct {
		uint64_t pc, thirds, stalled, flushed, drained;
		unsigned events;
	} want[] = {
		{2, 1, 2, 0, 4, 0},
		{4, 1, 0, 0, 0, 0},
		{6, 1, 0, 4, 0, 1u << ORACLE_EVENT_mispredict},
		{8, 3, 9, 0, 0, 1u << ORACLE_EVENT_l1d | 1u << ORACLE_EVENT_memory},
		{10, 3, 2, 0, 4, 1u << ORACLE_EVENT_l1i},
	};
	struct oracle o;
	run(&o, r, 5);
	assert_int_equal(o.count, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct oracle_row *row = &o.rows[i];
		assert_int_equal(row->pc, want[i].pc);
		assert_int_equal(row->events, want[i].events);
		assert_int_equal(row->parts[ORACLE_computing], want[i].thirds * ORACLE_PARTS / 3);
		assert_int_equal(row->parts[ORACLE_stalled], want[i].stalled * ORACLE_PARTS);
		assert_int_equal(row->parts[ORACLE_flushed], want[i].flushed * ORACLE_PARTS);
		assert_int_equal(row->parts[ORACLE_drained], want[i].drained * ORACLE_PARTS);
		assert_int_equal(row->executions, 1);
		assert_int_equal(row->leader, i == 3); /* behind the branch */
	}
	assert_int_equal(oracle_end(&o, 30), 2);
	oracle_destroy(&o);
	(void)state;
}

/* What serialises has flushed, a violated load has flushed itself, a branch that the BTB did not have has not, nor
 * has what began fetch anew with no instruction to show for it (a fault). */
static void who_flushes(void **state)
{
	static const struct {
		unsigned before, flags, redirect;
		size_t whose;
		enum oracle_case which;
	} cases[] = {
		{CULPRIT_MISPREDICTED, 0, 3, 0, ORACLE_flushed},
		{CULPRIT_SERIALISING, 0, 3, 0, ORACLE_flushed},
		{CULPRIT_MISPREDICTED, CULPRIT_VIOLATED, 3, 1, ORACLE_flushed},
		{0, CULPRIT_VIOLATED, 3, 1, ORACLE_flushed},
		{CULPRIT_BTB_MISS, 0, 1, 1, ORACLE_drained},
		{0, 0, 5, 1, ORACLE_drained},
		{0, 0, 0, 1, ORACLE_drained},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct culprit_record r[] = {
			{.pc = 2, .flags = (uint16_t)cases[i].before},
			{.pc = 4,
			 .dispatch = 6,
			 .commit = 8,
			 .flags = (uint16_t)cases[i].flags,
			 .redirect = (uint16_t)cases[i].redirect},
		};
		struct oracle o;
		run(&o, r, 2);
		assert_int_equal(o.rows[cases[i].whose].parts[cases[i].which], 5 * ORACLE_PARTS);
		assert_int_equal(o.rows[1].parts[ORACLE_stalled], 2 * ORACLE_PARTS);
		oracle_destroy(&o);
	}
	(void)state;
}

/* A cycle in which 17 or 1000 instructions commit is whole again. */
static void many_in_a_cycle(void **state)
{
	static const size_t counts[] = {1, 2, 7, 16, 17, 64, 1000};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct culprit_record *r = calloc(counts[i], sizeof *r);
		struct oracle o;
		uint64_t sum = 0, least = UINT64_MAX, most = 0;
		assert_non_null(r);
		for (size_t j = 0; j < counts[i]; j++)
			r[j].pc = 2 * j;
		run(&o, r, counts[i]);
		for (size_t j = 0; j < o.count; j++) {
			uint64_t parts = o.rows[j].parts[ORACLE_computing];
			sum += parts;
			least = parts < least ? parts : least;
			most = parts > most ? parts : most;
		}
		assert_int_equal(sum, ORACLE_PARTS);
		assert_true(most - least <= (ORACLE_PARTS % counts[i] != 0));
		oracle_destroy(&o);
		free(r);
	}
	(void)state;
}

/* Cycle 0: A takes three of four slots, B the other, C none. In 1 D and E take none. In 2 F takes none, G two. */
static void by_slots(void **state)
{
	const struct culprit_record r[] = {
		{.pc = 2, .commit = 0, .commit_slots = 3},
		{.pc = 4, .commit = 0},
		{.pc = 6, .commit = 0, .commit_slots = CULPRIT_WEIGHT_NONE},
		{.pc = 8, .commit = 1, .commit_slots = CULPRIT_WEIGHT_NONE},
		{.pc = 10, .commit = 1, .commit_slots = CULPRIT_WEIGHT_NONE},
		{.pc = 12, .commit = 2, .commit_slots = CULPRIT_WEIGHT_NONE},
		{.pc = 14, .commit = 2, .commit_slots = 2},
	};
	static const uint64_t quarters[] = {3, 1, 0, 2, 2, 0, 4};
	struct oracle o;
	run(&o, r, 7);
	assert_int_equal(o.count, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(o.rows[i].parts[ORACLE_computing], quarters[i] * ORACLE_PARTS / 4);
		assert_int_equal(o.rows[i].executions, 1);
	}
	oracle_destroy(&o);
	(void)state;
}

/* --- random records --- */

static struct culprit_record *make_records(uint64_t seed, bool weighed)
{
	static const uint8_t weights[] = {CULPRIT_WEIGHT_NONE, 1, 2, 5};
	struct culprit_record *r = calloc(RECORDS, sizeof *r);
	uint64_t commit = 5;
	assert_non_null(r);
	for (size_t i = 0; i < RECORDS; i++) {
		uint64_t early = random_next(&seed) % 12;
		r[i] = (struct culprit_record){.seq = i,
					       .pc = 0x10000 + 2 * (random_next(&seed) % PLACES),
					       .commit = commit,
					       .dispatch = commit > early ? commit - early : 0};
		r[i].flags = (uint16_t)(random_next(&seed) &
					(CULPRIT_MISPREDICTED | CULPRIT_LOAD | CULPRIT_SERIALISING | CULPRIT_VIOLATED));
		r[i].dlevel = (uint8_t)(random_next(&seed) % CULPRIT_LEVEL_COUNT);
		r[i].branch = (uint8_t)(random_next(&seed) % CULPRIT_BRANCH_COUNT);
		if (weighed && random_next(&seed) % 3 == 0)
			r[i].commit_slots = weights[random_next(&seed) % sizeof weights];
		commit += random_next(&seed) % 3 ? 0 : random_next(&seed) % 9;
	}
	return r;
}

/* A cycle of these goes to slots one by one; to the instructions, if there are none. */
static void share(const struct culprit_record *r, size_t count, uint64_t parts[PLACES][ORACLE_CASES])
{
	size_t slots = 0, slot = 0;
	for (size_t i = 0; i < count; i++)
		slots += culprit_weight(r[i].commit_slots);
	for (size_t i = 0; i < count; i++)
		for (size_t n = slots ? culprit_weight(r[i].commit_slots) : 1; n; n--, slot++)
			parts[(r[i].pc - 0x10000) / 2][ORACLE_computing] +=
				ORACLE_PARTS / (slots ? slots : count) +
				(slot < ORACLE_PARTS % (slots ? slots : count));
}

/* Adds one cycle to cycles[place][case], in parts: nothing is remembered from cycle to cycle. */
static void ask(const struct culprit_record *r, uint64_t cycle, uint64_t parts[PLACES][ORACLE_CASES])
{
	size_t first = 0, count = 0;
	while (r[first].commit < cycle)
		first++;
	while (first + count < RECORDS && r[first + count].commit == cycle)
		count++;
	if (count) {
		share(r + first, count, parts);
		return;
	}
	unsigned before = first ? r[first - 1].flags : 0;
	bool empty = r[first].dispatch > cycle, violated = r[first].flags & CULPRIT_VIOLATED;
	bool other = empty && !violated && (before & (CULPRIT_MISPREDICTED | CULPRIT_SERIALISING));
	enum oracle_case which = !empty ? ORACLE_stalled : violated || other ? ORACLE_flushed : ORACLE_drained;
	parts[(r[first - other].pc - 0x10000) / 2][which] += ORACLE_PARTS;
}

static void cycle_by_cycle(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct culprit_record *r = make_records(seed, seed > 5);
		uint64_t want[PLACES][ORACLE_CASES] = {{0}}, got[PLACES][ORACLE_CASES] = {{0}}, sum = 0;
		const uint64_t cycles = r[RECORDS - 1].commit + 1;
		struct oracle o;
		for (uint64_t cycle = 0; cycle < cycles; cycle++)
			ask(r, cycle, want);
		run(&o, r, RECORDS);
		assert_true(o.count > PLACES); /* several sets of events each */
		for (size_t i = 0; i < o.count; i++) {
			assert_true(!i || o.rows[i - 1].pc < o.rows[i].pc || o.rows[i - 1].events < o.rows[i].events);
			sum += oracle_parts(&o.rows[i]);
			for (unsigned c = 0; c < ORACLE_CASES; c++)
				got[(o.rows[i].pc - 0x10000) / 2][c] += o.rows[i].parts[c];
		}
		assert_memory_equal(got, want, sizeof got);
		assert_int_equal(sum, cycles * ORACLE_PARTS);
		assert_int_equal(oracle_end(&o, cycles + 3), 3);
		oracle_destroy(&o);
		free(r);
	}
	(void)state;
}

static void of_nothing(void **state)
{
	struct oracle o;
	run(&o, NULL, 0);
	assert_int_equal(o.count, 0);
	assert_int_equal(oracle_end(&o, 9), 9);
	oracle_destroy(&o);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(four_cases_by_hand), cmocka_unit_test(who_flushes),
					   cmocka_unit_test(many_in_a_cycle),	 cmocka_unit_test(cycle_by_cycle),
					   cmocka_unit_test(of_nothing),	 cmocka_unit_test(by_slots)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
