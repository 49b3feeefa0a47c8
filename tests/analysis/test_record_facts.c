/* What is remembered of records, by hand: behind a reset nothing of the run before is known, at either end of the ring. */
#include "analysis/record_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 64, ADDRESS = 4096, APART = 512 }; /* addresses all over the table of stores */

/* As many stores as there is room for, of 8 bytes each. */
static void fill(struct record_facts *f)
{
	for (uint64_t i = 0; i < ROOM; i++) {
		const struct culprit_record store = {.flags = CULPRIT_STORE,
						     .mem_addr = ADDRESS + APART * i,
						     .mem_size = 8,
						     .issue = 100 + i,
						     .wakeup = 5,
						     .complete = 103 + i,
						     .commit = 110 + i};
		record_facts_note(f, i, &store);
	}
}

/* Of the load, behind all of them, of what number i stored. */
static struct record_stores load_of(const struct record_facts *f, uint64_t i)
{
	const struct culprit_record load = {.flags = CULPRIT_LOAD, .mem_addr = ADDRESS + APART * i, .mem_size = 8};
	return record_load_stores(f, ROOM, &load);
}

static void nothing_behind_a_reset(void **state)
{
	struct record_facts f = {.room = 0};
	assert_true(record_facts_create(&f, ROOM - 1));
	assert_int_equal(f.mask, ROOM - 1);
	fill(&f);
	assert_int_equal(record_wake(&f, ROOM, 1), 100 + ROOM - 1 + 5);
	assert_int_equal(record_wake(&f, ROOM, ROOM - 1), 100 + 1 + 5);
	assert_int_equal(record_wake(&f, ROOM, ROOM), 0); /* too far back to tell */
	assert_int_equal(record_fact(&f, ROOM, 1)->complete, 103 + ROOM - 1);
	for (uint64_t i = 0; i < ROOM; i++)
		assert_int_equal(load_of(&f, i).data, i ? ROOM - i : 0); /* the first one is too far back */
	record_facts_reset(&f);
	for (uint64_t distance = 1; distance <= f.mask; distance++)
		assert_int_equal(record_wake(&f, ROOM, distance), 0);
	for (uint64_t distance = 1; distance <= ROOM; distance++) {
		const struct record_fact *fact = record_fact(&f, ROOM, distance);
		assert_int_equal(fact->complete | fact->commit | fact->addr | fact->flags | fact->size, 0);
	}
	for (uint64_t i = 0; i < ROOM; i++) {
		const struct record_stores stores = load_of(&f, i);
		assert_int_equal(stores.data | stores.leaves, 0);
	}
	record_facts_destroy(&f);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_behind_a_reset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
