/* A relay: hands records to an analysis that runs in a thread of its own, so that the simulator does not wait for it.
 *
 * Records are copied into batches of a ring; the thread takes full batches in order. A full ring makes the producer wait, so
 * memory is fixed. The analysis sees exactly the records it would have seen in line, so its results are the same. */
#ifndef CULPRIT_ANALYSIS_RELAY_H
#define CULPRIT_ANALYSIS_RELAY_H

#include "culprit/record.h"

#include <stdbool.h>

struct relay;

/* `sink` is called from the new thread only, from now until relay_drain or relay_destroy returns; in between, after
 * relay_drain, its state belongs to the caller. NULL: no thread or no memory is to be had. */
struct relay *relay_create(struct culprit_record_sink sink);
void relay_push(struct relay *r, const struct culprit_record *records, size_t count);
/* All records pushed so far have been through the sink. Pushing may go on. */
void relay_drain(struct relay *r);
/* Ends the thread; records that it has not begun with are dropped. */
void relay_destroy(struct relay *r);

/* Records for an analysis, relayed when `threaded`, else handed over in line. The thread begins with the first record: a
 * simulation may go on in a forked process, where a thread made earlier would be missing. */
struct relay_line {
	struct culprit_record_sink sink;
	struct relay *relay;
	bool threaded; /* becomes false when no thread is to be had */
};
void relay_line_push(struct relay_line *l, const struct culprit_record *records, size_t count);
/* As relay_drain and relay_destroy, whether there is a thread or not. */
void relay_line_drain(struct relay_line *l);
void relay_line_end(struct relay_line *l);

/* Processors this process may run on: with only one, a relay gains nothing. */
unsigned relay_processors(void);

#endif
