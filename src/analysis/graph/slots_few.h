/* What kernels with slots_planes.h do lane by lane: lanes that have found no room in the windows, and all of them for
 * an operation that holds its unit. */
#ifndef CULPRIT_ANALYSIS_GRAPH_SLOTS_FEW_H
#define CULPRIT_ANALYSIS_GRAPH_SLOTS_FEW_H

#include "analysis/graph/slots_planes.h"
#include "analysis/graph/step.h"

struct slots_few {
	uint64_t t[GRAPH_SLOT_LANES] __attribute__((aligned(64)));
	uint64_t dispatch[GRAPH_SLOT_LANES] __attribute__((aligned(64)));
};

static __attribute__((noinline)) void slots_take_few(const struct graph_step *s, size_t quarter, unsigned lanes,
						     unsigned busy, struct slots_few *few)
{
	for (; lanes; lanes &= lanes - 1) {
		unsigned i = (unsigned)__builtin_ctz(lanes);
		size_t lane = quarter * GRAPH_SLOT_LANES + i;
		few->t[i] = s->interval > 1 && busy >> i & 1
				    ? graph_planes_take_long(s->slots, lane, few->t[i], s->interval, s->contention)
				    : graph_planes_take(s->slots, lane, few->t[i], few->dispatch[i], s->contention);
	}
}

#endif
