/* Basic-block vectors: of each interval of a program, how many instructions it executed in which basic block. In the
 * files of valgrind's exp-bbv and SimPoint 3.2 a line is an interval:
 *
 *     T:1:48   :3:24   :4:12
 *
 * 48 instructions in block 1, 24 in block 3, 12 in block 4. Blocks are numbered from 1. Lines that do not begin with T
 * say nothing to SimPoint; one of ours says that the program was interrupted. */
#ifndef CULPRIT_SIMPOINT_VECTORS_H
#define CULPRIT_SIMPOINT_VECTORS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bbv_entry {
	uint32_t block;
	uint64_t instructions; /* not 0 */
};

/* Vector i has entries[ends[i - 1]] to entries[ends[i]], the first from 0; no block twice. All zero: none. */
struct bbv {
	struct bbv_entry *entries;
	size_t entry_count, entry_room;
	size_t *ends;
	size_t count, room;
	bool cut; /* interrupted: the program goes on behind them */
};

void bbv_destroy(struct bbv *v);
/* To the vector that is not ended yet. */
bool bbv_add(struct bbv *v, uint32_t block, uint64_t instructions, struct error *err);
bool bbv_end(struct bbv *v, struct error *err);
const struct bbv_entry *bbv_entries(const struct bbv *v, size_t i, size_t *count);

void bbv_write(const struct bbv *v, FILE *out);
/* What is no file of vectors is an error with its line; `place` names it. */
bool bbv_read(struct bbv *v, FILE *in, const char *place, struct error *err);

#endif
