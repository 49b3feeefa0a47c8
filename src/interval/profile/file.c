/* The profile file, little-endian: a header of 40 bytes
 *
 *     8 "CULPROFL"   4 version   4 bytes of this header   8 bytes of the content   8 FNV-1a checksum of what follows the
 *     header   8 words in 1.
 *
 * then one zstd frame that holds the content:
 *
 *     1. the counts of struct interval_profile from `program` on, in words of 8 bytes
 *     2. 4 bytes: length of the reference machine's YAML text; the text
 *     3. 8 number of samples, 8 stretch, 8 every; the samples, 20 bytes each (encode_sample)
 *     4. 8 number of wrong paths, 8 number of their instructions; 4 place in the sample and 4 instructions of each path; the
 *        instructions, as samples
 *
 * Whoever changes the struct or the samples raises VERSION: a file of another version is refused, never guessed at.
 * Version 1 had no `sampling` at the end of the counts: all of the region was measured in detail. Versions 1
 * and 2 had no wrong paths. Both are still read. */
#include "base/output.h"
#include "interval/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	VERSION = 3,
	HEADER = 40,
	SAMPLE = 20,
	MACHINE_TEXT_MOST = 1 << 16,
	SAMPLES_MOST = 1 << 20,
	STRAYS_MOST = 1 << 23,
	COMPRESSION = 6,
	COUNTS_OFFSET = offsetof(struct interval_profile, program),
	COUNTS = sizeof(struct interval_profile) - COUNTS_OFFSET,
	COUNTS_1 = COUNTS - sizeof(struct interval_sampling), /* in version 1 */
	CONTENT_MOST = COUNTS + 4 + MACHINE_TEXT_MOST + 40 + SAMPLES_MOST * (SAMPLE + 8) + STRAYS_MOST * SAMPLE,
};
static const char magic[8] = {'C', 'U', 'L', 'P', 'R', 'O', 'F', 'L'};
_Static_assert(COUNTS % 8 == 0 && COUNTS_OFFSET % 8 == 0, "nothing but words and names of whole words");
_Static_assert(offsetof(struct interval_profile, sampling) == COUNTS_OFFSET + COUNTS_1, "the last of the counts");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are written as they are");

/* Bytes being written or read. */
struct bytes {
	uint8_t *at, *end;
};

static void put(struct bytes *b, const void *from, size_t size)
{
	memcpy(b->at, from, size);
	b->at += size;
}

static bool get(struct bytes *b, void *to, size_t size)
{
	if ((size_t)(b->end - b->at) < size)
		return false;
	memcpy(to, b->at, size);
	b->at += size;
	return true;
}

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
	uint64_t sum = 0xcbf29ce484222325;
	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3;
	return sum;
}

/* --- samples: bit fields are the compiler's, bytes are the file's --- */

static void encode_sample(struct bytes *b, const struct interval_sample *s)
{
	const uint8_t packed[4] = {s->op, (uint8_t)(s->dlevel | s->dtlb << 3 | s->covers << 6),
				   (uint8_t)(s->ilevel | s->itlb << 3 | s->dest << 6), s->flags};
	put(b, &s->pc, 4);
	put(b, &s->address, 4);
	put(b, s->producer, 6);
	put(b, &s->mem_producer, 2);
	put(b, packed, sizeof packed);
}

/* False: truncated, or a value that no sample has. */
static bool decode_sample(struct bytes *b, struct interval_sample *s)
{
	uint8_t packed[4];
	*s = (struct interval_sample){.pc = 0};
	if (!get(b, &s->pc, 4) || !get(b, &s->address, 4) || !get(b, s->producer, 6) || !get(b, &s->mem_producer, 2) ||
	    !get(b, packed, sizeof packed))
		return false;
	s->op = packed[0];
	s->dlevel = packed[1] & 7;
	s->dtlb = packed[1] >> 3 & 7;
	s->covers = packed[1] >> 6 & 1;
	s->ilevel = packed[2] & 7;
	s->itlb = packed[2] >> 3 & 7;
	s->dest = packed[2] >> 6;
	s->flags = packed[3];
	return s->op < CULPRIT_OP_COUNT && s->dlevel < CULPRIT_LEVEL_COUNT && s->dtlb < CULPRIT_LEVEL_COUNT &&
	       s->ilevel < CULPRIT_LEVEL_COUNT && s->itlb < CULPRIT_LEVEL_COUNT && s->dest <= SAMPLE_DEST_FP &&
	       packed[1] < 128;
}

/* --- writing --- */

static bool machine_text(const struct machine *m, char **text, size_t *size, struct error *err)
{
	FILE *f = open_memstream(text, size);
	bool whole = f && machine_print(m, f);
	whole = (!f || !fclose(f)) && whole;
	return whole || error_set(err, ERROR_SYSTEM, "out of memory for the machine's text");
}

