/* Colours that mean different things stay apart, also for readers without red or green cones: the pairs of causes that stand side
 * by side in stacks, in CIE Lab, as they are and as Machado, Oliveira and Fernandes (2009) simulate the two deficiencies. */
#include "report/palette.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static double linear(double c)
{
	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

enum sight { NORMAL, PROTANOPIA, DEUTERANOPIA, SIGHTS };
static const double matrices[SIGHTS][3][3] = {
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

static double lab_of(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void lab(struct palette_colour c, enum sight sight, double out[3])
{
	const double from[3] = {linear(c.red / 255.0), linear(c.green / 255.0), linear(c.blue / 255.0)};
	double rgb[3];
	for (int i = 0; i < 3; i++) {
		const double *m = matrices[sight][i];
		rgb[i] = fmin(1, fmax(0, m[0] * from[0] + m[1] * from[1] + m[2] * from[2]));
	}
	const double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505;
	const double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
	const double z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089;
	out[0] = 116 * lab_of(y) - 16;
	out[1] = 500 * (lab_of(x) - lab_of(y));
	out[2] = 200 * (lab_of(y) - lab_of(z));
}

static double apart(const char *a, const char *b, enum sight sight)
{
	double p[3], q[3];
	lab(palette_find(a), sight, p);
	lab(palette_find(b), sight, q);
	return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

/* What a stack of causes, or of rows, may have side by side: all greys, too. */
static const char *const causes[] = {"commit",	 "memory",  "cache", "tlb",    "l1",	   "mispredict", "long_op",
				     "short_op", "code",    "front", "serial", "order",	   "stores",	 "slots",
				     "limit",	 "unknown", "end",   "part",   "pipeline", "operand",	 "dispatch"};
enum { CAUSES = sizeof causes / sizeof causes[0], LEAST = 11 }; /* 2.3 is a just noticeable difference */

static void causes_stay_apart(void **state)
{
	(void)state;
	int bad = 0;
	for (int sight = 0; sight < SIGHTS; sight++)
		for (int i = 0; i < CAUSES; i++)
			for (int j = 0; j < i; j++) {
				double d = apart(causes[i], causes[j], (enum sight)sight);
				if (d < LEAST)
					print_message("sight %d: %s and %s are %.1f apart\n", sight, causes[i],
						      causes[j], d);
				bad += d < LEAST;
			}
	assert_int_equal(bad, 0);
}

static void red_and_green_would_fail(void **state)
{
	(void)state;
	double p[3], q[3];
	const struct palette_colour red = {.red = 222, .green = 45, .blue = 38},
				    green = {.red = 120, .green = 110, .blue = 0};
	lab(red, DEUTERANOPIA, p);
	lab(green, DEUTERANOPIA, q);
	assert_true(fabs(p[1] - q[1]) + fabs(p[2] - q[2]) < LEAST);
}

static void names_are_different(void **state)
{
	(void)state;
	const struct palette_colour *a, *b;
	for (size_t i = 0; (a = palette_row(i)); i++)
		for (size_t j = 0; j < i && (b = palette_row(j)); j++)
			assert_string_not_equal(a->name, b->name);
	assert_int_equal(palette_find("nobody").letter, '?');
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(causes_stay_apart),
					   cmocka_unit_test(red_and_green_would_fail),
					   cmocka_unit_test(names_are_different)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
