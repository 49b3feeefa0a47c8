/* A block of records, or of the pipeline log, in files of versions 1 and 2. Each member is a column of what it differs
 * by from its prediction (culprit/record_member.def), folded so that small differences either way are small numbers; a
 * column is as many planes of bytes as its largest number has. Such files are read, and no longer written. */
#ifndef CULPRIT_RECORD_RECORD_COLUMNS_H
#define CULPRIT_RECORD_RECORD_COLUMNS_H

#include "culprit/log.h"
#include "base/bytes.h"

enum { COLUMN_RECORDS = 4096, COLUMN_ENTRIES = 8192 }; /* the most of a block */

/* Work space; one for each file. */
struct record_columns {
	struct culprit_record records[1 + COLUMN_RECORDS]; /* the first is all zero */
	const struct culprit_record *same[COLUMN_RECORDS]; /* the last of the same pc */
	const struct culprit_record *last[4096];
	uint64_t folded[COLUMN_ENTRIES];
};

/* columns of a file of version 1, of version 2, and of all that a record has now */
enum { RECORD_MEMBERS_1 = 48, RECORD_MEMBERS_2 = 52, RECORD_MEMBERS = 53 };
/* Into records[1 .. count], without `seq`: the first `members` columns; the rest is 0. False: they do not fit the
 * count. Values may be any. */
bool record_columns_get(struct record_columns *c, size_t count, unsigned members, struct cursor *from);

bool log_columns_get(struct record_columns *c, struct culprit_log_entry *entries, size_t count, struct cursor *from);

#endif
