/* Rarer edges into D: a store queue's release, issue-queue entries, and the window where users' classes divide it. */
#include "analysis/graph/plan.h"

/* A store-queue entry is free when its store has been written: long after its commit, when the store misses. Records
 * that do not tell how long writes take tell when it was where that held someone up. The store may have left more than
 * a ROB ago; then the release is taken from the oldest commit that is kept. */
static void floor_release(struct culprit_graph *g, const struct culprit_record *r, uint8_t owners, struct floor *f)
{
	uint64_t back = graph_recent_near(g, RECENT_SQ);
	uint32_t kept = g->reach[0] < g->reach[1] ? g->reach[0] : g->reach[1];
	if (!back)
		return;
	back = back < kept ? back : kept;
	uint64_t commit = record_fact(&g->facts, g->count, back)->commit;
	uint8_t events = owners | graph_owners_at(g, CULPRIT_EVENT_dl2, r->pc);
	if (r->dispatch > commit)
		floor_node(f, NODE_COMMIT, back, graph_clip_edge(r->dispatch - commit), graph_mask(g, events));
}

/* Not every lane of the upper half has a larger window, or not at every instruction. */
static void floor_window(struct culprit_graph *g, uint8_t owners, struct graph_step *s, struct floor *f)
{
	floor_node(f, NODE_COMMIT, (uint32_t)s->back[BACK_NEAR], 0, graph_mask(g, owners));
	floor_node(f, NODE_COMMIT, (uint32_t)s->back[BACK_FAR], 0, graph_mask(g, 0));
	s->back[BACK_NEAR] = s->back[BACK_FAR] = 0;
}

/* Entries of the issue queue and the store queue, likewise. */
static void floor_rooms(const struct graph_step *s, uint8_t owners, struct floor *f)
{
	const void *mask = graph_mask(f->g, owners);
	if (s->rare & STEP_QUEUE)
		floor_row(f, graph_pool_first(s->queue), 0, mask);
	if (s->rare & STEP_WRITE)
		floor_row(f, graph_pool_first(&f->g->writes.entries), 0, mask);
}

/* The right path waits until the mispredicted branch has left. */
static void floor_recovery(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	const struct culprit_record *last = g->last;
	const void *mask = graph_mask_at(g, CULPRIT_EVENT_bmisp, last->pc);
	if (record_recovers(&g->params, last->flags, last->commit, r)) {
		floor_node(f, NODE_COMMIT, 1, g->params.recovery, mask);
		return;
	}
	uint32_t early = record_recovers_early(&g->params, last->flags, last->complete, r);
	if (early)
		floor_row(f, g->scratch[SCRATCH_LAST_P], early, mask);
}

void graph_plan_window(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint8_t owners = graph_owners_at(g, CULPRIT_EVENT_win, r->pc);
	bool freed = g->queues_named && r->previous_holder && r->previous_holder < g->e.rows;
	if (freed && owners == 0x80) { /* the queue's edge is one of the lower half, unmasked */
		s->d_free = graph_node_row(g, &g->e, r->previous_holder);
		s->rare |= STEP_D_FREE;
		freed = false;
	}
	struct floor f = {g, SCRATCH_D_FLOOR, {false, false}};
	if (g->window_own)
		floor_window(g, owners, s, &f);
	if (g->rooms_mixed)
		floor_rooms(s, owners, &f);
	if (r->window == CULPRIT_WINDOW_SQ && (r->flags & CULPRIT_STORE) && g->params.sq && !g->params.store_writes)
		floor_release(g, r, owners, &f);
	if (g->count && g->params.recovery)
		floor_recovery(g, r, &f);
	if (freed)
		floor_row(&f, graph_node_row(g, &g->e, r->previous_holder), 0, graph_mask(g, owners));
	s->d_floor = floor_done(&f);
	s->rare |= s->d_floor ? STEP_D_FLOOR : 0;
}
