/* Sample files: what a kernel driver of the shotgun profiler would hand to user space. Self-contained but for the
 * binary and its libraries, which are named with a checksum of their code. docs/reference/files.md has the format.
 * The file is a codec's (record/codec.h). */
#ifndef CULPRIT_RECORD_SAMPLE_FILE_H
#define CULPRIT_RECORD_SAMPLE_FILE_H

#include "base/error.h"
#include "culprit/shotgun.h"

#include <stdio.h>

enum { SAMPLE_FILE_VERSION = 6, SAMPLE_BUILD_ID_MAX = 64, SAMPLE_MAPPINGS_MAX = 4096, SAMPLE_TEXT_MAX = 1 << 20 };

/* An object whose code was mapped: the program first. */
struct sample_mapping {
	char *path;	     /* as the process saw it */
	uint64_t start, end; /* addresses */
	uint64_t bias;	     /* address in memory minus address in the file's headers */
	uint64_t checksum;   /* of the executable segments' bytes: codec_checksum */
	uint8_t build_id[SAMPLE_BUILD_ID_MAX];
	uint32_t build_id_size; /* 0 = it has none */
};

struct sample_file {
	char *program; /* as typed */
	char *machine; /* a machine file that needs no other */
	char *machine_name;
	uint64_t skipped, warmed; /* instructions before the region */
	uint64_t signature_interval, detail_interval, seed, cut;
	struct sample_mapping *mappings;
	uint32_t mapping_count;
	struct culprit_samples samples;
};

bool sample_file_write(const struct sample_file *s, FILE *out, struct error *err);
/* One error with the file and the reason. Afterwards sample_file_destroy, in any case. */
bool sample_file_read(struct sample_file *s, const char *path, struct error *err);
/* From memory; `place` names it in errors. */
bool sample_file_parse(struct sample_file *s, const void *bytes, size_t size, const char *place, struct error *err);
/* What a file unpacks to, for fuzzing. */
bool sample_file_parse_raw(struct sample_file *s, const void *bytes, size_t size, const char *place, struct error *err);
void sample_file_destroy(struct sample_file *s);

#endif