static uint8_t *content(const struct interval_profile *p, const char *text, uint32_t length, size_t *size)
{
	const struct interval_samples *s = &p->samples;
	*size = COUNTS + 4 + length + 24 + s->count * SAMPLE + 16 + s->wrong_count * 8 + s->stray_count * SAMPLE;
	uint8_t *bytes = malloc(*size);
	struct bytes b = {.at = bytes};
	if (!bytes)
		return NULL;
	put(&b, (const uint8_t *)p + COUNTS_OFFSET, COUNTS);
	put(&b, &length, 4);
	put(&b, text, length);
	put(&b, &s->count, 8);
	put(&b, &s->stretch, 8);
	put(&b, &s->every, 8);
	for (uint64_t i = 0; i < s->count; i++)
		encode_sample(&b, &s->list[i]);
	put(&b, &s->wrong_count, 8);
	put(&b, &s->stray_count, 8);
	for (uint64_t i = 0; i < s->wrong_count; i++) {
		put(&b, &s->wrong[i].branch, 4);
		put(&b, &s->wrong[i].count, 4);
	}
	for (uint64_t i = 0; i < s->stray_count; i++)
		encode_sample(&b, &s->strays[i]);
	return bytes;
}

static bool write_frame(const uint8_t *bytes, size_t size, FILE *file, struct error *err)
{
	size_t bound = ZSTD_compressBound(size);
	uint8_t *frame = malloc(bound);
	if (!frame)
		return error_set(err, ERROR_SYSTEM, "out of memory for the profile file");
	size_t packed = ZSTD_compress(frame, bound, bytes, size, COMPRESSION);
	bool whole = !ZSTD_isError(packed);
	uint64_t sum = whole ? checksum(frame, packed) : 0;
	uint8_t header[HEADER];
	struct bytes b = {.at = header};
	put(&b, magic, sizeof magic);
	put(&b, &(uint32_t){VERSION}, 4);
	put(&b, &(uint32_t){HEADER}, 4);
	put(&b, &(uint64_t){size}, 8);
	put(&b, &sum, 8);
	put(&b, &(uint64_t){COUNTS / 8}, 8);
	if (whole) {
		fwrite(header, 1, sizeof header, file); /* output_commit sees what fails */
		fwrite(frame, 1, packed, file);
	}
	free(frame);
	return whole || error_set(err, ERROR_SYSTEM, "the profile cannot be compressed");
}

static bool write_content(const uint8_t *bytes, size_t size, const char *path, struct error *err)
{
	struct output o;
	TRY(output_open(&o, path, err));
	if (write_frame(bytes, size, o.file, err))
		return output_commit(&o, err);
	output_abandon(&o);
	return false;
}

bool interval_write(const struct interval_profile *p, const char *path, struct error *err)
{
	char *text = NULL;
	size_t length, size;
	bool done = machine_text(&p->machine, &text, &length, err);
	if (done) {
		uint8_t *bytes = content(p, text, (uint32_t)length, &size);
		done = bytes ? write_content(bytes, size, path, err)
			     : error_set(err, ERROR_SYSTEM, "out of memory for the profile file");
		free(bytes);
	}
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
	for (size_t i = 0; i < INTERVAL_PREDICTORS; i++)
		p->predictor[i].name[INTERVAL_NAME - 1] = 0;
	return true;
}

static bool parse_machine(struct interval_profile *p, struct bytes *b, const char *place, struct error *err)
{
	uint32_t length;
	if (!get(b, &length, 4) || length > MACHINE_TEXT_MOST || length > (size_t)(b->end - b->at))
		return refuse(place, "damaged profile: the machine's text is cut short", err);
	TRY(machine_parse(&p->machine, (const char *)b->at, length, place, err));
	memset(p->machine.name, 0, sizeof p->machine.name);
	snprintf(p->machine.name, sizeof p->machine.name, "%s", p->reference.machine);
	b->at += length;
	return true;
}

