/* Idealised re-simulation: plan.c says what to simulate, simulate.c does one simulation in a child of pool.c, fill.c
 * makes figures of the outcomes, scores.c holds other methods against them; the subcommand puts them together.
 *
 * --score: other methods of attribution against idealised re-simulation. Their analyses, the same that `culprit run
 * --with` has, listen to the base simulation, which is timed as if nobody did; what they publish as JSON goes from that
 * child to the parent through a file without a name, and is compared there with what the other simulations found. A
 * method is a row of scores.def and a file score_NAME.c. */
#ifndef CULPRIT_TRUTH_TRUTH_H
#define CULPRIT_TRUTH_TRUTH_H

#include "analysis/commit_stack.h"
#include "provenance/provenance.h"
#include "run/session.h"
#include "truth/plan.h"
#include "truth/pool.h"
#include "report/truth/report.h"
#include "with/analyses.h"

/* What a child sends back. */
struct truth_outcome {
	uint64_t instructions, cycles, warmed;
	int32_t exit_status;	     /* of the guest; -1 = it has not ended */
	uint64_t stack[COMMIT_ROWS]; /* the base run's, as what follows */
	struct report_killed killed;
};
_Static_assert(sizeof(struct truth_outcome) <= POOL_RESULT_MAX, "fits into a message");

struct truth_scores {
	uint32_t chosen; /* a bit for each row of scores.def; 0 = no scoreboard */
	FILE *found;	 /* what the base simulation's analyses found; shared with the child that writes it */
};

struct truth {
	struct options options; /* first */
	struct session session; /* at the region's start; with a sweep without a core, before warm-up */
	struct truth_plan plan;
	struct pool pool;
	struct truth_scores scores;
	double started, drawn_at;
	bool show, drawn;

	struct provenance provenance;
	struct truth_report report;
	uint64_t *curve_cycles; /* what report.curves point into */
};

/* simulate.c: in the child, job number `job` of the plan. Fits struct pool. */
bool truth_simulate(struct pool *pool, size_t job, void *result, struct error *why);

/* progress.c: a line on the terminal. */
void truth_progress(const struct pool *pool);
void truth_progress_end(struct truth *t);

/* fill.c: everything but the names of program and machine. */
bool truth_fill(struct truth *t, struct error *err);
void truth_fill_destroy(struct truth *t);

/* The outcome of the job that simulates this; NULL: it has none. */
const struct truth_outcome *truth_outcome(const struct truth *t, uint32_t point, culprit_event_set ideal);

/* --- scores.c --- */

struct score_method {
	/* Adds the method's tables to the report. `found`: the object that its analysis adds to JSON; an error
	 * (INTERNAL) when it is not as docs/ has it. */
	bool (*fill)(struct truth *t, const json_t *found, struct error *err);
};

/* --score LIST; NULL = none. Sets options->reference where a method needs it. */
bool truth_scores_choose(struct truth_scores *s, struct options *o, struct error *err);
/* In the parent, before the simulations: mistakes show before anything runs. */
bool truth_scores_prepare(struct truth *t, struct error *err);
/* In the child that simulates the base: their analyses are the session's; and hand over what they found. */
bool truth_scores_create(struct truth *t, struct error *err);
bool truth_scores_hand_over(struct truth *t, const struct analysis_totals *totals, struct error *err);

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
