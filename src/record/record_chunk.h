/* The frame of a record file, private to src/record/record_*.c.
 *
 *     header: 8 magic   4 version   4 bytes of this header (16)
 *     chunk:  4 kind   4 records or entries   8 number of the first record   4 bytes packed   4 bytes of the content
 *             8 checksum of this chunk's first 24 bytes and what is packed   then the zstd frame
 *     end:    8 offset of the last chunk, from the file's start   8 magic */
#ifndef CULPRIT_RECORD_RECORD_CHUNK_H
#define CULPRIT_RECORD_RECORD_CHUNK_H

#include "base/bytes.h"
#include "record/record_file.h"

#define RECORD_MAGIC "CULPCREC"
#define RECORD_MAGIC_END "CRECENDS"

/* The most of a block of the log. */
enum { SQUASHED_BLOCK = 256 };

enum { RECORD_HEADER = 16, CHUNK_HEADER = 32, RECORD_TRAILER = 16 };

enum chunk_kind { CHUNK_ABOUT, CHUNK_RECORDS, CHUNK_LOG, CHUNK_END, CHUNK_KINDS };

/* Of the table of chunks, and of chunks in memory: a content is never larger. */
enum { CHUNK_MOST = 1 << 26, CHUNKS_MOST = 1 << 22 };

/* Eight bytes at a time, as the checksum of the small files is too slow for these. */
static inline uint64_t chunk_checksum(uint64_t sum, const uint8_t *at, size_t size)
{
	for (; size >= 8; at += 8, size -= 8) {
		uint64_t word;
		__builtin_memcpy(&word, at, 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 29;
	}
	for (; size; at++, size--)
		sum = (sum ^ *at) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 32;
}

void record_about_put(const struct record_about *a, struct bytes *to);
const char *record_about_get(struct record_about *a, struct cursor *from);
void record_end_put(const struct record_about *a, struct bytes *to);
const char *record_end_get(struct record_about *a, struct cursor *from);
/* Behind the table of chunks, and only where there is something to say. */
void record_ending_put(const struct record_about *a, struct bytes *to);
const char *record_ending_get(struct record_about *a, struct cursor *from);
void record_ending_destroy(struct record_about *a);

#endif