static bool parse_samples(struct interval_profile *p, struct bytes *b, const char *place, struct error *err)
{
	struct interval_samples *s = &p->samples;
	uint64_t count;
	if (!get(b, &count, 8) || !get(b, &s->stretch, 8) || !get(b, &s->every, 8) || !s->stretch || !s->every ||
	    count > SAMPLES_MOST || (uint64_t)(b->end - b->at) / SAMPLE < count)
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
static bool parse_paths(struct interval_samples *s, struct bytes *b, uint64_t count, uint64_t strays)
{
	uint64_t first = 0, next = 0;
	for (; s->wrong_count < count; s->wrong_count++) {
		struct interval_wrong_path *w = &s->wrong[s->wrong_count];
		if (!get(b, &w->branch, 4) || !get(b, &w->count, 4) || w->branch < next || w->branch >= s->count ||
		    w->count > strays - first)
			return false;
		w->first = (uint32_t)first;
		first += w->count;
		next = (uint64_t)w->branch + 1;
	}
	return first == strays;
}

static bool parse_strays(struct interval_profile *p, struct bytes *b, const char *place, struct error *err)
{
	struct interval_samples *s = &p->samples;
	uint64_t count, strays;
	if (!get(b, &count, 8) || !get(b, &strays, 8) || count > s->count || strays > STRAYS_MOST ||
	    (uint64_t)(b->end - b->at) != count * 8 + strays * SAMPLE)
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

struct header {
	uint32_t version, size;
	uint64_t content, sum, words;
};

/* Bytes. */
static size_t counts_of(const struct header *h)
{
	return h->version == 1 ? COUNTS_1 : COUNTS;
}

static bool parse_content(struct interval_profile *p, struct bytes b, const struct header *h, const char *place,
			  struct error *err)
{
	if (!get(&b, (uint8_t *)p + COUNTS_OFFSET, counts_of(h)))
		return refuse(place, "damaged profile: the counts are cut short", err);
	if (h->version == 1)
		p->sampling = (struct interval_sampling){.every = 1, .instructions = p->instructions};
	TRY(check_counts(p, place, err));
	TRY(parse_machine(p, &b, place, err));
	TRY(parse_samples(p, &b, place, err));
	if (h->version >= 3)
		return parse_strays(p, &b, place, err);
	return b.at == b.end || refuse(place, "damaged profile: the samples are not as many as it says", err);
}

static bool parse_header(struct bytes *b, struct header *h, const char *place, struct error *err)
{
	char start[8];
	if (!get(b, start, 8) || memcmp(start, magic, sizeof magic))
		return refuse(place, "not a profile (culprit profile writes them)", err);
	if (!get(b, &h->version, 4) || !get(b, &h->size, 4))
		return refuse(place, "truncated profile", err);
	if (!h->version || h->version > VERSION)
		return error_set(err, ERROR_INPUT, "%s: a profile of version %u, and this culprit reads up to %d%s",
				 place, h->version, VERSION, h->version > VERSION ? ": use a newer one" : "");
	if (!get(b, &h->content, 8) || !get(b, &h->sum, 8) || !get(b, &h->words, 8))
		return refuse(place, "truncated profile", err);
	if (h->size != HEADER || h->words != counts_of(h) / 8 || h->content > CONTENT_MOST)
		return refuse(place, "damaged profile: impossible sizes in its header", err);
	return true;
}

bool interval_parse(struct interval_profile *p, const void *bytes, size_t size, const char *place, struct error *err)
{
	struct bytes b = {.at = (uint8_t *)bytes, .end = (uint8_t *)bytes + size};
	struct header h = {0};
	memset(p, 0, sizeof *p);
	TRY(parse_header(&b, &h, place, err));
	uint8_t *raw = malloc(h.content + 1);
	if (!raw)
		return error_set(err, ERROR_SYSTEM, "%s: out of memory for the profile", place);
	bool done = false;
	size_t packed = (size_t)(b.end - b.at);
	if (checksum(b.at, packed) != h.sum)
		refuse(place, "truncated or damaged profile: the checksum does not fit", err);
	else if (ZSTD_decompress(raw, h.content, b.at, packed) != h.content)
		refuse(place, "damaged profile: it does not decompress to what its header says", err);
	else
		done = parse_content(p, (struct bytes){.at = raw, .end = raw + h.content}, &h, place, err);
	free(raw);
	if (!done)
		interval_profile_clear(p);
	return done;
}

/* The whole file; NULL: *err says why. */
static uint8_t *slurp(const char *path, size_t *size, struct error *err)
{
	FILE *f = fopen(path, "rb");
	size_t most = HEADER + ZSTD_compressBound(CONTENT_MOST) + 1;
	uint8_t *bytes = f ? malloc(most) : NULL;
	if (bytes)
		*size = fread(bytes, 1, most, f);
	if (!f || (bytes && ferror(f))) {
		error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
		free(bytes);
		bytes = NULL;
	} else if (!bytes) {
		error_set(err, ERROR_SYSTEM, "%s: out of memory for the profile", path);
	}
	if (f)
		fclose(f);
	return bytes;
}

bool interval_read(struct interval_profile *p, const char *path, struct error *err)
{
	size_t size;
	memset(p, 0, sizeof *p);
	uint8_t *bytes = slurp(path, &size, err);
	if (!bytes)
		return false;
	bool done = interval_parse(p, bytes, size, path, err);
	free(bytes);
	return done;
}
