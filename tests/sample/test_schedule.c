/* Samples stand where the schedule has places, also after some were dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample/schedule.h"

enum { STEPS = 4 };

/* Where samples up to `end` are, of `all` that were taken before a step, those that it leaves. */
static size_t remaining(struct sample_schedule *s, uint64_t *places, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (schedule_has(s, places[i]))
			places[kept++] = places[i];
	s->taken = kept;
	return kept;
}

/* Every second place is left after four steps. */
static void dropped_ones_leave_a_wider_grid(void **state)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sample_schedule s;
		schedule_begin(&s, 70, 1000, 1000, seed);
		uint64_t first = schedule_next(&s), places[10];
		assert_true(first >= 70 && first < 1070);
		for (unsigned i = 0; i < 7; i++, schedule_took(&s))
			places[i] = schedule_next(&s);
		assert_int_equal(schedule_next(&s), first + 7000);
		for (unsigned i = 0; i < STEPS; i++)
			schedule_thin(&s);
		assert_int_equal(s.interval, 2000);
		assert_int_equal(schedule_distance(&s), 2000);
		assert_int_equal(remaining(&s, places, 7), 4); /* 0, 2, 4, 6 */
		assert_int_equal(places[3], first + 6000);
		assert_int_equal(schedule_next(&s), first + 8000);
	}
	(void)state;
}

/* However many are taken before each step, what remains, and what comes, is what the thinner schedule takes from the start. */
static void steps_leave_what_would_have_been_taken(void **state)
{
	static const unsigned lacks[STEPS] = {7, 3, 5, 1};
	for (size_t before = 0; before < 40; before++)
		for (unsigned steps = 0; steps <= STEPS + 2; steps++) {
			struct sample_schedule s;
			uint64_t places[120];
			size_t count = 0;
			schedule_begin(&s, 0, 10, 10, 3);
			for (; count < before; schedule_took(&s))
				places[count++] = schedule_next(&s);
			for (unsigned i = 0; i < steps; i++) {
				schedule_thin(&s);
				count = remaining(&s, places, count);
			}
			for (; count < 60; schedule_took(&s))
				places[count++] = schedule_next(&s);
			const unsigned odd = steps % STEPS;
			uint64_t number = 0;
			for (size_t i = 0; i < count; i++, number++) {
				for (unsigned k = 0; k < odd; k++)
					number += number % 8 == lacks[k];
				assert_int_equal(places[i], (uint64_t)s.first + number * (steps < STEPS ? 10 : 20));
			}
			assert_int_equal(schedule_distance(&s), (steps < STEPS ? 10 : 20) * 8 / (8 - odd));
		}
	(void)state;
}

/* The start is drawn evenly: of 4000 seeds a tenth lies in each tenth of the interval, give or take 5 standard errors. */
static void starts_are_drawn_evenly(void **state)
{
	unsigned counts[10] = {0};
	for (uint64_t seed = 0; seed < 4000; seed++) {
		struct sample_schedule s;
		schedule_begin(&s, 70, 1000, 1000, seed);
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
		schedule_begin(&fitted, 7, 20, 20, length);
		s = fitted;
		while (schedule_next(&s) < length) {
			schedule_took(&s);
			for (unsigned i = 0; s.taken == 12 && i < STEPS; i++)
				schedule_thin(&s);
			s.taken = s.taken == 12 ? 6 : s.taken;
		}
		schedule_fit(&fitted, length, 12);
		assert_int_equal(fitted.interval, s.interval);
	}
	(void)state;
}

enum { SAMPLES = 600, LENGTH = 10000, NEEDED = 20000, PERIOD = 100000 };

static void assert_periods_met(struct sample_schedule *s)
{
	uint64_t met = 0, end = 0;
	for (unsigned i = 0; i < SAMPLES; i++, schedule_took(s)) {
		const uint64_t place = schedule_next(s), sample = place + NEEDED - LENGTH;
		assert_true(schedule_has(s, place) && !schedule_has(s, place + 1));
		assert_true(place >= end);
		end = place + NEEDED;
		met += (sample + LENGTH) / PERIOD - sample / PERIOD;
	}
	assert_true(met > 23 && met < 97);
}

/* What happens once in 100,000 instructions, where 80,000 and its doubles would meet it twice as often as it is, or
 * never: of 600 samples of 10,000 instructions 60 meet it, give or take 5 standard errors, with a length that is known
 * and with dropping. No two samples meet. */
static void periods_are_met_as_often_as_they_come(void **state)
{
	for (uint64_t seed = 0; seed < 40; seed++)
		for (unsigned doubles = 0; doubles < 6; doubles++) {
			struct sample_schedule s;
			schedule_begin(&s, 70, 80000, NEEDED, seed);
			struct sample_schedule thinned = s;
			for (unsigned i = 0; i < doubles * STEPS; i++)
				schedule_thin(&thinned);
			assert_periods_met(&thinned);
			schedule_fit(&s, 70 + (80000ull << doubles) * SAMPLES, SAMPLES + 2);
			assert_int_equal(s.interval, 80000ull << doubles);
			assert_periods_met(&s);
		}
	(void)state;
}

/* With places drawn in each interval, too, the first tenths behind the start have as many as those in the middle: a
 * tenth of an interval is one seed's of ten, give or take 5 standard errors of 4000; with a known length and without. */
static void every_instruction_is_as_likely(void **state)
{
	enum { INTERVAL = 1000, TENTHS = 40 };
	for (unsigned doubles = 0; doubles < 2; doubles++) {
		unsigned counts[TENTHS] = {0};
		const uint64_t tenth = (INTERVAL << doubles) / 10;
		for (uint64_t seed = 0; seed < 4000; seed++) {
			struct sample_schedule s;
			schedule_begin(&s, 70, INTERVAL, 200, seed);
			if (doubles)
				schedule_fit(&s, 70 + 2 * INTERVAL * 20, 21);
			assert_int_equal(s.interval, INTERVAL << doubles);
			for (; schedule_next(&s) < 70 + tenth * TENTHS; schedule_took(&s)) {
				assert_true(schedule_next(&s) >= 70);
				counts[(schedule_next(&s) - 70) / tenth]++;
			}
		}
		for (unsigned i = 0; i < TENTHS; i++)
			assert_in_range(counts[i], 305, 495);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(dropped_ones_leave_a_wider_grid),
					   cmocka_unit_test(steps_leave_what_would_have_been_taken),
					   cmocka_unit_test(starts_are_drawn_evenly),
					   cmocka_unit_test(fits_a_length_as_dropping_would),
					   cmocka_unit_test(periods_are_met_as_often_as_they_come),
					   cmocka_unit_test(every_instruction_is_as_likely)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
