/* The edges into F: redirects, fetch groups, room in the front end. A part of emit.h, which is the one to include. */
#ifndef CULPRIT_ANALYSIS_EDGES_FETCH_H
#define CULPRIT_ANALYSIS_EDGES_FETCH_H

#include "analysis/edges/sink.h"

static inline bool line_break(const struct edge_history *h, const struct culprit_record *r)
{
	const uint64_t before = starts_last_byte(h->last.pc, h->last.length);
	return !(h->last.flags & CULPRIT_TAKEN) && starts_next_line(&h->params, before, r);
}

/* An edge into F; where lines are asked for ahead of fetch, to the asking. */
static EDGES_INLINE void fetch_edge(struct edge_sink *b, uint64_t distance, enum edge_node from, uint32_t weight,
				    enum culprit_critical_kind kind)
{
	struct edge_ask *latest = &b->parts->asked;
	if (!b->history->asks) {
		edge(b, distance, from, weight, kind);
		return;
	}
	if (edge_sink_removes(b, kind))
		return;
	const uint64_t time = edge_sink_time(b, distance, from) + weight;
	if (time > latest->time)
		*latest = (struct edge_ask){time, b->history->count - distance, (uint8_t)from, (uint8_t)kind};
}

/* From F of the instruction `back` before; where lines are asked for ahead, from its asking. What that waited for
 * is the source then, if its line took time. */
static EDGES_INLINE void group_edge(struct edge_sink *b, uint64_t back, uint32_t weight,
				    enum culprit_critical_kind kind)
{
	struct edge_ask *latest = &b->parts->asked;
	if (!b->history->asks || edge_sink_time(b, back, NODE_F) == edge_asked(b->history, back)->time) {
		fetch_edge(b, back, NODE_F, weight, kind);
		return;
	}
	const struct edge_ask *from = edge_asked(b->history, back);
	if (from->time + weight <= latest->time || edge_sink_removes(b, kind))
		return;
	*latest = *from;
	latest->time += weight;
}

static EDGES_INLINE void decode_edges(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	uint32_t insns = h->params.decode_insns;
	uint64_t held = insns ? starts_end(&h->starts, h->count, insns + 1ull) : 0;
	fetch_edge(b, 1, NODE_F, r->redirect + (insns ? h->params.decode_stages : 1), CULPRIT_CRITICAL_btb);
	if (held && !edge_sink_removes(b, CULPRIT_CRITICAL_fetch))
		fetch_edge(b, held, NODE_D, r->redirect, CULPRIT_CRITICAL_btb);
}

static EDGES_INLINE void redirect_edge(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	uint16_t before = h->last.flags;
	uint64_t start = r->fetch - r->imiss - r->itlb;
	const bool violated = r->flags & CULPRIT_VIOLATED;
	const uint32_t store = violated ? record_violator(&h->facts, &h->params, h->count, r) : 0;
	if (store && store <= h->reach)
		fetch_edge(b, store, NODE_P, r->redirect, CULPRIT_CRITICAL_memory);
	else if (violated)
		return;
	else if (before & CULPRIT_MISPREDICTED)
		fetch_edge(b, 1, NODE_P, r->redirect, CULPRIT_CRITICAL_bmisp);
	else if (before & CULPRIT_SERIALISING)
		fetch_edge(b, 1, NODE_C, r->redirect, CULPRIT_CRITICAL_serial);
	else if (before & CULPRIT_BTB_MISS)
		decode_edges(b, r);
	else if (r->redirect && start >= h->last.commit)
		fetch_edge(b, 1, NODE_C, clip(start - h->last.commit), CULPRIT_CRITICAL_other);
}

