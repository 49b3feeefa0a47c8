#include "record/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* What a file may claim to hold: so much, and so much more for each byte that it has. Zeros shrink to a 30,000th,
 * and a small file that holds nothing else would take all memory. Profiles shrink to a 140th at most (a loop of two
 * instructions; their first 8 MB are counters, mostly 0), samples to a 40th. */
enum { HEADER = 40, CONTENT_FREE = 64 << 20, CONTENT_FOR_BYTE = 256 };

uint64_t codec_checksum(uint64_t before, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < size; i++)
		before = (before ^ p[i]) * 0x100000001b3;
	return before;
}

/* --- writing --- */

static bool out_of_memory(const struct codec *c, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the %s", c->name);
}

/* output_commit tells what cannot be written. */
static bool write_packed(const struct codec *c, uint64_t layout, uint64_t content, const uint8_t *packed, size_t size,
			 FILE *out, struct error *err)
{
	struct bytes header = {.at = NULL};
	bytes_put_raw(&header, c->magic, sizeof c->magic);
	bytes_put(&header, c->version, 4);
	bytes_put(&header, HEADER, 4);
	bytes_put(&header, content, 8);
	bytes_put(&header, codec_checksum(CODEC_CHECKSUM_START, packed, size), 8);
	bytes_put(&header, layout, 8);
	bool good = !header.failed || out_of_memory(c, err);
	if (good) {
		fwrite(header.at, 1, header.size, out);
		fwrite(packed, 1, size, out);
	}
	free(header.at);
	return good;
}

bool codec_write(const struct codec *c, uint64_t layout, const struct bytes *content, FILE *out, struct error *err)
{
	size_t room = ZSTD_compressBound(content->size);
	uint8_t *packed = content->failed ? NULL : malloc(room);
	if (!packed)
		return out_of_memory(c, err);
	size_t size = ZSTD_compress(packed, room, content->at, content->size, c->level);
	bool good = !ZSTD_isError(size) ? write_packed(c, layout, content->size, packed, size, out, err)
		    : ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation
			    ? out_of_memory(c, err)
			    : error_set(err, ERROR_SYSTEM, "the %s cannot be compressed: %s", c->name,
					ZSTD_getErrorName(size));
	free(packed);
	return good;
}

/* --- reading --- */

static bool damaged(const struct codec *c, const char *place, const char *why, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s: damaged %s: %s", place, c->name, why);
}

static bool claims_too_much(const struct codec *c, const char *place, uint64_t claimed, size_t size, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s: damaged %s: %zu bytes that claim to hold %llu", place, c->name, size,
			 (unsigned long long)claimed);
}

/* Step by step, so that memory is taken only for what is there. */
static bool unpack(const struct codec *c, struct cursor packed, uint64_t size, const char *place, struct bytes *to,
		   struct error *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {packed.at, packed.left, 0};
	size_t left = 1, before = 1;
	while (stream && left && !ZSTD_isError(left) && in.pos + to->size != before && to->size <= size) {
		before = in.pos + to->size;
		if (!bytes_reserve(to, ZSTD_DStreamOutSize()))
			break;
		ZSTD_outBuffer out = {to->at, to->room, to->size};
		left = ZSTD_decompressStream(stream, &out, &in);
		to->size = out.pos;
	}
	bool memory = stream && !to->failed && ZSTD_getErrorCode(left) != ZSTD_error_memory_allocation;
	ZSTD_freeDStream(stream);
	if (!memory)
		return out_of_memory(c, err);
	return (!left && in.pos == in.size && to->size == size) ||
	       damaged(c, place, "it does not decompress to what its header says", err);
}

bool codec_parse(const struct codec *c, const void *file, size_t size, const char *place, struct codec_content *to,
		 struct error *err)
{
	struct cursor b = {.at = file, .left = size};
	const uint8_t *magic = cursor_get_raw(&b, sizeof c->magic);
	*to = (struct codec_content){.bytes = {.at = NULL}};
	if (!magic || memcmp(magic, c->magic, sizeof c->magic) != 0)
		return error_set(err, ERROR_INPUT, "%s: not a %s (%s writes them)", place, c->name, c->writer);
	to->version = (uint32_t)cursor_get(&b, 4);
	if (!b.failed && (to->version < c->oldest || to->version > c->version))
		return error_set(err, ERROR_INPUT, "%s: a %s of version %u, and this culprit reads %s %u%s", place,
				 c->name, to->version, c->oldest < c->version ? "up to" : "version", c->version,
				 to->version > c->version ? ": use a newer one" : "");
	uint64_t header = cursor_get(&b, 4), content = cursor_get(&b, 8), sum = cursor_get(&b, 8);
	to->layout = cursor_get(&b, 8);
	if (b.failed)
		return error_set(err, ERROR_INPUT, "%s: truncated %s", place, c->name);
	if (header != HEADER || content > c->most)
		return damaged(c, place, "impossible sizes in its header", err);
	if (content > CONTENT_FREE + (c->for_byte ? c->for_byte : CONTENT_FOR_BYTE) * (uint64_t)b.left)
		return claims_too_much(c, place, content, size, err);
	if (codec_checksum(CODEC_CHECKSUM_START, b.at, b.left) != sum)
		return error_set(err, ERROR_INPUT, "%s: truncated or damaged %s: the checksum does not fit", place,
				 c->name);
	return unpack(c, b, content, place, &to->bytes, err);
}

/* As far as it has been read: nothing foreign is read to its end, which a device may not have. */
static bool may_be(const struct codec *c, const struct bytes *file)
{
	size_t known = file->size < sizeof c->magic ? file->size : sizeof c->magic;
	return !memcmp(file->at, c->magic, known);
}

bool codec_slurp(const struct codec *c, const char *path, struct bytes *file, struct error *err)
{
	*file = (struct bytes){.at = NULL};
	FILE *in = fopen(path, "rb");
	if (!in)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool more = true;
	while (more && file->size <= c->most && bytes_reserve(file, 1 << 16)) {
		size_t got = fread(file->at + file->size, 1, file->room - file->size, in);
		file->size += got;
		more = got && may_be(c, file);
	}
	bool failed = ferror(in);
	int why = errno;
	fclose(in);
	if (failed)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(why));
	return !file->failed || error_set(err, ERROR_SYSTEM, "%s: out of memory for the %s", path, c->name);
}
