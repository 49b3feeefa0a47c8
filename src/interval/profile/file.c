/* The profile file: a codec's (record/codec.h), whose layout number is the words in 1, and whose content is,
 * little-endian,
 *
 *     1. the counts of struct interval_profile from `program` on, in words of 8 bytes
 *     2. 4 bytes: length of the reference machine's YAML text; the text
 *     3. 8 number of samples, 8 stretch, 8 every; the samples, 20 bytes each (encode_sample)
 *     4. 8 number of wrong paths, 8 number of their instructions; 4 place in the sample and 4 instructions of each
 *        path; the instructions, as samples
 *
 * Whoever changes the struct or the samples raises VERSION: a file of another version is refused, never guessed at.
 * Version 1 had no `sampling` at the end of the counts: all of the region was measured in detail. Versions 1
 * and 2 had no wrong paths, version 3 did not mark prefetched lines. All are still read. */
#include "base/output.h"
#include "base/plain.h"
#include "interval/profile/profile.h"
#include "record/codec.h"

#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 4,
	SAMPLE = 20,
	MACHINE_TEXT_MOST = 1 << 16,
	SAMPLES_MOST = 1 << 20,
	STRAYS_MOST = 1 << 23,
	COUNTS_OFFSET = offsetof(struct interval_profile, program),
	COUNTS = sizeof(struct interval_profile) - COUNTS_OFFSET,
	COUNTS_1 = COUNTS - sizeof(struct interval_sampling), /* in version 1 */
	CONTENT_MOST = COUNTS + 4 + MACHINE_TEXT_MOST + 40 + SAMPLES_MOST * (SAMPLE + 8) + STRAYS_MOST * SAMPLE,
};
static const struct codec codec = {"CULPROFL", "profile", "culprit profile", 1, VERSION, CONTENT_MOST, 6, 0};
_Static_assert(COUNTS % 8 == 0 && COUNTS_OFFSET % 8 == 0, "nothing but words and names of whole words");
_Static_assert(offsetof(struct interval_profile, sampling) == COUNTS_OFFSET + COUNTS_1, "the last of the counts");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are written as they are");

/* --- samples: bit fields are the compiler's, bytes are the file's --- */

static void encode_sample(struct bytes *b, const struct interval_sample *s)
{
	const uint8_t packed[4] = {s->op, (uint8_t)(s->dlevel | s->dtlb << 3 | s->covers << 6 | s->prefetched << 7),
				   (uint8_t)(s->ilevel | s->itlb << 3 | s->dest << 6), s->flags};
	bytes_put_raw(b, &s->pc, 4);
	bytes_put_raw(b, &s->address, 4);
	bytes_put_raw(b, s->producer, 6);
	bytes_put_raw(b, &s->mem_producer, 2);
	bytes_put_raw(b, packed, sizeof packed);
}

/* False: truncated, or a value that no sample has. */
static bool decode_sample(struct cursor *b, struct interval_sample *s)
{
	uint8_t packed[4];
	*s = (struct interval_sample){.pc = 0};
	if (!cursor_copy(b, &s->pc, 4) || !cursor_copy(b, &s->address, 4) || !cursor_copy(b, s->producer, 6) ||
	    !cursor_copy(b, &s->mem_producer, 2) || !cursor_copy(b, packed, sizeof packed))
		return false;
	s->op = packed[0];
	s->dlevel = packed[1] & 7;
	s->dtlb = packed[1] >> 3 & 7;
	s->covers = packed[1] >> 6 & 1;
	s->prefetched = packed[1] >> 7;
	s->ilevel = packed[2] & 7;
	s->itlb = packed[2] >> 3 & 7;
	s->dest = packed[2] >> 6;
	s->flags = packed[3];
	return s->op < CULPRIT_OP_COUNT && s->dlevel < CULPRIT_LEVEL_COUNT && s->dtlb < CULPRIT_LEVEL_COUNT &&
	       s->ilevel < CULPRIT_LEVEL_COUNT && s->itlb < CULPRIT_LEVEL_COUNT && s->dest <= SAMPLE_DEST_FP;
}

/* --- writing --- */

static void put_content(struct bytes *b, const struct interval_profile *p, const char *text)
{
	const size_t length = strlen(text);
	const struct interval_samples *s = &p->samples;
	bytes_put_raw(b, (const uint8_t *)p + COUNTS_OFFSET, COUNTS);
	bytes_put(b, length, 4);
	bytes_put_raw(b, text, length);
	bytes_put(b, s->count, 8);
	bytes_put(b, s->stretch, 8);
	bytes_put(b, s->every, 8);
	for (uint64_t i = 0; i < s->count; i++)
		encode_sample(b, &s->list[i]);
	bytes_put(b, s->wrong_count, 8);
	bytes_put(b, s->stray_count, 8);
	for (uint64_t i = 0; i < s->wrong_count; i++) {
		bytes_put(b, s->wrong[i].branch, 4);
		bytes_put(b, s->wrong[i].count, 4);
	}
	for (uint64_t i = 0; i < s->stray_count; i++)
		encode_sample(b, &s->strays[i]);
}

bool interval_write(const struct interval_profile *p, const char *path, struct error *err)
{
	char *text = machine_text(&p->machine);
	struct output o;
	struct bytes content = {.at = NULL};
	if (!text)
		return error_set(err, ERROR_SYSTEM, "out of memory for the machine's text");
	put_content(&content, p, text);
	bool done = output_open(&o, path, err) &&
		    output_finish(&o, codec_write(&codec, COUNTS / 8, &content, o.file, err), err);
	free(content.at);
	free(text);
	return done;
}

