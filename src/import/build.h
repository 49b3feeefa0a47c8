/* Inside the room: what is counted while records are made, and the machine as a trace shows it. */
#ifndef CULPRIT_IMPORT_BUILD_H
#define CULPRIT_IMPORT_BUILD_H

#include "import/import.h"

struct import_counts {
	uint64_t squashed, mispredicted, early, other_squashes;
	uint64_t filled, replayed, parts, gaps, guessed, decoded, expanded;
	uint64_t contradicted, first_contradicted; /* by the binary; index of the first */
};

/* times.c: committed instructions alone, in order, in cycles from 0; `squashed` is then said of one behind a squash. */
bool import_order(struct import_trace *t, struct import_counts *c, struct error *err);

/* Widths, stages and window of the machine, from the most and the least that the records have. */
bool import_observe(const struct import_trace *t, const struct import_result *r, struct machine *machine,
		    struct error *err);

#endif
