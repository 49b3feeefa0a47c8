/* Writing and reading sample files. A reader believes nothing: every count is held against the bytes that are left
 * before anything is allocated for it, and every value against what the reconstruction can take. */
#include "record/sample_file.h"

#include "record/codec.h"

#include <stdlib.h>
#include <string.h>

static const struct codec codec = {"CULPSHOT",
				   "sample file",
				   "culprit run --shotgun-file",
				   SAMPLE_FILE_VERSION,
				   SAMPLE_FILE_VERSION,
				   4ull << 30,
				   3,
				   0};

/* --- details: the fields of shotgun_field.def and what goes with them --- */

#define DETAIL_FIELD(name, bits, meaning) ((bits) + 7) / 8 +
enum {
	DETAIL_BYTES = 8 + 8 + 16 + 2 +
#include "culprit/shotgun_field.def"
		       0
};

static void put_detail(struct bytes *b, const struct culprit_detail *d)
{
	bytes_put(b, d->pc, 8);
	bytes_put(b, d->target, 8);
	bytes_put(b, d->bits[0], 8);
	bytes_put(b, d->bits[1], 8);
	bytes_put(b, d->flags, 2);
#define DETAIL_FIELD(name, bits, meaning) bytes_put(b, d->name, ((bits) + 7) / 8);
#include "culprit/shotgun_field.def"
}

static bool get_detail(struct cursor *c, uint32_t context, struct culprit_detail *d)
{
	memset(d, 0, sizeof *d);
	d->pc = cursor_get(c, 8);
	d->target = cursor_get(c, 8);
	d->bits[0] = cursor_get(c, 8);
	d->bits[1] = cursor_get(c, 8);
	d->flags = (uint16_t)cursor_get(c, 2);
	bool fits = true;
#define DETAIL_FIELD(name, bits, meaning)                               \
	d->name = (__typeof__(d->name))cursor_get(c, ((bits) + 7) / 8); \
	fits = fits && (sizeof d->name == 1 ? d->name < CULPRIT_LEVEL_COUNT : (uint64_t)d->name >> (bits) == 0);
#include "culprit/shotgun_field.def"
	uint64_t beyond = ~((2ull << 2 * context) - 1);
	return fits && !((d->bits[0] | d->bits[1]) & beyond) && !(d->flags & ~CULPRIT_DETAIL_FLAGS);
}

/* --- writing --- */

static void put_mapping(struct bytes *b, const struct sample_mapping *m)
{
	bytes_put_text(b, m->path);
	bytes_put(b, m->start, 8);
	bytes_put(b, m->end, 8);
	bytes_put(b, m->bias, 8);
	bytes_put(b, m->checksum, 8);
	bytes_put(b, m->build_id_size, 4);
	bytes_put_raw(b, m->build_id, m->build_id_size);
}

static void put_samples(struct bytes *b, const struct culprit_samples *s)
{
	bytes_put(b, s->instructions, 8);
	bytes_put(b, s->cycles, 8);
	bytes_put(b, s->context, 4);
	bytes_put(b, s->length, 4);
	bytes_put(b, s->stack, 4);
	bytes_put(b, s->target_slots, 4);
	bytes_put(b, s->signature_count, 8);
	bytes_put(b, s->detail_count, 8);
	for (size_t i = 0; i < s->signature_count; i++) {
		bytes_put(b, s->pc[i], 8);
		for (size_t w = 0; w < 2 * (size_t)s->words; w++)
			bytes_put(b, s->bits[2 * i * s->words + w], 8);
		for (size_t r = 0; r < s->stack; r++)
			bytes_put(b, s->returns[i * s->stack + r], 8);
		for (size_t t = 0; t < s->target_slots; t++)
			bytes_put(b, s->targets[i * s->target_slots + t], 8);
	}
	for (size_t i = 0; i < s->detail_count; i++)
		put_detail(b, &s->details[i]);
}

static void put_all(struct bytes *b, const struct sample_file *s)
{
	bytes_put_text(b, s->program);
	bytes_put_text(b, s->machine_name);
	bytes_put_text(b, s->machine);
	const uint64_t numbers[] = {s->skipped, s->warmed, s->signature_interval, s->detail_interval, s->seed, s->cut};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		bytes_put(b, numbers[i], 8);
	bytes_put(b, s->mapping_count, 4);
	for (uint32_t i = 0; i < s->mapping_count; i++)
		put_mapping(b, &s->mappings[i]);
	put_samples(b, &s->samples);
}

bool sample_file_write(const struct sample_file *s, FILE *out, struct error *err)
{
	struct bytes raw = {.at = NULL};
	put_all(&raw, s);
	bool good = codec_write(&codec, DETAIL_BYTES, &raw, out, err);
	free(raw.at);
	return good;
}

/* --- reading --- */

static bool get_mapping(struct cursor *c, struct sample_mapping *m)
{
	m->path = cursor_get_text(c, 4096);
	m->start = cursor_get(c, 8);
	m->end = cursor_get(c, 8);
	m->bias = cursor_get(c, 8);
	m->checksum = cursor_get(c, 8);
	m->build_id_size = (uint32_t)cursor_get(c, 4);
	if (m->build_id_size > SAMPLE_BUILD_ID_MAX)
		return false;
	const uint8_t *id = cursor_get_raw(c, m->build_id_size);
	if (!m->path || !id || c->failed)
		return false;
	memcpy(m->build_id, id, m->build_id_size);
	return m->start < m->end;
}

