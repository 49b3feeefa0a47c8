/* Any list of a result as a Parquet file (table.h): one group of rows, one page a column, nothing packed, so that every
 * reader can read it.
 *
 * A column whose values are all whole numbers is INT64, of numbers DOUBLE, of truth values BOOLEAN; anything else is a
 * text as in CSV. Where a cell is empty the column is OPTIONAL, and its page begins with a bit for each row. */
#include "export/table.h"
#include "export/thrift.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "PAR1"

/* As the format numbers them. */
enum parquet_type { PARQUET_BOOLEAN = 0, PARQUET_INT64 = 2, PARQUET_DOUBLE = 5, PARQUET_TEXT = 6 };
enum { REQUIRED = 0, OPTIONAL = 1, UTF8 = 0, PLAIN = 0, RLE = 3, UNCOMPRESSED = 0, DATA_PAGE = 0 };

struct column {
	const char *name;
	json_t *values; /* of each row */
	enum parquet_type type;
	bool optional;
	uint64_t at, size; /* its page in the file, with its header */
};

struct parquet {
	json_t *names; /* column -> number */
	struct column *columns;
	size_t count, rows;
	struct bytes file;
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
	p->failed = !p->columns;
	if (p->failed)
		return;
	json_object_foreach(p->names, name, number)
	{
		struct column *c = &p->columns[p->count++];
		*c = (struct column){.name = name, .values = json_array()};
		p->failed |= !c->values;
	}
}

static void row(void *context, const json_t *cells)
{
	struct parquet *p = context;
	for (size_t i = 0; i < p->count && !p->failed; i++) {
		json_t *v = json_object_get(cells, p->columns[i].name);
		p->failed = json_array_append_new(p->columns[i].values, v ? json_incref(v) : json_null()) != 0;
	}
	p->rows++;
}

