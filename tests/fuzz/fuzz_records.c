/* Any bytes as a record file: an error in one line, or records and log, which every analysis takes or refuses. Checksums are
 * not looked at, and the mutator alters what is in the blocks: what it makes unpacks again. */
#include "culprit/library.h"
#include "record/record_file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 64, MOST_CYCLES = 1 << 24 };

/* --- what a file holds, into the analyses --- */

static void feed(struct culprit_analysis *const *analyses, const struct record_part *part)
{
	for (size_t i = 0; culprit_analysis_name(i); i++) {
		if (analyses[i] && part->is_log)
			culprit_analysis_log(analyses[i], &part->log);
		else if (analyses[i])
			culprit_analysis_push(analyses[i], part->records, part->record_count);
	}
}

static void analyse(struct record_reader *r, const struct record_about *about, const struct culprit_machine *m)
{
	struct culprit_analysis *analyses[8] = {NULL};
	struct record_part part = {.is_end = false};
	struct error err;
	for (size_t i = 0; culprit_analysis_name(i); i++)
		analyses[i] = culprit_analysis_create(culprit_analysis_name(i), m, about->unknown, NULL);
	for (int n = 0; n < MOST_PARTS && record_reader_next(r, &part, &err) && !part.is_end; n++)
		feed(analyses, &part);
	for (size_t i = 0; culprit_analysis_name(i); i++) {
		if (analyses[i] && culprit_analysis_finish(analyses[i], about->cycles, NULL))
			culprit_free(culprit_analysis_json(analyses[i]));
		culprit_analysis_destroy(analyses[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_about about;
	struct error err;
	struct record_reader *r = record_reader_memory(data, size, "fuzz", true, &about, &err);
	struct culprit_machine *m = r ? culprit_machine_parse(about.machine, strlen(about.machine), NULL) : NULL;
	if (m)
		analyse(r, &about, m);
	culprit_machine_destroy(m);
	record_reader_destroy(r);
	record_about_destroy(&about);
	return 0;
}

/* --- the mutator: the same file with other values in it --- */

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 20) % below;
}

/* A byte anywhere; or a small step of one. */
static void alter(void *value, size_t size)
{
	uint8_t *at = (uint8_t *)value + draw(size);
	*at = draw(2) ? (uint8_t)draw(256) : (uint8_t)(*at + draw(5) - 2);
}

static void rewrite(struct record_reader *r, struct record_writer *w)
{
	static struct culprit_record records[1 << 12];
	static struct culprit_log_entry entries[1 << 16];
	static struct culprit_log_squashed squashed[1 << 8];
	struct record_part part = {.is_end = false};
	struct error err;
	for (int n = 0; n < MOST_PARTS && record_reader_next(r, &part, &err) && !part.is_end; n++) {
		if (part.is_log) {
			memcpy(entries, part.log.entries, part.log.count * sizeof *entries);
			memcpy(squashed, part.log.squashed, part.log.squashed_count * sizeof *squashed);
			if (part.log.count && draw(3) == 0)
				alter(&entries[draw(part.log.count)], sizeof *entries);
			if (part.log.squashed_count && draw(3) == 0)
				alter(&squashed[draw(part.log.squashed_count)], sizeof *squashed);
			for (size_t i = 0; i < part.log.count; i++)
				entries[i].kind %= CULPRIT_LOG_KINDS;
			part.log.entries = entries;
			part.log.squashed = squashed;
			record_writer_log(w, &part.log);
		} else {
			memcpy(records, part.records, part.record_count * sizeof *records);
			if (draw(2))
				alter((char *)&records[draw(part.record_count)] + sizeof records->seq,
				      sizeof *records - sizeof records->seq);
			record_writer_records(w, records, part.record_count);
		}
	}
}

/* Weak: the builds that only replay inputs have none. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct record_about about;
	struct error err;
	char *made = NULL;
	size_t length = 0;
	state = seed;
	struct record_reader *r = record_reader_memory(data, size, "fuzz", true, &about, &err);
	FILE *out = r && about.cycles < MOST_CYCLES ? open_memstream(&made, &length) : NULL;
	if (draw(4) == 0)
		about.cycles += draw(64) - 32;
	struct record_writer *w = out ? record_writer_create(&about, out, &err) : NULL;
	if (w)
		rewrite(r, w);
	bool good = w && record_writer_finish(w, &err);
	record_writer_destroy(w);
	if (out)
		fclose(out);
	record_reader_destroy(r);
	record_about_destroy(&about);
	good = good && length <= most;
	if (good)
		memcpy(data, made, length);
	free(made);
	if (good && (seed % 8 || !LLVMFuzzerMutate))
		return length;
	return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
}
