/* What perf would have seen: a run is sampled as hardware with precise samples and branch records does it, and printed
 * as perf script prints such samples. For `culprit shotgun --perf`, to judge it where the answer is known. */
#ifndef CULPRIT_WITH_PERF_WRITER_H
#define CULPRIT_WITH_PERF_WRITER_H

#include "base/error.h"
#include "culprit/record.h"

#include <stdio.h>

enum { PERF_DEPTH_MAX = 256 };

struct perf_writer;
/* `interval`: mean instructions between samples; `depth`: branch records, 2..PERF_DEPTH_MAX; `not_taken`: of
 * branches that were not taken, too. NULL: out of memory. */
struct perf_writer *perf_writer_create(uint64_t interval, uint32_t depth, bool not_taken, uint64_t seed);
void perf_writer_destroy(struct perf_writer *w);
void perf_writer_push(struct perf_writer *w, const struct culprit_record *records, size_t count);
/* False: out of memory on the way. */
bool perf_writer_good(const struct perf_writer *w);

/* Of an object: its executable mappings, as perf script --show-mmap-events prints them. */
bool perf_writer_mappings(FILE *out, const char *file, const char *path, uint64_t bias, struct error *err);
void perf_writer_print(const struct perf_writer *w, const char *command, FILE *out);

#endif
