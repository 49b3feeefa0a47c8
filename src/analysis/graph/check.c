/* What is wrong with a record, by itself or after the one in front of it. plan.c asks all at once first. */
#include "analysis/graph/plan.h"

static bool check_times(struct culprit_graph *g, const struct culprit_record *r)
{
	if (r->fetch > r->dispatch || r->dispatch > r->ready || r->ready > r->issue || r->issue > r->complete ||
	    r->complete > r->commit)
		return graph_fail(g, "times go backwards within the instruction");
	if (g->count && r->fetch < g->last->fetch)
		return graph_fail(g, "fetched before the instruction in front of it");
	if (g->count && r->commit < g->last->commit)
		return graph_fail(g, "committed before the instruction in front of it");
	if ((uint64_t)r->imiss + r->itlb > r->fetch)
		return graph_fail(g, "fetch misses longer than the time before the fetch");
	return true;
}

static bool check_distances(struct culprit_graph *g, const struct culprit_record *r)
{
	const uint32_t distances[] = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer,
				      r->line_misser, r->queue_freer, r->order_waited};
	for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
		if (distances[i] > g->count)
			return graph_fail(g, "a distance of %u reaches before the stream's start", distances[i]);
	return true;
}

bool graph_check(struct culprit_graph *g, const struct culprit_record *r)
{
	if (g->count && r->seq != g->last->seq + 1)
		return graph_fail(g, "does not follow number %llu", (unsigned long long)g->last->seq);
	if (!check_times(g, r))
		return false;
	if (r->op_class >= CULPRIT_OP_COUNT || r->dest > 64)
		return graph_fail(g, "operation class or register out of range");
	uint64_t parts = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	if ((r->flags & CULPRIT_LOAD) && r->complete - r->issue != parts)
		return graph_fail(g, "a load's latency of %llu cycles is not the sum of its parts: %u + %u + %u",
				  (unsigned long long)(r->complete - r->issue), r->exec_latency, r->dtlb, r->dmiss);
	return check_distances(g, r);
}
