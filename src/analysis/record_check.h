/* Does a record make sense, by itself and after the one in front of it? Asked by analyses that build graphs of records,
 * whose edges must not lead backwards in time or out of the stream. */
#ifndef CULPRIT_ANALYSIS_RECORD_CHECK_H
#define CULPRIT_ANALYSIS_RECORD_CHECK_H

#include "base/error.h"
#include "culprit/record.h"

/* The record in front; `count` = 0: there is none, and the rest does not matter. */
struct record_front {
	uint64_t count; /* records so far */
	uint64_t seq, fetch, commit;
};

/* Errors: what is wrong, without the record's number. */
bool record_check(const struct culprit_record *r, const struct record_front *front, struct error *err);

#endif
