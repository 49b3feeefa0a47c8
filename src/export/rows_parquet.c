/* Rows of a record file as Parquet (rows.h). Members of one byte or two are INT32, others INT64: unsigned types would
 * turn a difference below 0 into a large number. Records come in small parts, and of each all columns are gathered
 * while it is in a near cache. */
#include "export/export.h"
#include "export/parquet_file.h"
#include "export/rows.h"

#include <endian.h>
#include <stdlib.h>

/* Rows of a group: the parts of one block. */
enum { GROUP = 65536 };

struct gathered {
	struct bytes values;
	struct parquet_levels levels;
	struct parquet_truths truths;
};

struct writer {
	struct rows *rows;
	struct parquet_file file;
	struct parquet_column columns[ROW_COLUMNS_MOST];
	struct gathered gathered[ROW_COLUMNS_MOST];
	struct bytes page;
	size_t row_count; /* of the group */
};

static bool out_of_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory");
}

static enum parquet_type type_of(const struct row_column *c)
{
	if (c->kind == ROW_FLAG)
		return PARQUET_BOOLEAN;
	if (c->kind == ROW_NAME || c->kind == ROW_PLACE)
		return PARQUET_TEXT;
	return c->size <= 2 || c->kind == ROW_SIGNED ? PARQUET_INT32 : PARQUET_INT64;
}

/* --- gathering --- */

static void put_text(struct gathered *g, const char *text)
{
	parquet_level(&g->levels, text != NULL);
	if (!text)
		return;
	const size_t size = strlen(text);
	bytes_put(&g->values, size, sizeof(uint32_t));
	bytes_put_raw(&g->values, text, size);
}

static void put_texts(struct gathered *g, const struct row_column *c, const struct row_places *places,
		      const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (c->kind == ROW_NAME)
			put_text(g, row_name(c, &records[i]));
		else
			put_text(g, places->places[row_places_find(places, records[i].pc)].texts[c->place]);
}

/* Little-endian, as the format has them. Members of `from` bytes, cells of `size`: known when this is compiled. */
__attribute__((always_inline)) static inline void spread(uint8_t *to, const struct row_column *c, uint16_t from,
							 unsigned size, const struct culprit_record *records,
							 size_t count)
{
	for (size_t i = 0; i < count; i++, to += size) {
		const uint64_t value = htole64(row_member(&records[i], c->offset, from));
		memcpy(to, &value, size);
	}
}

static void put_weights(uint8_t *to, const struct row_column *c, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++, to += 4) {
		const uint32_t value = htole32((uint32_t)row_number(c, &records[i]));
		memcpy(to, &value, sizeof value);
	}
}

static void put_numbers(struct gathered *g, const struct row_column *c, unsigned size,
			const struct culprit_record *records, size_t count)
{
	if (!bytes_reserve(&g->values, size * count))
		return;
	uint8_t *to = g->values.at + g->values.size;
	g->values.size += size * count;
	if (c->kind == ROW_WEIGHT)
		put_weights(to, c, records, count);
	else if (c->size == 1)
		spread(to, c, 1, 4, records, count);
	else if (c->size == 2)
		spread(to, c, 2, 4, records, count);
	else if (size == 4)
		spread(to, c, 4, 4, records, count);
	else if (c->size == 4)
		spread(to, c, 4, 8, records, count);
	else
		spread(to, c, 8, 8, records, count);
}

static void put_column(struct gathered *g, const struct row_column *c, const struct row_places *places,
		       const struct culprit_record *records, size_t count)
{
	const enum parquet_type type = type_of(c);
	if (type == PARQUET_TEXT)
		put_texts(g, c, places, records, count);
	else if (type != PARQUET_BOOLEAN)
		put_numbers(g, c, type == PARQUET_INT32 ? 4 : 8, records, count);
	else
		for (size_t i = 0; i < count; i++)
			parquet_truth(&g->truths, row_number(c, &records[i]) & c->bit, &g->values);
}

/* --- groups --- */

static bool put_page(struct writer *w, size_t column, struct error *err)
{
	struct gathered *g = &w->gathered[column];
	const struct bytes *page = &g->values;
	if (w->columns[column].optional) {
		w->page.size = 0;
		parquet_levels_put(&g->levels, &w->page);
		bytes_put_raw(&w->page, g->values.at, g->values.size);
		w->page.failed |= g->values.failed;
		page = &w->page;
	}
	parquet_truths_put(&g->truths, &g->values);
	TRY(parquet_page(&w->file, &w->columns[column], w->row_count, page, err));
	g->values.size = 0;
	return true;
}

static bool put_group(struct writer *w, struct error *err)
{
	if (!w->row_count)
		return true;
	for (size_t i = 0; i < w->rows->column_count; i++)
		TRY(put_page(w, i, err));
	parquet_end_group(&w->file, w->row_count);
	w->row_count = 0;
	return true;
}

static void name_columns(struct writer *w)
{
	for (size_t i = 0; i < w->rows->column_count; i++) {
		const struct row_column *c = &w->rows->columns[i];
		const enum parquet_type type = type_of(c);
		w->columns[i] = (struct parquet_column){c->name, type, type == PARQUET_TEXT};
	}
}

/* A file that cannot be written is left to who closes it, and nothing more is made for it. */
static bool put_rows(struct writer *w, struct error *err)
{
	const struct culprit_record *records;
	const struct rows *rows = w->rows;
	size_t count;
	do {
		TRY(rows_next(w->rows, &records, &count, err));
		for (size_t i = 0; i < rows->column_count; i++)
			put_column(&w->gathered[i], &rows->columns[i], &rows->places, records, count);
		w->row_count += count;
		if (w->row_count >= GROUP || !count)
			TRY(put_group(w, err));
	} while (count && !ferror(w->file.out));
	return parquet_end(&w->file, w->columns, rows->column_count, rows->version, err);
}

bool export_rows_parquet(struct rows *rows, FILE *out, struct error *err)
{
	struct writer *w = calloc(1, sizeof *w);
	if (!w)
		return out_of_memory(err);
	w->rows = rows;
	name_columns(w);
	const bool good = parquet_begin(&w->file, out, true, err) && put_rows(w, err);
	parquet_destroy(&w->file);
	for (size_t i = 0; i < rows->column_count; i++) {
		free(w->gathered[i].values.at);
		free(w->gathered[i].levels.runs.at);
	}
	free(w->page.at);
	free(w);
	return good;
}
