/* A block of entries of the pipeline log as columns, and back. An entry is made relative to the last of its kind:
 * then few are different. A block begins anew, and so can be read alone. */
#ifndef CULPRIT_RECORD_LOG_ROWS_H
#define CULPRIT_RECORD_LOG_ROWS_H

#include "culprit/log.h"
#include "record/row_table.h"

enum { LOG_BLOCK = 65536 /* the most of a block */, LOG_WORDS = 2 };

struct log_rows {
	uint64_t last[CULPRIT_LOG_KINDS]; /* second words */
	uint64_t front;			  /* of the last cycle */
	struct row_table table;
};

/* NULL: out of memory. */
struct log_rows *log_rows_create(void);
void log_rows_destroy(struct log_rows *rows);
/* Bytes that the entry's kind does not use do not count. */
void log_rows_put(struct log_rows *rows, const struct culprit_log_entry *e);
/* All entries so far; the next begins a block. */
void log_rows_flush(struct log_rows *rows, struct bytes *to);
/* A block of `count`. False: it does not fit. */
bool log_rows_open(struct log_rows *rows, size_t count, struct cursor *from);
/* The next of them. False: it cannot be. */
bool log_rows_get(struct log_rows *rows, struct culprit_log_entry *e);

#endif
