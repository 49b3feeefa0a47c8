/* A batch's conditional branches through predictors of two-bit counters (machine/direction.h): the same predictions and
 * training, all branches through one predictor before the next. */
#ifndef CULPRIT_INTERVAL_PROFILE_DIRECTIONS_H
#define CULPRIT_INTERVAL_PROFILE_DIRECTIONS_H

#include "machine/direction.h"

/* What is to be said of a transfer: its place in the batch's transfers << 2 | NOTE_... */
typedef uint32_t transfer_note;
enum { NOTE_WRONG = 1, NOTE_REDIRECT = 2, NOTE_BITS = 3, NOTE_PLACE_SHIFT = 2 };

struct interval_conditional {
	uint64_t pc, target; /* of the branch; where it goes when taken */
	uint32_t key;	     /* pc in halfwords, lowest bits */
	uint32_t place;	     /* as in a note */
	uint8_t answers;     /* NOTE_... if it is predicted not taken; << 2: taken */
	bool taken;
};

/* What is noted of a batch's branches, in order. */
struct interval_notes {
	size_t count;
	transfer_note *list; /* room for all branches */
};

/* Notes of the branches that are mispredicted or redirected: by the whole predictor and, of a combined one, by each of
 * its parts alone (which train as if they were). A history that is folded has no parts. */
struct interval_direction_notes {
	struct interval_notes whole, bimodal, gshare;
};

/* Predict and train. */
void interval_directions_run(struct direction *d, const struct interval_conditional *list, size_t count,
			     struct interval_direction_notes *notes);
/* Histories are as long as tables are deep. */
bool interval_directions_are_plain(const struct direction *d);

#endif
