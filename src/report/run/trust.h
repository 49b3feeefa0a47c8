/* What is known of the error of costs: trust.def. */
#ifndef CULPRIT_REPORT_RUN_TRUST_H
#define CULPRIT_REPORT_RUN_TRUST_H

#include "report/run/report.h"

struct trust {
	const char *method, *machine, *points, *programs;
};

/* The row of the report's machine. NULL = nothing was scored that is like it: scores are of our own core's records,
 * which tell all, and of a machine as its file has it. */
const struct trust *trust_of(const struct run_report *r);
/* Points of the worst machine that was scored, for one that was not. */
double trust_worst(void);

#endif
