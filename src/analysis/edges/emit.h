/* From record to edges: the one statement of which instruction waits for which, and how long. It is the base graph of
 * docs/explanation/graph.md, one node after another.
 *
 * A file that includes this says first what becomes of an edge. It defines `struct edge_sink` with the members
 *	const struct edge_history *history;
 *	struct edge_parts *parts;
 *	enum edge_node node;					whose edges come: NODE_F at first
 * and, all of them `static EDGES_INLINE`:
 *	bool edge_sink_removes(sink, kind)			is the kind idealised on this line of time?
 *	uint64_t edge_sink_time(sink, distance, node)		of an earlier instruction's node, or (0) an own one's
 *	void edge_sink_edge(sink, distance, from, weight, kind)	from `from` of the instruction `distance` back
 *	void edge_sink_settle(sink, add)			there are no more; `add` cycles are spent in the node
 *
 * `win` is no kind that is removed: where the window is idealised, sizes in the history's parameters are larger. What
 * exists only where something is idealised is the graph's alone: lines that wrong paths brought, room in an unlimited
 * front end, who has an MSHR or the memory bus when, and issue slots. */
#ifndef CULPRIT_ANALYSIS_EDGES_EMIT_H
#define CULPRIT_ANALYSIS_EDGES_EMIT_H

#include "analysis/edges/fetch.h"

/* --- dispatch --- */

static EDGES_INLINE void room_edge(struct edge_sink *b, enum recent_kind kind, uint32_t entries)
{
	if (entries)
		edge_within(b, edge_recent_distance(b->history, kind, entries), NODE_C, 0, CULPRIT_CRITICAL_win);
}

/* A store-queue entry is free when its store has been written, which records may tell only where it held someone up.
 * The store may have left more than a ROB ago; then the release is counted from the oldest commit in reach. */
static EDGES_INLINE void store_edge(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	uint64_t back = edge_recent_distance(h, RECENT_SQ, h->params.sq);
	if (!back)
		return;
	uint32_t release = 0;
	if (r->window == CULPRIT_WINDOW_SQ) {
		uint64_t near = back < h->params.rob ? back : h->params.rob, most = back < h->reach ? back : h->reach;
		uint64_t commit = record_fact(&h->facts, h->count, near)->commit;
		release = r->dispatch > commit ? cycles_of(b, CULPRIT_CRITICAL_dl2, clip(r->dispatch - commit)) : 0;
		back = release ? near : most;
	}
	edge_within(b, back, NODE_C, release, CULPRIT_CRITICAL_win);
}

/* The same where records tell how long writes take. */
static EDGES_INLINE void written_edge(struct edge_sink *b)
{
	const struct edge_history *h = b->history;
	const struct edge_entry *entry = edge_first_free(&h->rooms.stores);
	if (!entry || edge_sink_removes(b, CULPRIT_CRITICAL_win))
		return;
	uint64_t distance = h->count - entry->source;
	enum culprit_critical_kind kind = (enum culprit_critical_kind)entry->kind;
	if (distance <= h->reach) {
		edge_sink_edge(b, distance, NODE_C, entry->weight, kind);
		return;
	}
	uint64_t commit = edge_sink_time(b, h->reach, NODE_C);
	if (entry->free > commit)
		edge_sink_edge(b, h->reach, NODE_C, (uint32_t)(entry->free - commit), kind);
}

static EDGES_INLINE void queue_edge(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	if (!h->rooms.counted) {
		if (r->previous_holder && r->previous_holder <= h->params.rob)
			edge(b, r->previous_holder, NODE_E, 0, CULPRIT_CRITICAL_win);
		return;
	}
	const struct edge_entry *entry = r->queue < h->params.queue_count ? edge_first_free(&h->rooms.queues[r->queue])
									  : NULL;
	if (entry)
		edge_within(b, h->count - entry->source, NODE_E, entry->weight,
			    (enum culprit_critical_kind)entry->kind);
}