/* --- reading --- */

static bool refuse(const char *place, const char *why, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s: %s", place, why);
}

/* What a reader of the counts relies on. */
static bool check_counts(struct interval_profile *p, const char *place, struct error *err)
{
	const struct interval_sweep *sweeps[] = {&p->l1i, &p->l1d, &p->l2, &p->l3};
	for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++)
		if (sweeps[i]->sets > INTERVAL_SETS || sweeps[i]->first_sets > 40)
			return refuse(place, "damaged profile: a cache sweep of impossible size", err);
	p->program[INTERVAL_NAME - 1] = p->reference.machine[INTERVAL_NAME - 1] = 0;
	plain_make(p->program);
	plain_make(p->reference.machine);
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		p->predictor[i].name[INTERVAL_NAME - 1] = 0;
	return true;
}

static bool parse_machine(struct interval_profile *p, struct cursor *b, const char *place, struct error *err)
{
	uint32_t length = (uint32_t)cursor_get(b, 4);
	const uint8_t *text = length <= MACHINE_TEXT_MOST ? cursor_get_raw(b, length) : NULL;
	if (!text)
		return refuse(place, "damaged profile: the machine's text is cut short", err);
	TRY(machine_parse(&p->machine, (const char *)text, length, place, err));
	memset(p->machine.name, 0, sizeof p->machine.name);
	snprintf(p->machine.name, sizeof p->machine.name, "%s", p->reference.machine);
	return true;
}

static bool parse_samples(struct interval_profile *p, struct cursor *b, const char *place, struct error *err)
{
	struct interval_samples *s = &p->samples;
	uint64_t count;
	if (!cursor_copy(b, &count, 8) || !cursor_copy(b, &s->stretch, 8) || !cursor_copy(b, &s->every, 8) ||
	    !s->stretch || !s->every || count > SAMPLES_MOST || b->left / SAMPLE < count)
		return refuse(place, "damaged profile: the samples are not as many as it says", err);
	s->list = malloc(count * sizeof *s->list + 1);
	if (!s->list)
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for the samples", place);
	for (; s->count < count; s->count++)
		if (!decode_sample(b, &s->list[s->count]))
			return refuse(place, "damaged profile: a sample that no instruction has", err);
	return true;
}

/* Paths in order, each behind a sample of its own, and their instructions one path after the other. */
static bool parse_paths(struct interval_samples *s, struct cursor *b, uint64_t count, uint64_t strays)
{
	uint64_t first = 0, next = 0;
	for (; s->wrong_count < count; s->wrong_count++) {
		struct interval_wrong_path *w = &s->wrong[s->wrong_count];
		if (!cursor_copy(b, &w->branch, 4) || !cursor_copy(b, &w->count, 4) || w->branch < next ||
		    w->branch >= s->count || w->count > strays - first)
			return false;
		w->first = (uint32_t)first;
		first += w->count;
		next = (uint64_t)w->branch + 1;
	}
	return first == strays;
}

static bool parse_strays(struct interval_profile *p, struct cursor *b, const char *place, struct error *err)
{
	struct interval_samples *s = &p->samples;
	uint64_t count, strays;
	if (!cursor_copy(b, &count, 8) || !cursor_copy(b, &strays, 8) || count > s->count || strays > STRAYS_MOST ||
	    b->left != count * 8 + strays * SAMPLE)
		return refuse(place, "damaged profile: the wrong paths are not as many as it says", err);
	s->wrong = malloc(count * sizeof *s->wrong + 1);
	s->strays = malloc(strays * sizeof *s->strays + 1);
	if (!s->wrong || !s->strays)
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for the wrong paths", place);
	if (!parse_paths(s, b, count, strays))
		return refuse(place, "damaged profile: wrong paths that no sample has", err);
	for (; s->stray_count < strays; s->stray_count++)
		if (!decode_sample(b, &s->strays[s->stray_count]))
			return refuse(place, "damaged profile: a sample that no instruction has", err);
	return true;
}

static bool parse_content(struct interval_profile *p, const struct codec_content *file, const char *place,
			  struct error *err)
{
	struct cursor b = {.at = file->bytes.at, .left = file->bytes.size};
	size_t counts = file->version == 1 ? COUNTS_1 : COUNTS;
	if (file->layout != counts / 8)
		return refuse(place, "damaged profile: impossible sizes in its header", err);
	if (!cursor_copy(&b, (uint8_t *)p + COUNTS_OFFSET, counts))
		return refuse(place, "damaged profile: the counts are cut short", err);
	if (file->version == 1)
		p->sampling = (struct interval_sampling){.every = 1, .instructions = p->instructions};
	TRY(check_counts(p, place, err));
	TRY(parse_machine(p, &b, place, err));
	TRY(parse_samples(p, &b, place, err));
	if (file->version >= 3)
		return parse_strays(p, &b, place, err);
	return !b.left || refuse(place, "damaged profile: the samples are not as many as it says", err);
}

bool interval_parse(struct interval_profile *p, const void *bytes, size_t size, const char *place, struct error *err)
{
	struct codec_content content;
	memset(p, 0, sizeof *p);
	bool done = codec_parse(&codec, bytes, size, place, &content, err) && parse_content(p, &content, place, err);
	free(content.bytes.at);
	if (!done)
		interval_profile_clear(p);
	return done;
}

bool interval_read(struct interval_profile *p, const char *path, struct error *err)
{
	struct bytes file;
	memset(p, 0, sizeof *p);
	bool done = codec_slurp(&codec, path, &file, err) && interval_parse(p, file.at, file.size, path, err);
	free(file.at);
	return done;
}
