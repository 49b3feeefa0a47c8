/* Which kind of the critical path a wait has. */
#ifndef CULPRIT_ANALYSIS_EDGES_KINDS_H
#define CULPRIT_ANALYSIS_EDGES_KINDS_H

#include "culprit/critical.h"

/* By the level that has the line; the kinds are in the levels' order. What the L1 has waits for its port. */
static inline enum culprit_critical_kind level_kind(uint8_t level, enum culprit_critical_kind port)
{
	return level > CULPRIT_LEVEL_L1 ? port + (level - CULPRIT_LEVEL_L1) : port;
}

#endif
