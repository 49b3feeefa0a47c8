/* The path's steps: each has one entry, however often the table has grown. */
#include "analysis/critical/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The step that makes the table grow is found again, too: every step is counted twice, once right after it came and once
 * when all are there. */
static void every_step_has_one_entry(void **state)
{
	enum { STEPS = 30000 };
	struct culprit_critical *c = calloc(1, sizeof *c);
	uint64_t counted = 0;
	assert_non_null(c);
	assert_true(critical_rows_create(c));
	for (uint32_t i = 0; i < STEPS; i++) {
		critical_rows_step(c, i, i + 7, CULPRIT_CRITICAL_dl1);
		critical_rows_step(c, i, i + 7, CULPRIT_CRITICAL_dl1);
		assert_int_equal(c->transition_count, i + 1);
	}
	for (uint32_t i = 0; i < STEPS; i++)
		critical_rows_step(c, i, i + 7, CULPRIT_CRITICAL_dl1);
	assert_int_equal(c->transition_count, STEPS);
	for (size_t i = 0; i <= c->transition_mask; i++) {
		const struct critical_transition *t = &c->transitions[i];
		if (t->from == UINT32_MAX)
			continue;
		assert_int_equal(t->to, t->from + 7);
		assert_int_equal(t->count, 3);
		counted += t->count;
	}
	assert_int_equal(counted, 3 * STEPS);
	critical_rows_destroy(c);
	free(c);
	(void)state;
}

/* The table of instructions grows twice and more; each address keeps its row, and there is room for all of them. */
static void every_address_has_one_row(void **state)
{
	enum { ADDRESSES = 40000 };
	struct culprit_critical *c = calloc(1, sizeof *c);
	assert_non_null(c);
	assert_true(critical_rows_create(c));
	for (unsigned turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < ADDRESSES; i++) {
			assert_int_equal(critical_row_of(c, 0x10000 + 2ull * i), i);
			assert_true(c->row_count <= c->row_room);
		}
	assert_int_equal(c->row_count, ADDRESSES);
	for (uint32_t i = 0; i < ADDRESSES; i++)
		assert_int_equal(c->rows[i].public.pc, 0x10000 + 2ull * i);
	critical_rows_destroy(c);
	free(c);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step_has_one_entry),
		cmocka_unit_test(every_address_has_one_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
