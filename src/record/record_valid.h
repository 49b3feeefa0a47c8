/* Values that analyses can take: what a file holds may have been made by anyone. */
#ifndef CULPRIT_RECORD_RECORD_VALID_H
#define CULPRIT_RECORD_RECORD_VALID_H

#include "culprit/log.h"

/* NULL: it is good. Else what is not. */
const char *record_values_wrong(const struct culprit_record *r);
const char *log_entry_wrong(const struct culprit_log_entry *e);

/* Where a log has come to: it moves forward, and tells of what is in the pipeline. All zero at first. */
struct log_front {
	uint64_t head, dispatched; /* as after the last cycle */
	uint64_t fetched;	   /* no branch or fetch that follows is older */
	uint64_t cycles;
};
/* NULL: the entry may come next, and *front is behind it. */
const char *log_front_wrong(struct log_front *front, const struct culprit_log_entry *e);

#endif
