/* From record to edges: the base graph of docs/graph.md, one lane, with every edge kept beside the node's time. The
 * interaction-cost graph lays out the same edges for its 256 lanes; that both have the same length, to the cycle, is
 * tested on random records and on programs. */
#include "analysis/critical/state.h"

/* --- building --- */

#define INLINE inline __attribute__((always_inline)) /* for two versions of place() */

/* The edges of one instruction as they are found, node by node. */
struct builder {
	const struct culprit_critical *c;
	struct critical_slot *slot;
	struct critical_edge *edges;
	uint64_t *times; /* of this instruction's nodes */
	uint64_t arrivals[CRITICAL_EDGES];
	uint32_t count, settled;
	enum critical_node node;
	uint64_t latest; /* of the edges into `node` so far ... */
	uint32_t last;	 /* ... and the first that arrives then, as in the slot */
	bool all;	 /* keep the others, too */
};

/* From node `from` of the instruction `distance` back. */
static INLINE void edge(struct builder *b, uint64_t distance, enum critical_node from, uint32_t weight,
			enum culprit_critical_kind kind)
{
	uint32_t back = (uint32_t)distance * CRITICAL_NODES + b->node - from;
	uint64_t arrival = b->times[(ptrdiff_t)b->node - back] + weight;
	bool later = arrival > b->latest; /* no branch: which edge is last can hardly be predicted */
	b->latest = later ? arrival : b->latest;
	b->last = later ? back << CRITICAL_KIND_BITS | kind : b->last;
	if (b->all) {
		b->arrivals[b->count] = arrival;
		b->edges[b->count++] = (struct critical_edge){back, kind, 0};
	}
}

/* The same when there is such an instruction, near enough to matter: what is a ROB away has left the window. */
static INLINE void edge_within(struct builder *b, uint64_t distance, enum critical_node from, uint32_t weight,
			       enum culprit_critical_kind kind)
{
	if (distance && distance <= b->c->reach)
		edge(b, distance, from, weight, kind);
}

/* All edges into the node are known: its time, after `add` more cycles. On to the next node. */
static INLINE void settle(struct builder *b, uint64_t add)
{
	for (; b->all && b->settled < b->count; b->settled++) {
		uint64_t lag = b->latest - b->arrivals[b->settled];
		b->edges[b->settled].lag = lag < UINT32_MAX ? (uint32_t)lag : UINT32_MAX;
	}
	b->times[b->node] = b->latest + add;
	b->slot->last[b->node] = b->last;
	b->slot->ends[b->node] = (uint8_t)b->count;
	b->latest = 0;
	b->last = 0;
	b->node++;
}

static inline uint32_t clip(uint64_t cycles)
{
	return cycles > CRITICAL_MARGIN ? CRITICAL_MARGIN : (uint32_t)cycles;
}

static inline uint64_t recent_distance(const struct culprit_critical *c, enum critical_recent_kind kind, uint64_t back)
{
	const struct critical_recent *r = &c->recent[kind];
	if (!back || back > r->count)
		return 0;
	return c->count - r->seq[(r->count - back) & r->mask];
}

/* --- fetch --- */

static bool line_break(const struct culprit_critical *c, const struct culprit_record *r)
{
	if (!c->params.fetch_line || (c->last.flags & CULPRIT_TAKEN))
		return false;
	uint64_t here = r->pc + r->length - 1, before = c->last.pc + c->last.length - 1;
	return (here ^ before) >= c->params.fetch_line;
}

static INLINE void redirect_edge(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_critical *c = b->c;
	uint16_t before = c->last.flags;
	uint64_t start = r->fetch - r->imiss - r->itlb;
	if (r->flags & CULPRIT_VIOLATED)
		edge_within(b, r->mem_producer, NODE_P, r->redirect, CULPRIT_CRITICAL_memory);
	else if (before & CULPRIT_MISPREDICTED)
		edge(b, 1, NODE_P, r->redirect, CULPRIT_CRITICAL_bmisp);
	else if (before & CULPRIT_SERIALISING)
		edge(b, 1, NODE_C, r->redirect, CULPRIT_CRITICAL_serial);
	else if (before & CULPRIT_BTB_MISS)
		edge(b, 1, NODE_F, r->redirect + 1u, CULPRIT_CRITICAL_btb);
	else if (r->redirect && start >= c->last.commit)
		edge(b, 1, NODE_C, clip(start - c->last.commit), CULPRIT_CRITICAL_other);
}

