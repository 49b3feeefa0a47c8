/* The report of `culprit model --explore`: the front as text and CSV, the design space as a picture. */
#ifndef CULPRIT_REPORT_EXPLORE_REPORT_H
#define CULPRIT_REPORT_EXPLORE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXPLORE_REPORT_AXES = 16 };

struct explore_report_row {
	double cost, cpi, checked; /* checked: CPI by the whole model; 0 = not asked */
	bool nearest;		   /* checked with the nearest structures for some that the profile does not hold, */
	double off;		   /* which may be off by this part of the time */
	bool knee;
	const char *values[EXPLORE_REPORT_AXES];
};

struct explore_report_dot {
	double cost, cpi;
};

struct explore_report {
	const char *program, *base, *file;
	uint64_t evaluated, rejected;
	uint32_t axis_count;
	const char *axes[EXPLORE_REPORT_AXES];
	const struct explore_report_row *front; /* cheapest first */
	size_t front_count;
	const struct explore_report_dot *cloud;
	size_t cloud_count;
};

void explore_report_text(const struct explore_report *r, FILE *out);
void explore_report_csv(const struct explore_report *r, FILE *out);
void explore_report_svg(const struct explore_report *r, FILE *out);

#endif
