/* Result files are written whole or not at all: to a temporary file beside the target, then fsync and rename. Symbolic
 * links are followed. What is no regular file (a device, a pipe), and what is already open as standard output or error,
 * is written as it is: it must never be replaced by a file. "-" is standard output. */
#ifndef CULPRIT_BASE_OUTPUT_H
#define CULPRIT_BASE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

struct output {
	FILE *file;
	char path[4096];
	char temporary[4112]; /* "" = written in place */
};

/* Before a long run: could it be written? Nothing is changed. */
bool output_check(const char *path, struct error *err);
bool output_open(struct output *o, const char *path, struct error *err);
/* Make it the target. On failure the target is untouched. */
bool output_commit(struct output *o, struct error *err);
/* Give up: nothing remains. */
void output_abandon(struct output *o);

#endif
