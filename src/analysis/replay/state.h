/* The replay's state, private to src/analysis/replay. */
#ifndef CULPRIT_ANALYSIS_REPLAY_STATE_H
#define CULPRIT_ANALYSIS_REPLAY_STATE_H

#include "analysis/replay/life.h"
#include "analysis/replay/types.h"
#include "culprit/log.h"

#define NEVER UINT64_MAX

enum { BATCH = 256 }; /* records taken before the log is looked at again */

struct squashed_life {
	uint64_t seq, until; /* in the window before this cycle's end */
	uint64_t run;	     /* so many, with this one, follow each other in the squash */
	struct life life;
};

struct replay {
	struct replay_params params;
	const struct culprit_observer *target;

	/* entries [taken, stored) wait for what is not known yet */
	struct culprit_log_entry *entries;
	size_t taken, stored, room;
	/* instructions [known - window and more, known) that committed, by number */
	struct life *lives;
	uint64_t mask, known;
	uint8_t (*weights)[2]; /* slots of dispatch and commit, likewise; NULL: one each so far */
	struct replay_slots slots;
	/* others, in order of `until` */
	struct squashed_life *squashed;
	size_t squashed_count, squashed_room;
	bool failed; /* no memory */

	/* the pipeline now */
	uint64_t now, head, dispatched, wrong_from;
	uint16_t issued_wrong_path; /* as the log has it */

	/* the oldest that has not issued */
	uint64_t oldest;
	bool oldest_known; /* these are its: */
	uint64_t operands; /* from this cycle on its operands were there */
	uint8_t operand_state;
};

/* One that was squashed in `cycle` or later, the first such; or NULL. */
const struct life *replay_find_squashed(const struct replay *r, uint64_t seq, uint64_t cycle);

/* The instruction with this number that is in the window in `cycle`. */
static inline const struct life *life_at(const struct replay *r, uint64_t seq, uint64_t cycle)
{
	if (__builtin_expect(r->squashed_count != 0, 0)) {
		const struct life *squashed = replay_find_squashed(r, seq, cycle);
		if (squashed)
			return squashed;
	}
	return &r->lives[seq & r->mask];
}

#endif
