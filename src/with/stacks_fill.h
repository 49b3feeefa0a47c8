/* From the counter architectures to their report: for `--with stacks` and for the library. */
#ifndef CULPRIT_WITH_STACKS_FILL_H
#define CULPRIT_WITH_STACKS_FILL_H

#include "analysis/stacks/stacks.h"
#include "culprit/record.h"
#include "report/stacks/report.h"

/* Committed loads that went to memory and do not overlap; cycles they waited for their address; when the last returns.
 */
struct stacks_resolution {
	uint64_t loads, cycles, until;
};
void stacks_resolution_push(struct stacks_resolution *x, const struct culprit_record *records, size_t count);

/* After stacks_finish. */
void stacks_fill(struct stacks_report *r, const struct stacks *s, const struct stacks_resolution *resolution,
		 uint64_t cycles, uint64_t instructions);

#endif
