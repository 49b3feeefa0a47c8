/* Writing and reading sample files. A reader believes nothing: every count is held against the bytes that are left
 * before anything is allocated for it, and every value against what the reconstruction can take. */
#include "record/sample_file.h"

#include "record/sample_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const char magic[8] = "CULPSHOT";
enum { HEADER = sizeof magic + 4, LEVEL = 3 };
static const size_t most_bytes = 4ull << 30; /* of what a file unpacks to */

uint64_t sample_checksum(uint64_t before, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < size; i++)
		before = (before ^ p[i]) * 0x100000001b3;
	return before;
}

/* --- details: the fields of shotgun_field.def and what goes with them --- */

#define DETAIL_FIELD(name, bits, meaning) ((bits) + 7) / 8 +
enum {
	DETAIL_BYTES = 8 + 8 + 16 + 2 +
#include "culprit/shotgun_field.def"
		       0
};

static void put_detail(struct sample_buffer *b, const struct culprit_detail *d)
{
	sample_put(b, d->pc, 8);
	sample_put(b, d->target, 8);
	sample_put(b, d->bits[0], 8);
	sample_put(b, d->bits[1], 8);
	sample_put(b, d->flags, 2);
#define DETAIL_FIELD(name, bits, meaning) sample_put(b, d->name, ((bits) + 7) / 8);
#include "culprit/shotgun_field.def"
}

static bool get_detail(struct sample_cursor *c, uint32_t context, struct culprit_detail *d)
{
	memset(d, 0, sizeof *d);
	d->pc = sample_get(c, 8);
	d->target = sample_get(c, 8);
	d->bits[0] = sample_get(c, 8);
	d->bits[1] = sample_get(c, 8);
	d->flags = (uint16_t)sample_get(c, 2);
	bool fits = true;
#define DETAIL_FIELD(name, bits, meaning)                               \
	d->name = (__typeof__(d->name))sample_get(c, ((bits) + 7) / 8); \
	fits = fits && (sizeof d->name == 1 ? d->name < CULPRIT_LEVEL_COUNT : (uint64_t)d->name >> (bits) == 0);
#include "culprit/shotgun_field.def"
	uint64_t beyond = ~((2ull << 2 * context) - 1);
	return fits && !((d->bits[0] | d->bits[1]) & beyond) && !(d->flags & ~CULPRIT_DETAIL_FLAGS);
}

/* --- writing --- */

static void put_mapping(struct sample_buffer *b, const struct sample_mapping *m)
{
	sample_put_text(b, m->path);
	sample_put(b, m->start, 8);
	sample_put(b, m->end, 8);
	sample_put(b, m->bias, 8);
	sample_put(b, m->checksum, 8);
	sample_put(b, m->build_id_size, 4);
	sample_put_bytes(b, m->build_id, m->build_id_size);
}

static void put_samples(struct sample_buffer *b, const struct culprit_samples *s)
{
	sample_put(b, s->instructions, 8);
	sample_put(b, s->cycles, 8);
	sample_put(b, s->context, 4);
	sample_put(b, s->length, 4);
	sample_put(b, s->stack, 4);
	sample_put(b, s->signature_count, 8);
	sample_put(b, s->detail_count, 8);
	for (size_t i = 0; i < s->signature_count; i++) {
		sample_put(b, s->pc[i], 8);
		for (size_t w = 0; w < 2 * (size_t)s->words; w++)
			sample_put(b, s->bits[2 * i * s->words + w], 8);
		for (size_t r = 0; r < s->stack; r++)
			sample_put(b, s->returns[i * s->stack + r], 8);
	}
	for (size_t i = 0; i < s->detail_count; i++)
		put_detail(b, &s->details[i]);
}

static void put_all(struct sample_buffer *b, const struct sample_file *s)
{
	sample_put_text(b, s->program);
	sample_put_text(b, s->machine_name);
	sample_put_text(b, s->machine);
	const uint64_t numbers[] = {s->skipped, s->warmed, s->signature_interval, s->detail_interval, s->seed, s->cut};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sample_put(b, numbers[i], 8);
	sample_put(b, s->mapping_count, 4);
	for (uint32_t i = 0; i < s->mapping_count; i++)
		put_mapping(b, &s->mappings[i]);
	put_samples(b, &s->samples);
}

