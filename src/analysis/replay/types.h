/* What callers and the replay's own files share. */
#ifndef CULPRIT_ANALYSIS_REPLAY_TYPES_H
#define CULPRIT_ANALYSIS_REPLAY_TYPES_H

#include "culprit/observer.h"

struct replay_params {
	uint32_t window;			  /* most instructions between dispatch and commit */
	uint32_t dispatch_to_issue, commit_delay; /* cycles */
	bool store_sets;			  /* or no predictor at all: loads go ahead of stores */
	bool speculative;			  /* the latter */
	uint32_t queued; /* issue.bypass: cycles more for what dispatch does not hand to its unit directly */
	/* What moves in a cycle is told in slots, by the records' weights. Not of our own core: where several
	 * instructions share a ROB entry, its widths count instructions. */
	bool weighs;
};

/* Slots of records; `heavy`: of dispatch, those of records that take more than one. */
struct replay_slots {
	uint64_t dispatch, issue, commit, heavy;
};

#endif
