/* A relay: hands records to an analysis that runs in a thread of its own, so that the simulator does not wait for it.
 *
 * Records are stored in a ring, the relay's or the analysis's own, and handed over in batches; the thread takes them in order.
 * A full ring makes the producer wait, so memory is fixed. The analysis sees exactly the records it would have seen in line,
 * so its results are the same. */
#ifndef CULPRIT_ANALYSIS_RELAY_H
#define CULPRIT_ANALYSIS_RELAY_H

#include "culprit/record.h"

#include <stdbool.h>

struct relay;

/* An analysis that keeps records for a while stores what it needs of them in a ring of its own, and only counts are relayed. */
struct relay_store {
	void *context;
	/* By the producer. At most `room` are stored and have not been processed. */
	void (*store)(void *context, const struct culprit_record *records, size_t count);
	void (*process)(void *context, size_t count); /* by the thread: the next ones */
	size_t room;				      /* at least two batches */
	size_t batch;				      /* handed over at once; 0 = RELAY_ROOM / 2 */
};
enum { RELAY_ROOM = 1024 };

/* `sink` is called from the new thread only, from now until relay_drain or relay_destroy returns; in between, after
 * relay_drain, its state belongs to the caller. NULL: no thread or no memory is to be had. */
struct relay *relay_create(struct culprit_record_sink sink);
/* The same for `process`. */
struct relay *relay_create_store(struct relay_store store);
void relay_push(struct relay *r, const struct culprit_record *records, size_t count);
/* Instead of pushing, where the producer stores in place: the next batch is complete. There is room for another when this returns. */
void relay_batch(struct relay *r);
/* All records pushed so far have been through the sink. Pushing may go on. */
void relay_drain(struct relay *r);
/* Ends the thread; records that it has not begun with are dropped. */
void relay_destroy(struct relay *r);

/* Records for an analysis, relayed when `threaded`, else handed over in line. The thread begins with the first record: a
 * simulation may go on in a forked process, where a thread made earlier would be missing. */
struct relay_line {
	struct culprit_record_sink sink;
	struct relay_store store; /* or room 0; in line it is the sink all the same */
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
