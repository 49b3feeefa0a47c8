/* A window of the run, instruction by instruction, for a picture of the pipeline: WINDOW_LENGTH committed instructions
 * in a row, and what was fetched and squashed meanwhile. Which window is not known before the end, so up to
 * WINDOW_CANDIDATES are kept, equally far apart; when the run outgrows them every other one is dropped and the distance
 * doubles. At the end the one is named whose commit stack is most like the whole run's: typical, and no start-up. In a
 * run of several phases none may be typical, so the others are kept to choose from.
 *
 * Records tell of committed instructions. Those squashed follow from the log: numbers below `dispatched` + `front` have
 * been fetched, those below `dispatched` are in the window, and a squash takes all from its first number on. */
#ifndef CULPRIT_ANALYSIS_WINDOW_H
#define CULPRIT_ANALYSIS_WINDOW_H

#include "analysis/commit_stack.h"
#include "base/error.h"
#include "culprit/log.h"

enum {
	WINDOW_LENGTH = 12288,
	WINDOW_CANDIDATES = 8,
	WINDOW_SQUASHED_MOST = 4 * WINDOW_LENGTH,
	WINDOW_IN_FLIGHT = 4096 /* more than any machine's front end and window */
};

struct window_squashed {
	uint64_t seq; /* the number it would have had */
	uint64_t fetch, dispatch, until;
	bool dispatched; /* else it left from the front end */
	uint8_t why;	 /* enum culprit_squash */
};

struct window_candidate {
	struct culprit_record *records; /* WINDOW_LENGTH; NULL until the first comes */
	size_t count;
	uint16_t previous_flags; /* of the instruction before the first */
	uint64_t previous_commit;
	struct window_squashed *squashed;
	size_t squashed_count, squashed_room, squashed_lost; /* lost: more than WINDOW_SQUASHED_MOST */
};

struct window {
	struct commit_stack whole;
	uint64_t distance; /* between candidates; WINDOW_LENGTH times a power of two */
	struct window_candidate candidates[WINDOW_CANDIDATES];
	/* the log so far */
	uint64_t cycle, fetched, dispatched;
	struct {
		uint64_t fetch, dispatch;
	} in_flight[WINDOW_IN_FLIGHT]; /* by number */
	uint64_t previous_commit;
	uint16_t previous_flags;
	bool out_of_memory;
};

void window_init(struct window *w, const struct commit_stack_params *params);
void window_destroy(struct window *w);
void window_log(struct window *w, const struct culprit_log_part *part);
void window_records(struct window *w, const struct culprit_record *records, size_t count);
/* By how many per cent of the time a candidate's stack differs from the whole's. */
double window_off(const struct window *w, size_t candidate, uint64_t cycles);
/* The candidate most like the whole, of those that are longest; WINDOW_CANDIDATES = no instruction committed. */
size_t window_choose(const struct window *w, uint64_t cycles);

#endif
