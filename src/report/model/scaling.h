/* The report of `culprit model --scaling`: time for each instruction of balanced processors over depth, the optimum
 * depths, and how issue starts again after a misprediction. Printed as text, CSV, JSON or a picture. */
#ifndef CULPRIT_REPORT_MODEL_SCALING_H
#define CULPRIT_REPORT_MODEL_SCALING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
	SCALING_REPORT_WIDTHS = 4,
	SCALING_REPORT_SHARES = 3,
	SCALING_REPORT_DEPTHS = 38,
	SCALING_REPORT_PARTS = 7,
	SCALING_REPORT_RAMP = 400,
};

/* Times are in FO4, for each instruction; the parts sum to the time. */
struct scaling_report_point {
	double depth, window, time, parts[SCALING_REPORT_PARTS];
};

/* One width, and one share of the miss paths that is pipelined. */
struct scaling_report_curve {
	double width, pipelined;
	struct scaling_report_point points[SCALING_REPORT_DEPTHS];
	struct scaling_report_point best; /* by search */
	bool beyond;			  /* it still gets faster at the deepest that was searched: no optimum */
	double formula;			  /* the optimum depth by equations (11) and (12); infinite: none */
};

/* Instructions issued in each cycle after a misprediction (figure 21). */
struct scaling_report_ramp {
	double width;
	size_t count;
	double rates[SCALING_REPORT_RAMP];
};

struct scaling_report {
	const char *program, *machine;
	double logic, latch, base_depth; /* FO4, FO4, stages */
	double between;			 /* instructions from one misprediction to the next in the ramps */
	struct scaling_report_curve curves[SCALING_REPORT_WIDTHS][SCALING_REPORT_SHARES];
	struct scaling_report_ramp ramps[SCALING_REPORT_WIDTHS];
};

extern const char *const scaling_report_parts[SCALING_REPORT_PARTS];

void scaling_report_text(const struct scaling_report *r, FILE *out);
void scaling_report_csv(const struct scaling_report *r, FILE *out);
void scaling_report_svg(const struct scaling_report *r, FILE *out);
/* A new object; NULL when out of memory. */
json_t *scaling_report_json(const struct scaling_report *r);

#endif
