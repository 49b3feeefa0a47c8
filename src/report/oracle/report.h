/* The oracle's profile as text and as JSON: cycles by case, by set of events, by function, source line and instruction.
 * Cycles are in equal parts of which ORACLE_REPORT_PARTS make one, so that all sums are exact. */
#ifndef CULPRIT_REPORT_ORACLE_REPORT_H
#define CULPRIT_REPORT_ORACLE_REPORT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { ORACLE_REPORT_PARTS = 720720, ORACLE_REPORT_CASES = 4, ORACLE_REPORT_EVENTS = 9 };

/* Parts of cycles that went with one set of events. */
struct oracle_set {
	uint64_t parts;
	uint16_t events; /* a bit each */
};

/* A function, a source line or an instruction. */
struct oracle_entry {
	char name[160];	 /* the function; file:line; the instruction's text */
	char where[160]; /* of a function its object, of an instruction function+offset */
	char line[120];	 /* file:line of an instruction; "" = not known */
	uint64_t pc, executions;
	uint64_t parts, by_case[ORACLE_REPORT_CASES];
	struct oracle_set *sets; /* most first; within oracle_report.sets */
	size_t set_count;
};

struct oracle_table {
	struct oracle_entry *entries; /* most cycles first */
	size_t count, all;	      /* listed; there were */
	struct oracle_set *sets;      /* of all entries */
};

struct oracle_report {
	uint64_t cycles, end; /* of the run; of these, after the last commit */
	struct {
		const char *name, *meaning;
		uint64_t parts;
	} cases[ORACLE_REPORT_CASES];
	struct {
		const char *name, *tea, *meaning;
	} events[ORACLE_REPORT_EVENTS];
	struct oracle_table whole; /* one entry: the run */
	struct oracle_table functions, lines, instructions;
	size_t rows; /* entries of a table that the text has */
};

void oracle_report_destroy(struct oracle_report *r);
void oracle_text(const struct oracle_report *r, FILE *out);
json_t *oracle_json(const struct oracle_report *r); /* NULL: out of memory */

#endif