static INLINE void group_edges(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_critical *c = b->c;
	bool after_one = line_break(c, r);
	if (c->last.flags & CULPRIT_TAKEN) {
		uint64_t back = recent_distance(c, RECENT_TAKEN, c->params.taken_limit);
		after_one = after_one || back == 1;
		if (back > 1 && back <= (c->params.fetch_width ? c->params.fetch_width : 256))
			edge(b, back, NODE_F, 1, CULPRIT_CRITICAL_fetch);
	}
	if (after_one)
		edge(b, 1, NODE_F, 1, CULPRIT_CRITICAL_fetch);
	uint32_t width = c->params.fetch_width, room = c->params.frontend_capacity;
	if (width && width <= c->count && !(width == 1 && after_one))
		edge(b, width, NODE_F, 1, CULPRIT_CRITICAL_fetch);
	if (room && room <= c->count)
		edge(b, room, NODE_D, 0, CULPRIT_CRITICAL_fetch);
}

static enum culprit_critical_kind level_kind(uint8_t level, enum culprit_critical_kind l2)
{
	return level == CULPRIT_LEVEL_L3 ? l2 + 1 : level == CULPRIT_LEVEL_MEMORY ? l2 + 2 : l2;
}

static INLINE void place_fetch(struct builder *b, const struct culprit_record *r)
{
	if (b->c->count) {
		redirect_edge(b, r);
		group_edges(b, r);
		edge(b, 1, NODE_F, 0, CULPRIT_CRITICAL_order);
	}
	b->slot->imiss = r->imiss;
	b->slot->itlb = r->itlb;
	b->slot->fetch_kind = (uint8_t)level_kind(r->ilevel, CULPRIT_CRITICAL_il2);
	settle(b, (uint64_t)r->imiss + r->itlb);
}

/* --- dispatch --- */

static INLINE void room_edge(struct builder *b, enum critical_recent_kind kind, uint32_t entries)
{
	if (entries)
		edge_within(b, recent_distance(b->c, kind, entries), NODE_C, 0, CULPRIT_CRITICAL_win);
}

/* A store-queue entry is free when its store has been written, which records may tell only where it held someone up. The store
 * may have left more than a ROB ago; then the release is counted from the oldest commit in reach. */
static INLINE void store_edge(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_critical *c = b->c;
	uint64_t back = recent_distance(c, RECENT_SQ, c->params.sq);
	if (!back)
		return;
	uint32_t release = 0;
	if (r->window == CULPRIT_WINDOW_SQ) {
		back = back < c->reach ? back : c->reach;
		uint64_t commit = record_fact(&c->facts, c->count, back)->commit;
		release = r->dispatch > commit ? clip(r->dispatch - commit) : 0;
	}
	edge_within(b, back, NODE_C, release, CULPRIT_CRITICAL_win);
}

/* The same where records tell how long writes take. */
static INLINE void written_edge(struct builder *b)
{
	const struct culprit_critical *c = b->c;
	const struct critical_entry *entry = critical_first_free(&c->room.stores);
	if (!entry)
		return;
	uint64_t distance = c->count - entry->source;
	if (distance <= c->reach) {
		edge(b, distance, NODE_C, entry->weight, CULPRIT_CRITICAL_win);
		return;
	}
	uint64_t commit = b->times[(ptrdiff_t)NODE_C - (ptrdiff_t)c->reach * CRITICAL_NODES];
	if (entry->free > commit)
		edge(b, c->reach, NODE_C, (uint32_t)(entry->free - commit), CULPRIT_CRITICAL_win);
}

static INLINE void queue_edge(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_critical *c = b->c;
	if (!c->room.counted) {
		edge_within(b, r->queue_freer, NODE_E, 0, CULPRIT_CRITICAL_win);
		return;
	}
	const struct critical_entry *entry =
		r->queue < c->params.queue_count ? critical_first_free(&c->room.queues[r->queue]) : NULL;
	if (entry)
		edge_within(b, c->count - entry->source, NODE_E, 0, CULPRIT_CRITICAL_win);
}

static INLINE void room_edges(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &b->c->params;
	if (b->c->count >= p->rob)
		edge(b, p->rob, NODE_C, 0, CULPRIT_CRITICAL_win);
	if (r->flags & CULPRIT_LOAD)
		room_edge(b, RECENT_LQ, p->lq);
	if ((r->flags & CULPRIT_STORE) && p->sq && p->store_writes)
		written_edge(b);
	else if ((r->flags & CULPRIT_STORE) && p->sq)
		store_edge(b, r);
	if (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))
		room_edge(b, RECENT_LSQ, p->lsq);
	if (r->dest >= 1 && r->dest < 32)
		room_edge(b, RECENT_INT, p->int_regs);
	else if (r->dest >= 32 && r->dest < 64)
		room_edge(b, RECENT_FP, p->fp_regs);
	if (p->issue_queues || b->c->room.counted)
		queue_edge(b, r);
}

