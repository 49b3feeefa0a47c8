/* The report of `culprit sample`: estimates with confidence intervals, as text and as JSON. */
#ifndef CULPRIT_REPORT_SAMPLE_REPORT_H
#define CULPRIT_REPORT_SAMPLE_REPORT_H

#include "report/killed.h"
#include "report/run/report.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { SAMPLE_SECTIONS_MAX = 24 };

/* The interval is `low` to `high`, and `half` its wider side; it is infinite where one sample is all there is. */
struct sample_row {
	char *name;
	char label[40];		       /* as the text has it; "": as its name */
	double value, half, low, high; /* in the section's unit; CPI: cycles an instruction */
};

/* Parts of one whole, the largest first. */
struct sample_section {
	const char *name, *title, *unit;
	struct sample_row *rows;
	size_t count;
	bool asked;   /* by --with */
	double burst; /* what a sample may have of a row that few have (estimate.h) */
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
	double covered;			    /* chosen: what the weights sum to, at most 1 */
	double confidence, quantile, error; /* error: asked for, 0 = none */
	size_t first_samples;		    /* of a first pass that did not reach it; 0: there was one pass */
	double first_error;		    /* part of 1 that those gave CPI to */
	struct sample_row cpi;
	bool gaps;	   /* predictors did not learn all the way, but */
	uint64_t trained;  /* in so many instructions before a sample; */
	size_t compared;   /* so many samples were compared with predictors that did: */
	double more, half; /* mispredictions, percent of these; where 2 and more were */
	size_t few;	   /* rows of the commit stack that are in the estimate, but in fewer than 5 samples */
	struct sample_section sections[SAMPLE_SECTIONS_MAX];
	size_t section_count;
	double host_seconds;
};

/* What was sampled, and how well it tells the whole. Returns the lines. */
unsigned sample_report_head(const struct sample_report *r, unsigned width, FILE *out);
/* The sections: those that --with asked for, or all. */
void sample_report_sections(const struct sample_report *r, bool all, FILE *out);
json_t *sample_report_json(const struct sample_report *r); /* NULL: out of memory */
void sample_report_destroy(struct sample_report *r);

#endif
