/* A block of records as columns, and back.
 *
 * What nearly every record has anew is its head: how far its times are from the times in front of them, its flags,
 * and what else is told of it. Few heads are different (row_table.h). Told is what is not as expected: the pc, as
 * after the record in front the last time; the address, the operands and the words that are left, as in the last
 * record of the same pc; and the last word, which most records leave 0. No more than two branches depend on what
 * hosts cannot predict, whether the head is known and whether one of the words that are left is new: other words are
 * put into their columns in any case, and a column's end moves on if the word is told.
 *
 * A block begins anew, and so can be read alone. */
#ifndef CULPRIT_RECORD_RECORD_ROWS_H
#define CULPRIT_RECORD_RECORD_ROWS_H

#include "culprit/record.h"
#include "record/row_table.h"

enum { RECORD_BLOCK = 65536 /* the most of a block */ };

/* Words of a record that are as in the last of its pc, but for the bits that other columns have. */
enum { RECORD_KEPT = 11 };

enum record_column {
	COLUMN_ADDRESS,
	COLUMN_OPERANDS,
	COLUMN_PC,
	COLUMN_PREFETCHED,
	COLUMN_WIDE, /* times that are longer than in the head, as a whole */
	COLUMN_KEPT,
	RECORD_COLUMNS = COLUMN_KEPT + RECORD_KEPT
};

/* Where addresses of instructions meet, like a cache: two of one place tell each other's records badly, not wrongly. */
enum { RECORD_PLACES = 16384 };

struct record_place {
	uint64_t block; /* of an earlier block: as if all else were 0 */
	uint64_t pc;	/* of the last record here, */
	uint64_t address, operands, kept[RECORD_KEPT];
	uint64_t next_pc; /* and of the one behind it; 0 = none */
};

struct record_rows {
	struct record_before {
		uint64_t next, fetch, dispatch, commit; /* next: the address behind it */
	} front;					/* of the last record */
	struct record_place *last;			/* its place; at first one that nobody has */
	uint64_t block;
	struct row_table heads;
	uint8_t *holders; /* of each row: previous_holder's lowest byte */
	size_t kept_count;
	uint16_t *kept; /* of rows with such: bit n: that word */
	uint64_t *columns[RECORD_COLUMNS];
	uint64_t *next[RECORD_COLUMNS]; /* where the next word goes, or comes from */
	struct record_place places[RECORD_PLACES + 1];
};

/* NULL: out of memory. */
struct record_rows *record_rows_create(void);
void record_rows_destroy(struct record_rows *rows);
/* False: its pc was not the last one of its place. At most RECORD_BLOCK until they are flushed. */
bool record_rows_put(struct record_rows *rows, const struct culprit_record *r);
/* All records so far; the next begins a block. */
void record_rows_flush(struct record_rows *rows, struct bytes *to);
/* A block of `count`. False: it does not fit. */
bool record_rows_open(struct record_rows *rows, size_t count, struct cursor *from);
/* The next of them, without `seq`, which counts; values may be any. True: all members but the pc, the address, times,
 * flags and previous_holder are as in the last one of the same place, or 0. */
bool record_rows_get(struct record_rows *rows, struct culprit_record *r);

#endif