static INLINE void place_dispatch(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &b->c->params;
	edge(b, 0, NODE_F, p->frontend_stages, CULPRIT_CRITICAL_frontend);
	room_edges(b, r);
	if (p->dispatch_width && p->dispatch_width <= b->c->count)
		edge(b, p->dispatch_width, NODE_D, 1, CULPRIT_CRITICAL_dispatch);
	if (b->c->count)
		edge(b, 1, NODE_D, 0, CULPRIT_CRITICAL_order);
	settle(b, 0);
}

/* --- issue --- */

static INLINE void operand_edges(struct builder *b, const struct culprit_record *r, struct record_stores stores)
{
	const uint32_t *p = r->producer;
	edge_within(b, p[0], NODE_W, 0, CULPRIT_CRITICAL_operand);
	if (p[1] != p[0])
		edge_within(b, p[1], NODE_W, 0, CULPRIT_CRITICAL_operand);
	if (p[2] != p[0] && p[2] != p[1])
		edge_within(b, p[2], NODE_W, 0, CULPRIT_CRITICAL_operand);
	edge_within(b, stores.data, NODE_W, 0, CULPRIT_CRITICAL_operand);
	edge_within(b, stores.leaves, NODE_C, 0, CULPRIT_CRITICAL_memory);
}

static INLINE void place_issue(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_critical *c = b->c;
	struct record_stores stores = {.data = r->mem_producer};
	if (r->flags & CULPRIT_LOAD)
		stores = record_load_stores(&c->facts, c->count, r);
	operand_edges(b, r, stores);
	if (r->flags & CULPRIT_AT_HEAD)
		edge_within(b, c->count ? 1 : 0, NODE_C, 0, CULPRIT_CRITICAL_serial);
	else if (c->params.ordered_loads && (r->flags & CULPRIT_LOAD))
		edge_within(b, c->store_complete ? c->count - c->store_latest : 0, NODE_P, 0, CULPRIT_CRITICAL_memory);
	if (!c->params.ordered_loads)
		edge_within(b, r->order_waited, NODE_W, 0, CULPRIT_CRITICAL_memory);
	uint32_t rest = b->slot->unexplained =
		record_unexplained(&c->facts, &c->params, c->count, r, c->last.commit, stores.leaves);
	uint32_t pipeline = c->params.dispatch_to_issue + rest;
	edge(b, 0, NODE_D, pipeline, CULPRIT_CRITICAL_schedule);
	uint64_t earliest = r->dispatch + pipeline;
	earliest = r->ready > earliest ? r->ready : earliest;
	b->slot->contention = r->issue > earliest ? (uint32_t)(r->issue - earliest) : 0;
	settle(b, b->slot->contention);
}

/* --- complete --- */

static enum culprit_critical_kind execution_kind(const struct culprit_record *r)
{
	enum { by_latency = CULPRIT_EVENT_COUNT, dl1 = CULPRIT_EVENT_dl1, lgalu = CULPRIT_EVENT_lgalu };
	static const uint8_t event[] = {
#define OP_CLASS(name, label, event_) event_,
#include "culprit/op_class.def"
	};
	if (event[r->op_class] == dl1)
		return CULPRIT_CRITICAL_dl1;
	if (event[r->op_class] == lgalu)
		return CULPRIT_CRITICAL_lgalu;
	return r->exec_latency <= 1 ? CULPRIT_CRITICAL_shalu : CULPRIT_CRITICAL_lgalu;
}

/* The line is on its way already: the access completes with it, or at the latest when it would have brought the line
 * itself. Which of these it was in the graph's own times is settled here. False: the wait stays as recorded. */
static INLINE bool share_line(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_critical *c = b->c;
	if (!(r->flags & CULPRIT_MERGED) || !r->line_misser || r->line_misser > c->fact_reach)
		return false;
	const struct record_fact *misser = record_fact(&c->facts, c->count, r->line_misser);
	bool load = misser->flags & CULPRIT_LOAD;
	uint64_t from = load ? misser->complete : misser->commit;
	if (r->complete < from || r->complete - from > CRITICAL_MARGIN)
		return false;
	uint32_t alone = misser->miss > r->dmiss ? misser->miss : r->dmiss;
	uint32_t wait = (uint32_t)(r->complete - from);
	b->slot->miss = 0;
	if (r->line_misser > c->reach) {
		b->slot->miss = load ? 0 : alone; /* an old load is done; an old store's line may be on its way yet */
		return true;
	}
	enum critical_node node = load ? NODE_W : NODE_C;
	ptrdiff_t back = (ptrdiff_t)r->line_misser * CRITICAL_NODES - node;
	if (b->times[-back] + wait > b->times[NODE_E] + b->slot->exec + b->slot->dtlb + alone)
		b->slot->miss = alone;
	else
		edge(b, r->line_misser, node, wait, CULPRIT_CRITICAL_dshare);
	return true;
}

