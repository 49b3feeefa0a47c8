/* The pipe: takes a core's records and log to those who read them, in threads of its own if wanted. The core writes
 * straight into the pipe's memory, a ring of batches, and everyone reads there: nothing is copied. A full ring makes
 * the core wait for the slowest reader, so memory is fixed. A reader sees the same in a thread and in line. */
#ifndef CULPRIT_ANALYSIS_PIPE_H
#define CULPRIT_ANALYSIS_PIPE_H

#include "base/error.h"
#include "culprit/log.h"

/* Called by one thread at a time: the pipe's from the first batch on, and the owner's after pipe_finish. */
struct pipe_reader {
	void *context;
	void (*records)(void *context, const struct culprit_record *records, size_t count); /* or NULL */
	/* Comes before the records of what committed meanwhile. NULL: it does not read the log. */
	void (*log)(void *context, const struct culprit_log_part *part);
	bool own_thread; /* not the one that all others share */
};

enum { PIPE_READERS_MOST = 32 };

struct pipe;
/* Not `threaded`: all are read in line, and so are those for whom no thread is to be had. */
struct pipe *pipe_create(const struct pipe_reader *readers, size_t count, bool threaded, struct error *err);
/* Ends the threads; what they have not begun with is dropped. */
void pipe_destroy(struct pipe *p);
/* For the core. */
const struct culprit_record_sink *pipe_sink(const struct pipe *p);
struct culprit_log *pipe_log(struct pipe *p); /* NULL: nobody reads it */
/* For those who have records and log already: they are copied. */
void pipe_put_records(struct pipe *p, const struct culprit_record *records, size_t count);
void pipe_put_log(struct pipe *p, const struct culprit_log_part *part);
/* Everything has come: returns when all have read it. More may come. */
void pipe_finish(struct pipe *p);

/* Processors this process may run on: with only one, a thread gains nothing. */
unsigned pipe_processors(void);

#endif
