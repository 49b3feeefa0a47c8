/* The pipe: takes a core's records and log to those who read them, in a thread of its own if wanted. The core writes straight into
 * the pipe's memory, a ring of batches, so a reader in the thread costs the simulation what it costs to write. Readers see the same
 * in line. */
#ifndef CULPRIT_ANALYSIS_PIPE_H
#define CULPRIT_ANALYSIS_PIPE_H

#include "base/error.h"
#include "culprit/log.h"

/* Called by one thread at a time: the pipe's from the first batch on, and the owner's after pipe_finish. */
struct pipe_reader {
	void *context;
	void (*records)(void *context, const struct culprit_record *records, size_t count);
	/* Comes before the records of what committed meanwhile. NULL: nobody reads the log. */
	void (*log)(void *context, const struct culprit_log_part *part);
};

struct pipe;
struct pipe *pipe_create(const struct pipe_reader *reader, bool threaded, struct error *err);
void pipe_destroy(struct pipe *p);
/* For the core. */
const struct culprit_record_sink *pipe_sink(const struct pipe *p);
struct culprit_log *pipe_log(struct pipe *p); /* or NULL */
/* Everything has come: returns when it has been read. */
void pipe_finish(struct pipe *p);

#endif
