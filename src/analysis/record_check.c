/* See the header. */
#include "analysis/record_check.h"

#include "analysis/weights.h"

static bool check_times(const struct culprit_record *r, const struct record_front *front, struct error *err)
{
	if (r->fetch > r->dispatch || r->dispatch > r->ready || r->ready > r->issue || r->issue > r->complete ||
	    r->complete > r->commit)
		return error_set(err, ERROR_INPUT, "times go backwards within the instruction");
	if (front->count && r->fetch < front->fetch)
		return error_set(err, ERROR_INPUT, "fetched before the instruction in front of it");
	if (front->count && r->commit < front->commit)
		return error_set(err, ERROR_INPUT, "committed before the instruction in front of it");
	if ((uint64_t)r->imiss + r->itlb > r->fetch)
		return error_set(err, ERROR_INPUT, "fetch misses longer than the time before the fetch");
	if (r->stray_wait > r->imiss)
		return error_set(err, ERROR_INPUT, "stray_wait is longer than imiss, which it is part of");
	return true;
}

static bool check_distances(const struct culprit_record *r, uint64_t count, struct error *err)
{
	const uint32_t distances[] = {r->producer[0],  r->producer[1],	   r->producer[2], r->mem_producer,
				      r->primary_miss, r->previous_holder, r->order_waited};
	uint32_t any = 0;
	for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
		any |= distances[i];
	if (any <= count)
		return true; /* none is longer than all their bits */
	for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
		if (distances[i] > count)
			return error_set(err, ERROR_INPUT, "a distance of %u reaches before the stream's start",
					 distances[i]);
	return true;
}

static bool check_weights(const struct culprit_record *r, struct error *err)
{
	if (!weights_unusual(r))
		return true;
	const uint8_t weights[] = {r->rob_entries, r->dispatch_slots, r->issue_slots, r->commit_slots};
	for (size_t i = 0; i < sizeof weights; i++)
		if (weights[i] > CULPRIT_WEIGHT_MOST && weights[i] != CULPRIT_WEIGHT_NONE)
			return error_set(err, ERROR_INPUT, "a weight of %u: at most %u, or %u for none", weights[i],
					 CULPRIT_WEIGHT_MOST, CULPRIT_WEIGHT_NONE);
	return true;
}

bool record_check(const struct culprit_record *r, const struct record_front *front, struct error *err)
{
	if (front->count && r->seq != front->seq + 1)
		return error_set(err, ERROR_INPUT, "does not follow number %llu", (unsigned long long)front->seq);
	TRY(check_times(r, front, err));
	if (r->op_class >= CULPRIT_OP_COUNT || r->dest > 64)
		return error_set(err, ERROR_INPUT, "operation class or register out of range");
	if (r->port_wait > r->exec_latency)
		return error_set(err, ERROR_INPUT, "port_wait is longer than exec_latency, which it is part of");
	TRY(check_weights(r, err));
	uint64_t parts = (uint64_t)r->exec_latency + r->dtlb + r->dmiss;
	if ((r->flags & CULPRIT_LOAD) && r->complete - r->issue != parts)
		return error_set(err, ERROR_INPUT,
				 "a load's latency of %llu cycles is not the sum of its parts: %u + %u + %u",
				 (unsigned long long)(r->complete - r->issue), r->exec_latency, r->dtlb, r->dmiss);
	if ((r->flags & CULPRIT_STORE) && r->dtlb > r->complete - r->issue)
		return error_set(err, ERROR_INPUT,
				 "a store's latency of %llu cycles is shorter than its translation of %u",
				 (unsigned long long)(r->complete - r->issue), r->dtlb);
	return check_distances(r, front->count, err);
}