static void find_type(struct column *c)
{
	bool whole = true, number = true, truth = true, any = false;
	size_t i;
	json_t *v;
	json_array_foreach(c->values, i, v)
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

/* Runs of rows with a value and without, after the length of all of them. */
static void put_levels(struct bytes *to, const json_t *values)
{
	struct bytes runs = {.at = NULL};
	size_t count = json_array_size(values);
	for (size_t i = 0, n; i < count; i += n) {
		bool there = !json_is_null(json_array_get(values, i));
		for (n = 1; i + n < count && !json_is_null(json_array_get(values, i + n)) == there; n++)
			;
		thrift_varint(&runs, n << 1);
		bytes_put(&runs, there, 1);
	}
	bytes_put(to, runs.size, 4);
	bytes_put_raw(to, runs.at, runs.size);
	to->failed |= runs.failed;
	free(runs.at);
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
	unsigned bits = 0, used = 0;
	size_t i;
	json_t *v;
	json_array_foreach((json_t *)values, i, v)
	{
		if (json_is_null(v))
			continue;
		bits |= (unsigned)json_is_true(v) << used;
		if (++used < 8)
			continue;
		bytes_put(to, bits, 1);
		bits = used = 0;
	}
	if (used)
		bytes_put(to, bits, 1);
}

static void put_values(struct bytes *to, const struct column *c)
{
	size_t i;
	json_t *v;
	if (c->type == PARQUET_BOOLEAN) {
		put_truths(to, c->values);
		return;
	}
	json_array_foreach(c->values, i, v)
	{
		if (json_is_null(v))
			continue;
		if (c->type == PARQUET_INT64)
			bytes_put(to, (uint64_t)json_integer_value(v), 8);
		else if (c->type == PARQUET_DOUBLE)
			put_double(to, json_number_value(v));
		else
			put_text(to, v);
	}
}

static void put_page_header(struct bytes *to, size_t rows, size_t size)
{
	struct thrift t = {.to = to};
	thrift_i32(&t, 1, DATA_PAGE);
	thrift_i32(&t, 2, (int32_t)size); /* unpacked */
	thrift_i32(&t, 3, (int32_t)size); /* packed */
	thrift_begin(&t, 5);
	thrift_i32(&t, 1, (int32_t)rows);
	thrift_i32(&t, 2, PLAIN);
	thrift_i32(&t, 3, RLE); /* of what is there */
	thrift_i32(&t, 4, RLE); /* of repetitions: there are none */
	thrift_end(&t);
	thrift_end(&t);
}

/* False: more than a page can have. */
static bool put_column(struct parquet *p, struct column *c)
{
	struct bytes page = {.at = NULL};
	find_type(c);
	if (c->optional)
		put_levels(&page, c->values);
	put_values(&page, c);
	const bool fits = page.size <= INT32_MAX && p->rows <= INT32_MAX;
	c->at = p->file.size;
	if (fits) {
		put_page_header(&p->file, p->rows, page.size);
		bytes_put_raw(&p->file, page.at, page.size);
	}
	c->size = p->file.size - c->at;
	p->failed |= page.failed;
	free(page.at);
	return fits;
}

/* --- the end of the file --- */

static void put_schema(struct thrift *t, const struct parquet *p)
{
	thrift_list(t, 2, THRIFT_STRUCT, (uint32_t)p->count + 1);
	thrift_begin(t, 0);
	thrift_text(t, 4, "schema");
	thrift_i32(t, 5, (int32_t)p->count);
	thrift_end(t);
	for (size_t i = 0; i < p->count; i++) {
		const struct column *c = &p->columns[i];
		thrift_begin(t, 0);
		thrift_i32(t, 1, c->type);
		thrift_i32(t, 3, c->optional ? OPTIONAL : REQUIRED);
		thrift_text(t, 4, c->name);
		if (c->type == PARQUET_TEXT)
			thrift_i32(t, 6, UTF8);
		thrift_end(t);
	}
}

static void put_chunk(struct thrift *t, const struct parquet *p, const struct column *c)
{
	thrift_begin(t, 0);
	thrift_i64(t, 2, (int64_t)c->at);
	thrift_begin(t, 3);
	thrift_i32(t, 1, c->type);
	thrift_list(t, 2, THRIFT_I32, 2);
	thrift_element_i32(t, PLAIN);
	thrift_element_i32(t, RLE);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	thrift_element_text(t, c->name);
	thrift_i32(t, 4, UNCOMPRESSED);
	thrift_i64(t, 5, (int64_t)p->rows);
	thrift_i64(t, 6, (int64_t)c->size);
	thrift_i64(t, 7, (int64_t)c->size);
	thrift_i64(t, 9, (int64_t)c->at);
	thrift_end(t);
	thrift_end(t);
}

static void put_end(struct parquet *p, const char *version)
{
	char by[64];
	const size_t begin = p->file.size;
	struct thrift t = {.to = &p->file};
	thrift_i32(&t, 1, 1);
	put_schema(&t, p);
	thrift_i64(&t, 3, (int64_t)p->rows);
	thrift_list(&t, 4, THRIFT_STRUCT, 1);
	thrift_begin(&t, 0);
	thrift_list(&t, 1, THRIFT_STRUCT, (uint32_t)p->count);
	for (size_t i = 0; i < p->count; i++)
		put_chunk(&t, p, &p->columns[i]);
	thrift_i64(&t, 2, (int64_t)(begin - strlen(MAGIC)));
	thrift_i64(&t, 3, (int64_t)p->rows);
	thrift_end(&t);
	snprintf(by, sizeof by, "culprit version %s", version);
	thrift_text(&t, 6, by);
	thrift_end(&t);
	bytes_put(&p->file, p->file.size - begin, 4);
	bytes_put_raw(&p->file, MAGIC, strlen(MAGIC));
}

static bool write_file(struct parquet *p, const char *version, FILE *out, struct error *err)
{
	bytes_put_raw(&p->file, MAGIC, strlen(MAGIC));
	for (size_t i = 0; i < p->count && !p->failed; i++)
		if (!put_column(p, &p->columns[i]))
			return error_set(err, ERROR_INPUT, "column %s has more than a page of Parquet holds: use csv",
					 p->columns[i].name);
	put_end(p, version);
	if (p->failed || p->file.failed)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	fwrite(p->file.at, 1, p->file.size, out);
	return true;
}

bool export_parquet(const struct export_input *in, FILE *out, struct error *err)
{
	struct parquet p = {.names = NULL};
	const struct table_sink sink = {&p, head, row};
	bool good = table_read(in, &sink, err) && write_file(&p, in->version, out, err);
	for (size_t i = 0; i < p.count; i++)
		json_decref(p.columns[i].values);
	free(p.columns);
	free(p.file.at);
	json_decref(p.names);
	return good;
}
