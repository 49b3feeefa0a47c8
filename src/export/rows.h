/* A record file as a table: a row for each record, in the order of the file.
 *
 * Columns are the members of struct culprit_record under the names that other languages know them by
 * (record_member.def), flags one by one. In front of them stands what the file and the program's symbols know of an
 * address. What the records' source does not tell (culprit/field.h) has no column: a 0 in a table is one. Memory does
 * not grow with the records, but with the addresses that committed. */
#ifndef CULPRIT_EXPORT_ROWS_H
#define CULPRIT_EXPORT_ROWS_H

#include "export/row_places.h"
#include "report/record_names.h"

#include <string.h>

enum row_kind {
	ROW_NUMBER,
	ROW_SIGNED, /* of 4 bytes */
	ROW_ADDRESS,
	ROW_WEIGHT, /* how many it is: culprit_weight */
	ROW_FLAG,   /* one bit of the member */
	ROW_NAME,   /* of the number: record_names.h */
	ROW_PLACE   /* a text of row_places.h */
};

struct row_column {
	char name[32];
	enum row_kind kind;
	uint16_t offset, size;	    /* of the member */
	uint16_t bit;		    /* ROW_FLAG */
	uint16_t needs, needs_size; /* ROW_NAME: the member that is not 0 where there is one; size 0: always */
	enum record_name_set names;
	enum row_place_text place;
};

enum { ROW_COLUMNS_MOST = 96 };

/* All zero at first; to be destroyed in any case. */
struct rows {
	const char *version; /* of Culprit */
	struct record_about about;
	struct record_reader *reader;
	struct row_places places;
	struct row_column columns[ROW_COLUMNS_MOST];
	size_t column_count;
};

/* Is it a record file, by its first bytes? */
bool rows_are(const char *path);
bool rows_open(struct rows *rows, const char *path, struct error *err);
void rows_destroy(struct rows *rows);
/* The next records, valid until the next call; *count = 0: the end. */
bool rows_next(struct rows *rows, const struct culprit_record **records, size_t *count, struct error *err);

static inline uint64_t row_member(const struct culprit_record *r, uint16_t offset, uint16_t size)
{
	const char *at = (const char *)r + offset;
	uint64_t eight;
	uint32_t four;
	uint16_t two;
	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		memcpy(&two, at, sizeof two);
		return two;
	case 4:
		memcpy(&four, at, sizeof four);
		return four;
	default:
		memcpy(&eight, at, sizeof eight);
		return eight;
	}
}

static inline uint64_t row_number(const struct row_column *c, const struct culprit_record *r)
{
	const uint64_t value = row_member(r, c->offset, c->size);
	return c->kind == ROW_WEIGHT ? culprit_weight((uint8_t)value) : value;
}

/* ROW_NAME; NULL: an empty cell. */
static inline const char *row_name(const struct row_column *c, const struct culprit_record *r)
{
	if (c->needs_size && !row_member(r, c->needs, c->needs_size))
		return NULL;
	return record_name(c->names, (unsigned)row_member(r, c->offset, c->size));
}

#endif
