/* How wrong profilers are against the oracle, as text and as JSON. */
#ifndef CULPRIT_REPORT_PROFILERS_REPORT_H
#define CULPRIT_REPORT_PROFILERS_REPORT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { PROFILERS_REPORT_LEVELS = 4, PROFILERS_REPORT_ROWS = 16 };

struct profilers_report_row {
	const char *name, *label, *whom;
	double published; /* percent, at instructions; 0 = none */
	/* Percent of the profile that is blamed on the wrong one, by level: of every cycle sampled; the mean over
	 * the series of samples, and half its interval of 95%. Below 0: the profiler says nothing of it. */
	double all[PROFILERS_REPORT_LEVELS], mean[PROFILERS_REPORT_LEVELS], half[PROFILERS_REPORT_LEVELS];
	double samples, lost; /* of a series, the mean; lost: of instructions that were squashed, beside them */
};

struct profilers_report {
	uint64_t cycles, period, skid, seed;
	unsigned series;
	struct {
		const char *name;
		uint64_t symbols;
	} levels[PROFILERS_REPORT_LEVELS];
	struct profilers_report_row rows[PROFILERS_REPORT_ROWS];
	unsigned count;
};

void profilers_text(const struct profilers_report *r, FILE *out);
json_t *profilers_json(const struct profilers_report *r); /* NULL: out of memory */

#endif
