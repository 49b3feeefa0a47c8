/* Who runs the points of a sweep. A back end starts `culprit` with the task's words, makes it write its result into
 * the task's file, and says when it has ended; it knows nothing of plans, points and stores. */
#ifndef CULPRIT_SWEEP_BACKEND_H
#define CULPRIT_SWEEP_BACKEND_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SWEEP_LAST_WORDS = 400 };

struct sweep_task {
	uint32_t number;    /* the caller's */
	char *const *words; /* NULL-terminated; words[0] is "run", or "checkpoint" */
	const char *result; /* the file that is to be written, whole or not at all: .json, or .ckpt */
	const char *input;  /* standard input; NULL: empty */
	const char *ahead;  /* the program behind --skip, for SESSION_AHEAD (run/session.h); NULL: none */
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
	/* Wait for one task's end, but not longer than some tenths of a second; *ended stays false if none has.
	 * False: an error, and none will ever end. */
	bool (*wait)(void *state, struct sweep_end *end, bool *ended, struct error *err);
	void (*destroy)(void *state); /* local: what still runs ends at once, and writes nothing */
};

/* Processes of this host. They end with this one, however it ends. */
bool sweep_local(struct sweep_backend *b, size_t at_once, struct error *err);
/* Slurm's arrays of jobs, which outlive this process. `folder` is one that all hosts see: what is known of the jobs
 * stands there, so that another process goes on with them. */
bool sweep_slurm(struct sweep_backend *b, size_t at_once, const char *folder, struct error *err);
/* Jobs of an array were handed in from this folder, and nobody has seen to their end. */
bool sweep_slurm_has(const char *folder);

/* The words of the task's command, to be freed; [0] is "culprit". */
const char **sweep_task_words(const struct sweep_task *task);
/* One line of what a task said on standard error: when it is a complaint, it is the last one. */
void sweep_hear(char said[SWEEP_LAST_WORDS], const char *line);

#endif
