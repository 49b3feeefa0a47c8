/* Stall trees the slow way: every stall event of every cycle is an object of its own, with a number for its leaf and a
 * list of types; nothing is interned, made of runs, or put off. Only the questions put to a record are the same. */
#ifndef TESTS_ANALYSIS_STALLS_REFERENCE_H
#define TESTS_ANALYSIS_STALLS_REFERENCE_H

#include "analysis/stalls/core.h"

struct reference_path {
	char *text; /* "set.type>set.type", the immediate stall first */
	uint64_t count;
};

/* Sorted by text; malloc'd, with `count` entries. Types are named as in the table; chains longer than `depth` are snipped. */
struct reference_path *stalls_reference(const struct stalls_core_params *p, const struct culprit_record *records,
					size_t record_count, uint64_t cycles, uint32_t depth, size_t *count);
/* The same from the engine's results, in the same form. */
struct reference_path *stalls_paths(const struct culprit_stall_results *r, size_t *count);
void stalls_paths_free(struct reference_path *paths, size_t count);

#endif
