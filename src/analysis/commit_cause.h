/* The cause of a wait of commit's, in a word: commit_cause.def. */
#ifndef CULPRIT_ANALYSIS_COMMIT_CAUSE_H
#define CULPRIT_ANALYSIS_COMMIT_CAUSE_H

#include "analysis/commit_stack.h"
#include "culprit/field.h"

enum commit_cause {
#define COMMIT_CAUSE(name, label, words, event) CAUSE_##name,
#include "analysis/commit_cause.def"
	COMMIT_CAUSES
};

struct commit_cause_row {
	const char *name; /* JSON key */
	const char *label, *words;
	enum culprit_event_class event;
};
const struct commit_cause_row *commit_cause_row(enum commit_cause cause);
/* The same of records that do not tell all. */
struct commit_cause_row commit_cause_told(enum commit_cause cause, culprit_field_set unknown);

enum commit_cause commit_row_cause(enum commit_row row);

/* Add to `causes` the cycles that commit waited for r. Those of the pipeline go with the largest other part of the
 * wait. Where there is none, r had executed before the wait began, and was too late for commit all the same: they go
 * with what r executed. Of a one-cycle operation that waited for no operand they are the pipeline's. */
void commit_cause_add(const struct culprit_record *r, const struct commit_stack_params *params,
		      const struct commit_wait *wait, uint64_t causes[COMMIT_CAUSES]);

#endif