static bool write_packed(const struct sample_buffer *raw, FILE *out, struct error *err)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(raw->size);
	uint8_t *packed = malloc(room);
	bool good = context && packed;
	if (!good)
		error_set(err, ERROR_SYSTEM, "out of memory for the samples");
	if (good) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		size_t size = ZSTD_compress2(context, packed, room, raw->bytes, raw->size);
		good = !ZSTD_isError(size) && fwrite(packed, 1, size, out) == size;
		if (!good)
			error_set(err, ERROR_SYSTEM, "cannot write the samples: %s",
				  ZSTD_isError(size) ? ZSTD_getErrorName(size) : strerror(errno));
	}
	free(packed);
	ZSTD_freeCCtx(context);
	return good;
}

bool sample_file_write(const struct sample_file *s, FILE *out, struct error *err)
{
	struct sample_buffer raw = {NULL, 0, 0, false};
	put_all(&raw, s);
	uint8_t header[HEADER] = {0};
	memcpy(header, magic, sizeof magic);
	header[sizeof magic] = SAMPLE_FILE_VERSION;
	bool good = !raw.failed || error_set(err, ERROR_SYSTEM, "out of memory for the samples");
	if (good && fwrite(header, 1, HEADER, out) != HEADER)
		good = error_set(err, ERROR_SYSTEM, "cannot write the samples: %s", strerror(errno));
	good = good && write_packed(&raw, out, err);
	free(raw.bytes);
	return good;
}

/* --- reading --- */

static bool get_mapping(struct sample_cursor *c, struct sample_mapping *m)
{
	m->path = sample_get_text(c, 4096);
	m->start = sample_get(c, 8);
	m->end = sample_get(c, 8);
	m->bias = sample_get(c, 8);
	m->checksum = sample_get(c, 8);
	m->build_id_size = (uint32_t)sample_get(c, 4);
	if (m->build_id_size > SAMPLE_BUILD_ID_MAX)
		return false;
	const uint8_t *id = sample_get_bytes(c, m->build_id_size);
	if (!m->path || !id || c->failed)
		return false;
	memcpy(m->build_id, id, m->build_id_size);
	return m->start < m->end;
}

static bool get_mappings(struct sample_cursor *c, struct sample_file *s)
{
	uint32_t count = (uint32_t)sample_get(c, 4);
	if (c->failed || count > SAMPLE_MAPPINGS_MAX)
		return false;
	s->mappings = calloc(count + 1, sizeof *s->mappings);
	if (!s->mappings)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		s->mapping_count++;
		if (!get_mapping(c, &s->mappings[i]))
			return false;
	}
	return true;
}

static bool get_signatures(struct sample_cursor *c, struct culprit_samples *s)
{
	size_t words = 2 * (size_t)s->words;
	s->pc = malloc((s->signature_count + 1) * sizeof *s->pc);
	s->bits = malloc((s->signature_count * words + 1) * sizeof *s->bits);
	s->returns = malloc((s->signature_count * s->stack + 1) * sizeof *s->returns);
	if (!s->pc || !s->bits || !s->returns)
		return false;
	for (size_t i = 0; i < s->signature_count; i++) {
		s->pc[i] = sample_get(c, 8);
		for (size_t w = 0; w < words; w++)
			s->bits[i * words + w] = sample_get(c, 8);
		for (size_t r = 0; r < s->stack; r++)
			s->returns[i * s->stack + r] = sample_get(c, 8);
	}
	return !c->failed;
}

static bool get_details(struct sample_cursor *c, struct culprit_samples *s)
{
	s->details = malloc((s->detail_count + 1) * sizeof *s->details);
	for (size_t i = 0; s->details && i < s->detail_count; i++)
		if (!get_detail(c, s->context, &s->details[i]))
			return false;
	return s->details && !c->failed;
}

static const char *get_samples(struct sample_cursor *c, struct culprit_samples *s)
{
	s->instructions = sample_get(c, 8);
	s->cycles = sample_get(c, 8);
	s->context = (uint32_t)sample_get(c, 4);
	s->length = (uint32_t)sample_get(c, 4);
	s->stack = (uint32_t)sample_get(c, 4);
	s->signature_count = sample_get(c, 8);
	s->detail_count = sample_get(c, 8);
	if (c->failed || s->context > CULPRIT_CONTEXT_MAX || !s->length || s->length > CULPRIT_SIGNATURE_MAX ||
	    s->stack > CULPRIT_RETURNS_MAX)
		return "lengths of samples are out of range";
	s->words = (culprit_signature_positions(s) + 63) / 64;
	size_t signature = 8 + 16 * (size_t)s->words + 8 * (size_t)s->stack;
	if (s->signature_count > c->left / signature || s->signature_count > UINT32_MAX / 2)
		return "more signature samples than the file holds";
	size_t rest = c->left - s->signature_count * signature;
	if (s->detail_count != rest / DETAIL_BYTES || rest % DETAIL_BYTES || s->detail_count > UINT32_MAX / 2)
		return "the number of detailed samples is not that of the bytes that follow";
	if (!get_signatures(c, s))
		return "out of memory";
	return get_details(c, s) ? NULL : "a detailed sample has values out of range";
}

