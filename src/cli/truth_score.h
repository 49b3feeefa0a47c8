/* The scoreboard of `culprit truth`: other methods of attribution against idealised re-simulation. Their analyses, the
 * same that `culprit run --with` has, listen to the base simulation, which is timed as if nobody did; what they
 * publish as JSON goes from that child to the parent through a file without a name, and is compared there with
 * what the other simulations found.
 *
 * A method is a row of truth_scores.def and a file score_NAME.c. */
#ifndef CULPRIT_CLI_TRUTH_SCORE_H
#define CULPRIT_CLI_TRUTH_SCORE_H

#include "cli/analyses.h"
#include "report/truth/report.h"

#include <stdio.h>

struct truth;

struct score_method {
	/* Adds the method's tables to the report. `found`: the object that its analysis adds to JSON; an error (INTERNAL)
	 * when it is not as docs/ has it. */
	bool (*fill)(struct truth *t, const json_t *found, struct error *err);
};

struct truth_scores {
	uint32_t chosen; /* a bit for each row of truth_scores.def; 0 = no scoreboard */
	FILE *found;	 /* what the base simulation's analyses found; shared with the child that writes it */
	/* in the child */
	struct analyses analyses;
};

/* --score LIST; NULL = none. Sets options->reference where a method needs it. */
bool truth_scores_choose(struct truth_scores *s, struct options *o, struct error *err);
/* In the parent, before the simulations: mistakes show before anything runs. */
bool truth_scores_prepare(struct truth_scores *s, const struct analysis_context *context, struct error *err);

/* In the child that simulates the base: start listening (records go to truth_scores_records), and hand over. */
bool truth_scores_create(struct truth_scores *s, const struct analysis_context *context, struct error *err);
void truth_scores_records(struct truth_scores *s, const struct culprit_record *records, size_t count);
void truth_scores_log(struct truth_scores *s, const struct culprit_log_part *part);
bool truth_scores_hand_over(struct truth_scores *s, const struct analysis_totals *totals, struct error *err);

/* In the parent, when costs and stacks are in the report. Without a base run there is no scoreboard. */
bool truth_scores_fill(struct truth *t, struct error *err);
void truth_scores_destroy(struct truth_scores *s);

/* For score_NAME.c: a new table of the report with room for `rows`, the rows to be appended by score_row, then the
 * summary. Cycles are the method's and re-simulation's, each of its own base. NULL: out of memory or tables. */
struct truth_score *score_table(struct truth_report *r, const char *method, const char *variant, const char *label,
				const char *against, size_t rows);
void score_row(struct truth_score *s, const char *name, int64_t truth, int64_t method, uint32_t size, bool counted);
void score_finish(struct truth_score *s);

#endif
