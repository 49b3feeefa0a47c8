/* Writing record files. Records and log entries are gathered into blocks; what the log says comes before the
 * records of what committed meanwhile, so a block of records is written behind the log that came before its last
 * one. */
#include "record/log_rows.h"
#include "record/record_chunk.h"
#include "record/record_rows.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Of compression: what rows leave is short. Level 1 takes twice the time for half the size
 * (docs/decisions/cost-of-observation.md). */
enum { LEVEL = -20 };

struct chunk_place {
	uint64_t first, offset;
};

struct record_writer {
	const struct record_about *about;
	FILE *out;
	uint64_t offset;
	ZSTD_CCtx *packer;
	struct record_rows *records; /* the blocks that are being filled: */
	struct log_rows *entries;
	size_t squashed_count;
	struct culprit_log_squashed *squashed;
	struct bytes content, packed;
	uint64_t next_seq;
	bool begun;
	struct chunk_place *chunks;
	size_t chunk_count, chunk_room;
	uint64_t *addresses;
	size_t address_count, address_room;
	struct map seen;
	bool failed;
	struct error error;
};

static bool out_of_memory(struct record_writer *w)
{
	w->failed = true;
	return error_set(&w->error, ERROR_SYSTEM, "out of memory for the record file");
}

/* --- chunks --- */

static void put_raw(struct record_writer *w, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, w->out); /* whoever closes the file tells what cannot be written */
	w->offset += size;
}

static bool pack(struct record_writer *w)
{
	w->packed.size = 0;
	size_t room = ZSTD_compressBound(w->content.size);
	if (w->content.failed || !bytes_reserve(&w->packed, CHUNK_HEADER + room))
		return out_of_memory(w);
	size_t size =
		ZSTD_compressCCtx(w->packer, w->packed.at + CHUNK_HEADER, room, w->content.at, w->content.size, LEVEL);
	w->packed.size = CHUNK_HEADER + size;
	return !ZSTD_isError(size) || out_of_memory(w);
}

static bool write_chunk(struct record_writer *w, enum chunk_kind kind, uint64_t count, uint64_t first)
{
	TRY(pack(w));
	size_t size = w->packed.size;
	w->packed.size = 0;
	bytes_put(&w->packed, kind, 4);
	bytes_put(&w->packed, count, 4);
	bytes_put(&w->packed, first, 8);
	bytes_put(&w->packed, size - CHUNK_HEADER, 4);
	bytes_put(&w->packed, w->content.size, 4);
	uint64_t sum = chunk_checksum(0, w->packed.at, 24);
	bytes_put(&w->packed, chunk_checksum(sum, w->packed.at + CHUNK_HEADER, size - CHUNK_HEADER), 8);
	put_raw(w, w->packed.at, size);
	w->content.size = 0;
	return true;
}

static bool note_chunk(struct record_writer *w, uint64_t first)
{
	if (w->chunk_count == w->chunk_room) {
		size_t room = w->chunk_room ? 2 * w->chunk_room : 64;
		struct chunk_place *grown = realloc(w->chunks, room * sizeof *grown);
		if (!grown)
			return out_of_memory(w);
		w->chunks = grown;
		w->chunk_room = room;
	}
	w->chunks[w->chunk_count++] = (struct chunk_place){first, w->offset};
	return true;
}

static bool flush_log(struct record_writer *w)
{
	const size_t count = w->entries->table.count;
	if (!count && !w->squashed_count)
		return true;
	log_rows_flush(w->entries, &w->content);
	bytes_put(&w->content, w->squashed_count, 4);
	for (size_t i = 0; i < w->squashed_count; i++) {
		bytes_put(&w->content, w->squashed[i].until, 8);
		bytes_put_raw(&w->content, &w->squashed[i].record, sizeof w->squashed[i].record);
	}
	w->squashed_count = 0;
	return write_chunk(w, CHUNK_LOG, count, 0);
}

static bool flush_records(struct record_writer *w)
{
	const size_t count = w->records->heads.count;
	if (!count)
		return true;
	TRY(flush_log(w));
	TRY(note_chunk(w, w->next_seq - count));
	record_rows_flush(w->records, &w->content);
	return write_chunk(w, CHUNK_RECORDS, count, w->next_seq - count);
}

/* --- what comes in --- */

