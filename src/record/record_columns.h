/* A block of records as columns of bytes, and back. Each member is a column of what it differs by from its prediction
 * (culprit/record_member.def), folded so that small differences either way are small numbers; a column is as many
 * planes of bytes as its largest number has. The same of the pipeline log. */
#ifndef CULPRIT_RECORD_RECORD_COLUMNS_H
#define CULPRIT_RECORD_RECORD_COLUMNS_H

#include "culprit/log.h"
#include "base/bytes.h"

enum { RECORD_BLOCK = 4096, LOG_BLOCK = 8192, SQUASHED_BLOCK = 256 };

/* Work space; one for each file. */
struct record_columns {
	struct culprit_record records[1 + RECORD_BLOCK]; /* the first is all zero */
	const struct culprit_record *same[RECORD_BLOCK]; /* the last of the same pc */
	const struct culprit_record *last[4096];
	uint64_t folded[LOG_BLOCK];
	_Alignas(8) uint8_t values[RECORD_BLOCK * sizeof(struct culprit_record)]; /* columns to be written */
};

/* Of records[1 .. count]; `seq` is not among them. */
void record_columns_put(struct record_columns *c, size_t count, struct bytes *to);
enum { RECORD_MEMBERS_1 = 48, RECORD_MEMBERS = 53 }; /* columns of a file of version 1, and of this one */
/* The first `members` columns; the rest is 0. False: they do not fit the count. Values may be any. */
bool record_columns_get(struct record_columns *c, size_t count, unsigned members, struct cursor *from);

void log_columns_put(struct record_columns *c, const struct culprit_log_entry *entries, size_t count, struct bytes *to);
bool log_columns_get(struct record_columns *c, struct culprit_log_entry *entries, size_t count, struct cursor *from);

#endif
