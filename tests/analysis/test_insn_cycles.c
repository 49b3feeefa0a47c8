/* The cycles of instructions against a second one that keeps a plain list and searches it for every record. */
#include "analysis/insn_cycles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 20000, BATCH = 77 };

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* Runs of instructions, jumps near and far (over 2^40 bytes), calls, several commits in a cycle, waits. */
static struct culprit_record *make_records(uint64_t seed)
{
	struct culprit_record *r = calloc(RECORDS, sizeof *r);
	uint64_t pc = 0x10000, commit = 5;
	assert_non_null(r);
	for (size_t i = 0; i < RECORDS; i++) {
		unsigned what = (unsigned)random_next(&seed) % 16;
		r[i] = (struct culprit_record){
			.seq = i, .pc = pc, .commit = commit, .length = random_next(&seed) % 2 ? 2 : 4};
		r[i].branch = (uint8_t)(what < CULPRIT_BRANCH_COUNT ? what : CULPRIT_BRANCH_NONE);
		pc += r[i].length;
		if (what == 2)
			pc = 0x10000 + random_next(&seed) % 600 * 2;
		else if (what && what < CULPRIT_BRANCH_COUNT)
			pc = (random_next(&seed) % 300) << 32 | random_next(&seed) % 40 * 2;
		commit += random_next(&seed) % 3 ? 0 : random_next(&seed) % 9;
	}
	return r;
}

/* Cycles since the last commit are the instruction's that ends the wait; the entry after a call is a function's. */
static size_t count_slowly(const struct culprit_record *records, struct insn_cycles_entry *list)
{
	size_t n = 0;
	uint64_t next = 0;
	for (size_t i = 0; i < RECORDS; i++) {
		const struct culprit_record *r = &records[i];
		size_t at = 0;
		while (at < n && list[at].pc != r->pc)
			at++;
		if (at == n)
			list[n++].pc = r->pc;
		list[at].count++;
		list[at].entry |= i &&
				  (r[-1].branch == CULPRIT_BRANCH_CALL || r[-1].branch == CULPRIT_BRANCH_INDIRECT_CALL);
		list[at].cycles += r->commit + 1 - next;
		next = r->commit + 1;
	}
	return n;
}

static void same_as_a_list(void **state)
{
	struct insn_cycles_entry *list = calloc(RECORDS, sizeof *list);
	struct culprit_record *records = make_records(1);
	struct insn_cycles p;
	struct error err;
	size_t n;
	uint64_t cycles = 0;
	assert_non_null(list);
	assert_true(insn_cycles_create(&p, &err));
	for (size_t i = 0; i < RECORDS; i += BATCH)
		insn_cycles_push(&p, records + i, RECORDS - i < BATCH ? RECORDS - i : BATCH);
	assert_true(insn_cycles_finish(&p, &n, &err));
	assert_true(n > 5000);
	assert_int_equal(n, count_slowly(records, list));
	for (size_t i = 0; i < n; i++) {
		const struct insn_cycles_entry *e = &p.entries[i];
		size_t at = 0;
		assert_true(!i || e[-1].pc < e->pc);
		while (at < n && list[at].pc != e->pc)
			at++;
		assert_true(at < n);
		assert_int_equal(e->count, list[at].count);
		assert_int_equal(e->cycles, list[at].cycles);
		assert_int_equal(e->entry, list[at].entry);
		cycles += e->cycles;
	}
	assert_int_equal(cycles, records[RECORDS - 1].commit + 1);
	insn_cycles_destroy(&p);
	free(records);
	free(list);
	(void)state;
}

static void of_nothing(void **state)
{
	struct insn_cycles p;
	struct error err;
	size_t n = 1;
	assert_true(insn_cycles_create(&p, &err));
	insn_cycles_push(&p, &(struct culprit_record){.pc = 2}, 0);
	assert_true(insn_cycles_finish(&p, &n, &err));
	assert_int_equal(n, 0);
	insn_cycles_destroy(&p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_a_list), cmocka_unit_test(of_nothing)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
