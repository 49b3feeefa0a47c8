/* One walk from the buffer's last commit back to the chunk's start, in reverse topological order. Everything is
 * reckoned in slack, the cycles by which a node or an edge falls short of the longest path to that commit:
 *
 *   slack(last commit) = 0
 *   slack(edge a->b)   = slack(b) + the cycles by which the edge arrives before b's last one
 *   slack(a)           = least slack of the edges out of a
 *
 * Cutting the graph behind a node (numbers up to it on one side) cuts every path exactly once. So the longest path that
 * avoids an edge is the least slack of all other edges across a cut that it crosses. Two things follow, exactly:
 *   - Tune's cost of instruction i: for the cut behind E(i), the least slack of the edges that are not i's own latency;
 *   - a cycle is tied when a second edge without slack crosses the same cut.
 * For the first, edges across the cut are kept in a list (`detours`): of two edges the one with less slack that also
 * reaches further back makes the other one useless. For the second, edges without slack are counted. */
#include "analysis/critical/state.h"

#include <string.h>

/* --- detours --- */

/* Forget what does not cross the cut behind `node`; the list's last is then the least slack across it. */
static uint32_t least_detour(struct culprit_critical *c, uint32_t node)
{
	while (c->detour_count && c->detours[c->detour_count - 1].source > node)
		c->detour_count--;
	return c->detour_count ? c->detours[c->detour_count - 1].slack : UINT32_MAX;
}

/* From the list's end slack rises and sources fall. Sources lie within the longest edge's reach, so that the list
 * cannot outgrow its room. */
static void add_detour(struct culprit_critical *c, uint32_t slack, uint32_t source)
{
	struct critical_detour *d = c->detours;
	uint32_t n = c->detour_count, better = n;
	while (better > 0 && d[better - 1].slack <= slack) {
		if (d[better - 1].source <= source)
			return;
		better--;
	}
	uint32_t at = better; /* what lies below and reaches no further back is useless now */
	while (at > 0 && d[at - 1].source >= source)
		at--;
	while (better < n && d[better].slack == slack)
		better++;
	memmove(&d[at + 1], &d[better], (n - better) * sizeof *d);
	d[at] = (struct critical_detour){slack, source};
	c->detour_count = at + 1 + (n - better);
}

/* --- the walk --- */

struct walk {
	struct culprit_critical *c;
	struct critical_path *path;
	uint32_t live;	  /* edges without slack across the cut that the walk has reached */
	uint32_t longest; /* no instruction that the edges here could bypass takes that long */
	uint32_t detour;  /* least slack of a path that avoids the instruction's own latency */
};

/* `detours`: the edges may cross the cut behind some instruction's issue. */
static inline void relax(struct walk *w, uint32_t node, const struct critical_edge *first,
			 const struct critical_edge *end, bool detours)
{
	struct culprit_critical *c = w->c;
	uint32_t *slacks = c->slack, slack = slacks[node];
	for (const struct critical_edge *e = first; e < end; e++) {
		uint32_t source = node - e->back, s = slack + e->lag;
		s = s < slack ? UINT32_MAX : s;
		if (s < slacks[source])
			slacks[source] = s;
		if (s >= w->longest)
			continue;
		if (detours)
			add_detour(c, s, source);
		if (s == 0) {
			w->live++;
			c->starts[source]++;
		}
	}
}

static void walk_node(struct walk *w, uint32_t slot, enum edge_node n)
{
	struct culprit_critical *c = w->c;
	const struct critical_slot *s = &c->slots[slot];
	const struct critical_edge *edges = c->edges + s->edges;
	const struct critical_edge *first = edges + (n ? s->ends[n - 1] : 0), *end = edges + s->ends[n];
	uint32_t node = slot * EDGE_NODES + n;
	if (n == NODE_E)
		w->detour = least_detour(c, node);
	w->live -= c->starts[node];
	enum critical_tie in_node = w->live >= 1 ? TIE_BROKEN : TIE_NONE;
	bool last_inside = n == NODE_E || n == NODE_P; /* the schedule's, and the instruction's own latency */
	relax(w, node, first, end - last_inside, n != NODE_W);
	relax(w, node, end - last_inside, end, false);
	if (w->path->at == node)
		critical_path_step(w->path, in_node, w->live >= 2 ? TIE_BROKEN : TIE_NONE);
}

/* Cycles gone if the instruction took `latency` cycles less: until the longest path without it is the longest. */
static void count_row(struct walk *w, uint32_t slot)
{
	struct culprit_critical *c = w->c;
	struct culprit_critical_row *r = &c->rows[c->slots[slot].row].public;
	size_t node = (size_t)slot * EDGE_NODES;
	uint32_t slack = c->slack[node + NODE_P];
	r->watched++;
	c->totals.watched++;
	r->slack_sum += slack;
	r->zero_slack += slack == 0;
	r->slack_min = slack < r->slack_min ? slack : r->slack_min;
	c->totals.slack_sum += slack;
	c->totals.zero_slack += slack == 0;
	if (!w->detour)
		return;
	uint64_t latency = c->time[node + NODE_P] - c->time[node + NODE_E] + slack;
	uint64_t cost = latency < w->detour ? latency : w->detour;
	r->cost += cost;
	r->saved += cost > 0;
	c->totals.cost += cost;
}

/* The longest latency in each block of slots, the loop that holds dependents back included. */
static void find_longest(struct culprit_critical *c)
{
	memset(c->longest, 0, (c->end / CRITICAL_BLOCK + 1) * sizeof *c->longest);
	for (uint32_t slot = c->begin; slot < c->end; slot++) {
		const uint64_t *t = c->time + (size_t)slot * EDGE_NODES;
		uint64_t latency = t[NODE_W] - t[NODE_E];
		uint32_t clipped = latency < UINT32_MAX ? (uint32_t)latency : UINT32_MAX;
		uint32_t *longest = &c->longest[slot / CRITICAL_BLOCK];
		*longest = clipped > *longest ? clipped : *longest;
	}
}

/* ... and in all blocks that an edge to this slot's block can come from: a detour with more slack changes no cost. */
static uint32_t longest_near(const struct culprit_critical *c, uint32_t slot)
{
	uint32_t longest = 1, last = slot / CRITICAL_BLOCK, reach = c->kept / CRITICAL_BLOCK + 1;
	for (uint32_t block = last > reach ? last - reach : 0; block <= last; block++)
		longest = c->longest[block] > longest ? c->longest[block] : longest;
	return longest;
}

void critical_slack(struct critical_path *path)
{
	struct culprit_critical *c = path->c;
	size_t nodes = (size_t)c->end * EDGE_NODES;
	memset(c->slack, 0xff, nodes * sizeof *c->slack);
	memset(c->starts, 0, nodes);
	c->detour_count = 0;
	find_longest(c);
	struct walk w = {.c = c, .path = path};
	c->slack[path->at] = 0;
	for (uint32_t slot = c->end; slot-- > c->begin;) {
		if (slot + 1 == c->end || slot % CRITICAL_BLOCK == CRITICAL_BLOCK - 1)
			w.longest = longest_near(c, slot);
		for (unsigned n = EDGE_NODES; n-- > 0;)
			walk_node(&w, slot, n);
		if (slot < path->until)
			count_row(&w, slot);
	}
}
