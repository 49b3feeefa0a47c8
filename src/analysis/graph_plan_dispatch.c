/* Edges into D: room in the ROB, queues and register files.
 *
 * Room in a structure of n entries: the instruction that many back in it must have committed; with the window idealised,
 * the one window_factor times further back. Commits are in order, so of all structures the one whose instruction is
 * youngest decides. */
#include "analysis/graph_plan.h"

/* How far back the instruction is that must have committed: with the window as it is, and idealised. */
struct room {
	uint64_t near, far;
};

/* A store-queue entry is free when its store has been written: long after its commit, when the store misses. Records
 * tell when it was where that held someone up. The store may have left more than a ROB ago; then the release is
 * taken from the oldest commit that is kept. */
static void floor_release(struct culprit_graph *g, const struct culprit_record *r, uint8_t owners, struct floor *f)
{
	uint64_t back = graph_recent_distance(g, RECENT_SQ, g->params.sq);
	uint32_t kept = g->reach[0] < g->reach[1] ? g->reach[0] : g->reach[1];
	if (!back)
		return;
	back = back < kept ? back : kept;
	uint64_t commit = g->facts[(g->count - back) & g->fact_mask].commit;
	uint8_t events = owners | graph_owners_at(g, CULPRIT_EVENT_dl2, r->pc);
	if (r->dispatch > commit)
		floor_node(f, NODE_COMMIT, back, graph_clip_edge(r->dispatch - commit), graph_mask(g, events));
}

static struct room find_room(const struct culprit_graph *g)
{
	struct room room = {g->params.rob, (uint64_t)g->params.rob * g->params.window_factor};
	for (uint32_t kinds = g->kinds & RECENT_WINDOW; kinds; kinds &= kinds - 1) {
		enum graph_recent_kind kind = (enum graph_recent_kind)__builtin_ctz(kinds);
		uint64_t near = graph_recent_distance(g, kind, g->recent[kind].near);
		uint64_t far = graph_recent_distance(g, kind, g->recent[kind].size);
		room.near = near && near < room.near ? near : room.near;
		room.far = far && far < room.far ? far : room.far;
	}
	return room;
}

static void plan_window(struct culprit_graph *g, const struct room *room, uint8_t owners, struct graph_step *s)
{
	if (owners == 0x80 || !owners) {
		s->half[0].window = graph_wake_row(g, 0, room->near);
		s->half[1].window = graph_wake_row(g, 1, owners ? room->far : room->near);
		return;
	}
	struct floor f = {g, SCRATCH_WINDOW, {false, false}};
	floor_node(&f, NODE_COMMIT, room->near, 0, graph_mask(g, owners));
	floor_node(&f, NODE_COMMIT, room->far, 0, graph_mask(g, 0));
	const char *row = floor_done(&f);
	for (unsigned half = 0; half < 2; half++) /* where C is in a row of W and C */
		s->half[half].window = row + half * graph_half_bytes(g) - graph_half_bytes(g);
}

void graph_plan_dispatch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint8_t owners = graph_owners_at(g, CULPRIT_EVENT_win, r->pc);
	struct room room = find_room(g);
	plan_window(g, &room, owners, s);
	bool freed = g->params.issue_queues && r->queue_freer && r->queue_freer < g->e.rows;
	bool halves = owners == 0x80; /* the queue's edge is one of the lower half, unmasked */
	s->d_free = freed && halves ? graph_power_row(&g->e, r->queue_freer) : NULL;
	s->d_floor = NULL;
	bool released = r->window == CULPRIT_WINDOW_SQ && (r->flags & CULPRIT_STORE) && g->params.sq;
	if (!released && (!freed || halves))
		return;
	struct floor f = {g, SCRATCH_D_FLOOR, {false, false}};
	if (released)
		floor_release(g, r, owners, &f);
	if (freed && !halves)
		floor_row(&f, graph_power_row(&g->e, r->queue_freer), 0, graph_mask(g, owners));
	s->d_floor = floor_done(&f);
}
