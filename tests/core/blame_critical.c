/* See the header. */
#include "analysis/critical/state.h"
#include "blame.h"

void blame_critical_times(const struct culprit_critical *c, uint64_t time[BLAME_NODES])
{
	static const uint8_t nodes[BLAME_NODES] = {
		[BLAME_FETCH] = NODE_F, [BLAME_DISPATCH] = NODE_D, [BLAME_WAKE] = NODE_W, [BLAME_COMMIT] = NODE_C};
	const uint64_t *t = c->time + (size_t)(c->end - 1) * EDGE_NODES;
	for (unsigned n = 0; n < BLAME_NODES; n++)
		time[n] = t[nodes[n]] - CRITICAL_ORIGIN;
}

uint64_t blame_critical_hops(const struct culprit_critical *c, size_t row, enum culprit_critical_kind kind)
{
	bool redirect = kind == CULPRIT_CRITICAL_bmisp || kind == CULPRIT_CRITICAL_btb;
	uint64_t hops = 0;
	for (size_t i = 0; i <= c->transition_mask; i++) {
		const struct critical_transition *t = &c->transitions[i];
		if (t->from != UINT32_MAX && t->kind == (uint32_t)kind && (redirect ? t->from : t->to) == row)
			hops += t->count;
	}
	return hops;
}
