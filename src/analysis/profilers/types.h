/* What callers and the profilers' own files share. */
#ifndef CULPRIT_ANALYSIS_PROFILERS_TYPES_H
#define CULPRIT_ANALYSIS_PROFILERS_TYPES_H

#include <stdint.h>

enum profiler {
#define PROFILER(name, label, published, whom) PROFILER_##name,
#include "analysis/profilers/profiler.def"
	PROFILERS
};

enum { PROFILER_SERIES = 9 }; /* 0: every cycle */

/* What is blamed: an instruction together with the set of its events, an instruction, a basic block, a function. */
enum profiler_level { PROFILER_EVENTS, PROFILER_INSTRUCTIONS, PROFILER_BLOCKS, PROFILER_FUNCTIONS, PROFILER_LEVELS };

struct profilers_params {
	uint64_t period, seed; /* period: cycles, from 1 */
	uint64_t skid;	       /* of software: instructions that the address is late by */
};

#endif
