/* A sweep: the points of a plan, simulated, and in a store. */
#ifndef CULPRIT_SWEEP_SWEEP_H
#define CULPRIT_SWEEP_SWEEP_H

#include "report/sweep/report.h"
#include "sweep/store.h"

struct sweep {
	struct sweep_plan plan;
	struct sweep_points points;
	struct sweep_store *store;
	char folder[4112]; /* of results that are being made */
	size_t at_once;
	bool quiet, heard; /* heard: the first point's output */
	bool slurm;	   /* by its jobs; jobs_alive: the folder is theirs, too */
	bool jobs_alive;
	bool goes_on; /* now or with the next command: checkpoints in the folder are of use */
	struct sweep_result *results;
	char **troubles; /* why a point failed; NULL = it did not */
	struct sweep_report report;
	/* of the report */
	struct sweep_report_point *rows;
	struct sweep_report_axis *axes;
	struct sweep_report_machine *machines;
	char **commands;
};

/* What is done is taken from the store; the rest is simulated. Ctrl-C ends it with what there is. */
bool sweep_simulate(struct sweep *s, struct error *err);
/* After it, or without it: what the store has, as a report. */
bool sweep_fill(struct sweep *s, struct error *err);
void sweep_unfill(struct sweep *s);
void sweep_destroy(struct sweep *s);

#endif
