#include "export/parquet_file.h"

#include "export/thrift.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MAGIC "PAR1"

/* As the format numbers them. */
enum { REQUIRED = 0, OPTIONAL = 1, UTF8 = 0, PLAIN = 0, RLE = 3, UNPACKED = 0, ZSTD = 6, DATA_PAGE = 0 };

/* zstd's: the next ones take much longer for little */
enum { LEVEL = 1 };

/* --- what a page holds --- */

void parquet_levels_run(struct parquet_levels *l)
{
	if (!l->length)
		return;
	thrift_varint(&l->runs, l->length << 1);
	bytes_put(&l->runs, l->there, 1);
	l->length = 0;
}

void parquet_levels_put(struct parquet_levels *l, struct bytes *to)
{
	parquet_levels_run(l);
	bytes_put(to, l->runs.size, 4);
	bytes_put_raw(to, l->runs.at, l->runs.size);
	to->failed |= l->runs.failed;
	l->runs.size = 0;
}

void parquet_truths_put(struct parquet_truths *t, struct bytes *to)
{
	if (t->used)
		bytes_put(to, t->bits, 1);
	*t = (struct parquet_truths){0};
}

/* --- pages and groups --- */

static bool out_of_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory");
}

static void put(struct parquet_file *f, const void *bytes, size_t size)
{
	if (size)
		fwrite(bytes, 1, size, f->out);
	f->at += size;
}

bool parquet_begin(struct parquet_file *f, FILE *out, bool packed, struct error *err)
{
	*f = (struct parquet_file){.out = out, .packer = packed ? ZSTD_createCCtx() : NULL};
	put(f, MAGIC, strlen(MAGIC));
	return f->packer || !packed || out_of_memory(err);
}

void parquet_destroy(struct parquet_file *f)
{
	ZSTD_freeCCtx(f->packer);
	free(f->chunks.at);
	free(f->groups.at);
	free(f->header.at);
	free(f->packed.at);
}

static void put_page_header(struct bytes *to, size_t rows, size_t size, size_t packed)
{
	struct thrift t = {.to = to};
	thrift_i32(&t, 1, DATA_PAGE);
	thrift_i32(&t, 2, (int32_t)size);
	thrift_i32(&t, 3, (int32_t)packed);
	thrift_begin(&t, 5);
	thrift_i32(&t, 1, (int32_t)rows);
	thrift_i32(&t, 2, PLAIN);
	thrift_i32(&t, 3, RLE); /* of what is there */
	thrift_i32(&t, 4, RLE); /* of repetitions: there are none */
	thrift_end(&t);
	thrift_end(&t);
}

/* The page that is at `at`. */
static void put_chunk(struct parquet_file *f, const struct parquet_column *c, size_t rows, size_t size, uint64_t at)
{
	struct thrift t = {.to = &f->chunks};
	thrift_begin(&t, 0);
	thrift_i64(&t, 2, (int64_t)at);
	thrift_begin(&t, 3);
	thrift_i32(&t, 1, c->type);
	thrift_list(&t, 2, THRIFT_I32, 2);
	thrift_element_i32(&t, PLAIN);
	thrift_element_i32(&t, RLE);
	thrift_list(&t, 3, THRIFT_BINARY, 1);
	thrift_element_text(&t, c->name);
	thrift_i32(&t, 4, f->packer ? ZSTD : UNPACKED);
	thrift_i64(&t, 5, (int64_t)rows);
	thrift_i64(&t, 6, (int64_t)size);
	thrift_i64(&t, 7, (int64_t)(f->at - at));
	thrift_i64(&t, 9, (int64_t)at);
	thrift_end(&t);
	thrift_end(&t);
}

/* NULL: out of memory. */
static const struct bytes *pack(struct parquet_file *f, const struct bytes *page)
{
	const size_t room = ZSTD_compressBound(page->size);
	if (!f->packer)
		return page;
	f->packed.size = 0;
	if (!bytes_reserve(&f->packed, room))
		return NULL;
	f->packed.size = ZSTD_compressCCtx(f->packer, f->packed.at, room, page->at, page->size, LEVEL);
	return ZSTD_isError(f->packed.size) ? NULL : &f->packed;
}

bool parquet_page(struct parquet_file *f, const struct parquet_column *c, size_t rows, const struct bytes *page,
		  struct error *err)
{
	const uint64_t at = f->at;
	if (page->size > INT32_MAX || rows > INT32_MAX)
		return error_set(err, ERROR_INPUT, "column %s has more than a page of Parquet holds: use csv", c->name);
	const struct bytes *packed = page->failed ? NULL : pack(f, page);
	if (!packed)
		return out_of_memory(err);
	f->header.size = 0;
	put_page_header(&f->header, rows, page->size, packed->size);
	put(f, f->header.at, f->header.size);
	put(f, packed->at, packed->size);
	put_chunk(f, c, rows, f->header.size + page->size, at);
	f->group_size += f->header.size + page->size;
	f->pages++;
	return (!f->header.failed && !f->chunks.failed) || out_of_memory(err);
}

void parquet_end_group(struct parquet_file *f, size_t rows)
{
	struct thrift t = {.to = &f->groups};
	thrift_begin(&t, 0);
	thrift_list(&t, 1, THRIFT_STRUCT, f->pages);
	bytes_put_raw(&f->groups, f->chunks.at, f->chunks.size);
	thrift_i64(&t, 2, (int64_t)f->group_size);
	thrift_i64(&t, 3, (int64_t)rows);
	thrift_end(&t);
	f->rows += rows;
	f->group_count++;
	f->chunks.size = 0;
	f->pages = 0;
	f->group_size = 0;
}

/* --- the end of the file --- */

static void put_schema(struct thrift *t, const struct parquet_column *columns, size_t count)
{
	thrift_list(t, 2, THRIFT_STRUCT, (uint32_t)count + 1);
	thrift_begin(t, 0);
	thrift_text(t, 4, "schema");
	thrift_i32(t, 5, (int32_t)count);
	thrift_end(t);
	for (size_t i = 0; i < count; i++) {
		const struct parquet_column *c = &columns[i];
		thrift_begin(t, 0);
		thrift_i32(t, 1, c->type);
		thrift_i32(t, 3, c->optional ? OPTIONAL : REQUIRED);
		thrift_text(t, 4, c->name);
		if (c->type == PARQUET_TEXT)
			thrift_i32(t, 6, UTF8);
		thrift_end(t);
	}
}

bool parquet_end(struct parquet_file *f, const struct parquet_column *columns, size_t count, const char *version,
		 struct error *err)
{
	char by[64];
	struct bytes end = {.at = NULL};
	struct thrift t = {.to = &end};
	thrift_i32(&t, 1, 1);
	put_schema(&t, columns, count);
	thrift_i64(&t, 3, (int64_t)f->rows);
	thrift_list(&t, 4, THRIFT_STRUCT, f->group_count);
	bytes_put_raw(&end, f->groups.at, f->groups.size);
	snprintf(by, sizeof by, "culprit version %s", version);
	thrift_text(&t, 6, by);
	thrift_end(&t);
	bytes_put(&end, end.size, 4);
	bytes_put_raw(&end, MAGIC, strlen(MAGIC));
	const bool good = !end.failed && !f->groups.failed;
	if (good)
		put(f, end.at, end.size);
	free(end.at);
	return good || out_of_memory(err);
}
