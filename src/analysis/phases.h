/* Phases: the causes of the commit stack over time. The run is cut into slices of equal length; as it gets longer than
 * all slices together, neighbours are joined and the length doubles, so that memory is fixed and a run of any length
 * has between PHASES_MOST / 2 and PHASES_MOST slices (short ones fewer). A wait of commit's belongs, whole, to the
 * slice of the commit that ended it: slices are nearly equal, and their cycles and causes add up to the run's. */
#ifndef CULPRIT_ANALYSIS_PHASES_H
#define CULPRIT_ANALYSIS_PHASES_H

#include "analysis/commit_cause.h"

enum { PHASES_MOST = 512, PHASES_FIRST_LENGTH = 256 };

struct phase {
	uint64_t cycles, instructions;
	uint64_t causes[COMMIT_CAUSES];
};

struct phases {
	struct commit_stack_params params;
	struct phase slices[PHASES_MOST];
	size_t current;		 /* the slice of the last commit */
	uint64_t length;	 /* of a slice; PHASES_FIRST_LENGTH times a power of two */
	uint64_t current_end;	 /* the first cycle that is not in the current slice */
	uint64_t next_cycle;	 /* the first not accounted for */
	uint16_t previous_flags; /* of the instruction before */
};

void phases_init(struct phases *p, const struct commit_stack_params *params);
void phases_push(struct phases *p, const struct culprit_record *records, size_t count);
/* The run had `cycles` cycles: the rest is `end`. Fills in the slices' cycles. */
void phases_finish(struct phases *p, uint64_t cycles);

#endif
