/* Idealisation at places of the program. A run without places pays a test for each operation, branch and line. */
#ifndef CULPRIT_CORE_PLACE_H
#define CULPRIT_CORE_PLACE_H

#include "core/state.h"

/* Of all places that hold the address (core.c). */
__attribute__((noinline)) culprit_event_set place_find(const struct core *c, uint64_t pc);

static inline bool place_ideal(const struct core *c, uint64_t pc, culprit_event_set classes)
{
	return core_rare(c->place_count != 0) && (place_find(c, pc) & classes) != 0;
}

/* Does the operation, which is no load, take no time there? */
static inline bool place_timeless(const struct core *c, uint64_t pc, unsigned op)
{
	return core_rare(c->place_count != 0) &&
	       place_ideal(c, pc, 1u << culprit_execution_class((uint8_t)op, c->m.latency[op]));
}

#endif
