/* The interaction-cost breakdown as text, as SVG and as JSON. */
#ifndef CULPRIT_REPORT_GRAPH_REPORT_H
#define CULPRIT_REPORT_GRAPH_REPORT_H

#include "culprit/graph.h"
#include "report/graph/base.h"

#include <jansson.h>
#include <stdio.h>

struct graph_causes;

struct graph_report {
	const struct culprit_graph_results *results;
	/* The same, with memory order as recorded; NULL = that tells nothing. */
	const struct culprit_graph_results *recorded;
	const double *open; /* by set: cycles that it may take more or less, all sets for one reason; NULL = none */
	const struct graph_causes *causes; /* of the user's choice; NULL = none */
	struct graph_base base;		   /* simulated 0 = not known: no check is printed */
	unsigned focus;			   /* classes whose pairs are all listed, however small: a set */
	unsigned withheld; /* classes that the records cannot tell: a set. Their costs are not printed */
};

/* One line of the breakdown, as in table 4 of the 2003 paper. */
struct graph_row {
	char label[2 * CULPRIT_GRAPH_NAME + 4];
	double percent;	  /* of the base graph's time; NAN = withheld */
	double low, high; /* what it may be, where the records leave that open; else both are `percent` */
	unsigned set;	  /* 0 = other */
};
enum { GRAPH_INTERVAL_LEAST = 1 };
enum { GRAPH_ROWS_MAX = CULPRIT_GRAPH_CLASSES * (CULPRIT_GRAPH_CLASSES + 1) / 2 + 1 };

/* Singles in class order, pairs of at least half a percent (or in focus), other. Together they are 100; of what is
 * withheld there are the singles, and their cycles are in other. */
size_t graph_rows(const struct graph_report *r, struct graph_row rows[GRAPH_ROWS_MAX]);
/* Of one class, or of two. */
struct graph_row graph_row_of(const struct graph_report *r, unsigned set);
/* Is a class of this set withheld? */
static inline bool graph_withholds(const struct graph_report *r, unsigned set)
{
	return (r->withheld & set) != 0;
}

const char *graph_row_kind(const struct graph_row *row); /* for programs: "other", "single", or how a pair interacts */
const char *graph_row_advice(const struct graph_row *row); /* for people: of a pair; "" */
/* Is the row's interval wide enough to be printed: GRAPH_INTERVAL_LEAST points? */
bool graph_row_open(const struct graph_row *row);
/* A cost as sentences have it: "43.2", or where the records leave it open "1.6 to 84.5"; and the size of an
 * interaction. */
enum { GRAPH_SIZE = 48 };
char *graph_size(double percent, double low, double high, char text[GRAPH_SIZE]);
char *graph_pair_size(double percent, double low, double high, char text[GRAPH_SIZE]);
/* The row's percent as it is printed with one decimal, without a sign where that is 0. */
double graph_row_printed(const struct graph_row *row);

void graph_text(const struct graph_report *r, FILE *out);
/* What the row "other" holds, below a table of rows. */
void graph_other_text(const struct graph_report *r, FILE *out);
/* Figure 1b of the 2003 paper: positive terms stacked above the axis, negative ones below it, a line at 100%. */
void graph_svg(const struct graph_report *r, FILE *out);
json_t *graph_json(const struct graph_report *r); /* NULL: out of memory */

#endif