static bool get_mappings(struct cursor *c, struct sample_file *s)
{
	uint32_t count = (uint32_t)cursor_get(c, 4);
	if (c->failed || count > SAMPLE_MAPPINGS_MAX)
		return false;
	s->mappings = cursor_room(c, count, sizeof *s->mappings);
	if (!s->mappings)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		s->mapping_count++;
		if (!get_mapping(c, &s->mappings[i]))
			return false;
	}
	return true;
}

static bool get_signatures(struct cursor *c, struct culprit_samples *s)
{
	size_t words = 2 * (size_t)s->words;
	s->pc = cursor_room(c, s->signature_count, sizeof *s->pc);
	s->bits = cursor_room(c, s->signature_count * words, sizeof *s->bits);
	s->returns = cursor_room(c, s->signature_count * s->stack, sizeof *s->returns);
	s->targets = cursor_room(c, s->signature_count * s->target_slots, sizeof *s->targets);
	if (!s->pc || !s->bits || !s->returns || !s->targets)
		return false;
	for (size_t i = 0; i < s->signature_count; i++) {
		s->pc[i] = cursor_get(c, 8);
		for (size_t w = 0; w < words; w++)
			s->bits[i * words + w] = cursor_get(c, 8);
		for (size_t r = 0; r < s->stack; r++)
			s->returns[i * s->stack + r] = cursor_get(c, 8);
		for (size_t t = 0; t < s->target_slots; t++)
			s->targets[i * s->target_slots + t] = cursor_get(c, 8);
	}
	return !c->failed;
}

static bool get_details(struct cursor *c, struct culprit_samples *s)
{
	s->details = cursor_room(c, s->detail_count, sizeof *s->details);
	for (size_t i = 0; s->details && i < s->detail_count; i++)
		if (!get_detail(c, s->context, &s->details[i]))
			return false;
	return s->details && !c->failed;
}

static const char *get_samples(struct cursor *c, struct culprit_samples *s)
{
	s->instructions = cursor_get(c, 8);
	s->cycles = cursor_get(c, 8);
	s->context = (uint32_t)cursor_get(c, 4);
	s->length = (uint32_t)cursor_get(c, 4);
	s->stack = (uint32_t)cursor_get(c, 4);
	s->target_slots = (uint32_t)cursor_get(c, 4);
	s->signature_count = cursor_get(c, 8);
	s->detail_count = cursor_get(c, 8);
	if (c->failed || s->context > CULPRIT_CONTEXT_MAX || !s->length || s->length > CULPRIT_SIGNATURE_MAX ||
	    s->stack > CULPRIT_RETURNS_MAX || s->target_slots > CULPRIT_TARGETS_MAX)
		return "lengths of samples are out of range";
	s->words = (culprit_signature_positions(s) + 63) / 64;
	size_t signature = 8 + 16 * (size_t)s->words + 8 * ((size_t)s->stack + s->target_slots);
	if (s->signature_count > c->left / signature || s->signature_count > UINT32_MAX / 2)
		return "more signature samples than the file holds";
	size_t rest = c->left - s->signature_count * signature;
	if (s->detail_count != rest / DETAIL_BYTES || rest % DETAIL_BYTES || s->detail_count > UINT32_MAX / 2)
		return "the number of detailed samples is not that of the bytes that follow";
	if (!get_signatures(c, s))
		return "its signature samples are cut off";
	return get_details(c, s) ? NULL : "a detailed sample has values out of range";
}

static const char *get_all(struct cursor *c, struct sample_file *s)
{
	s->program = cursor_get_text(c, SAMPLE_TEXT_MAX);
	s->machine_name = cursor_get_text(c, 64);
	s->machine = cursor_get_text(c, SAMPLE_TEXT_MAX);
	uint64_t *numbers[] = {&s->skipped, &s->warmed, &s->signature_interval, &s->detail_interval, &s->seed, &s->cut};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		*numbers[i] = cursor_get(c, 8);
	if (c->failed)
		return "the names at its beginning are cut off";
	if (!get_mappings(c, s))
		return "the list of mappings makes no sense";
	return get_samples(c, &s->samples);
}

bool sample_file_parse_raw(struct sample_file *s, const void *bytes, size_t size, const char *place, struct error *err)
{
	memset(s, 0, sizeof *s);
	struct cursor c = {.at = bytes, .left = size};
	const char *why = get_all(&c, s);
	if (why && c.no_memory)
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for the sample file", place);
	return !why || error_set(err, ERROR_INPUT, "%s: damaged sample file: %s", place, why);
}

bool sample_file_parse(struct sample_file *s, const void *bytes, size_t size, const char *place, struct error *err)
{
	struct codec_content content;
	memset(s, 0, sizeof *s);
	bool good = codec_parse(&codec, bytes, size, place, &content, err);
	if (good && content.layout != DETAIL_BYTES)
		good = error_set(err, ERROR_INPUT, "%s: damaged sample file: detailed samples of another size", place);
	good = good && sample_file_parse_raw(s, content.bytes.at, content.bytes.size, place, err);
	free(content.bytes.at);
	return good;
}

bool sample_file_read(struct sample_file *s, const char *path, struct error *err)
{
	struct bytes file;
	memset(s, 0, sizeof *s);
	bool good = codec_slurp(&codec, path, &file, err) && sample_file_parse(s, file.at, file.size, path, err);
	free(file.at);
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
	free(s->samples.targets);
	memset(s, 0, sizeof *s);
}
