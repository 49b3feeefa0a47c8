/* Edges into D: room in the ROB, queues and register files. */
#include "analysis/graph_plan.h"

/* Room in a structure of `entries`: the instruction that many back in it must have committed. With the window
 * idealised, the one window_factor times further back. `add`: cycles from that commit to the entry's release. */
static void room_edges(struct culprit_graph *g, const struct culprit_record *r, struct floor *f,
		       enum graph_recent_kind kind, uint32_t entries, uint32_t add)
{
	if (!entries)
		return;
	uint8_t owners = graph_owners_at(g, CULPRIT_EVENT_win, r->pc);
	uint64_t near = graph_recent_distance(g, kind, entries);
	uint64_t far = graph_recent_distance(g, kind, (uint64_t)entries * g->params.window_factor);
	for (unsigned half = 0; half < 2; half++) {
		bool none = owners == 0x80 && half == 1, all = owners == 0x80 && half == 0;
		const char *row = none ? NULL : graph_commit_row(g, half, near);
		if (row)
			floor_edge(f, half, row, add, graph_mask(g, owners));
		row = all ? NULL : graph_commit_row(g, half, far);
		if (row)
			floor_edge(f, half, row, 0, graph_mask(g, 0));
	}
}

/* A store-queue entry is free when its store has been written, which records tell only where it held someone up. */
static uint32_t store_release(const struct culprit_graph *g, const struct culprit_record *r)
{
	uint64_t back = graph_recent_distance(g, RECENT_SQ, g->params.sq);
	if (r->window != CULPRIT_WINDOW_SQ || !back || back > g->fact_mask)
		return 0;
	uint64_t commit = g->facts[(g->count - back) & g->fact_mask].commit;
	return r->dispatch > commit ? graph_clip_edge(r->dispatch - commit) : 0;
}

static void plan_room(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	struct floor f = {g, SCRATCH_D_FLOOR, {false, false}};
	const struct culprit_graph_params *p = &g->params;
	if (r->flags & CULPRIT_LOAD)
		room_edges(g, r, &f, RECENT_LQ, p->lq, 0);
	if (r->flags & CULPRIT_STORE)
		room_edges(g, r, &f, RECENT_SQ, p->sq, p->sq ? store_release(g, r) : 0);
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		room_edges(g, r, &f, RECENT_LSQ, p->lsq, 0);
	if (r->dest >= 1 && r->dest < 32)
		room_edges(g, r, &f, RECENT_INT, p->int_regs, 0);
	else if (r->dest >= 32 && r->dest < 64)
		room_edges(g, r, &f, RECENT_FP, p->fp_regs, 0);
	if (p->issue_queues && r->queue_freer && r->queue_freer < g->e.rows)
		floor_row(&f, graph_ring_row(&g->e, r->queue_freer), 0, graph_mask_at(g, CULPRIT_EVENT_win, r->pc));
	s->d_floor = floor_done(&f);
}

/* The ROB's edge, which every instruction has. */
static void plan_window(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	uint32_t near = g->params.rob, far = near * g->params.window_factor;
	uint8_t owners = graph_owners_at(g, CULPRIT_EVENT_win, r->pc);
	if (owners == 0x80) {
		s->half[0].window = graph_commit_row(g, 0, near);
		s->half[1].window = graph_commit_row(g, 1, far);
		return;
	}
	struct floor f = {g, SCRATCH_WINDOW, {false, false}};
	floor_node(&f, NODE_COMMIT, near, 0, graph_mask(g, owners));
	if (g->owners[CULPRIT_EVENT_win])
		floor_node(&f, NODE_COMMIT, far, 0, graph_mask(g, 0));
	const char *row = floor_done(&f);
	for (unsigned half = 0; half < 2; half++)
		s->half[half].window = row + half * graph_half_bytes(g);
}

void graph_plan_dispatch(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s)
{
	plan_room(g, r, s);
	plan_window(g, r, s);
}
