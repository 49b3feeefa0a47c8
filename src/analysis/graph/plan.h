/* What the parts of graph/plan*.c share: which lanes keep an edge, which row it comes from, and floors, the rows in
 * which a node's rarer edges are merged before its step. Private to src/analysis/graph/. */
#ifndef CULPRIT_ANALYSIS_GRAPH_PLAN_H
#define CULPRIT_ANALYSIS_GRAPH_PLAN_H

#include "analysis/graph/state.h"

#include <string.h>

/* owners.c: classes that own `event` of an instruction at `pc`, and the lanes that none of them idealises. */
graph_owners graph_owners_at(const struct culprit_graph *g, enum culprit_event_class event, uint64_t pc);
static inline const void *graph_mask_at(struct culprit_graph *g, enum culprit_event_class event, uint64_t pc)
{
	return g->ranged ? graph_mask(g, graph_owners_at(g, event, pc)) : g->event_mask[event];
}
static inline enum culprit_event_class graph_execution_class(const struct culprit_record *r)
{
	return culprit_execution_part(r->op_class, r->exec_latency);
}

enum culprit_event_class graph_data_miss(uint8_t level);
enum culprit_event_class graph_fetch_miss(uint8_t level);

/* Cycles beyond those `known` that a line brought by a wrong path takes in lanes without mispredictions. `recent`:
 * g->stray_lines of data or of fetches. */
uint32_t graph_stray_cycles(struct culprit_graph *g, uint64_t addr, uint8_t level, uint32_t known, uint64_t *recent);
/* Lanes in which mispredictions are idealised and the miss is not. */
const void *graph_stray_mask(struct culprit_graph *g, enum culprit_event_class miss, uint64_t pc);
/* Lanes in which neither is idealised. */
const void *graph_mask_with_bmisp(struct culprit_graph *g, enum culprit_event_class miss, uint64_t pc);

