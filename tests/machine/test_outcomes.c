/* When outcomes of branches come into the counters: arrivals, cycles in which counters are read, and what is written in
 * each cycle, by hand. */
#include "machine/outcomes.h"

#include "machine/predictor_rig.h"

enum { ROOM = 2, LAST = 12 };

/* "a3b3" = a arrives in cycle 3, and b too; `read` and the result: a character for each cycle from 1 on, of the result
 * the one that is written or '.'. */
static void written(const char *arrivals, const char *read, const char *expected)
{
	struct outcomes o;
	struct error err = {0};
	char got[LAST + 1] = "............";
	assert_true(outcomes_create(&o, ROOM, &err));
	for (uint64_t cycle = 1; cycle <= LAST; cycle++) {
		for (const char *a = arrivals; *a; a += 2)
			if ((uint64_t)(a[1] - '0') == cycle)
				outcomes_arrive(&o, &(struct outcome){.when = cycle, .note.meta = (uint8_t)a[0]});
		if (read[cycle - 1] == 'r')
			outcomes_read(&o, cycle);
	}
	for (uint64_t cycle = 1; cycle <= LAST; cycle++) {
		struct outcome one;
		if (outcomes_next(&o, cycle, false, &one))
			got[cycle - 1] = (char)one.note.meta;
	}
	assert_string_equal(got, expected);
	outcomes_destroy(&o);
}

static void one_a_cycle(void **state)
{
	written("a3", "............", "..a.........");
	written("a3b4", "............", "..ab........");
	written("a3b3c3", "............", "..abc.......");
	written("a3", "..rrr.......", ".....a......");
	written("a3b5", "..rr........", "....ab......");   /* b finds a waiting */
	written("a3b4c6", "..rrrr......", "......ab...."); /* c is lost: two wait when its cycle begins */
	written("a3b3c4", "..rr........", "....ab......");
	written("a3b4c5", "..rr........", "....ab......"); /* ... also where one is written in that very cycle */
	written("a3b4c6", "..rr........", "....abc.....");
	(void)state;
}

static void cycles_are_skipped(void **state)
{
	struct outcomes o;
	struct error err = {0};
	struct outcome one;
	assert_true(outcomes_create(&o, ROOM, &err));
	outcomes_arrive(&o, &(struct outcome){.when = 5, .note.meta = 1});
	assert_false(outcomes_next(&o, 1000, true, &one)); /* read all the time */
	outcomes_read(&o, 1001);
	assert_false(outcomes_next(&o, 1001, false, &one));
	assert_true(outcomes_next(&o, 1002, false, &one));
	assert_int_equal(one.note.meta, 1);
	assert_int_equal(o.done, 1002);
	outcomes_arrive(&o, &(struct outcome){.when = 900, .note.meta = 2}); /* late: it comes in the next cycle */
	outcomes_arrive(&o, &(struct outcome){.when = 100000, .note.meta = 3});
	assert_true(outcomes_next(&o, 99999, false, &one));
	assert_int_equal(one.note.meta, 2);
	assert_int_equal(o.done, 1003);
	assert_false(outcomes_next(&o, 99999, false, &one));
	assert_true(outcomes_next(&o, 100000, false, &one));
	assert_int_equal(one.note.meta, 3);
	outcomes_destroy(&o);
	(void)state;
}

static struct outcome of(uint64_t when, uint32_t meta, uint32_t gshare, uint8_t choice)
{
	return (struct outcome){.when = when, .note = {.meta = meta, .gshare = gshare, .choice = choice}};
}

/* Places go round: with room for two the third has the first place again. */
static void the_lowest_place(void **state)
{
	struct outcomes o;
	struct error err = {0};
	struct outcome one, list[] = {of(1, 7, 9, 0), of(2, 7, 9, 1), of(4, 7, 9, 2)};
	assert_true(outcomes_create(&o, ROOM, &err));
	for (int i = 0; i < 2; i++)
		outcomes_arrive(&o, &list[i]);
	assert_false(outcomes_next(&o, 2, true, &one));
	assert_int_equal(outcomes_find(&o, 7, 9)->note.choice, 0);
	assert_null(outcomes_find(&o, 7, 8));
	assert_null(outcomes_find(&o, 6, 9));
	assert_true(outcomes_next(&o, 3, false, &one));
	assert_int_equal(outcomes_find(&o, 7, 9)->note.choice, 1);
	outcomes_arrive(&o, &list[2]);
	assert_false(outcomes_next(&o, 4, true, &one));
	assert_int_equal(outcomes_find(&o, 7, 9)->note.choice, 2);
	outcomes_destroy(&o);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_a_cycle),
		cmocka_unit_test(cycles_are_skipped),
		cmocka_unit_test(the_lowest_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
