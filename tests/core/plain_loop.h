/* A plain second loop over the core's stages, for tests: cycle by cycle, none is passed over, and what happened in
 * each is looked up in the core's own structures, instruction by instruction. It tells an observer, which a replay of
 * log and records must agree with.
 *
 * One thing it cannot know: that a load which is not ready, although its operands are there, will turn out to wait
 * for an older store. It then names the operands or issue slots. */
#ifndef TESTS_CORE_PLAIN_LOOP_H
#define TESTS_CORE_PLAIN_LOOP_H

#include "core/core.h"

struct plain_seen;

struct plain_loop {
	struct core *core;
	const struct culprit_observer *observer;   /* here, callbacks may be NULL */
	const struct culprit_record_sink *records; /* or NULL */
	/* its own */
	struct culprit_record_sink sink;
	struct culprit_record record;
	struct culprit_cycle cycle; /* this one */
	uint32_t fetched;	    /* in it */
	uint64_t looked_at;	    /* index + 1 of the instruction whose operands were looked at, */
	uint8_t waits_for;	    /* enum culprit_head_state: and what it waited for then */
	struct plain_seen *seen;    /* what each stage did with whom, compared with the records */
};

/* The core is the caller's, and has not run yet. */
void plain_loop_begin(struct plain_loop *p);
/* As core_run. */
enum core_stop plain_loop_run(struct plain_loop *p, uint64_t committed);
void plain_loop_end(struct plain_loop *p);

#endif
