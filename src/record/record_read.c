/* Reading record files, chunk by chunk. */
#include "analysis/record_check.h"
#include "record/log_rows.h"
#include "record/record_chunk.h"
#include "record/record_rows.h"
#include "record/record_valid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct chunk {
	enum chunk_kind kind;
	uint32_t count;
	uint64_t first;
	struct cursor content;
};

struct record_reader {
	FILE *in;
	char place[512];
	bool raw;
	ZSTD_DCtx *unpacker;
	struct record_rows *rows;	/* the block that is being read, */
	uint32_t left;			/* of it, */
	struct culprit_record *records; /* and a part */
	uint64_t next_seq;
	struct log_rows *log_rows;
	struct culprit_log_entry *entries;
	struct culprit_log_squashed *squashed;
	struct bytes packed, content;
	struct record_front front; /* of the record that comes next */
	struct log_front log_front;
	uint64_t instructions, chunk_count;
	const uint8_t *table;
	struct bytes end; /* the content of the last chunk, which the table is in */
	bool has_log;
};
/* Records at a time: they stay in a near cache while they are analysed. */
enum { PART = 256 };

static bool damaged(const struct record_reader *r, const char *why, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s: damaged record file: %s", r->place, why);
}

static bool out_of_memory(const struct record_reader *r, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "%s: out of memory for the record file", r->place);
}

/* What is wrong with what the cursor told. */
static bool unfit(const struct record_reader *r, const struct cursor *from, const char *why, struct error *err)
{
	return from->no_memory ? out_of_memory(r, err) : damaged(r, why, err);
}

/* --- chunks --- */

static bool read_bytes(struct record_reader *r, size_t size, struct bytes *to, struct error *err)
{
	to->size = 0;
	if (!bytes_reserve(to, size))
		return out_of_memory(r, err);
	to->size = fread(to->at, 1, size, r->in);
	if (to->size == size)
		return true;
	if (ferror(r->in))
		return error_set(err, ERROR_INPUT, "%s: %s", r->place, strerror(errno));
	return error_set(err, ERROR_INPUT, "%s: truncated record file", r->place);
}

static bool unpack(struct record_reader *r, size_t size, struct error *err)
{
	r->content.size = 0;
	if (!bytes_reserve(&r->content, size + 1))
		return out_of_memory(r, err);
	size_t got = ZSTD_decompressDCtx(r->unpacker, r->content.at, size, r->packed.at, r->packed.size);
	r->content.size = size;
	return (!ZSTD_isError(got) && got == size) || damaged(r, "a chunk does not decompress", err);
}

/* A claim to more than the bytes could hold is refused before memory is taken. */
static bool read_chunk(struct record_reader *r, struct chunk *chunk, struct error *err)
{
	enum { MOST_RATIO = 40000 };
	TRY(read_bytes(r, CHUNK_HEADER, &r->packed, err));
	struct cursor head = {.at = r->packed.at, .left = CHUNK_HEADER};
	uint64_t sum = chunk_checksum(0, r->packed.at, 24), kind = cursor_get(&head, 4);
	chunk->count = (uint32_t)cursor_get(&head, 4);
	chunk->first = cursor_get(&head, 8);
	uint64_t packed = cursor_get(&head, 4), size = cursor_get(&head, 4), wanted = cursor_get(&head, 8);
	if (kind >= CHUNK_KINDS || packed > CHUNK_MOST || size > CHUNK_MOST || size > packed * MOST_RATIO)
		return damaged(r, "a chunk that cannot be", err);
	chunk->kind = (enum chunk_kind)kind;
	TRY(read_bytes(r, packed, &r->packed, err));
	if (!r->raw && chunk_checksum(sum, r->packed.at, packed) != wanted)
		return damaged(r, "a checksum does not fit", err);
	TRY(unpack(r, size, err));
	chunk->content = (struct cursor){.at = r->content.at, .left = size};
	return true;
}

/* --- opening --- */

static bool read_header(struct record_reader *r, struct error *err)
{
	r->packed.size = 0;
	if (!bytes_reserve(&r->packed, RECORD_HEADER))
		return out_of_memory(r, err);
	size_t size = fread(r->packed.at, 1, RECORD_HEADER, r->in);
	if (ferror(r->in))
		return error_set(err, ERROR_INPUT, "%s: %s", r->place, strerror(errno));
	if (size < 8 || memcmp(r->packed.at, RECORD_MAGIC, 8) != 0)
		return error_set(err, ERROR_INPUT, "%s: not a record file (culprit record writes them)", r->place);
	struct cursor head = {.at = r->packed.at + 8, .left = size - 8};
	uint64_t version = cursor_get(&head, 4), header = cursor_get(&head, 4);
	if (head.failed)
		return error_set(err, ERROR_INPUT, "%s: truncated record file", r->place);
	if (version != RECORD_FILE_VERSION)
		return error_set(err, ERROR_INPUT,
				 "%s: a record file of version %llu, and this culprit reads version %u%s", r->place,
				 (unsigned long long)version, RECORD_FILE_VERSION,
				 version < RECORD_FILE_VERSION ? ": record again" : ": use a newer one");
	return header == RECORD_HEADER || damaged(r, "impossible sizes in its header", err);
}

