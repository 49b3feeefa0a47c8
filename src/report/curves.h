/* Curves as a part of a picture: some figure over the values of something, one curve for each of what else differs.
 * Curves differ in colour, in mark and in dashes, so that they are told apart in grey, too. */
#ifndef CULPRIT_REPORT_CURVES_H
#define CULPRIT_REPORT_CURVES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct curve {
	const char *name;
	const double *y; /* NaN: not known */
	size_t marked;	 /* a filled mark: the default; SIZE_MAX = none. Past CURVES_MARKS values the only one */
};

enum { CURVES_MARKS = 20 };

struct curves {
	const char *title, *x_label; /* title: says what the figure is */
	size_t count;		     /* values */
	const char *const *x;
	size_t curve_count;
	const struct curve *curves;
};

enum { CURVES_WIDTH = 860 };

/* How high they become. */
double curves_height(const struct curves *c);
/* Draw them from `top` on. */
void curves_svg(const struct curves *c, double top, FILE *out);

#endif
