/* Who runs the points of a sweep. A back end starts `culprit run` with the task's words, makes it write its result
 * into the task's file, and says when it has ended; it knows nothing of plans, points and stores. The one there is
 * starts processes of this host. One that hands tasks to a cluster needs these three functions, and a folder that
 * all its hosts see. */
#ifndef CULPRIT_SWEEP_BACKEND_H
#define CULPRIT_SWEEP_BACKEND_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SWEEP_LAST_WORDS = 400 };

struct sweep_task {
	uint32_t number;    /* the caller's */
	char *const *words; /* of `culprit run`, NULL-terminated; words[0] is "run" */
	const char *result; /* the file that is to be written, whole or not at all */
	const char *input;  /* standard input; NULL: empty */
	bool heard;	    /* its standard output goes where this process's goes */
};

struct sweep_end {
	uint32_t number;
	int status;		     /* as a shell shows it */
	char said[SWEEP_LAST_WORDS]; /* the last line in which it complained; "" = none */
};

struct sweep_backend {
	size_t at_once; /* tasks */
	void *state;
	bool (*start)(void *state, const struct sweep_task *task, struct error *err);
	/* Wait for one task's end, but not longer than some tenths of a second: false, none has ended. */
	bool (*wait)(void *state, struct sweep_end *end);
	void (*destroy)(void *state); /* what still runs ends at once, and writes nothing */
};

/* Processes of this host. They end with this one, however it ends. */
bool sweep_local(struct sweep_backend *b, size_t at_once, struct error *err);

#endif
