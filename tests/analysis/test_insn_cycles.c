/* The cycles of instructions against a second one that keeps a plain list and searches it for every record; its causes against the
 * commit stack, and on waits made by hand. */
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

static const struct commit_stack_params params = {.dispatch_to_issue = 2, .commit_delay = 3};

/* What came before the commit: any times in order, flags and levels. */
static void lead_up(struct culprit_record *r, uint64_t *seed)
{
	uint64_t *const times[] = {&r->complete, &r->issue, &r->ready, &r->dispatch};
	uint64_t at = r->commit;
	for (size_t i = 0; i < 4; i++) {
		uint64_t step = random_next(seed) % 4;
		at -= step < at ? step : at;
		*times[i] = at;
	}
	r->flags = (uint16_t)(random_next(seed) & (CULPRIT_MISPREDICTED | CULPRIT_LOAD | CULPRIT_SERIALISING));
	r->imiss = random_next(seed) % 3;
	r->ilevel = (uint8_t)(random_next(seed) % CULPRIT_LEVEL_COUNT);
	r->dlevel = (uint8_t)(random_next(seed) % CULPRIT_LEVEL_COUNT);
	r->write_level = (uint8_t)(random_next(seed) % CULPRIT_LEVEL_COUNT);
	r->exec_latency = (uint16_t)(r->complete > r->issue); /* a record's parts are the whole */
	r->dmiss = (uint32_t)(r->complete - r->issue - r->exec_latency);
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
		lead_up(&r[i], &seed);
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
	assert_true(insn_cycles_create(&p, &params, 0, &err));
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

/* Rows of all instructions are the commit stack; their causes are the same cycles. */
static void sums_to_the_commit_stack(void **state)
{
	struct culprit_record *records = make_records(2);
	struct commit_stack stack;
	struct insn_cycles p;
	struct error err;
	size_t n;
	uint64_t cycles[COMMIT_ROWS], causes = 0, rows = 0, wrong = 0, refill = 0, behind = 0;
	const uint64_t total = records[RECORDS - 1].commit + 18;
	commit_stack_init(&stack, &params);
	commit_stack_push(&stack, records, RECORDS);
	commit_stack_finish(&stack, total);
	assert_true(insn_cycles_create(&p, &params, 0, &err));
	for (size_t i = 0; i < RECORDS; i += BATCH)
		insn_cycles_push(&p, records + i, RECORDS - i < BATCH ? RECORDS - i : BATCH);
	insn_cycles_stack(&p, total, cycles);
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		assert_int_equal(cycles[i], stack.cycles[i]);
	assert_int_equal(cycles[COMMIT_end], 17);
	assert_true(cycles[COMMIT_bmisp] && cycles[COMMIT_dmem] && cycles[COMMIT_delay]);
	assert_true(insn_cycles_finish(&p, &n, &err));
	for (size_t i = 0; i < n; i++) {
		const struct insn_cycles_site *s = p.entries[i].site;
		for (unsigned c = 0; c < COMMIT_CAUSES; c++)
			causes += s->causes[c];
		for (unsigned row = 0; row < COMMIT_ROWS; row++)
			rows += s->rows[row];
		wrong += s->mispredictions;
		refill += s->refill;
		behind += s->causes[CAUSE_mispredict];
	}
	assert_int_equal(causes, rows);
	assert_int_equal(rows + cycles[COMMIT_commit] + 17, total);
	assert_int_equal(refill, behind);
	for (size_t i = 0; i < RECORDS; i++)
		wrong -= !!(records[i].flags & CULPRIT_MISPREDICTED);
	assert_int_equal(wrong, 0);
	insn_cycles_destroy(&p);
	free(records);
	(void)state;
}

/* A mispredicted branch at 2, and a load from memory at 4 right behind it. */
static void what_two_instructions_met(void **state)
{
	const struct culprit_record r[] = {
		{.pc = 2, .length = 2, .branch = CULPRIT_BRANCH_CALL, .flags = CULPRIT_MISPREDICTED},
		/* empty for 9 cycles, 2 to issue; 2 of a hit, 4 more from memory; 3 of delay */
		{.pc = 4,
		 .length = 2,
		 .flags = CULPRIT_LOAD,
		 .dispatch = 10,
		 .ready = 12,
		 .issue = 12,
		 .exec_latency = 2,
		 .dmiss = 4,
		 .dlevel = CULPRIT_LEVEL_MEMORY,
		 .complete = 18,
		 .commit = 21},
		/* complete at once, then only delay */
		{.pc = 6, .length = 2, .dispatch = 11, .ready = 13, .issue = 13, .complete = 21, .commit = 24},
	};
	struct insn_cycles p;
	struct error err;
	size_t n;
	assert_true(insn_cycles_create(&p, &params, 4, &err));
	insn_cycles_push(&p, r, 3);
	assert_int_equal(p.watched_from, 22);
	assert_true(insn_cycles_finish(&p, &n, &err));
	assert_int_equal(n, 3);
	const struct insn_cycles_site *branch = p.entries[0].site, *load = p.entries[1].site, *last = p.entries[2].site;
	assert_int_equal(branch->mispredictions, 1);
	assert_int_equal(load->rows[COMMIT_bmisp], 9);
	assert_int_equal(load->rows[COMMIT_dispatch], 2);
	assert_int_equal(load->rows[COMMIT_dl1], 2);
	assert_int_equal(load->rows[COMMIT_dmem], 4);
	assert_int_equal(load->rows[COMMIT_delay], 3);
	/* the pipeline's 5 go with the largest part: the refill */
	assert_int_equal(load->causes[CAUSE_mispredict], 14);
	assert_int_equal(load->causes[CAUSE_memory], 4);
	assert_int_equal(load->causes[CAUSE_l1], 2);
	assert_int_equal(load->causes[CAUSE_pipeline], 0);
	assert_int_equal(branch->refill, 14);
	assert_int_equal(load->l1d_misses, 1);
	assert_int_equal(load->memory, 1);
	assert_int_equal(last->causes[CAUSE_pipeline], 2);
	assert_int_equal(p.entries[1].cycles, 21);
	assert_int_equal(p.entries[1].commit_cycles, 1);
	insn_cycles_destroy(&p);
	(void)state;
}

static void of_nothing(void **state)
{
	struct insn_cycles p;
	struct error err;
	size_t n = 1;
	assert_true(insn_cycles_create(&p, &params, 0, &err));
	insn_cycles_push(&p, &(struct culprit_record){.pc = 2}, 0);
	assert_true(insn_cycles_finish(&p, &n, &err));
	assert_int_equal(n, 0);
	insn_cycles_destroy(&p);
	(void)state;
}

/* More pages than there is room for at first: the list of pages grows, twice and more. */
static void many_pages(void **state)
{
	enum { PAGES = 9000 };
	struct insn_cycles p;
	struct error err;
	assert_true(insn_cycles_create(&p, &params, 0, &err));
	for (uint64_t i = 0; i < PAGES; i++)
		assert_int_equal(insn_cycles_page(&p, 3 * i)->number, 3 * i);
	assert_int_equal(p.used, PAGES);
	assert_true(p.room >= PAGES && p.room < 4 * PAGES);
	for (uint64_t i = 0; i < PAGES; i++) {
		assert_int_equal(p.pages[i]->number, 3 * i);
		assert_ptr_equal(insn_cycles_page(&p, 3 * i), p.pages[i]);
	}
	insn_cycles_destroy(&p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_a_list), cmocka_unit_test(sums_to_the_commit_stack),
					   cmocka_unit_test(what_two_instructions_met), cmocka_unit_test(of_nothing),
					   cmocka_unit_test(many_pages)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
