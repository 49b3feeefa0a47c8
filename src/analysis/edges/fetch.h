/* The edges into F: redirects, fetch groups, room in the front end. A part of emit.h, which is the one to include. */
#ifndef CULPRIT_ANALYSIS_EDGES_FETCH_H
#define CULPRIT_ANALYSIS_EDGES_FETCH_H

#include "analysis/edges/sink.h"

static inline bool line_break(const struct edge_history *h, const struct culprit_record *r)
{
	const uint64_t before = starts_last_byte(h->last.pc, h->last.length);
	return !(h->last.flags & CULPRIT_TAKEN) && starts_next_line(&h->params, before, r);
}

static EDGES_INLINE void decode_edges(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	uint32_t insns = h->params.decode_insns;
	uint64_t held = insns ? starts_end(&h->starts, h->count, insns + 1ull) : 0;
	edge(b, 1, NODE_F, r->redirect + (insns ? h->params.decode_stages : 1), CULPRIT_CRITICAL_btb);
	if (held && !edge_sink_removes(b, CULPRIT_CRITICAL_fetch))
		edge(b, held, NODE_D, r->redirect, CULPRIT_CRITICAL_btb);
}

static EDGES_INLINE void redirect_edge(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	uint16_t before = h->last.flags;
	uint64_t start = r->fetch - r->imiss - r->itlb;
	if (r->flags & CULPRIT_VIOLATED)
		edge_within(b, r->mem_producer, NODE_P, r->redirect, CULPRIT_CRITICAL_memory);
	else if (before & CULPRIT_MISPREDICTED)
		edge(b, 1, NODE_P, r->redirect, CULPRIT_CRITICAL_bmisp);
	else if (before & CULPRIT_SERIALISING)
		edge(b, 1, NODE_C, r->redirect, CULPRIT_CRITICAL_serial);
	else if (before & CULPRIT_BTB_MISS)
		decode_edges(b, r);
	else if (r->redirect && start >= h->last.commit)
		edge(b, 1, NODE_C, clip(start - h->last.commit), CULPRIT_CRITICAL_other);
}

static EDGES_INLINE void group_edges(struct edge_sink *b, const struct culprit_record *r)
{
	const struct edge_history *h = b->history;
	bool after_one = line_break(h, r);
	if (h->last.flags & CULPRIT_TAKEN) {
		uint64_t back = edge_recent_distance(h, RECENT_TAKEN, h->params.taken_limit);
		after_one = after_one || back == 1;
		uint32_t cracked = h->params.cracked ? h->params.cracked : 1;
		if (back > 1 && back <= (h->params.fetch_width ? h->params.fetch_width * cracked : 256))
			edge(b, back, NODE_F, 1, CULPRIT_CRITICAL_fetch);
	}
	if (after_one)
		edge(b, 1, NODE_F, 1, CULPRIT_CRITICAL_fetch);
	uint64_t width = starts_back(&h->starts, h->count, h->params.fetch_width);
	uint64_t room = starts_end(&h->starts, h->count, h->params.frontend_capacity);
	if (width && !(width == 1 && after_one))
		edge(b, width, NODE_F, 1, CULPRIT_CRITICAL_fetch);
	if (room)
		edge(b, room, NODE_D, 0, CULPRIT_CRITICAL_fetch);
}

static EDGES_INLINE void edges_fetch(struct edge_sink *b, const struct culprit_record *r)
{
	if (b->history->count) {
		redirect_edge(b, r);
		if (r->length || !b->history->starts.numbers)
			group_edges(b, r);
		edge(b, 1, NODE_F, 0, CULPRIT_CRITICAL_order);
	}
	struct edge_parts *x = b->parts;
	x->fetch_kind = (uint8_t)level_kind(r->ilevel, CULPRIT_CRITICAL_iport);
	x->imiss = cycles_of(b, x->fetch_kind, r->imiss);
	x->itlb = cycles_of(b, CULPRIT_CRITICAL_itlb, r->itlb);
	settle(b, (uint64_t)x->imiss + x->itlb);
}

#endif
