/* The cause of a wait of commit's, in a word: commit_cause.def. */
#ifndef CULPRIT_ANALYSIS_COMMIT_CAUSE_H
#define CULPRIT_ANALYSIS_COMMIT_CAUSE_H

#include "analysis/commit_stack.h"

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

enum commit_cause commit_row_cause(enum commit_row row);

/* Add the wait's cycles to `causes`. Those of the pipeline go with the largest other part of the wait. */
void commit_cause_add(const struct commit_wait *wait, uint64_t causes[COMMIT_CAUSES]);

#endif
