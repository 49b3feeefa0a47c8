/* Groups that are dispatched as a whole (params.whole_groups): the first of a group waits for room for all of it, so
 * that the graph has to know who comes with it. Records wait until their group is complete. */
#include "analysis/graph/groups.h"

#include <stdlib.h>
#include <string.h>

bool graph_groups_create(struct culprit_graph *g)
{
	const struct culprit_graph_params *p = &g->params;
	if (!p->whole_groups || p->dispatch_width == 1 || p->late_rename || g->follows)
		return true;
	g->groups.kept = malloc(GRAPH_BATCH * sizeof *g->groups.kept);
	return g->groups.kept != NULL;
}

void graph_groups_destroy(struct culprit_graph *g)
{
	free(g->groups.kept);
}

/* Those of complete groups. As many of one cycle as are kept are no group of any machine. */
static size_t complete(const struct graph_groups *w)
{
	size_t end = w->count - 1;
	while (end && w->kept[end - 1].dispatch == w->kept[w->count - 1].dispatch)
		end--;
	return end ? end : w->count;
}

static bool pass_on(struct culprit_graph *g, size_t count)
{
	struct graph_groups *w = &g->groups;
	const bool good = graph_push_whole(g, w->kept, count);
	w->count -= count;
	memmove(w->kept, w->kept + count, w->count * sizeof *w->kept);
	return good;
}

bool graph_groups_push(struct culprit_graph *g, const struct culprit_record *records, size_t count)
{
	struct graph_groups *w = &g->groups;
	bool good = !g->failed;
	for (size_t n; count && good; count -= n, records += n) {
		n = count < GRAPH_BATCH - w->count ? count : GRAPH_BATCH - w->count;
		memcpy(w->kept + w->count, records, n * sizeof *records);
		w->count += n;
		good = w->count < GRAPH_BATCH || pass_on(g, complete(w));
	}
	return good;
}

bool graph_groups_flush(struct culprit_graph *g)
{
	return !g->groups.count || pass_on(g, g->groups.count);
}

/* Number `before` + 1 of those that take an entry of the pool finds one, in these lanes. */
static void floor_entry(struct floor *f, struct graph_pool *pool, uint32_t before, const void *mask)
{
	if (!pool->count || before >= pool->count)
		return;
	const char *row = graph_pool_row(f->g, pool, before);
	if (pool->halves == 1)
		floor_edge(f, 0, row, 0, mask);
	else
		floor_row(f, row, 0, mask);
}

/* Lanes in which the group waits for that part of the window. */
static const void *waiting(struct culprit_graph *g, const struct culprit_record *r, enum culprit_event_class part)
{
	return graph_mask(g, graph_owners_at(g, part, r->pc) | graph_owners_at(g, CULPRIT_EVENT_bw, r->pc));
}

/* Number `before` + 1 of those of the kind finds room for another one. */
static void floor_kind(struct floor *f, unsigned kind, uint32_t before, const void *mask)
{
	const struct graph_recent *recent = &f->g->recent[kind];
	if (before >= recent->near)
		return;
	const uint64_t number = recent->numbers[(recent->count - recent->near + before) & recent->mask];
	if (number)
		floor_node(f, graph_leaving(f->g), f->g->count + 1 - number, 0, mask);
}

static void floor_kinds(struct floor *f, const struct culprit_record *x, uint32_t *before)
{
	for (uint32_t kinds = graph_window_kinds(x) & f->g->kinds_dispatched; kinds; kinds &= kinds - 1) {
		const unsigned kind = (unsigned)__builtin_ctz(kinds);
		floor_kind(f, kind, before[kind]++, waiting(f->g, x, graph_window_event(kind)));
	}
}

/* The ROB, for x, which is `behind` r. Before the first record with a weight, weights of those behind are not kept
 * either: they count as one. */
static void floor_rob(struct floor *f, struct weight_span *held, const struct culprit_record *x, size_t behind)
{
	struct culprit_graph *g = f->g;
	const struct weights *w = &g->weighing.weights;
	uint64_t back = behind < g->most.near ? g->most.near - behind : 0;
	if (behind && w->of)
		back = weight_span_next(held, w, g->count, culprit_weight(x->rob_entries));
	if (behind && back && back < INT32_MAX)
		floor_node(f, graph_leaving(g), back, 0, waiting(g, x, CULPRIT_EVENT_rob));
}

/* params.rob_room: the ROB has room for so many entries, r's own among them, whatever comes behind it. */
static void floor_room(struct floor *f, const struct culprit_record *r)
{
	struct culprit_graph *g = f->g;
	const struct weights *w = &g->weighing.weights;
	struct weight_span held = g->weighing.near;
	const uint32_t own = culprit_weight(r->rob_entries);
	for (uint32_t k = own; own && k < g->params.rob_room; k++) {
		const uint64_t back = w->of ? weight_span_next(&held, w, g->count, 1) : g->most.near - k;
		if (back && back < INT32_MAX)
			floor_node(f, graph_leaving(g), back, 0, waiting(g, r, CULPRIT_EVENT_rob));
	}
}

void graph_groups_floor(struct culprit_graph *g, const struct culprit_record *r, struct floor *f)
{
	uint32_t queued[CULPRIT_GRAPH_QUEUES] = {0}, kinds[RECENT_KINDS] = {0}, stores = 0;
	const struct graph_groups *w = &g->groups;
	const size_t most = g->params.dispatch_width ? g->params.dispatch_width - 1 : GRAPH_BATCH,
		     more = w->left < most ? w->left : most;
	if (g->count && g->last->dispatch == r->dispatch)
		return;
	graph_catch_up(g);
	floor_room(f, r);
	struct weight_span held = g->weighing.near;
	const struct culprit_record *x = r;
	for (size_t k = 0; k <= more && x->dispatch == r->dispatch; x = &w->next[k++]) {
		floor_rob(f, &held, x, k);
		if (x->queue < g->params.queue_count)
			floor_entry(f, &g->queues[x->queue], queued[x->queue]++, waiting(g, x, CULPRIT_EVENT_iq));
		if (x->flags & CULPRIT_STORE)
			floor_entry(f, &g->writes.entries, stores++, waiting(g, x, CULPRIT_EVENT_lsq));
		floor_kinds(f, x, kinds);
	}
}
