/* The kinds of recent.def, and which of them are of which scope. */
#ifndef CULPRIT_ANALYSIS_RECENT_H
#define CULPRIT_ANALYSIS_RECENT_H

#include "culprit/graph.h"

enum recent_kind {
#define RECENT_KIND(name, parameter, scope, of_it) RECENT_##name,
#include "analysis/recent.def"
	RECENT_KINDS
};

enum recent_scope { RECENT_IN_WINDOW, RECENT_IN_FETCH, RECENT_IN_COMMIT };

/* Bits of recent_kind. */
enum {
	RECENT_WINDOW = 0
#define RECENT_KIND(name, parameter, scope, of_it) | (RECENT_IN_##scope == RECENT_IN_WINDOW) << RECENT_##name
#include "analysis/recent.def"
};

/* Of these, the registers. */
enum { RECENT_REGISTERS = 1 << RECENT_INT | 1 << RECENT_FP | 1 << RECENT_REGS };

/* The largest that an entry or a cycle's worth is. */
static inline uint32_t recent_largest(const struct culprit_graph_params *p)
{
	uint32_t most = 0;
#define RECENT_KIND(name, parameter, scope, of_it)                       \
	if (RECENT_IN_##scope != RECENT_IN_FETCH && p->parameter > most) \
		most = p->parameter;
#include "analysis/recent.def"
	return most;
}

#endif