static bool read_about(struct record_reader *r, struct record_about *about, struct error *err)
{
	struct chunk chunk;
	TRY(read_chunk(r, &chunk, err));
	if (chunk.kind != CHUNK_ABOUT)
		return damaged(r, "it does not begin with its description", err);
	const char *why = record_about_get(about, &chunk.content);
	return !why || unfit(r, &chunk.content, why, err);
}

static bool find_end(struct record_reader *r, struct error *err)
{
	if (fseeko(r->in, -RECORD_TRAILER, SEEK_END))
		return error_set(err, ERROR_INPUT, "%s: %s: a record file has to be a file", r->place, strerror(errno));
	off_t trailer = ftello(r->in);
	TRY(read_bytes(r, RECORD_TRAILER, &r->packed, err));
	struct cursor c = {.at = r->packed.at, .left = RECORD_TRAILER};
	uint64_t end = cursor_get(&c, 8);
	if (memcmp(r->packed.at + 8, RECORD_MAGIC_END, 8) != 0 || end >= (uint64_t)trailer)
		return error_set(err, ERROR_INPUT, "%s: truncated record file: it has no end", r->place);
	return !fseeko(r->in, (off_t)end, SEEK_SET) || damaged(r, "its end is nowhere", err);
}

static bool read_table(struct record_reader *r, struct record_about *about, struct cursor *from, struct error *err)
{
	enum { ENTRY = 16 };
	r->chunk_count = cursor_get(from, 4);
	if (from->failed || r->chunk_count > CHUNKS_MOST || r->chunk_count * ENTRY > from->left)
		return damaged(r, "its table of chunks does not fit", err);
	r->table = cursor_get_raw(from, r->chunk_count * ENTRY);
	const char *why = record_ending_get(about, from);
	return !why || unfit(r, from, why, err);
}

static bool read_end(struct record_reader *r, struct record_about *about, struct error *err)
{
	struct chunk chunk;
	off_t begin = ftello(r->in);
	TRY(find_end(r, err));
	TRY(read_chunk(r, &chunk, err));
	if (chunk.kind != CHUNK_END)
		return damaged(r, "its end is nowhere", err);
	const char *why = record_end_get(about, &chunk.content);
	if (why)
		return unfit(r, &chunk.content, why, err);
	TRY(read_table(r, about, &chunk.content, err));
	r->end = r->content; /* the table stays */
	r->content = (struct bytes){.at = NULL};
	r->instructions = about->instructions;
	r->has_log = about->has_log;
	return !fseeko(r->in, begin, SEEK_SET) || damaged(r, strerror(errno), err);
}

static struct record_reader *open_reader(FILE *in, const char *place, bool raw, struct record_about *about,
					 struct error *err)
{
	struct record_reader *r = calloc(1, sizeof *r);
	*about = (struct record_about){.program = NULL};
	if (!r) {
		fclose(in);
		error_set(err, ERROR_SYSTEM, "%s: out of memory for the record file", place);
		return NULL;
	}
	r->in = in;
	r->raw = raw;
	snprintf(r->place, sizeof r->place, "%s", place);
	r->unpacker = ZSTD_createDCtx();
	r->rows = record_rows_create();
	r->log_rows = log_rows_create();
	r->records = calloc(PART, sizeof *r->records);
	r->entries = calloc(LOG_BLOCK, sizeof *r->entries);
	r->squashed = calloc(SQUASHED_BLOCK, sizeof *r->squashed);
	bool memory = r->unpacker && r->rows && r->log_rows && r->records && r->entries && r->squashed;
	if (!memory)
		out_of_memory(r, err);
	if (memory && read_header(r, err) && read_about(r, about, err) && read_end(r, about, err))
		return r;
	record_reader_destroy(r);
	return NULL;
}

struct record_reader *record_reader_open(const char *path, struct record_about *about, struct error *err)
{
	*about = (struct record_about){.program = NULL};
	FILE *in = fopen(path, "rb");
	if (in)
		return open_reader(in, path, false, about, err);
	error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	return NULL;
}

struct record_reader *record_reader_memory(const void *bytes, size_t size, const char *place, bool raw,
					   struct record_about *about, struct error *err)
{
	*about = (struct record_about){.program = NULL};
	FILE *in = size ? fmemopen((void *)bytes, size, "rb") : NULL;
	if (in)
		return open_reader(in, place, raw, about, err);
	error_set(err, ERROR_INPUT, "%s: not a record file (culprit record writes them)", place);
	return NULL;
}

