/* Targets of indirect jumps by the path to them: one table, without tags, as the Xuantie C910 has it.
 *
 * The path is the last four targets of indirect jumps, PATH_BITS bits of each, in blocks of 16 bytes. The index takes a
 * quarter of its bits from each, its low ones from the last, and xors the newest outcomes of conditional branches onto
 * them; the jump's own address does not count. Only a jump that was mispredicted writes its entry. As with the other
 * parts, predict reads only, speculate moves the path, train writes. */
#ifndef CULPRIT_MACHINE_PATH_TARGETS_H
#define CULPRIT_MACHINE_PATH_TARGETS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What speculation moves. The newest is the lowest. */
struct path {
	uint32_t targets, outcomes;
};

struct path_targets {
	uint64_t *target; /* 0: none yet; NULL unless configured */
	uint32_t entries;
	struct path path;
};

struct path_note {
	uint32_t index;
};

bool path_targets_create(struct path_targets *t, uint32_t entries, struct error *err);
void path_targets_destroy(struct path_targets *t);
uint64_t path_targets_storage_bits(const struct path_targets *t);

bool path_targets_predict(const struct path_targets *t, uint64_t *target, struct path_note *note);
void path_targets_speculate(struct path_targets *t, uint64_t target);
void path_targets_outcome(struct path_targets *t, bool taken); /* of a conditional branch */
void path_targets_train(struct path_targets *t, const struct path_note *note, uint64_t target);

#endif
