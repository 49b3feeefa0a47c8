/* Any list of a result as a Parquet file (table.h): one group of rows, one page a column, nothing packed, so that every
 * reader can read it.
 *
 * A column whose values are all whole numbers is INT64, of numbers DOUBLE, of truth values BOOLEAN; anything else is a
 * text as in CSV. Where a cell is empty the column is OPTIONAL, and its page begins with a bit for each row. */
#include "export/parquet_file.h"
#include "export/table.h"

#include <stdlib.h>
#include <string.h>

struct parquet {
	json_t *names; /* column -> number */
	struct parquet_column *columns;
	json_t **values; /* of each column, by row */
	size_t count, rows;
	bool failed;
};

/* --- gathering --- */

static void head(void *context, const json_t *names)
{
	struct parquet *p = context;
	const char *name;
	json_t *number;
	p->names = json_incref((json_t *)names);
	p->columns = calloc(json_object_size(names) + 1, sizeof *p->columns);
	p->values = calloc(json_object_size(names) + 1, sizeof(json_t *));
	p->failed = !p->columns || !p->values;
	if (p->failed)
		return;
	json_object_foreach(p->names, name, number)
	{
		p->columns[p->count].name = name;
		p->values[p->count] = json_array();
		p->failed |= !p->values[p->count++];
	}
}

static void row(void *context, const json_t *cells)
{
	struct parquet *p = context;
	for (size_t i = 0; i < p->count && !p->failed; i++) {
		json_t *v = json_object_get(cells, p->columns[i].name);
		p->failed = json_array_append_new(p->values[i], v ? json_incref(v) : json_null()) != 0;
	}
	p->rows++;
}

static void find_type(struct parquet_column *c, const json_t *values)
{
	bool whole = true, number = true, truth = true, any = false;
	size_t i;
	json_t *v;
	json_array_foreach((json_t *)values, i, v)
	{
		c->optional |= json_is_null(v);
		if (json_is_null(v))
			continue;
		any = true;
		whole &= json_is_integer(v);
		number &= json_is_number(v);
		truth &= json_is_boolean(v);
	}
	c->type = !any	   ? PARQUET_TEXT
		  : whole  ? PARQUET_INT64
		  : number ? PARQUET_DOUBLE
		  : truth  ? PARQUET_BOOLEAN
			   : PARQUET_TEXT;
}

/* --- a page --- */

static void put_levels(struct bytes *to, const json_t *values)
{
	struct parquet_levels levels = {.length = 0};
	size_t i;
	json_t *v;
	json_array_foreach((json_t *)values, i, v) parquet_level(&levels, !json_is_null(v));
	parquet_levels_put(&levels, to);
	free(levels.runs.at);
}

static void put_double(struct bytes *to, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	bytes_put(to, bits, sizeof bits);
}

static void put_text(struct bytes *to, const json_t *v)
{
	char *made;
	const char *text = table_text(v, &made);
	to->failed |= !text;
	size_t length = text ? strlen(text) : 0;
	bytes_put(to, length, 4);
	bytes_put_raw(to, text ? text : "", length);
	free(made);
}

static void put_truths(struct bytes *to, const json_t *values)
{
	struct parquet_truths truths = {0};
	size_t i;
	json_t *v;
	json_array_foreach((json_t *)values, i, v) if (!json_is_null(v)) parquet_truth(&truths, json_is_true(v), to);
	parquet_truths_put(&truths, to);
}

static void put_values(struct bytes *to, enum parquet_type type, const json_t *values)
{
	size_t i;
	json_t *v;
	if (type == PARQUET_BOOLEAN) {
		put_truths(to, values);
		return;
	}
	json_array_foreach((json_t *)values, i, v)
	{
		if (json_is_null(v))
			continue;
		if (type == PARQUET_INT64)
			bytes_put(to, (uint64_t)json_integer_value(v), 8);
		else if (type == PARQUET_DOUBLE)
			put_double(to, json_number_value(v));
		else
			put_text(to, v);
	}
}

/* --- the file --- */

static bool put_column(struct parquet *p, size_t i, struct parquet_file *f, struct error *err)
{
	struct parquet_column *c = &p->columns[i];
	struct bytes page = {.at = NULL};
	find_type(c, p->values[i]);
	if (c->optional)
		put_levels(&page, p->values[i]);
	put_values(&page, c->type, p->values[i]);
	const bool good = parquet_page(f, c, p->rows, &page, err);
	free(page.at);
	return good;
}

static bool write_file(struct parquet *p, struct parquet_file *f, const char *version, struct error *err)
{
	for (size_t i = 0; i < p->count; i++)
		TRY(put_column(p, i, f, err));
	parquet_end_group(f, p->rows);
	return parquet_end(f, p->columns, p->count, version, err);
}

bool export_parquet(const struct export_input *in, FILE *out, struct error *err)
{
	struct parquet p = {.names = NULL};
	struct parquet_file f = {.out = NULL};
	const struct table_sink sink = {&p, head, row};
	bool good = table_read(in, &sink, err) && (!p.failed || error_set(err, ERROR_SYSTEM, "out of memory")) &&
		    parquet_begin(&f, out, false, err) && write_file(&p, &f, in->version, err);
	parquet_destroy(&f);
	for (size_t i = 0; p.values && i < p.count; i++)
		json_decref(p.values[i]);
	free(p.values);
	free(p.columns);
	json_decref(p.names);
	return good;
}
