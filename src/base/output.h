/* Result files are written whole or not at all: to a temporary file beside the target, then fsync and rename. The
 * temporary has no name until it is whole, where the file system can do that. Symbolic links are followed. What is no
 * regular file (a device, a pipe), and what is already open as standard output or error, is written as it is: it must
 * never be replaced by a file. "-" is standard output. */
#ifndef CULPRIT_BASE_OUTPUT_H
#define CULPRIT_BASE_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

struct output {
	FILE *file;
	char path[4096];
	char temporary[4112]; /* "" = written in place */
	bool nameless;	      /* a temporary file that gets that name at the end */
	bool borrowed;	      /* somebody else's stream */
};

/* Before a long run: could it be written? Nothing is changed. */
bool output_check(const char *path, struct error *err);
bool output_open(struct output *o, const char *path, struct error *err);
/* With `path` NULL the output is the stream `otherwise`, and it stays open. */
bool output_open_or(struct output *o, const char *path, FILE *otherwise, struct error *err);
/* Make it the target. On failure the target is untouched. */
bool output_commit(struct output *o, struct error *err);
/* Give up: nothing remains. */
void output_abandon(struct output *o);
/* What was to be written is there: commit it. Else, with *err set already, give up. */
bool output_finish(struct output *o, bool good, struct error *err);

/* What `print(what, FILE *)` prints, into the file; with `path` NULL to `otherwise`, or nowhere when that is NULL,
 * too. */
#define OUTPUT_WRITE(path, otherwise, print, what, err)                                                   \
	({                                                                                                \
		struct output output_;                                                                    \
		(!(path) && !(otherwise)) || (output_open_or(&output_, path, otherwise, err) &&           \
					      (print(what, output_.file), output_commit(&output_, err))); \
	})

#endif