void record_reader_destroy(struct record_reader *r)
{
	if (!r)
		return;
	fclose(r->in);
	ZSTD_freeDCtx(r->unpacker);
	record_rows_destroy(r->rows);
	log_rows_destroy(r->log_rows);
	free(r->records);
	free(r->entries);
	free(r->squashed);
	free(r->packed.at);
	free(r->content.at);
	free(r->end.at);
	free(r);
}

bool record_reader_chunk(const struct record_reader *r, size_t index, uint64_t *first_seq, uint64_t *offset)
{
	if (index >= r->chunk_count)
		return false;
	struct cursor c = {.at = r->table + 16 * index, .left = 16};
	*first_seq = cursor_get(&c, 8);
	*offset = cursor_get(&c, 8);
	return true;
}

/* --- what is in it --- */

/* `known`: its values have been looked at. */
static bool check_record(struct record_reader *r, const struct culprit_record *record, bool known, struct error *err)
{
	struct error why;
	const char *values = known ? NULL : record_values_wrong(record);
	if (values)
		return error_set(err, ERROR_INPUT, "%s: record %llu: %s", r->place, (unsigned long long)record->seq,
				 values);
	if (!record_check(record, &r->front, &why))
		return error_set(err, ERROR_INPUT, "%s: record %llu: %s", r->place, (unsigned long long)record->seq,
				 why.text);
	r->front = (struct record_front){r->front.count + 1, record->seq, record->fetch, record->commit};
	return true;
}

/* What comes next of the block. */
static bool next_records(struct record_reader *r, struct record_part *part, struct error *err)
{
	const uint32_t count = r->left < PART ? r->left : PART;
	for (uint32_t i = 0; i < count; i++) {
		const bool known = record_rows_get(r->rows, &r->records[i]);
		r->records[i].seq = r->next_seq++;
		TRY(check_record(r, &r->records[i], known, err));
	}
	r->left -= count;
	*part = (struct record_part){.records = r->records, .record_count = count};
	return true;
}

static bool get_records(struct record_reader *r, struct chunk *chunk, struct record_part *part, struct error *err)
{
	if (!chunk->count || chunk->count > RECORD_BLOCK || chunk->first > UINT64_MAX - RECORD_BLOCK)
		return damaged(r, "a block of an impossible size", err);
	if (!record_rows_open(r->rows, chunk->count, &chunk->content) || chunk->content.left)
		return damaged(r, "a block's columns do not fit", err);
	r->next_seq = chunk->first;
	r->left = chunk->count;
	return next_records(r, part, err);
}

static bool get_squashed(struct record_reader *r, struct cursor *from, size_t *count, struct error *err)
{
	*count = cursor_get(from, 4);
	if (*count > SQUASHED_BLOCK)
		return damaged(r, "more squashed instructions than a block has", err);
	for (size_t i = 0; i < *count && !from->failed; i++) {
		struct culprit_log_squashed *s = &r->squashed[i];
		s->until = cursor_get(from, 8);
		cursor_copy(from, &s->record, sizeof s->record);
		const char *wrong = from->failed ? NULL : record_values_wrong(&s->record);
		if (wrong)
			return error_set(err, ERROR_INPUT, "%s: a squashed instruction has %s", r->place, wrong);
	}
	return (!from->failed && !from->left) || damaged(r, "a block of the log does not fit", err);
}

static bool get_entries(struct record_reader *r, struct chunk *chunk)
{
	TRY(log_rows_open(r->log_rows, chunk->count, &chunk->content));
	for (uint32_t i = 0; i < chunk->count; i++)
		TRY(log_rows_get(r->log_rows, &r->entries[i]));
	return true;
}

static bool get_log(struct record_reader *r, struct chunk *chunk, struct record_part *part, struct error *err)
{
	size_t squashed;
	if (!r->has_log || !get_entries(r, chunk))
		return damaged(r, "a block of the log does not fit", err);
	for (uint32_t i = 0; i < chunk->count; i++) {
		const char *wrong = log_entry_wrong(&r->entries[i]);
		wrong = wrong ? wrong : log_front_wrong(&r->log_front, &r->entries[i]);
		if (wrong)
			return error_set(err, ERROR_INPUT, "%s: its log has %s", r->place, wrong);
	}
	TRY(get_squashed(r, &chunk->content, &squashed, err));
	*part = (struct record_part){.is_log = true, .log = {r->entries, chunk->count, r->squashed, squashed}};
	return true;
}

bool record_reader_next(struct record_reader *r, struct record_part *part, struct error *err)
{
	struct chunk chunk;
	if (r->left)
		return next_records(r, part, err);
	TRY(read_chunk(r, &chunk, err));
	if (chunk.kind == CHUNK_RECORDS)
		return get_records(r, &chunk, part, err);
	if (chunk.kind == CHUNK_LOG)
		return get_log(r, &chunk, part, err);
	if (chunk.kind != CHUNK_END)
		return damaged(r, "a second description", err);
	if (r->front.count != r->instructions)
		return damaged(r, "it has not as many records as it says", err);
	*part = (struct record_part){.is_end = true};
	return true;
}
