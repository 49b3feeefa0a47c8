/* What a misspelt name was probably meant to be. One rule for commands, options, machines, keys, classes, functions:
 * the known name with the fewest letters inserted, left out, replaced or swapped with their neighbour; of equals the
 * first; and none when more than 1 (names below 4 letters), 2 (below 8) or 3 letters are wrong. */
#ifndef CULPRIT_BASE_NEAREST_H
#define CULPRIT_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { NEAREST_LONGEST = 63 }; /* longer names are far from everything */

struct nearest {
	char wanted[NEAREST_LONGEST + 1];
	char best[NEAREST_LONGEST + 1]; /* "" = none yet */
	char hint[NEAREST_LONGEST + 32];
	unsigned distance; /* a name must be nearer than this */
};

void nearest_begin(struct nearest *n, const char *wanted, size_t length);
unsigned nearest_distance(const struct nearest *n, const char *name);
/* The name is so far away; true when nothing nearer has been seen. */
bool nearest_take(struct nearest *n, const char *name, unsigned distance);
void nearest_consider(struct nearest *n, const char *name);
/* "; did you mean NAME?", or "" when nothing is near. */
const char *nearest_hint(struct nearest *n);

#endif
