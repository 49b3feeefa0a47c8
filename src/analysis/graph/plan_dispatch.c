/* Rarer edges into D: a store queue's release, issue-queue entries, and the window where users' classes divide it. */
#include "analysis/graph/groups.h"

/* A store-queue entry is free when its store has been written: long after its commit, when the store misses. Records
 * that do not tell how long writes take tell when it was where that held someone up. The store may have left more than
 * a ROB ago; then the release is taken from the oldest commit that is kept. */
static void floor_release(struct culprit_graph *g, const struct culprit_record *r, graph_owners owners, struct floor *f)
{
	uint64_t back = graph_recent_near(g, RECENT_SQ);
	uint32_t kept = g->asked[0] < g->asked[1] ? g->asked[0] : g->asked[1];
	if (!back)
		return;
	back = back < kept ? back : kept;
	uint64_t commit = record_fact(&g->facts, g->count, back)->commit;
	graph_owners events = owners | graph_owners_at(g, CULPRIT_EVENT_dl2, r->pc);
	if (r->dispatch > commit)
		floor_node(f, NODE_COMMIT, back, graph_clip_edge(r->dispatch - commit), graph_mask(g, events));
}

static inline const void *part_mask(struct culprit_graph *g, const struct culprit_record *r,
				    enum culprit_event_class part)
{
	return graph_mask(g, graph_owners_at(g, part, r->pc));
}

/* Instructions leave before they commit; commit is for all that may be in flight. */
static void floor_left(struct culprit_graph *g, struct graph_step *s, struct floor *f)
{
	graph_catch_up(g);
	for (unsigned half = 0; half < 2; half++) {
		const char *row = graph_left_row(g, half, (uint32_t)s->back[half ? BACK_FAR : BACK_NEAR]);
		if (row)
			floor_edge(f, half, row, 0, graph_mask(g, 0));
	}
	s->back[BACK_NEAR] = (int32_t)g->params.rob;
	s->back[BACK_FAR] = (int32_t)(g->window_held ? g->params.rob : graph_rob_far(&g->params));
}

/* The same where the window's parts are of different classes. */
static void floor_in_flight(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	floor_node(f, NODE_COMMIT, g->params.rob, 0, part_mask(g, r, CULPRIT_EVENT_rob));
	floor_node(f, NODE_COMMIT, graph_rob_far(&g->params), 0, graph_mask(g, 0));
}

/* Not every lane of the upper half has a larger window, or not at every instruction. */
static void floor_window(struct culprit_graph *g, graph_owners owners, struct graph_step *s, struct floor *f)
{
	floor_node(f, graph_leaving(g), (uint32_t)s->back[BACK_NEAR], 0, graph_mask(g, owners));
	floor_node(f, graph_leaving(g), (uint32_t)s->back[BACK_FAR], 0, graph_mask(g, 0));
	s->back[BACK_NEAR] = s->back[BACK_FAR] = 0;
}

/* ... or other lanes have a larger ROB than larger queues. Each structure has an edge of its own; of the idealised ones
 * the one whose instruction is youngest decides, in every lane: where a structure is as it is, its own says more. */