/* What few records need of a step, by node. */
void graph_plan_redirect(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
void graph_plan_window(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* `leaves`: distance to a store that must have left; 0 = none. */
void graph_plan_order(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t leaves);
/* It takes no issue slot, or more than one. */
void graph_plan_issue_slots(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* It is renamed behind its dispatch. After the queue's plan. */
void graph_plan_rename(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* A younger operation may have the unit. */
void graph_held_plan(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);
/* A younger instruction may have its slot. `data`: of its stores. */
void graph_plan_selection(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t data);
uint32_t graph_plan_forward(struct culprit_graph *g, struct graph_step *s, uint32_t store);
void graph_plan_complete(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s, uint32_t exec);
const void *graph_latency(struct culprit_graph *g, enum culprit_event_class event, uint64_t pc, uint32_t exec);

/* The last miss of the load's line in the L1D, or (1) behind it, when it is no older than a window; NULL = none. */
static inline const struct record_line *graph_line_missed(const struct culprit_graph *g, const struct culprit_record *r,
							  unsigned behind)
{
	const struct record_line *known = record_line_missed(&g->lines, r, behind);
	return known && g->count - known->number <= g->furthest ? known : NULL;
}

/* When the instruction in front left fetch. */
static inline const char *graph_fetched_row(const struct culprit_graph *g)
{
	return graph_node_row(g, g->arrived.rows ? &g->arrived : &g->f, 1);
}

/* A floor being collected: which halves of the scratch row hold something. */
struct floor {
	struct culprit_graph *g;
	enum graph_scratch row;
	bool begun[2];
};

/* Did the load wait for its store's data, whose address it knew (params.store_data_apart)? No table names that store,
 * and the load goes ahead of it no less for the wait. (Taken for a wait by the tables, where lanes' tables differ, it
 * kept a lane from a violation: bw of glpsol on golden-cove was 15 points too low.) */
static inline bool graph_order_data_wait(const struct culprit_graph *g, const struct culprit_record *r)
{
	return g->params.store_data_apart && r->order_waited && r->order_waited == r->mem_producer;
}
/* The store that the recorded run's tables had the load or store wait for. */
static inline uint32_t graph_order_named(const struct culprit_graph *g, const struct culprit_record *r)
{
	return graph_order_data_wait(g, r) ? 0 : r->order_waited;
}
/* Waits for the stores that store sets name, and for their data. */
void graph_order_floor(struct culprit_graph *g, const struct culprit_record *r, struct floor *f);

/* dispatch.recovery_data: cycles from C, which is the commit delay after the last data, to D of what is renamed. */
static inline uint32_t graph_recovers_after(const struct culprit_graph_params *p)
{
	return p->recovery + 1 > p->commit_delay ? p->recovery + 1 - p->commit_delay : 0;
}

/* Renaming behind a mispredicted branch or a violation waits for the squash, in these lanes (params.squash_width). */
void graph_plan_squash(struct culprit_graph *g, const struct culprit_record *r, struct floor *f, const void *lanes);
/* What it takes where the instruction at fault was in the window for so many cycles, which holds `most`: estimated, and
 * clipped as edges are. */
uint64_t graph_squash_cycles(const struct culprit_graph *g, uint64_t cycles, uint64_t most);

static inline size_t graph_half_bytes(const struct culprit_graph *g)
{
	return (size_t)GRAPH_HALF * g->lane_bytes;
}

static inline void floor_edge(struct floor *f, unsigned half, const void *source, uint32_t add, const void *mask)
{
	struct culprit_graph *g = f->g;
	size_t offset = half * graph_half_bytes(g);
	if (!graph_half_owned(g, half))
		return;
	graph_catch_up(g);
	g->kernel->edge(g->scratch[f->row] + offset, source, add, (const char *)mask + offset, !f->begun[half]);
	f->begun[half] = true;
}

/* From a whole row to both halves. */
static inline void floor_row(struct floor *f, const void *source, uint32_t add, const void *mask)
{
	for (unsigned half = 0; half < 2; half++)
		floor_edge(f, half, (const char *)source + half * graph_half_bytes(f->g), add, mask);
}

static inline const void *floor_done(struct floor *f)
{
	if (!f->begun[0] && !f->begun[1])
		return NULL;
	for (unsigned half = 0; half < 2; half++)
		if (!f->begun[half])
			memset(f->g->scratch[f->row] + half * graph_half_bytes(f->g), 0, graph_half_bytes(f->g));
	return f->g->scratch[f->row];
}

/* After graph_catch_up: W or C of the instruction `distance` back, in one half; NULL: too old to matter, because the
 * ROB's edge says more. */
static inline const char *graph_wake_row(const struct culprit_graph *g, unsigned half, uint64_t distance)
{
	return distance && distance <= g->reach[half] ? graph_ring_row(&g->wc[half], (uint32_t)distance) : NULL;
}

static inline const char *graph_commit_row(const struct culprit_graph *g, unsigned half, uint64_t distance)
{
	const char *row = graph_wake_row(g, half, distance);
	return row ? row + graph_half_bytes(g) : NULL;
}

/* The record takes more or less than one of something, or one before did. False: it cannot be. */
bool graph_plan_weights(struct culprit_graph *g, const struct culprit_record *r, struct graph_step *s);

enum node { NODE_WAKE, NODE_COMMIT, NODE_LEFT };

static inline const char *graph_row_of(const struct culprit_graph *g, enum node node, unsigned half, uint64_t distance)
{
	return node == NODE_WAKE     ? graph_wake_row(g, half, distance)
	       : node == NODE_COMMIT ? graph_commit_row(g, half, distance)
				     : graph_left_row(g, half, distance);
}

static inline void floor_node(struct floor *f, enum node node, uint64_t distance, uint32_t add, const void *mask)
{
	graph_catch_up(f->g);
	for (unsigned half = 0; half < 2; half++) {
		const char *row = graph_row_of(f->g, node, half, distance);
		if (row)
			floor_edge(f, half, row, add, mask);
	}
}

/* The same from what may be in the window with it. */
static inline void floor_within(struct floor *f, enum node node, uint64_t distance, uint32_t add, const void *mask)
{
	graph_catch_up(f->g);
	for (unsigned half = 0; half < 2; half++) {
		const char *row = distance <= f->g->within[half] ? graph_row_of(f->g, node, half, distance) : NULL;
		if (row)
			floor_edge(f, half, row, add, mask);
	}
}

/* Into the floor: when the line is there that r is the first to use, in the lanes of the mask; `there`: as recorded.
 * False: what made the prefetcher ask is not known. */
bool graph_prefetched_floor(struct culprit_graph *g, const struct culprit_record *r, uint64_t there, const void *mask,
			    struct floor *f);

static inline uint32_t graph_clip_edge(uint64_t cycles)
{
	return cycles > GRAPH_MARGIN ? GRAPH_MARGIN : (uint32_t)cycles;
}

/* The window's kinds an instruction is of. */
static inline uint32_t graph_window_kinds(const struct culprit_record *r)
{
	uint32_t kinds = 0;
#define RECENT_KIND(name, parameter, scope, of_it) \
	kinds |= RECENT_IN_##scope == RECENT_IN_WINDOW ? (uint32_t)(of_it) << RECENT_##name : 0;
#include "analysis/recent.def"
	return kinds;
}

/* What makes room in the window. */
static inline enum node graph_leaving(const struct culprit_graph *g)
{
	return g->left.rows ? NODE_LEFT : NODE_COMMIT;
}

/* How far back the one is that made room in a structure of some kind; 0 = there is none. */
static inline uint64_t graph_recent_near(const struct culprit_graph *g, enum recent_kind kind)
{
	uint64_t one = g->recent[kind].near_one;
	return one ? g->count + 1 - one : 0;
}

#endif
