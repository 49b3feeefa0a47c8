/* What the checker found, as text and as JSON; both take it straight from there. */
#ifndef CULPRIT_REPORT_CHECK_REPORT_H
#define CULPRIT_REPORT_CHECK_REPORT_H

#include "culprit/field.h"

#include <jansson.h>
#include <stdio.h>

enum { CHECK_ROWS_MAX = 64 };

/* Edges of one kind, or waits in front of one step (no `rule`). */
struct check_line {
	const char *step, *kind, *rule, *remedy;
	uint64_t count, cycles, worst;
	char first[320];
	uint64_t worst_pc, worst_cycles;
};

/* What could have been told so often, and never was. */
struct check_silence {
	const char *field, *words;
	uint64_t chances;
};

/* Told otherwise than the machine or other records have it. */
struct check_misfit {
	const char *name, *rule, *remedy;
	uint64_t count, asked, first_seq, first_pc;
};

struct check_report {
	uint64_t instructions, cycles, edges;
	culprit_field_set unknown;
	size_t contradicted_count, early_count;
	size_t silent_count;
	struct check_silence silent[CULPRIT_FIELD_COUNT];
	size_t misfit_count;
	struct check_misfit misfits[CHECK_ROWS_MAX];
	struct check_line contradicted[CHECK_ROWS_MAX], early[CHECK_ROWS_MAX];
};

void check_text(const struct check_report *r, FILE *out);
json_t *check_json(const struct check_report *r); /* NULL: out of memory */

/* {"fields": {NAME: what is done instead}, "withheld": [CLASS], "guessed": [CLASS]}; null = all is known. */
json_t *fields_json(culprit_field_set unknown);
/* The same as lines; nothing when all is known. */
void fields_text(culprit_field_set unknown, FILE *out);
/* Of these lines those about classes. */
void fields_costs(culprit_field_set unknown, FILE *out);
/* " NAME NAME ...": the unknown ones. */
void fields_names(culprit_field_set unknown, char *text, size_t size);

#endif