static bool note_address(struct record_writer *w, uint64_t pc)
{
	if (map_get(&w->seen, pc))
		return true;
	if (w->address_count == w->address_room) {
		size_t room = w->address_room ? 2 * w->address_room : 1024;
		uint64_t *grown = realloc(w->addresses, room * sizeof *grown);
		if (!grown)
			return out_of_memory(w);
		w->addresses = grown;
		w->address_room = room;
	}
	w->addresses[w->address_count++] = pc;
	return map_put(&w->seen, pc, 1) || out_of_memory(w);
}

static bool take_records(struct record_writer *w, const struct culprit_record *records, size_t count)
{
	if (!w->begun && count)
		w->next_seq = records[0].seq;
	w->begun = true;
	for (size_t i = 0; i < count; i++) {
		if (records[i].seq != w->next_seq++) {
			w->failed = true;
			return error_set(&w->error, ERROR_INPUT, "record %llu does not follow the one in front",
					 (unsigned long long)records[i].seq);
		}
		if (!record_rows_put(w->records, &records[i]))
			TRY(note_address(w, records[i].pc));
		if (w->records->heads.count == RECORD_BLOCK)
			TRY(flush_records(w));
	}
	return true;
}

void record_writer_records(struct record_writer *w, const struct culprit_record *records, size_t count)
{
	if (!w->failed)
		take_records(w, records, count);
}

static bool take_log(struct record_writer *w, const struct culprit_log_part *part)
{
	for (size_t i = 0; i < part->squashed_count; i++) {
		if (w->squashed_count == SQUASHED_BLOCK)
			TRY(flush_log(w));
		w->squashed[w->squashed_count++] = part->squashed[i];
	}
	for (size_t i = 0; i < part->count; i++) {
		if (w->entries->table.count == LOG_BLOCK)
			TRY(flush_log(w));
		log_rows_put(w->entries, &part->entries[i]);
	}
	return true;
}

void record_writer_log(struct record_writer *w, const struct culprit_log_part *part)
{
	if (!w->failed)
		take_log(w, part);
}

size_t record_writer_addresses(const struct record_writer *w, const uint64_t **addresses)
{
	*addresses = w->addresses;
	return w->address_count;
}

/* --- begin and end --- */

static void put_header(struct record_writer *w)
{
	struct bytes header = {.at = NULL};
	bytes_put_raw(&header, RECORD_MAGIC, 8);
	bytes_put(&header, RECORD_FILE_VERSION, 4);
	bytes_put(&header, RECORD_HEADER, 4);
	if (header.failed)
		out_of_memory(w);
	else
		put_raw(w, header.at, header.size);
	free(header.at);
}

struct record_writer *record_writer_create(const struct record_about *about, FILE *out, struct error *err)
{
	struct record_writer *w = calloc(1, sizeof *w);
	error_set(err, ERROR_SYSTEM, "out of memory for the record file");
	if (!w)
		return NULL;
	w->about = about;
	w->out = out;
	w->packer = ZSTD_createCCtx();
	w->records = record_rows_create();
	w->entries = log_rows_create();
	w->squashed = calloc(SQUASHED_BLOCK, sizeof *w->squashed);
	if (w->packer && w->records && w->entries && w->squashed) {
		put_header(w);
		record_about_put(about, &w->content);
		if (!w->failed && write_chunk(w, CHUNK_ABOUT, 0, 0))
			return w;
	}
	record_writer_destroy(w);
	return NULL;
}

void record_writer_destroy(struct record_writer *w)
{
	if (!w)
		return;
	ZSTD_freeCCtx(w->packer);
	record_rows_destroy(w->records);
	log_rows_destroy(w->entries);
	free(w->squashed);
	free(w->content.at);
	free(w->packed.at);
	free(w->chunks);
	free(w->addresses);
	map_destroy(&w->seen);
	free(w);
}

static bool finish(struct record_writer *w)
{
	TRY(!w->failed && flush_records(w) && flush_log(w));
	record_end_put(w->about, &w->content);
	bytes_put(&w->content, w->chunk_count, 4);
	for (size_t i = 0; i < w->chunk_count; i++) {
		bytes_put(&w->content, w->chunks[i].first, 8);
		bytes_put(&w->content, w->chunks[i].offset, 8);
	}
	record_ending_put(w->about, &w->content);
	uint64_t end = w->offset;
	TRY(write_chunk(w, CHUNK_END, 0, 0));
	bytes_put(&w->content, end, 8);
	bytes_put_raw(&w->content, RECORD_MAGIC_END, 8);
	if (w->content.failed)
		return out_of_memory(w);
	put_raw(w, w->content.at, w->content.size);
	return true;
}

bool record_writer_finish(struct record_writer *w, struct error *err)
{
	if (finish(w))
		return true;
	*err = w->error;
	return false;
}
