/* A region in parts that are simulated side by side (--jobs): this process executes the program, training caches, TLBs
 * and predictors all the way, and forks a child for each part. The child simulates some instructions before its part
 * that do not count (--overlap), so that the pipeline is full when the part begins, and hands over what it counted. */
#ifndef CULPRIT_RUN_PARTS_H
#define CULPRIT_RUN_PARTS_H

#include "run/session.h"

struct parts {
	struct core_statistics core; /* sums over the parts */
	struct hierarchy_statistics hierarchy;
	uint64_t more;	 /* instructions than the region has: a part ends between two commits */
	int exit_status; /* of the program; -1: the region ended first */
};

/* Are the options such that parts can be simulated? */
bool parts_check(struct options *o, struct error *err);
/* After session_core, which had no limit; into session->insn_cycles, too. */
bool parts_run(struct session *s, const struct options *o, struct parts *to, struct error *err);

#endif
