/* What the sensors for stall trees know of the machine. */
#ifndef CULPRIT_ANALYSIS_STALLS_CORE_PARAMS_H
#define CULPRIT_ANALYSIS_STALLS_CORE_PARAMS_H

#include "culprit/stalls.h"
#include "culprit/types.h"

enum { STALLS_UNITS = 16, STALLS_QUEUES = 8, STALLS_NAME = 32 };

struct stalls_core_params {
	uint32_t commit_width; /* opportunities a cycle; UINT32_MAX = unlimited: a cycle is one, lost without commit */
	uint32_t dispatch_width;  /* UINT32_MAX = unlimited */
	uint32_t fetch_width;	  /* UINT32_MAX = unlimited */
	uint32_t frontend_stages; /* cycles */
	uint32_t recovery;	  /* dispatch.recovery */
	bool recovery_data;	  /* dispatch.recovery_data: behind a violation as well */
	uint32_t dispatch_to_issue;
	uint32_t commit_delay;
	uint32_t forward_latency;
	uint32_t latency[CULPRIT_OP_COUNT]; /* of each operation class: which event class its execution belongs to */
	uint32_t window;		    /* most instructions in the ROB */
	uint32_t unit_count, queue_count;
	char units[STALLS_UNITS][STALLS_NAME], queues[STALLS_QUEUES][STALLS_NAME];
	struct culprit_stall_params engine;
	uint64_t first_pc, end_pc; /* only the opportunities lost to instructions here; 0, 0 = everywhere */
};

#endif
