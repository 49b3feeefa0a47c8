/* The stall tree as a report: summaries as text, everything as JSON, folded stacks for flame-graph tools, and an icicle
 * view as SVG. Amounts are lost opportunities (commit slots); per cent is of all opportunities, so that what was
 * used and what was lost add up to 100 %. */
#ifndef CULPRIT_REPORT_STALLS_REPORT_H
#define CULPRIT_REPORT_STALLS_REPORT_H

#include "culprit/stalls.h"
#include "culprit/types.h"

#include <jansson.h>
#include <stdio.h>

enum { STALLS_LEVELS = 4 };

struct stalls_report {
	const char *program, *machine;
	const char *place; /* what the tree is restricted to; NULL = the whole program */
	uint64_t cycles, instructions;
	uint32_t levels; /* of the hierarchy and the twigs in the text; 0 = STALLS_LEVELS */
	/* per cent of the opportunities: the text leaves out what is smaller, the picture a tenth of it */
	double threshold;
	const struct culprit_stall_results *results;
	/* The inverted tree of the results (culprit_stalls_invert). */
	const struct culprit_stall_node *twigs;
	size_t twig_count;
	/* [type_count]: the base class of events behind a leaf (event_class.def), CULPRIT_EVENT_COUNT = none; and per
	 * cent of the time that its leaf's part of the class is worth, NAN = not known. NULL: nothing is known. */
	const uint8_t *classes;
	const double *gains;
	const char *gain_method; /* whose costs; NULL = there are no gains */
};

/* What each leaf is worth: the cost of its class, in the shares in which the class's leaves lost slots. `costs`: per
 * cent of the time by base class, NAN = not known. `gains` has type_count entries. */
void stalls_report_gains(const struct stalls_report *r, const double costs[CULPRIT_EVENT_COUNT], double *gains);

void stalls_report_text(const struct stalls_report *r, FILE *out);
/* NULL: out of memory. */
json_t *stalls_report_json(const struct stalls_report *r);
/* One line for each path: its types from commit to the leaf, joined by semicolons, and its opportunities. */
void stalls_report_folded(const struct stalls_report *r, FILE *out);
/* Commit at the top, causes below, as wide as what they cost; a click widens a part. */
void stalls_report_svg(const struct stalls_report *r, FILE *out);

/* --- shared by the four --- */

static inline uint64_t stalls_opportunities(const struct stalls_report *r)
{
	return r->cycles * r->results->width;
}

static inline double stalls_percent(const struct stalls_report *r, uint64_t amount)
{
	uint64_t all = stalls_opportunities(r);
	return all ? 100 * (double)amount / (double)all : 0;
}

#endif
