/* What callers and the replay's own files share. */
#ifndef CULPRIT_ANALYSIS_REPLAY_TYPES_H
#define CULPRIT_ANALYSIS_REPLAY_TYPES_H

#include "culprit/observer.h"

struct replay_params {
	uint32_t window;			  /* most instructions between dispatch and commit */
	uint32_t dispatch_to_issue, commit_delay; /* cycles */
	bool store_sets;			  /* or no predictor at all: loads go ahead of stores */
	bool speculative;			  /* the latter */
};

#endif
