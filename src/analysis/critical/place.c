/* From record to times and edges in the buffer: the edges are those of edges/emit.h; here every edge is kept beside
 * the node's time, or of most windows only the one that arrives last. */
#include "analysis/critical/state.h"

/* The edges of one instruction as they are found, node by node. */
struct edge_sink {
	const struct edge_history *history;
	struct edge_parts *parts;
	enum edge_node node;
	struct critical_slot *slot;
	struct critical_edge *edges;
	uint64_t *times; /* of this instruction's nodes */
	uint64_t arrivals[CRITICAL_EDGES];
	uint32_t count, settled;
	uint64_t latest; /* of the edges into `node` so far ... */
	uint32_t last;	 /* ... and the first that arrives then, as in the slot */
	bool all;	 /* keep the others, too */
};

static EDGES_INLINE bool edge_sink_removes(const struct edge_sink *b, unsigned kind)
{
	(void)b, (void)kind;
	return false;
}

static EDGES_INLINE uint64_t edge_sink_time(const struct edge_sink *b, uint64_t distance, enum edge_node node)
{
	return b->times[(ptrdiff_t)node - (ptrdiff_t)distance * EDGE_NODES];
}

static EDGES_INLINE void edge_sink_edge(struct edge_sink *b, uint64_t distance, enum edge_node from, int64_t weight,
					enum culprit_critical_kind kind)
{
	uint32_t back = (uint32_t)distance * EDGE_NODES + b->node - from;
	uint64_t arrival = b->times[(ptrdiff_t)b->node - back] + (uint64_t)weight;
	bool later = arrival > b->latest; /* no branch: which edge is last can hardly be predicted */
	b->latest = later ? arrival : b->latest;
	b->last = later ? back << CRITICAL_KIND_BITS | kind : b->last;
	if (b->all) {
		b->arrivals[b->count] = arrival;
		b->edges[b->count++] = (struct critical_edge){back, kind, 0};
	}
}

static EDGES_INLINE void edge_sink_settle(struct edge_sink *b, uint64_t add)
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
}

#include "analysis/edges/emit.h"

static EDGES_INLINE uint32_t place(struct culprit_critical *c, const struct culprit_record *r,
				   struct critical_slot *slot, const bool all)
{
	struct edge_sink b; /* field by field: clearing `arrivals` too took a third of this function's time */
	b.history = &c->history;
	b.parts = &slot->parts;
	b.node = NODE_F;
	b.slot = slot;
	b.edges = c->edges + c->edge_count;
	b.times = c->time + (size_t)c->end * EDGE_NODES;
	b.count = b.settled = 0;
	b.latest = c->history.count ? 0 : CRITICAL_ORIGIN;
	b.last = 0;
	b.all = all;
	edges_emit(&b, r);
	return b.count;
}

/* Noted while the edges are found, since the way through fetches may be longer than the history. */
static uint32_t refilled_by(const struct culprit_critical *c, const struct critical_slot *slot)
{
	uint32_t last = slot->last[NODE_F], source = c->end * EDGE_NODES + NODE_F - (last >> CRITICAL_KIND_BITS);
	if (!last)
		return CRITICAL_NOBODY;
	const struct critical_slot *from = &c->slots[source / EDGE_NODES];
	if ((last & ((1 << CRITICAL_KIND_BITS) - 1)) == CULPRIT_CRITICAL_bmisp)
		return from->row;
	return source % EDGE_NODES == NODE_F ? from->refill : CRITICAL_NOBODY;
}

/* A call to r->pc: r begins a function. A taken branch backwards to it: r begins a loop, the branch ends it. */
static void note_branch(const struct culprit_critical *c, struct critical_row *row, const struct culprit_record *r)
{
	const struct edge_history *h = &c->history;
	if (h->last.branch == CULPRIT_BRANCH_CALL || h->last.branch == CULPRIT_BRANCH_INDIRECT_CALL)
		row->public.calls++;
	bool direct = h->last.branch == CULPRIT_BRANCH_CONDITIONAL || h->last.branch == CULPRIT_BRANCH_JUMP;
	if (!direct || !(h->last.flags & CULPRIT_TAKEN) || r->pc > h->last.pc)
		return;
	uint64_t end = h->last.pc + h->last.length;
	row->iterations++;
	row->loop_end = end > row->loop_end ? end : row->loop_end;
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
	slot->refill = refilled_by(c, slot);
	struct critical_row *row = &c->rows[slot->row];
	row->public.executions++;
	if (c->history.count)
		note_branch(c, row, r);
	const struct edge_sink done = {
		.history = &c->history, .parts = &slot->parts, .times = c->time + (size_t)c->end * EDGE_NODES};
	const struct edge_stay stay = edges_stay(&done, r);
	edge_history_note(&c->history, r, &stay);
	c->end++;
	return true;
}