static EDGES_INLINE void group_edges(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	bool after_one = line_break(h, r);
	if (h->last.flags & CULPRIT_TAKEN) {
		uint64_t back = edge_recent_distance(h, RECENT_TAKEN, h->params.taken_limit);
		after_one = after_one || back == 1;
		uint32_t cracked = h->params.cracked ? h->params.cracked : 1;
		if (back > 1 && back <= (h->params.fetch_width ? h->params.fetch_width * cracked : EDGE_GROUP))
			group_edge(b, back, 1, CULPRIT_CRITICAL_fetch);
	}
	if (after_one)
		group_edge(b, 1, 1, CULPRIT_CRITICAL_fetch);
	uint64_t width = starts_back(&h->starts, h->count, h->params.fetch_width);
	if (width && !(width == 1 && after_one))
		group_edge(b, width, 1, CULPRIT_CRITICAL_fetch);
	uint64_t room = starts_end(&h->starts, h->count, h->asks ? h->params.fetch_asked : h->params.frontend_capacity);
	if (room)
		fetch_edge(b, room, h->asks ? NODE_F : NODE_D, 0, CULPRIT_CRITICAL_fetch);
}

/* An edge into F from behind the asking, and when it arrives. */
static EDGES_INLINE uint64_t leave_edge(struct edge_sink *b, uint64_t distance, enum edge_node from, uint32_t weight,
					enum culprit_critical_kind kind)
{
	if (!distance || edge_sink_removes(b, kind))
		return 0;
	edge_sink_edge(b, distance, from, weight, kind);
	return edge_sink_time(b, distance, from) + weight;
}

/* In order, so many in a cycle, to where there is room; and not before the line is there. `cycles`: that it takes. What
 * of these the instruction waits is what F has of them. */
static EDGES_INLINE uint64_t arrival_edges(struct edge_sink *b, const struct culprit_record *r, uint64_t cycles)
{
	const struct edge_history *h = b->history;
	const struct edge_ask *asked = &b->parts->asked;
	const uint64_t front = leave_edge(b, 1, NODE_F, 0, CULPRIT_CRITICAL_order);
	uint64_t leaves = front;
	if (r->length || !h->starts.numbers) {
		const uint64_t of[] = {leave_edge(b, starts_back(&h->starts, h->count, h->params.fetch_width), NODE_F,
						  1, CULPRIT_CRITICAL_fetch),
				       leave_edge(b, starts_end(&h->starts, h->count, h->params.frontend_capacity),
						  NODE_D, 0, CULPRIT_CRITICAL_fetch)};
		leaves = of[0] > leaves ? of[0] : leaves;
		leaves = of[1] > leaves ? of[1] : leaves;
	}
	const uint64_t distance = h->count - asked->source, own = asked->time > leaves ? asked->time : leaves;
	const enum edge_node node = (enum edge_node)asked->node;
	if (asked->time > front && distance <= h->reach)
		edge_sink_edge(b, distance, node, (uint32_t)(asked->time - edge_sink_time(b, distance, node)),
			       (enum culprit_critical_kind)asked->kind);
	else if (asked->time > front) /* too far back: all of it is bandwidth since */
		edge_sink_edge(b, 1, NODE_F, (uint32_t)(asked->time - front), CULPRIT_CRITICAL_fetch);
	return asked->time + cycles > own ? asked->time + cycles - own : 0;
}

static EDGES_INLINE void edges_fetch(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	struct edge_parts *x = b->parts;
	x->asked = (struct edge_ask){.time = 0};
	if (h->count) {
		redirect_edge(b, r);
		if (r->length || !h->starts.numbers)
			group_edges(b, r);
		group_edge(b, 1, 0, CULPRIT_CRITICAL_order);
	}
	x->fetch_kind = (uint8_t)level_kind(r->ilevel, CULPRIT_CRITICAL_iport);
	x->imiss = cycles_of(b, x->fetch_kind, r->imiss);
	x->itlb = cycles_of(b, CULPRIT_CRITICAL_itlb, r->itlb);
	const uint64_t cycles = (uint64_t)x->imiss + x->itlb;
	if (!h->asks) {
		settle(b, cycles);
		return;
	}
	const uint64_t waited = h->count ? arrival_edges(b, r, cycles) : cycles;
	x->imiss = waited < x->imiss ? (uint32_t)waited : x->imiss; /* the line comes behind its translation */
	x->itlb = (uint32_t)(waited - x->imiss);
	settle(b, waited);
	if (!h->count)
		x->asked = (struct edge_ask){edge_sink_time(b, 0, NODE_F) - cycles, 0, NODE_F, CULPRIT_CRITICAL_order};
}

#endif