static EDGES_INLINE void room_edges(struct edge_sink *b, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &b->history->params;
	if (b->history->backs.rob)
		edge(b, b->history->backs.rob, NODE_C, 0, CULPRIT_CRITICAL_win);
	if (r->flags & CULPRIT_LOAD)
		room_edge(b, RECENT_LQ, p->lq);
	if ((r->flags & CULPRIT_STORE) && p->sq && p->store_writes)
		written_edge(b);
	else if ((r->flags & CULPRIT_STORE) && p->sq)
		store_edge(b, r);
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		room_edge(b, RECENT_LSQ, p->lsq);
	if (r->branch != CULPRIT_BRANCH_NONE)
		room_edge(b, RECENT_IN_FLIGHT, p->branches);
	if (p->late_rename)
		return;
	if (r->dest >= 1 && r->dest < 32)
		room_edge(b, RECENT_INT, p->int_regs);
	else if (r->dest >= 32 && r->dest < 64)
		room_edge(b, RECENT_FP, p->fp_regs);
	if (r->dest >= 1 && r->dest < 64)
		room_edge(b, RECENT_REGS, p->regs);
	if (p->issue_queues || b->history->rooms.counted)
		queue_edge(b, r);
}

/* What is fetched again is renamed when what is before it has left the ROB: as a rule, when that commits. The squash
 * has to be over, too, if that takes longer. */
static EDGES_INLINE void recovery_edge(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	const bool violated = r->flags & CULPRIT_VIOLATED;
	const uint32_t store = violated ? record_violator(&h->facts, &h->params, h->count, r) : 0;
	const uint64_t found = violated ? record_wake(&h->facts, h->count, store)
					: record_fact(&h->facts, h->count, 1)->complete;
	const enum culprit_critical_kind kind = violated ? CULPRIT_CRITICAL_memory : CULPRIT_CRITICAL_bmisp;
	const bool recovers = record_recovers(&h->params, h->last.flags, h->last.commit, r);
	if (recovers)
		edge(b, 1, NODE_C, h->params.recovery, kind);
	if (recovers && !record_outwaits(&h->params, h->last.commit, r))
		return;
	const uint32_t early = found ? record_recovers_early(&h->params, h->last.flags, found, r) : 0;
	const bool squash = recovers || !record_follows_leaving(&h->params, h->last.flags, r);
	if (squash && edge_sink_removes(b, CULPRIT_CRITICAL_dispatch))
		return; /* at once */
	if (early && violated)
		edge_within(b, store, NODE_W, early, kind);
	else if (early)
		edge(b, 1, NODE_P, early, kind);
}

static EDGES_INLINE void edges_dispatch(struct edge_sink *b, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &b->history->params;
	edge(b, 0, NODE_F, p->frontend_stages, CULPRIT_CRITICAL_frontend);
	room_edges(b, r);
	if ((p->recovery | p->squash_width) && b->history->count)
		recovery_edge(b, r);
	if (b->history->backs.dispatch)
		edge(b, b->history->backs.dispatch, NODE_D, 1, CULPRIT_CRITICAL_dispatch);
	if (b->history->count) {
		const uint8_t row = r->rob_entries;
		if (p->dispatch_rows && row && row != CULPRIT_WEIGHT_NONE) /* it begins one */
			edge(b, 1, NODE_D, 1, CULPRIT_CRITICAL_dispatch);
		edge(b, 1, NODE_D, 0, CULPRIT_CRITICAL_order);
	}
	settle(b, 0);
}

/* --- issue --- */

/* The third operand may come so much after the issue (params.late_addend), but its producer has issued before. */
static EDGES_INLINE void addend_edge(struct edge_sink *b, uint32_t distance)
{
	const uint32_t late = b->history->params.late_addend;
	if (!late || !distance || distance > b->history->reach) {
		edge_within(b, distance, NODE_W, 0, CULPRIT_CRITICAL_operand);
		return;
	}
	const uint64_t wake = edge_sink_time(b, distance, NODE_W), issue = edge_sink_time(b, distance, NODE_E);
	const uint64_t waits = wake > issue ? wake - issue - 1 : 0;
	edge_sink_edge(b, distance, NODE_W, -(int64_t)(waits < late ? waits : late), CULPRIT_CRITICAL_operand);
	edge_sink_edge(b, distance, NODE_E, 0, CULPRIT_CRITICAL_operand);
}

