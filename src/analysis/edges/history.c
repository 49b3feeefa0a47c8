/* See the header. */
#include "analysis/edges/history.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

static bool create_recent(struct edge_history *h)
{
	const struct culprit_graph_params *p = &h->params;
	const uint32_t sizes[RECENT_KINDS] = {
#define RECENT_KIND(name, parameter, scope, of_it) [RECENT_##name] = p->parameter,
#include "analysis/recent.def"
	};
	for (unsigned k = 0; k < RECENT_KINDS; k++) {
		uint64_t entries = power_of_two_from(sizes[k]);
		h->recent[k].size = sizes[k];
		h->recent[k].mask = entries - 1;
		h->recent[k].seq = calloc(entries, sizeof *h->recent[k].seq);
		if (!h->recent[k].seq)
			return false;
	}
	return true;
}

static bool create_asks(struct edge_history *h)
{
	if (!h->params.fetch_asked)
		return true;
	/* a fetch group is not longer than this, as in emit's group_edges */
	const uint64_t most = starts_records(&h->params) > EDGE_GROUP ? starts_records(&h->params) : EDGE_GROUP;
	h->ask_mask = power_of_two_from(most + 1) - 1;
	h->asks = calloc(h->ask_mask + 1, sizeof *h->asks);
	return h->asks != NULL;
}

bool edge_history_create(struct edge_history *h, const struct culprit_graph_params *params)
{
	*h = (struct edge_history){.params = *params, .reach = params->rob};
	starts_bound_fetch(&h->params);
	h->reach_most = (uint32_t)weights_reach(params, params->rob);
	h->fact_reach = params->rob * (params->window_factor ? params->window_factor : 1);
	record_lines_size(&h->lines, params);
	return edge_rooms_create(&h->rooms, params) && renames_create(&h->renames, params) && create_recent(h) &&
	       create_asks(h) && starts_create(&h->starts, &h->params) && record_facts_create(&h->facts, h->fact_reach);
}

void edge_history_destroy(struct edge_history *h)
{
	edge_rooms_destroy(&h->rooms);
	renames_destroy(&h->renames);
	for (unsigned k = 0; k < RECENT_KINDS; k++)
		free(h->recent[k].seq);
	record_facts_destroy(&h->facts);
	starts_destroy(&h->starts);
	free(h->asks);
	weights_destroy(&h->weighing.weights);
}

void edge_history_reset(struct edge_history *h)
{
	for (unsigned k = 0; k < RECENT_KINDS; k++)
		h->recent[k].count = 0;
	h->starts.count = 0;
	h->reach = h->params.rob;
	weights_destroy(&h->weighing.weights);
	edge_rooms_reset(&h->rooms);
	renames_reset(&h->renames);
	h->renamed = (struct edge_rename){.time = 0};
	record_facts_reset(&h->facts);
	memset(h->lines.lines, 0, sizeof h->lines.lines);
	memset(&h->last, 0, sizeof h->last);
	h->count = h->store_complete = h->store_latest = 0;
}

/* --- weights --- */

static bool begin_weighing(struct edge_history *h)
{
	const struct culprit_graph_params *p = &h->params;
	struct edge_weighing *w = &h->weighing;
	if (!weights_create(&w->weights, h->reach_most))
		return false;
	w->rob = weight_span_begin(p->rob, WEIGHT_ROB, h->count);
	w->dispatch = weight_span_begin(p->dispatch_width, WEIGHT_DISPATCH, h->count);
	w->commit = weight_span_begin(p->commit_width, WEIGHT_COMMIT, h->count);
	return true;
}

static const char *weigh(struct edge_history *h, const struct culprit_record *r)
{
	struct edge_weighing *w = &h->weighing;
	const char *wrong = weights_wrong(&h->params, r);
	if (wrong)
		return wrong;
	if (!w->weights.of && !begin_weighing(h))
		return "out of memory for weights";
	weights_note(&w->weights, h->count, r);
	h->backs.rob = weight_span_back(&w->rob, &w->weights, h->count);
	h->backs.dispatch = weight_span_back(&w->dispatch, &w->weights, h->count);
	h->backs.commit = weight_span_back(&w->commit, &w->weights, h->count);
	uint64_t window = weight_span_records(&w->rob, h->count);
	h->reach = window > h->params.rob ? (uint32_t)window : h->params.rob;
	if (window > h->reach_most || weight_span_records(&w->dispatch, h->count) > h->reach_most ||
	    weight_span_records(&w->commit, h->count) > h->reach_most)
		return "too many records in a row that take no ROB entry, dispatch or commit slot";
	return NULL;
}

/* By the records, when queue and registers had room for the next one. */
static void note_rename(struct edge_history *h, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &h->params;
#define RECENT_KIND(name, parameter, scope, of_it)                              \
	if ((RECENT_REGISTERS & 1 << RECENT_##name) && p->parameter && (of_it)) \
		renames_wait(&h->renames, &h->facts, h->count, edge_recent_distance(h, RECENT_##name, p->parameter));
#include "analysis/recent.def"
	h->facts.room = renames_room(&h->renames, p, r);
}

static uint64_t within_stream(const struct edge_history *h, uint64_t back)
{
	return back <= h->count ? back : 0;
}

bool edge_history_weigh(struct edge_history *h, const struct culprit_record *r, const char **why)
{
	const struct culprit_graph_params *p = &h->params;
	if (p->late_rename)
		note_rename(h, r);
	if (h->weighing.weights.of || weights_unusual(r)) {
		*why = weigh(h, r);
		return !*why;
	}
	h->backs.rob = within_stream(h, p->rob);
	h->backs.dispatch = within_stream(h, p->dispatch_width);
	h->backs.commit = within_stream(h, p->commit_width);
	return true;
}

/* --- noting --- */

static void note_recent(struct edge_history *h, enum recent_kind kind)
{
	struct edge_recent *recent = &h->recent[kind];
	if (recent->size)
		recent->seq[recent->count++ & recent->mask] = h->count;
}

static void note_memory(struct edge_history *h, const struct culprit_record *r, uint64_t complete)
{
	if ((r->flags & CULPRIT_LOAD) && edge_brings_line(h, r))
		record_lines_note(&h->lines, h->count, r, 0);
	if ((r->flags & CULPRIT_STORE) && complete >= h->store_complete) {
		h->store_complete = complete;
		h->store_latest = h->count;
	}
}

static void note_last(struct edge_history *h, const struct culprit_record *r)
{
	h->last.seq = r->seq;
	h->last.pc = r->pc;
	h->last.fetch = r->fetch;
	h->last.commit = r->commit;
	h->last.flags = r->flags;
	h->last.length = r->length;
	h->last.branch = r->branch;
}

void edge_history_note(struct edge_history *h, const struct culprit_record *r, const struct edge_stay *stay)
{
	record_facts_note(&h->facts, h->count, r);
	edge_rooms_note(&h->rooms, &h->params, r, h->count, stay);
	if (h->params.late_rename) {
		h->renamed = stay->renamed;
		renames_note(&h->renames, &h->params, r, h->count);
	}
#define RECENT_KIND(name, parameter, scope, of_it) \
	if (of_it)                                 \
		note_recent(h, RECENT_##name);
#include "analysis/recent.def"
	starts_note(&h->starts, h->count, r);
	if (h->asks)
		h->asks[h->count & h->ask_mask] = stay->asked;
	note_memory(h, r, stay->complete);
	note_last(h, r);
	h->count++;
}