static const char *get_all(struct sample_cursor *c, struct sample_file *s)
{
	s->program = sample_get_text(c, SAMPLE_TEXT_MAX);
	s->machine_name = sample_get_text(c, 64);
	s->machine = sample_get_text(c, SAMPLE_TEXT_MAX);
	uint64_t *numbers[] = {&s->skipped, &s->warmed, &s->signature_interval, &s->detail_interval, &s->seed, &s->cut};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		*numbers[i] = sample_get(c, 8);
	if (c->failed)
		return "the names at its beginning are cut off";
	if (!get_mappings(c, s))
		return "the list of mappings makes no sense";
	return get_samples(c, &s->samples);
}

/* Unpack step by step, so that memory is taken only for what is there. */
static const char *unpack(const uint8_t *bytes, size_t size, struct sample_buffer *raw)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {bytes, size, 0};
	const char *why = stream ? NULL : "out of memory";
	size_t left = 1;
	while (!why && left) {
		if (raw->size > most_bytes || !sample_buffer_reserve(raw, ZSTD_DStreamOutSize())) {
			why = "out of memory";
			break;
		}
		ZSTD_outBuffer out = {raw->bytes, raw->room, raw->size};
		left = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(left))
			why = ZSTD_getErrorName(left);
		else if (left && in.pos == in.size && out.pos == raw->size)
			why = "truncated";
		raw->size = out.pos;
	}
	ZSTD_freeDStream(stream);
	return why || in.pos == in.size ? why : "something follows the samples";
}

bool sample_file_parse_raw(struct sample_file *s, const void *bytes, size_t size, const char *place, struct error *err)
{
	memset(s, 0, sizeof *s);
	struct sample_cursor c = {bytes, size, false};
	const char *why = get_all(&c, s);
	return !why || error_set(err, ERROR_INPUT, "%s: damaged sample file: %s", place, why);
}

bool sample_file_parse(struct sample_file *s, const void *bytes, size_t size, const char *place, struct error *err)
{
	memset(s, 0, sizeof *s);
	const uint8_t *p = bytes;
	if (size < sizeof magic || memcmp(p, magic, sizeof magic) != 0)
		return error_set(err, ERROR_INPUT, "%s: not a sample file of culprit", place);
	if (size < HEADER)
		return error_set(err, ERROR_INPUT, "%s: damaged sample file: truncated", place);
	struct sample_cursor header = {p + sizeof magic, 4, false};
	uint64_t version = sample_get(&header, 4);
	if (version != SAMPLE_FILE_VERSION)
		return error_set(err, ERROR_INPUT, "%s: sample file of version %llu; this culprit reads version %d",
				 place, (unsigned long long)version, SAMPLE_FILE_VERSION);
	struct sample_buffer raw = {NULL, 0, 0, false};
	const char *why = unpack(p + HEADER, size - HEADER, &raw);
	bool good = why ? error_set(err, ERROR_INPUT, "%s: damaged sample file: %s", place, why)
			: sample_file_parse_raw(s, raw.bytes, raw.size, place, err);
	free(raw.bytes);
	return good;
}

static bool slurp(const char *path, struct sample_buffer *b, struct error *err)
{
	FILE *in = fopen(path, "rb");
	if (!in)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
	size_t got = 1;
	while (got && sample_buffer_reserve(b, 1 << 16)) {
		got = fread(b->bytes + b->size, 1, b->room - b->size, in);
		b->size += got;
	}
	bool failed = ferror(in);
	int why = errno;
	fclose(in);
	if (failed)
		return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(why));
	return !b->failed || error_set(err, ERROR_SYSTEM, "%s: out of memory", path);
}

bool sample_file_read(struct sample_file *s, const char *path, struct error *err)
{
	memset(s, 0, sizeof *s);
	struct sample_buffer b = {NULL, 0, 0, false};
	bool good = slurp(path, &b, err) && sample_file_parse(s, b.bytes, b.size, path, err);
	free(b.bytes);
	return good;
}

void sample_file_destroy(struct sample_file *s)
{
	for (uint32_t i = 0; i < s->mapping_count; i++)
		free(s->mappings[i].path);
	free(s->mappings);
	free(s->program);
	free(s->machine);
	free(s->machine_name);
	free(s->samples.details);
	free(s->samples.pc);
	free(s->samples.bits);
	free(s->samples.returns);
	memset(s, 0, sizeof *s);
}