static EDGES_INLINE void operand_edges(struct edge_sink *b, const struct culprit_record *r, struct record_stores stores)
{
	const uint32_t *p = r->producer;
	edge_within(b, p[0], NODE_W, 0, CULPRIT_CRITICAL_operand);
	if (p[1] != p[0])
		edge_within(b, p[1], NODE_W, 0, CULPRIT_CRITICAL_operand);
	if (p[2] != p[0] && p[2] != p[1])
		addend_edge(b, p[2]);
	edge_within(b, stores.data, NODE_W, 0, CULPRIT_CRITICAL_operand);
	edge_within(b, stores.leaves, NODE_C, 0, CULPRIT_CRITICAL_memory);
}

/* Renamed behind dispatch: of all rooms that instructions up to this one wait for, the latest decides. */
static EDGES_INLINE void rename_room(struct edge_sink *b, uint64_t distance, enum edge_node from)
{
	struct edge_rename *latest = &b->parts->renamed;
	if (!distance || distance > b->history->reach)
		return;
	uint64_t time = edge_sink_time(b, distance, from);
	if (time > latest->time)
		*latest = (struct edge_rename){time, b->history->count - distance, (uint8_t)from};
}

static EDGES_INLINE void rename_edge(struct edge_sink *b, const struct culprit_record *r, uint32_t pipeline)
{
	const struct edge_history *h = b->history;
	const struct culprit_graph_params *p = &h->params;
	b->parts->renamed = h->renamed;
	if (!p->late_rename)
		return;
#define RECENT_KIND(name, parameter, scope, of_it)                              \
	if ((RECENT_REGISTERS & 1 << RECENT_##name) && p->parameter && (of_it)) \
		rename_room(b, edge_recent_distance(h, RECENT_##name, p->parameter), NODE_C);
#include "analysis/recent.def"
	const struct edge_entry *entry = r->queue < p->queue_count ? edge_first_free(&h->rooms.queues[r->queue]) : NULL;
	if (entry)
		rename_room(b, h->count - entry->source, NODE_E);
	const struct edge_rename *latest = &b->parts->renamed;
	if (latest->time)
		edge_within(b, h->count - latest->source, (enum edge_node)latest->node, pipeline, CULPRIT_CRITICAL_win);
}

static EDGES_INLINE void edges_issue(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	struct record_stores stores = {.data = r->mem_producer};
	if (r->flags & CULPRIT_LOAD)
		stores = record_load_stores(&h->facts, h->count, r);
	b->parts->stores = stores;
	operand_edges(b, r, stores);
	if (r->flags & CULPRIT_AT_HEAD)
		edge_within(b, h->count ? 1 : 0, NODE_C, 0, CULPRIT_CRITICAL_serial);
	else if (h->params.ordered_loads && (r->flags & CULPRIT_LOAD))
		edge_within(b, h->store_complete ? h->count - h->store_latest : 0, NODE_P, 0, CULPRIT_CRITICAL_memory);
	if (!h->params.ordered_loads)
		edge_within(b, r->order_waited, NODE_W, 0, CULPRIT_CRITICAL_memory);
	uint32_t rest = b->parts->unexplained =
		record_unexplained(&h->facts, &h->params, h->count, r, h->last.commit, stores.leaves);
	uint32_t pipeline = h->params.dispatch_to_issue + rest;
	edge(b, 0, NODE_D, pipeline, CULPRIT_CRITICAL_schedule);
	rename_edge(b, r, pipeline - record_renamed_early(&h->params));
	b->parts->contention =
		cycles_of(b, CULPRIT_CRITICAL_issue, record_contention(&h->facts, h->count, r, stores.data));
	settle(b, b->parts->contention);
}

/* --- complete --- */

static inline enum culprit_critical_kind execution_kind(const struct culprit_record *r)
{
	enum culprit_event_class event = culprit_execution_class(r->op_class, r->exec_latency);
	if (event == CULPRIT_EVENT_dl1)
		return CULPRIT_CRITICAL_dl1;
	return event == CULPRIT_EVENT_shalu ? CULPRIT_CRITICAL_shalu : CULPRIT_CRITICAL_lgalu;
}

/* The line is on its way already: the access completes with it, or at the latest when it would have brought the line
 * itself. Which of these it was in the graph's own times is settled here. False: the wait stays as recorded. */
static EDGES_INLINE bool share_line(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	if (!(r->flags & CULPRIT_MERGED) || !r->primary_miss || r->primary_miss > h->fact_reach)
		return false;
	const struct record_fact *primary_miss = record_fact(&h->facts, h->count, r->primary_miss);
	bool load = primary_miss->flags & CULPRIT_LOAD;
	uint64_t from = load ? primary_miss->complete : primary_miss->commit;
	if (r->complete < from || r->complete - from > EDGE_MARGIN)
		return false;
	uint32_t alone = record_misses_alone(primary_miss, r);
	uint32_t wait = (uint32_t)(r->complete - from);
	struct edge_parts *x = b->parts;
	x->miss = 0;
	if (edge_sink_removes(b, x->miss_kind))
		return true;
	if (r->primary_miss > h->reach) {
		x->miss = alone; /* a prefetch of an old load, or an old store's line, may be on its way */
		return true;
	}
	enum edge_node node = load ? NODE_W : NODE_C;
	uint64_t own = edge_sink_time(b, 0, NODE_E) + x->exec + x->dtlb + alone;
	if (edge_sink_time(b, r->primary_miss, node) + wait > own)
		x->miss = alone;
	else
		edge(b, r->primary_miss, node, wait, CULPRIT_CRITICAL_dshare);
	return true;
}

/* A hit behind a miss of the same line, or a hit of the next level behind one of that level's: not before the line is
 * there, at worst as if it brought the line itself. What a store forwards needs no line. */
static EDGES_INLINE void follow_line(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	bool behind = r->dmiss != 0, own = behind ? r->dlevel > CULPRIT_LEVEL_L2 : edge_brings_line(h, r);
	const struct record_line *known = record_line_missed(&h->lines, r, behind);
	if (own || !known || known->stray || r->dlevel == CULPRIT_LEVEL_MEMORY || (r->flags & CULPRIT_FORWARDED))
		return;
	uint64_t distance = h->count - known->number;
	if (distance > h->reach)
		return;
	if (r->complete < record_fact(&h->facts, h->count, distance)->complete)
		return; /* it came before, and the line went in between */
	enum culprit_critical_kind kind = level_kind(known->level, CULPRIT_CRITICAL_dport);
	struct edge_parts *x = b->parts;
	uint64_t done = edge_sink_time(b, 0, NODE_E) + x->exec + x->dtlb + x->miss;
	if (edge_sink_removes(b, kind))
		return;
	if (edge_sink_time(b, distance, NODE_W) <= done + known->cycles) {
		edge(b, distance, NODE_W, 0, CULPRIT_CRITICAL_dshare);
		return;
	}
	x->miss_kind = (uint8_t)kind;
	x->miss += known->cycles;
}

/* A mispredicted branch resolves at least one cycle after its issue: its last cycle goes only when it is also predicted
 * right. */
static EDGES_INLINE bool executes(const struct edge_sink *b, const struct culprit_record *r, uint32_t exec)
{
	bool resolves = (r->flags & CULPRIT_MISPREDICTED) && exec == 1;
	return !edge_sink_removes(b, b->parts->exec_kind) ||
	       (resolves && !edge_sink_removes(b, CULPRIT_CRITICAL_bmisp));
}

/* A load is forwarded to by a store that has not committed when it issues, in this line of time; else it hits. */
static EDGES_INLINE bool edge_store_flies(const struct edge_sink *b, uint32_t store)
{
	return store <= b->history->reach && edge_sink_time(b, 0, NODE_E) < edge_sink_time(b, store, NODE_C);
}

static EDGES_INLINE uint32_t edge_forwarded_or_hit(const struct edge_sink *b, bool flies)
{
	return flies ? b->history->params.forward_latency : b->history->params.load_hit;
}

static EDGES_INLINE void edges_complete(struct edge_sink *b, const struct culprit_record *r)
{
	struct edge_parts *x = b->parts;
	bool load = r->flags & CULPRIT_LOAD;
	const uint32_t dtlb = record_translates(r);
	uint32_t exec = load ? r->exec_latency : (uint32_t)(r->complete - r->issue - dtlb);
	if (r->flags & CULPRIT_FORWARDED)
		exec -= (uint32_t)record_ahead_of_store(&b->history->facts, b->history->count, r);
	uint32_t store = load ? record_may_forward(&b->history->params, r, b->parts->stores, exec) : 0;
	if (store)
		exec = edge_forwarded_or_hit(b, edge_store_flies(b, store));
	x->exec_kind = (uint8_t)execution_kind(r);
	x->miss_kind = (uint8_t)level_kind(r->dlevel, CULPRIT_CRITICAL_dport);
	bool executed = executes(b, r, exec);
	x->exec = executed ? exec : 0;
	x->dtlb = cycles_of(b, CULPRIT_CRITICAL_dtlb, dtlb);
	x->miss = load ? cycles_of(b, x->miss_kind, r->dmiss) : 0;
	if (load && !share_line(b, r))
		follow_line(b, r);
	edge_sink_edge(b, 0, NODE_E, x->exec + x->dtlb + x->miss, x->exec_kind);
	settle(b, 0);
	bool hit = store && !(r->flags & CULPRIT_FORWARDED);
	if (r->wakeup > (hit ? exec : r->complete - r->issue) && executed)
		edge_sink_edge(b, 0, NODE_E, r->wakeup, x->exec_kind);
	edge(b, 0, NODE_P, 0, CULPRIT_CRITICAL_operand);
	settle(b, 0);
}

/* --- commit --- */

static EDGES_INLINE void edges_commit(struct edge_sink *b, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &b->history->params;
	edge(b, 0, NODE_P, p->commit_delay, CULPRIT_CRITICAL_retire);
#define RECENT_KIND(name, parameter, scope, of_it)                                                       \
	if (RECENT_IN_##scope == RECENT_IN_COMMIT && p->parameter && (of_it))                            \
		edge_within(b, edge_recent_distance(b->history, RECENT_##name, p->parameter), NODE_C, 1, \
			    CULPRIT_CRITICAL_commit);
#include "analysis/recent.def"
	if (b->history->backs.commit)
		edge_within(b, b->history->backs.commit, NODE_C, 1, CULPRIT_CRITICAL_commit);
	if (b->history->count)
		edge(b, 1, NODE_C, 0, CULPRIT_CRITICAL_order);
	settle(b, 0);
}

/* All of them. */
static EDGES_INLINE void edges_emit(struct edge_sink *b, const struct culprit_record *r)
{
	edges_fetch(b, r);
	edges_dispatch(b, r);
	edges_issue(b, r);
	edges_complete(b, r);
	edges_commit(b, r);
}

/* What the history keeps of it afterwards. */
static EDGES_INLINE struct edge_stay edges_stay(const struct edge_sink *b, const struct culprit_record *r)
{
	return (struct edge_stay){
		.issue = edge_sink_time(b, 0, NODE_E),
		.complete = edge_sink_time(b, 0, NODE_P),
		.commit = edge_sink_time(b, 0, NODE_C),
		.exec_latency = cycles_of(b, CULPRIT_CRITICAL_dl1, r->exec_latency),
		.write_hit = cycles_of(b, CULPRIT_CRITICAL_dl1, b->history->params.write_hit),
		.write_dtlb = cycles_of(b, CULPRIT_CRITICAL_dtlb, r->write_dtlb),
		.write_interval = cycles_of(b, CULPRIT_CRITICAL_commit, b->history->params.write_interval),
		.write_misses = !edge_sink_removes(b, level_kind(r->write_level, CULPRIT_CRITICAL_dport)),
		.renamed = b->parts->renamed,
		.asked = b->parts->asked,
	};
}

#endif