static void floor_parts(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, struct floor *f)
{
	floor_node(f, graph_leaving(g), g->most.near, 0, part_mask(g, r, CULPRIT_EVENT_rob));
#define RECENT_KIND(name, parameter, scope, of_it)                                                           \
	if (RECENT_IN_##scope == RECENT_IN_WINDOW && (g->kinds_dispatched & 1u << RECENT_##name) && (of_it)) \
		floor_node(f, graph_leaving(g), graph_recent_near(g, RECENT_##name), 0,                      \
			   graph_mask(g, graph_owners_at(g, graph_window_event(RECENT_##name), r->pc)));
#include "analysis/recent.def"
	floor_node(f, graph_leaving(g), (uint32_t)s->back[BACK_FAR], 0, graph_mask(g, 0));
	s->back[BACK_NEAR] = s->back[BACK_FAR] = 0;
}

/* Entries of the issue queue and the store queue, likewise. */
static void floor_rooms(const struct culprit_record *r, const struct graph_step *s, struct floor *f)
{
	if ((s->rare & STEP_QUEUE) && !f->g->params.late_rename)
		floor_row(f, graph_pool_first(s->queue), 0, part_mask(f->g, r, CULPRIT_EVENT_iq));
	if ((s->rare & STEP_WRITE) && f->g->writes.entries.count)
		floor_row(f, graph_pool_first(&f->g->writes.entries), 0, part_mask(f->g, r, CULPRIT_EVENT_lsq));
}

/* ... where it leaves before it commits: C is that much later than the last data. */
static void floor_recovery_left(struct culprit_graph *g, const void *mask, struct floor *f)
{
	floor_node(f, NODE_LEFT, 1, g->params.recovery, mask);
	if (g->params.recovery_data)
		floor_node(f, NODE_COMMIT, 1, graph_recovers_after(&g->params), mask);
}

/* What is fetched again waits until the mispredicted branch has left, or what is before the load of a violation; and
 * until the squash is over. */
static void floor_recovery(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	const struct culprit_record *last = g->last;
	const bool violated = r->flags & CULPRIT_VIOLATED;
	if (!record_renames_again(&g->params, last->flags, r))
		return;
	const void *mask = violated ? g->violated : graph_mask_at(g, CULPRIT_EVENT_bmisp, last->pc);
	if (g->left.rows && record_follows_leaving(&g->params, last->flags, r)) {
		if (!violated || r->dispatch > r->fetch + g->params.frontend_stages)
			floor_recovery_left(g, mask, f);
	} else if (record_recovers(&g->params, last->flags, last->commit, r)) {
		floor_node(f, NODE_COMMIT, 1, g->params.recovery, mask);
	} else if (!g->params.squash_width) {
		const uint32_t early = record_recovers_early(&g->params, last->flags, last->complete, r);
		if (early)
			floor_row(f, g->scratch[SCRATCH_LAST_P], early, mask);
	}
	if (g->params.squash_width)
		graph_plan_squash(g, r, f, mask);
}

/* ... and where dispatch goes by rows, what has come until then goes together. */
static void floor_again(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, struct floor *f)
{
	if (!(s->rare & STEP_ROWS)) {
		floor_recovery(g, r, f);
		return;
	}
	struct floor again = {g, SCRATCH_ROW_AGAIN, {false, false}};
	floor_recovery(g, r, &again);
	s->rows_again = floor_done(&again);
	if (s->rows_again)
		floor_row(f, s->rows_again, 0, graph_mask(g, 0));
}

void graph_plan_window(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	graph_owners owners = graph_owners_at(g, CULPRIT_EVENT_iq, r->pc);
	bool freed = g->queues_named && r->previous_holder && r->previous_holder <= g->params.rob;
	if (freed && owners == 0x80) { /* the queue's edge is one of the lower half, unmasked */
		s->d_free = graph_node_row(g, &g->e, r->previous_holder);
		s->rare |= STEP_D_FREE;
		freed = false;
	}
	struct floor f = {g, SCRATCH_D_FLOOR, {false, false}};
	if (g->window_parts)
		floor_parts(g, r, s, &f);
	else if (g->window_own)
		floor_window(g, owners, s, &f);
	else if (g->left.rows)
		floor_left(g, s, &f);
	if (g->left.rows && g->window_own)
		floor_in_flight(g, r, &f);
	if (g->rooms_mixed)
		floor_rooms(r, s, &f);
	if (g->params.whole_groups && !g->params.late_rename)
		graph_groups_floor(g, r, &f);
	if (r->window == CULPRIT_WINDOW_SQ && (r->flags & CULPRIT_STORE) && g->params.sq && !g->params.store_writes)
		floor_release(g, r, graph_owners_at(g, CULPRIT_EVENT_lsq, r->pc), &f);
	if (g->count && (g->params.recovery | g->params.squash_width))
		floor_again(g, r, s, &f);
	if (freed)
		floor_row(&f, graph_node_row(g, &g->e, r->previous_holder), 0, graph_mask(g, owners));
	s->d_floor = floor_done(&f);
	s->rare |= s->d_floor ? STEP_D_FLOOR : 0;
}

/* Room for an instruction that is dispatched already. Renaming is in program order, so the row holds the latest room
 * that any instruction so far has waited for: each edge is merged into it, and D comes on top in the step. */
void graph_plan_rename(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct floor f = {g, SCRATCH_ROOM, {true, true}};
	const void *regs = part_mask(g, r, CULPRIT_EVENT_regs), *queue = part_mask(g, r, CULPRIT_EVENT_iq);
#define RECENT_KIND(name, parameter, scope, of_it)                                                     \
	if ((RECENT_REGISTERS & g->kinds_asked & 1u << RECENT_##name) && (of_it)) {                    \
		uint64_t near = graph_recent_near(g, RECENT_##name);                                   \
		uint64_t far_one = g->recent[RECENT_##name].far_one;                                   \
		renames_wait(&g->renames, &g->facts, g->count, near);                                  \
		floor_node(&f, graph_leaving(g), near, 0, regs);                                       \
		if (far_one && !g->window_held)                                                        \
			floor_node(&f, graph_leaving(g), g->count + 1 - far_one, 0, graph_mask(g, 0)); \
	}
#include "analysis/recent.def"
	g->facts.room = renames_room(&g->renames, &g->params, r);
	if (!(s->rare & STEP_QUEUE))
		return;
	graph_catch_up(g);
	if (s->queue->halves == 1)
		floor_edge(&f, 0, graph_pool_first(s->queue), 0, queue);
	else
		floor_row(&f, graph_pool_first(s->queue), 0, queue);
}
