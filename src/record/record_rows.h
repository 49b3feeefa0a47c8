/* Records and entries of the pipeline log as rows of which most bytes are 0, and back: each is told by what is new in
 * it.
 *
 * A record is made relative: times to the time in front of them, in the record or in the record in front; the pc to
 * what followed the last time; the address to the last one of the same pc. Then it is told by the bits that differ
 * from the same of the last record of its pc. A log's entry is told by what differs from the last of its kind.
 * A block begins anew, and so can be read alone. */
#ifndef CULPRIT_RECORD_RECORD_ROWS_H
#define CULPRIT_RECORD_RECORD_ROWS_H

#include "culprit/log.h"
#include "record/sparse.h"

enum { RECORD_WORDS = sizeof(struct culprit_record) / 8, LOG_WORDS = sizeof(struct culprit_log_entry) / 8 };
_Static_assert(RECORD_WORDS * 8 == sizeof(struct culprit_record) && (int)RECORD_WORDS == (int)SPARSE_WORDS,
	       "whole words");

/* Where addresses of instructions meet, like a cache: two of one place tell each other's records badly, not wrongly. */
enum { RECORD_PLACES = 4096 };

struct record_place {
	uint64_t relative[RECORD_WORDS];
	uint64_t not_pc;	   /* of the last record here, inverted: 0 where none ever was */
	uint64_t address, next_pc; /* next_pc: of the record behind, or 0 */
	uint64_t block;		   /* of an earlier block: as if it were all 0 */
};

struct record_rows {
	struct record_before {
		uint64_t pc, length, fetch, dispatch, commit;
	} front;		   /* of the last record */
	struct record_place *last; /* its place; NULL: there is none in this block */
	uint64_t block;
	struct record_place places[RECORD_PLACES];
};

struct log_rows {
	uint64_t last[CULPRIT_LOG_KINDS][LOG_WORDS];
};

void record_rows_begin(struct record_rows *rows);
/* False: its pc was not the last one of its place, in this block or an earlier one. */
bool record_rows_put(struct record_rows *rows, const struct culprit_record *r, struct sparse_writer *to);
/* All but `seq`, which counts; values may be any. False: there is none. */
bool record_rows_get(struct record_rows *rows, struct culprit_record *r, struct sparse_reader *from);

void log_rows_begin(struct log_rows *rows);
void log_rows_put(struct log_rows *rows, const struct culprit_log_entry *e, struct sparse_writer *to);
/* False: there is none, or its kind cannot be. */
bool log_rows_get(struct log_rows *rows, struct culprit_log_entry *e, struct sparse_reader *from);

#endif
