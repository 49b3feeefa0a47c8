/* culprit truth, its parts: truth_plan.c says what to simulate, truth_simulate.c does one simulation in a child of
 * truth_pool.c, truth_fill.c makes figures of the outcomes, truth.c puts them together. */
#ifndef CULPRIT_CLI_TRUTH_H
#define CULPRIT_CLI_TRUTH_H

#include "analysis/commit_stack.h"
#include "cli/provenance.h"
#include "cli/session.h"
#include "cli/truth_plan.h"
#include "cli/truth_pool.h"
#include "cli/truth_score.h"
#include "report/truth/report.h"

/* What a child sends back. */
struct truth_outcome {
	uint64_t instructions, cycles, warmed;
	int32_t exit_status;	     /* of the guest; -1 = it has not ended */
	uint64_t stack[COMMIT_ROWS]; /* the base run's, as what follows */
	struct report_killed killed;
};
_Static_assert(sizeof(struct truth_outcome) <= POOL_RESULT_MAX, "fits into a message");

struct truth {
	struct options options;
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

/* truth_simulate.c: in the child, job number `job` of the plan. Fits struct pool. */
bool truth_simulate(struct pool *pool, size_t job, void *result, struct error *why);

/* truth_progress.c: a line on the terminal. */
void truth_progress(const struct pool *pool);
void truth_progress_end(struct truth *t);

/* truth_fill.c: everything but the names of program and machine. */
bool truth_fill(struct truth *t, struct error *err);
void truth_fill_destroy(struct truth *t);

/* The outcome of the job that simulates this; NULL: it has none. */
const struct truth_outcome *truth_outcome(const struct truth *t, uint32_t point, culprit_event_set ideal);

#endif
