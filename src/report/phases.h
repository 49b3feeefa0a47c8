/* Phases as text and as JSON: where the time went, slice by slice of the run. */
#ifndef CULPRIT_REPORT_PHASES_H
#define CULPRIT_REPORT_PHASES_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { PHASES_CAUSES_MOST = 24 };

struct phases_row {
	uint64_t cycles, instructions;
	uint64_t causes[PHASES_CAUSES_MOST];
};

struct phases_report {
	uint64_t length; /* of a slice, but for the waits at its ends */
	uint32_t cause_count;
	struct {
		const char *name, *label;
	} causes[PHASES_CAUSES_MOST]; /* the first is committing */
	size_t count;
	const struct phases_row *rows; /* one after the other; those without cycles are left out */
};

void phases_report_text(const struct phases_report *r, FILE *out);
json_t *phases_report_json(const struct phases_report *r);

#endif
