/* What the edges of every node are put into the sink with: see emit.h, which is the one to include. */
#ifndef CULPRIT_ANALYSIS_EDGES_SINK_H
#define CULPRIT_ANALYSIS_EDGES_SINK_H

#include "analysis/edges/kinds.h"
#include "analysis/edges/nodes.h"

static EDGES_INLINE void edge(struct edge_sink *b, uint64_t distance, enum edge_node from, uint32_t weight,
			      enum culprit_critical_kind kind)
{
	if (!edge_sink_removes(b, kind))
		edge_sink_edge(b, distance, from, weight, kind);
}

/* The same when there is such an instruction, near enough to matter: what is a ROB away has left the window. */
static EDGES_INLINE void edge_within(struct edge_sink *b, uint64_t distance, enum edge_node from, uint32_t weight,
				     enum culprit_critical_kind kind)
{
	if (distance && distance <= b->history->reach)
		edge(b, distance, from, weight, kind);
}

static EDGES_INLINE void settle(struct edge_sink *b, uint64_t add)
{
	edge_sink_settle(b, add);
	b->node++;
}

/* Cycles of a latency. */
static EDGES_INLINE uint32_t cycles_of(const struct edge_sink *b, enum culprit_critical_kind kind, uint32_t cycles)
{
	return edge_sink_removes(b, kind) ? 0 : cycles;
}

static inline uint32_t clip(uint64_t cycles)
{
	return cycles > EDGE_MARGIN ? EDGE_MARGIN : (uint32_t)cycles;
}

#endif
