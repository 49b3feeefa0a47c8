/* The report of `culprit sample`: estimates with confidence intervals, as text and as JSON. */
#ifndef CULPRIT_REPORT_SAMPLE_REPORT_H
#define CULPRIT_REPORT_SAMPLE_REPORT_H

#include "report/killed.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { SAMPLE_SECTIONS_MAX = 24 };

/* The interval is value - half to value + half; half is infinite where one sample is all there is. */
struct sample_row {
	char *name;
	double value, half; /* in the section's unit; CPI: cycles an instruction */
};

/* Parts of one whole, the largest first. */
struct sample_section {
	const char *name, *title, *unit;
	struct sample_row *rows;
	size_t count;
};

struct sample_report {
	const char *version, *machine, *program;
	const char *cut; /* or NULL */
	int exit_status; /* -1: the region ended first */
	struct report_killed killed;
	uint64_t skipped, instructions;
	uint64_t start, measured; /* simulated in full; that and the samples, without their warm-up */
	uint64_t interval, length, warmup;
	size_t samples;
	bool chosen;			    /* by SimPoint: they have weights, and the estimates no intervals */
	double confidence, quantile, error; /* error: asked for, 0 = none */
	struct sample_row cpi;
	struct sample_section sections[SAMPLE_SECTIONS_MAX];
	size_t section_count;
	double host_seconds;
};

void sample_report_text(const struct sample_report *r, FILE *out);
json_t *sample_report_json(const struct sample_report *r); /* NULL: out of memory */
void sample_report_destroy(struct sample_report *r);

#endif
