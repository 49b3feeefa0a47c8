/* The report of `culprit truth`: one struct that the command fills, printed as text, JSON or CSV. Nothing in it depends
 * on the host, so JSON and CSV are the same each time; the text adds how long it took. */
#ifndef CULPRIT_REPORT_TRUTH_REPORT_H
#define CULPRIT_REPORT_TRUTH_REPORT_H

#include "report/graph/base.h"
#include "report/killed.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TRUTH_NAME_MAX = 160, TRUTH_STACK_MAX = 32, TRUTH_STACKS_MAX = 3, TRUTH_VARIED_MAX = 8 };

/* One simulation. */
struct truth_run_row {
	char point[TRUTH_NAME_MAX]; /* of the sweep; "" without one */
	char name[TRUTH_NAME_MAX];  /* what is idealised: "dl1+win", "base" */
	uint64_t cycles;	    /* valid when there is no failure */
	const char *failure;	    /* NULL = it finished */
};

/* A cost (one class) or an interaction cost. */
struct truth_value_row {
	char point[TRUTH_NAME_MAX];
	char name[TRUTH_NAME_MAX];
	uint32_t size; /* classes in the set */
	bool known;
	int64_t cycles;
	uint64_t base;	  /* 100 % */
	const char *word; /* parallel, serial, independent; what the class is, for a cost */
	const char *meaning;
};

struct truth_stack_row {
	const char *name, *meaning;
	int64_t cycles;
};

struct truth_stack_table {
	const char *key, *title;
	bool known;
	uint32_t count;
	struct truth_stack_row rows[TRUTH_STACK_MAX];
};

/* One quantity as re-simulation and as a method have it. */
struct truth_score_row {
	char name[TRUTH_NAME_MAX];
	uint32_t size;			      /* classes in the set; 1 for a component */
	bool counted;			      /* false: shown, but no part of mean and worst */
	int64_t truth, method;		      /* cycles */
	double truth_percent, method_percent; /* each of its own base */
};

/* A method against re-simulation. Errors are in percentage points of the time. */
struct truth_score {
	const char *method;  /* "graph", "stacks" */
	const char *variant; /* which of a method's answers, "fmt"; NULL = it has one */
	const char *label;   /* of the variant, for people */
	const char
		*against; /* the key that it is compared with: "costs" (and icosts), "reference", "reference_inverse" */
	uint64_t truth_base, method_base; /* cycles */
	struct graph_base base;		  /* of a method that has a graph; else simulated is 0 */
	size_t count, counted, singles;
	struct truth_score_row *rows;
	double mean, mean_singles; /* absolute error */
	size_t worst;		   /* row; SIZE_MAX = none */
	double relative;	   /* mean relative error of the singles that take at least 5 % of the time, percent */
	size_t relative_count;
};

/* A key of the machine that a sweep varies. */
struct truth_varied {
	const char *key;
	uint32_t count;
	char *const *values;
};

/* A curve of a sweep: points[i] is x_values[i]; cycles UINT64_MAX = failed. */
struct truth_curve {
	char name[TRUTH_NAME_MAX]; /* the other keys' values; "" when there are none */
	const uint64_t *cycles;
};

struct truth_report {
	const char *version, *machine, *program;
	const char *cut; /* "interrupted"; NULL = all was tried */
	uint64_t skipped, warmed, instructions;
	uint64_t cycles; /* base, of a sweep at its first point; 0 = not known */
	int exit_status; /* the guest's in the base run; -1 = it has not ended */
	struct report_killed killed;

	size_t run_count, failed;
	struct truth_run_row *runs;
	size_t cost_count;
	struct truth_value_row *costs;
	size_t icost_count;
	struct truth_value_row *icosts;
	bool has_other; /* cycles that none of the rows shown explains */
	int64_t other;

	bool full; /* the power set was asked for: the identity is checked */
	bool identity_known, identity_holds;
	int64_t identity_sum;
	uint64_t identity_remainder;

	uint32_t stack_count;
	struct truth_stack_table stacks[TRUTH_STACKS_MAX];

	size_t score_count;
	struct truth_score *scores;

	size_t varied_count; /* keys of the sweep: the machine named is the one that they vary */
	struct truth_varied varied[TRUTH_VARIED_MAX];
	const char *x_key; /* the last of them; NULL = no sweep */
	uint32_t x_count;
	char *const *x_values;
	size_t curve_count; /* icosts come in as many equal groups, at each curve's first point */
	struct truth_curve *curves;

	double host_seconds; /* text only */
	unsigned at_once;
};

/* How often a set's interaction costs told, of two curves, which one gains more at the last value. Where either is
 * equal they cannot tell. */
struct truth_verdict {
	uint32_t agree, disagree, ties;
};
struct truth_verdict truth_curves_verdict(const struct truth_report *r, size_t set);

void truth_report_text(const struct truth_report *r, FILE *out);
void truth_curves_text(const struct truth_report *r, FILE *out); /* the part about a sweep; nothing without one */
void truth_scores_text(const struct truth_report *r, FILE *out); /* the scoreboard; nothing without one */
json_t *truth_scores_json(const struct truth_report *r);
json_t *truth_report_json(const struct truth_report *r); /* NULL: out of memory */
void truth_report_csv(const struct truth_report *r, FILE *out);
void truth_curves_svg(const struct truth_report *r, FILE *out); /* of a sweep */

#endif