/* A hit behind a miss of the same line, or a hit of the next level behind one of that level's: not before the line is there, at worst
 * as if it brought the line itself. */
static INLINE void follow_line(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_critical *c = b->c;
	bool behind = r->dmiss != 0, own = behind ? r->dlevel > CULPRIT_LEVEL_L2 : critical_brings_line(c, r);
	const struct record_line *known = record_line_missed(&c->lines, r, behind);
	if (own || !known || known->stray || r->dlevel == CULPRIT_LEVEL_MEMORY || c->count - known->number > c->reach)
		return;
	uint64_t distance = c->count - known->number;
	if (r->complete < record_fact(&c->facts, c->count, distance)->complete)
		return; /* it came before, and the line went in between */
	struct critical_slot *s = b->slot;
	uint64_t done = b->times[NODE_E] + s->exec + s->dtlb + s->miss;
	if (b->times[(ptrdiff_t)NODE_W - (ptrdiff_t)distance * CRITICAL_NODES] <= done + known->cycles) {
		edge(b, distance, NODE_W, 0, CULPRIT_CRITICAL_dshare);
		return;
	}
	s->miss_kind = (uint8_t)level_kind(known->level, CULPRIT_CRITICAL_dl2);
	s->miss += known->cycles;
}

static INLINE void place_completion(struct builder *b, const struct culprit_record *r)
{
	struct critical_slot *s = b->slot;
	bool load = r->flags & CULPRIT_LOAD;
	s->exec = load ? r->exec_latency : (uint32_t)(r->complete - r->issue);
	if (r->flags & CULPRIT_FORWARDED)
		s->exec -= (uint32_t)record_ahead_of_store(&b->c->facts, b->c->count, r);
	s->exec_kind = (uint8_t)execution_kind(r);
	s->miss_kind = (uint8_t)level_kind(r->dlevel, CULPRIT_CRITICAL_dl2);
	s->dtlb = load ? r->dtlb : 0;
	s->miss = load ? r->dmiss : 0;
	if (load && !share_line(b, r))
		follow_line(b, r);
	edge(b, 0, NODE_E, s->exec + s->dtlb + s->miss, s->exec_kind);
	settle(b, 0);
	if (r->wakeup > r->complete - r->issue)
		edge(b, 0, NODE_E, r->wakeup, s->exec_kind);
	edge(b, 0, NODE_P, 0, CULPRIT_CRITICAL_operand);
	settle(b, 0);
}

/* --- commit --- */

static INLINE void place_commit(struct builder *b, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &b->c->params;
	edge(b, 0, NODE_P, p->commit_delay, CULPRIT_CRITICAL_retire);
	if (p->commit_stores && (r->flags & CULPRIT_STORE))
		edge_within(b, recent_distance(b->c, RECENT_STORE, p->commit_stores), NODE_C, 1,
			    CULPRIT_CRITICAL_commit);
	if (p->commit_branches && r->branch)
		edge_within(b, recent_distance(b->c, RECENT_BRANCH, p->commit_branches), NODE_C, 1,
			    CULPRIT_CRITICAL_commit);
	if (p->commit_width && p->commit_width <= b->c->reach && p->commit_width <= b->c->count)
		edge(b, p->commit_width, NODE_C, 1, CULPRIT_CRITICAL_commit);
	if (b->c->count)
		edge(b, 1, NODE_C, 0, CULPRIT_CRITICAL_order);
	settle(b, 0);
}

static INLINE uint32_t place(const struct culprit_critical *c, const struct culprit_record *r,
			     struct critical_slot *slot, const bool all)
{
	struct builder b; /* field by field: clearing `arrivals` too took a third of this function's time */
	b.c = c;
	b.slot = slot;
	b.edges = c->edges + c->edge_count;
	b.times = c->time + (size_t)c->end * CRITICAL_NODES;
	b.count = b.settled = 0;
	b.node = NODE_F;
	b.latest = c->count ? 0 : CRITICAL_ORIGIN;
	b.last = 0;
	b.all = all;
	place_fetch(&b, r);
	place_dispatch(&b, r);
	place_issue(&b, r);
	place_completion(&b, r);
	place_commit(&b, r);
	return b.count;
}

bool critical_place(struct culprit_critical *c, const struct culprit_record *r)
{
	struct critical_slot *slot = &c->slots[c->end];
	slot->edges = c->edge_count;
	slot->row = critical_row_of(c, r->pc);
	if (slot->row == UINT32_MAX)
		return critical_fail(c, "out of memory for static instructions");
	/* compiled twice: most windows need the last edges only */
	c->edge_count += critical_needs_edges(c) ? place(c, r, slot, true) : place(c, r, slot, false);
	c->end++;
	return true;
}
