/* The critical path as text and as JSON: by kind, by function, source line and instruction, and the hottest loop's
 * chain. critical_fold sums the analysis's rows up; the texts of instructions come from the caller. */
#ifndef CULPRIT_REPORT_CRITICAL_REPORT_H
#define CULPRIT_REPORT_CRITICAL_REPORT_H

#include "base/error.h"
#include "culprit/critical.h"
#include "culprit/field.h"
#include "report/graph/base.h"
#include "report/lines.h"
#include "report/symbols.h"

#include <jansson.h>
#include <stdio.h>

/* A function, a source line or an instruction. */
struct critical_entry {
	char name[160];			 /* the function; file:line; the instruction's text, filled by the caller */
	char where[160];		 /* of a function its object, of an instruction function+offset */
	char line[120];			 /* file:line of an instruction; "" = not known */
	struct culprit_critical_row sum; /* pc: the first one's; what is estimated is below instead */
	double tied, cost, saved;	 /* cycles in the whole run, from those of the watched windows */
};

struct critical_table {
	struct critical_entry *entries; /* most of the path first */
	size_t count, all;		/* listed; there were */
};

struct critical_report {
	struct culprit_critical_totals totals;
	struct graph_base base;
	culprit_field_set unknown; /* what the records do not tell */
	double tied;		   /* of the whole path */
	struct critical_table functions, lines, instructions;
	bool has_loop;
	struct culprit_critical_loop loop;
	struct critical_entry loop_place; /* its first instruction */
	char loop_end[160];		  /* its last one, function+offset */
	struct critical_entry *chain;	  /* loop.steps of them */
};

/* List the `rows` foremost of each table; 0 = all. totals must be there. */
bool critical_fold(struct critical_report *r, const struct culprit_critical *c, const struct symbols *symbols,
		   const struct lines *lines, size_t rows, struct error *err);
void critical_report_destroy(struct critical_report *r);

void critical_text(const struct critical_report *r, FILE *out);
json_t *critical_json(const struct critical_report *r); /* NULL: out of memory */

#endif
