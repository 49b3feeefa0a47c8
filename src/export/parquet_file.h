/* A Parquet file as it is written: groups of rows, and in each one page a column, of plain values.
 *
 * A page of an optional column begins with its levels (which rows have a value); then come the values that there are,
 * numbers of 4 or 8 bytes, texts behind their length in 4 bytes, truth values as bits. What readers must know of the
 * pages is kept until the end of the file: some 40 bytes for each. */
#ifndef CULPRIT_EXPORT_PARQUET_FILE_H
#define CULPRIT_EXPORT_PARQUET_FILE_H

#include "base/bytes.h"

#include <stdio.h>

/* As the format numbers them. */
enum parquet_type { PARQUET_BOOLEAN = 0, PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_DOUBLE = 5, PARQUET_TEXT = 6 };

struct parquet_column {
	const char *name;
	enum parquet_type type;
	bool optional;
};

struct parquet_file {
	FILE *out;
	struct ZSTD_CCtx_s *packer; /* NULL: pages are not compressed */
	uint64_t at, rows;	    /* written so far */
	uint32_t pages, group_count;
	uint64_t group_size;	     /* of the pages so far, before they were compressed */
	struct bytes chunks, groups; /* what the end says of these pages; and of the groups before */
	struct bytes header, packed; /* of a page */
};

/* To be destroyed in any case. `packed`: pages are compressed by zstd. False: out of memory. Errors of `out` are left
 * to who closes it. */
bool parquet_begin(struct parquet_file *f, FILE *out, bool packed, struct error *err);
void parquet_destroy(struct parquet_file *f);
/* The next column of the group. */
bool parquet_page(struct parquet_file *f, const struct parquet_column *c, size_t rows, const struct bytes *page,
		  struct error *err);
/* All columns have their page. */
void parquet_end_group(struct parquet_file *f, size_t rows);
bool parquet_end(struct parquet_file *f, const struct parquet_column *columns, size_t count, const char *version,
		 struct error *err);

/* Levels while they are gathered: runs of rows with a value and without. */
struct parquet_levels {
	struct bytes runs;
	size_t length; /* of the last run */
	bool there;
};
void parquet_levels_run(struct parquet_levels *l);
static inline void parquet_level(struct parquet_levels *l, bool there)
{
	if (there != l->there)
		parquet_levels_run(l);
	l->there = there;
	l->length++;
}
/* Behind the length of all of them. None is left. */
void parquet_levels_put(struct parquet_levels *l, struct bytes *to);

/* Truth values while they are gathered: fewer than eight. */
struct parquet_truths {
	unsigned bits, used;
};
static inline void parquet_truth(struct parquet_truths *t, bool value, struct bytes *to)
{
	t->bits |= (unsigned)value << t->used;
	if (++t->used < 8)
		return;
	bytes_put(to, t->bits, 1);
	*t = (struct parquet_truths){0};
}
void parquet_truths_put(struct parquet_truths *t, struct bytes *to);

#endif
