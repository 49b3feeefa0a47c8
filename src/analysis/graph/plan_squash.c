/* What is renamed again waits until a squash has taken out what was in the window, so many instructions a cycle
 * (params.squash_width). The record tells how long that took. Where the window is idealised there is room for more. How
 * much more no record tells: instructions are taken to come as fast as the right path is fetched, for as long as the
 * branch or load was in the window before it was found wrong. */
#include "analysis/graph/plan.h"

/* Lanes of both. */
static const void *both(struct culprit_graph *g, const char *lanes, const char *others)
{
	char *row = g->scratch[SCRATCH_MASK];
	for (size_t i = 0; i < 2 * graph_half_bytes(g); i++)
		row[i] = (char)(lanes[i] & others[i]);
	return row;
}

/* Lanes in which a part of the window is as it is. */
enum { PARTS = 5 };
static void limited_by(struct culprit_graph *g, const struct culprit_record *r, const void *masks[PARTS])
{
	static const enum culprit_event_class parts[PARTS] = {CULPRIT_EVENT_rob, CULPRIT_EVENT_iq, CULPRIT_EVENT_lsq,
							      CULPRIT_EVENT_regs, CULPRIT_EVENT_tags};
	for (size_t i = 0; i < PARTS; i++)
		masks[i] = graph_mask_at(g, parts[i], r->pc);
}

/* Is the whole window idealised in this one? */
static bool all_larger(const struct culprit_graph *g, const void *const masks[PARTS], size_t lane)
{
	for (size_t i = 0; i < PARTS; i++)
		if (graph_get_lane(g, masks[i], lane))
			return false;
	return true;
}

uint64_t graph_squash_cycles(const struct culprit_graph *g, uint64_t cycles, uint64_t most)
{
	const uint64_t came = g->fetch_groups ? cycles * g->count / g->fetch_groups : 0;
	return graph_clip_edge(((came < most ? came : most) + g->params.squash_width - 1) / g->params.squash_width);
}

/* In the recorded run, did the squash keep r longer than those that had to leave first (params.recovery)? When they
 * left before they committed follows from the record. */
static bool outwaits(const struct culprit_graph *g, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &g->params;
	const uint64_t commit = g->last->commit;
	if (!record_follows_leaving(p, g->last->flags, r))
		return true;
	if (!g->left.rows)
		return record_outwaits(p, commit, r) || !record_recovers(p, g->last->flags, commit, r);
	return r->dispatch > g->facts.left + p->recovery &&
	       (!p->recovery_data || r->dispatch > commit + graph_recovers_after(p));
}

/* When a squash is over that began as `found` says, of what was dispatched behind the instruction in front. */
static void squashed(struct culprit_graph *g, const struct culprit_record *r, const void *const found[2],
		     uint32_t recorded, uint64_t most)
{
	const void *dispatched = graph_node_row(g, &g->d, 1), *masks[PARTS];
	limited_by(g, r, masks);
	for (size_t lane = 0; lane < GRAPH_LANES; lane++) {
		const void *half = found[lane / GRAPH_HALF];
		const uint64_t begin = graph_get_lane(g, dispatched, lane);
		const uint64_t end = half ? graph_get_lane(g, half, lane % GRAPH_HALF) : 0;
		uint64_t cycles = graph_clip_edge(recorded);
		if (end > begin && all_larger(g, masks, lane)) {
			const uint64_t more = graph_squash_cycles(g, end - begin, most);
			cycles = more > cycles ? more : cycles;
		}
		graph_set_lane(g, g->scratch[SCRATCH_CLEARED], lane, end + cycles);
	}
}

void graph_plan_squash(struct culprit_graph *g, const struct culprit_record *r, struct floor *f, const void *lanes)
{
	const bool violated = r->flags & CULPRIT_VIOLATED;
	const uint32_t store = violated ? record_violator(&g->facts, &g->params, g->count, r) : 0;
	const uint64_t complete = violated ? record_wake(&g->facts, g->count, store) : g->last->complete;
	/* a wrong path ends where the machine's own does, with as many as window and front end hold */
	const uint64_t most = violated ? graph_rob_far(&g->params)
				       : (uint64_t)g->params.rob + g->params.frontend_capacity;
	const void *found[2] = {g->scratch[SCRATCH_LAST_P], g->scratch[SCRATCH_LAST_P] + graph_half_bytes(g)};
	if (!complete)
		return;
	graph_catch_up(g);
	for (unsigned half = 0; violated && half < 2; half++)
		found[half] = graph_wake_row(g, half, store);
	const uint32_t waited = record_recovers_early(&g->params, g->last->flags, complete, r);
	squashed(g, r, found, outwaits(g, r) ? waited : 0, most);
	floor_row(f, g->scratch[SCRATCH_CLEARED], 0, both(g, lanes, graph_mask_at(g, CULPRIT_EVENT_bw, r->pc)));
}
