/* Samples stand an interval apart, also after some were dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample/schedule.h"

static void dropped_ones_leave_a_wider_grid(void **state)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sample_schedule s;
		schedule_begin(&s, 70, 1000, seed);
		uint64_t first = schedule_next(&s);
		assert_true(first >= 70 && first < 1070);
		s.taken = 8; /* 0, 2, 4, 6 remain */
		assert_int_equal(schedule_next(&s), first + 8000);
		schedule_thin(&s);
		assert_int_equal(s.taken, 4);
		assert_int_equal(s.interval, 2000);
		assert_int_equal(schedule_next(&s), first + 8000);
		s.taken = 5; /* 0, 2, 4 of these remain */
		schedule_thin(&s);
		assert_int_equal(s.taken, 3);
		assert_int_equal(schedule_next(&s), first + 12000);
	}
	(void)state;
}

/* The start is drawn evenly: of 4000 seeds a tenth lies in each tenth of the interval, give or take 5 standard errors. */
static void starts_are_drawn_evenly(void **state)
{
	unsigned counts[10] = {0};
	for (uint64_t seed = 0; seed < 4000; seed++) {
		struct sample_schedule s;
		schedule_begin(&s, 70, 1000, seed);
		counts[(schedule_next(&s) - 70) / 100]++;
	}
	for (unsigned i = 0; i < 10; i++)
		assert_true(counts[i] > 305 && counts[i] < 495);
	(void)state;
}

/* As many doublings as dropping would have made, for every length: against dropping, one by one. */
static void fits_a_length_as_dropping_would(void **state)
{
	for (uint64_t length = 1; length < 3000; length++) {
		struct sample_schedule fitted, s;
		schedule_begin(&fitted, 7, 20, length);
		s = fitted;
		while (schedule_next(&s) < length) {
			s.taken++;
			if (s.taken == 12)
				schedule_thin(&s);
		}
		schedule_fit(&fitted, length, 12);
		assert_int_equal(fitted.interval, s.interval);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(dropped_ones_leave_a_wider_grid),
					   cmocka_unit_test(starts_are_drawn_evenly),
					   cmocka_unit_test(fits_a_length_as_dropping_would)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
