/* Record files: what a simulation told its analyses, to be analysed later. docs/reference/files.md has the format.
 *
 * A header, then chunks, each a zstd frame with a checksum: of records, of the pipeline log, and at the end of what
 * is known only then, with a table of the chunks. A reader believes nothing: counts are held against the bytes that
 * are left, values against what analyses can take. */
#ifndef CULPRIT_RECORD_RECORD_FILE_H
#define CULPRIT_RECORD_RECORD_FILE_H

#include "analysis/graph/beyond.h"
#include "base/error.h"
#include "culprit/field.h"
#include "culprit/log.h"
#include "record/sample_file.h"

#include <stdio.h>

enum { RECORD_FILE_VERSION = 5 };

/* The code at an address that committed. */
struct record_code {
	uint64_t pc;
	uint32_t bits; /* of 2 bytes or 4 */
};

/* The signal that killed the program, as the guest told it. Texts of it are plain. */
struct record_death {
	uint32_t signal; /* 0: none did */
	bool has_address;
	uint64_t pc, address, caller; /* the first and the last as frame addresses */
	char *instruction, *reason;
	char *program; /* plain; NULL: the one that the run began with */
};

/* What one of several programs had of the region. */
struct record_program {
	char *path; /* plain */
	uint64_t processes, cycles, instructions;
};

/* What is said of the run. Known at first: */
struct record_about {
	char *program, *machine_name;
	char *machine; /* a machine file that needs no other */
	uint64_t skipped, warmed;
	culprit_field_set unknown;
	bool has_log;
	bool own; /* `culprit record` wrote it: of Culprit's own core */
	struct graph_beyond graph;
	/* known at the end: */
	uint64_t instructions, cycles;
	struct sample_mapping *mappings;
	uint32_t mapping_count;
	struct record_code *code; /* by address */
	uint32_t code_count;
	bool cut; /* the recording was interrupted: the region goes on behind the last record */
	struct record_death death;
	struct record_program *programs; /* those with most cycles first; none: there was one process */
	uint32_t program_count;
};
void record_about_destroy(struct record_about *a);

/* --- writing --- */

struct record_writer;
/* `about`: its first part. It must outlive the writer, and so must `out`, which is not closed. */
struct record_writer *record_writer_create(const struct record_about *about, FILE *out, struct error *err);
void record_writer_destroy(struct record_writer *w);
/* As an analysis takes them; errors are kept until the end. */
void record_writer_records(struct record_writer *w, const struct culprit_record *records, size_t count);
void record_writer_log(struct record_writer *w, const struct culprit_log_part *part);
/* Distinct addresses so far, in no order; how many. For about->code. */
size_t record_writer_addresses(const struct record_writer *w, const uint64_t **addresses);
/* All that is left, and the end. */
bool record_writer_finish(struct record_writer *w, struct error *err);

/* --- reading --- */

struct record_reader;
/* `*about` is to be destroyed in any case; its last part is read, too. */
struct record_reader *record_reader_open(const char *path, struct record_about *about, struct error *err);
/* From memory, for tests and fuzzing; `place` names it in errors. With `raw` checksums are not looked at. */
struct record_reader *record_reader_memory(const void *bytes, size_t size, const char *place, bool raw,
					   struct record_about *about, struct error *err);
void record_reader_destroy(struct record_reader *r);

/* What comes next: records, a part of the log, or neither: the end. */
struct record_part {
	const struct culprit_record *records;
	size_t record_count;
	struct culprit_log_part log;
	bool is_log, is_end;
};
/* Valid until the next call. */
bool record_reader_next(struct record_reader *r, struct record_part *part, struct error *err);
/* Chunks of records, and where each begins; for those who want a part. False past the end. */
bool record_reader_chunk(const struct record_reader *r, size_t index, uint64_t *first_seq, uint64_t *offset);

#endif
