/* The tree, made of the chains' counts: a node for every prefix of a chain that was counted.
 *
 * A chain runs from its effect to its leaf, so two chains with the same beginning share no interned node. They are
 * written out as rows of types and sorted; neighbours then share their beginning, and the tree comes out in preorder. A
 * second pass orders siblings by total. */
#include "analysis/stalls/state.h"

#include <stdlib.h>
#include <string.h>

/* --- from paths to a tree --- */

struct path {
	const uint32_t *types;
	uint32_t length;
	uint64_t count;
};

struct tree {
	struct culprit_stall_node *nodes;
	size_t count, capacity;
};

static int by_types(const void *left, const void *right)
{
	const struct path *a = left, *b = right;
	for (uint32_t i = 0; i < a->length && i < b->length; i++)
		if (a->types[i] != b->types[i])
			return a->types[i] < b->types[i] ? -1 : 1;
	return a->length < b->length ? -1 : a->length > b->length;
}

static bool add_node(struct tree *t, uint32_t parent, uint32_t type, uint32_t depth)
{
	if (t->count == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 256;
		struct culprit_stall_node *nodes = realloc(t->nodes, capacity * sizeof *nodes);
		if (!nodes)
			return false;
		t->nodes = nodes;
		t->capacity = capacity;
	}
	t->nodes[t->count++] = (struct culprit_stall_node){.parent = parent, .type = type, .depth = depth};
	return true;
}

static void sum_up(struct tree *t)
{
	for (size_t i = 0; i < t->count; i++) {
		t->nodes[i].total = t->nodes[i].own;
		t->nodes[i].end = (uint32_t)i + 1;
	}
	for (size_t i = t->count; i-- > 0;) {
		struct culprit_stall_node *n = &t->nodes[i];
		if (n->parent == CULPRIT_STALL_ROOT)
			continue;
		struct culprit_stall_node *p = &t->nodes[n->parent];
		p->total += n->total;
		p->end = n->end > p->end ? n->end : p->end;
	}
}

/* --- siblings, largest first --- */

struct sibling {
	uint64_t total;
	uint32_t type, node;
};

static int by_total(const void *left, const void *right)
{
	const struct sibling *a = left, *b = right;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->type < b->type ? -1 : a->type > b->type;
}

/* Children of the node at `from` (or the roots) in `in`, sorted, into `list`. */
static size_t siblings(const struct tree *in, size_t first, size_t end, struct sibling *list)
{
	size_t count = 0;
	for (size_t i = first; i < end; i = in->nodes[i].end)
		list[count++] = (struct sibling){in->nodes[i].total, in->nodes[i].type, (uint32_t)i};
	qsort(list, count, sizeof *list, by_total);
	return count;
}

/* Writes the tree again in its final order. `stack` holds nodes of `in` still to be written, next on top. */
static bool order(const struct tree *in, struct tree *out)
{
	struct sibling *list = malloc((in->count + 1) * sizeof *list);
	uint32_t *stack = malloc((in->count + 1) * sizeof *stack), *place = malloc((in->count + 1) * sizeof *place);
	bool ok = list && stack && place;
	size_t depth = 0, first = 0, end = in->count;
	for (bool more = ok; more;) {
		for (size_t n = siblings(in, first, end, list); n > 0; n--)
			stack[depth++] = list[n - 1].node;
		more = depth > 0;
		if (!more)
			break;
		uint32_t i = stack[--depth];
		const struct culprit_stall_node *n = &in->nodes[i];
		place[i] = (uint32_t)out->count;
		uint32_t parent = n->parent == CULPRIT_STALL_ROOT ? CULPRIT_STALL_ROOT : place[n->parent];
		ok = more = add_node(out, parent, n->type, n->depth);
		if (ok)
			out->nodes[place[i]].own = n->own;
		first = i + 1;
		end = n->end;
	}
	free(list);
	free(stack);
	free(place);
	return ok;
}

/* Sorts the paths. The same path twice is fine. */
static bool build(struct path *paths, size_t count, struct culprit_stall_node **nodes, size_t *node_count)
{
	struct tree t = {NULL, 0, 0}, sorted = {NULL, 0, 0};
	uint32_t open[65]; /* the nodes of the path before */
	const struct path *before = NULL;
	bool ok = true;
	qsort(paths, count, sizeof *paths, by_types);
	for (size_t i = 0; ok && i < count; i++) {
		const struct path *p = &paths[i];
		uint32_t same = 0;
		while (before && same < before->length && same < p->length && before->types[same] == p->types[same])
			same++;
		for (uint32_t d = same; ok && d < p->length; d++) {
			open[d] = (uint32_t)t.count;
			ok = add_node(&t, d ? open[d - 1] : CULPRIT_STALL_ROOT, p->types[d], d);
		}
		if (ok && p->length)
			t.nodes[open[p->length - 1]].own += p->count;
		before = p;
	}
	if (ok)
		sum_up(&t);
	ok = ok && order(&t, &sorted);
	free(t.nodes);
	if (ok)
		sum_up(&sorted);
	else
		free(sorted.nodes);
	*nodes = ok ? sorted.nodes : NULL;
	*node_count = ok ? sorted.count : 0;
	return ok;
}

/* --- the accumulator's paths --- */

static bool gather(const struct culprit_stalls *s, const struct stall_accumulator *a, struct culprit_stall_results *out)
{
	size_t count = 0, length = 0;
	for (uint32_t c = 1; c <= s->chain_count; c++) {
		count += a->counts[c] != 0;
		length += a->counts[c] ? s->nodes[c].depth : 0;
	}
	struct path *paths = malloc((count + 1) * sizeof *paths);
	uint32_t *types = malloc((length + 1) * sizeof *types), *next = types;
	bool ok = paths && types;
	size_t i = 0;
	for (uint32_t c = 1; ok && c <= s->chain_count; c++) {
		const struct chain_node *n = &s->nodes[c];
		if (!a->counts[c])
			continue;
		paths[i++] = (struct path){next, n->depth, a->counts[c]};
		out->leaf_totals[n->leaf] += a->counts[c];
		out->snipped += n->flags & CHAIN_SNIPPED ? a->counts[c] : 0;
		out->folded += n->flags & CHAIN_FOLDED ? a->counts[c] : 0;
		for (uint32_t at = c; at; at = s->nodes[at].cause)
			*next++ = s->nodes[at].type;
	}
	ok = ok && build(paths, count, &out->nodes, &out->node_count);
	free(paths);
	free(types);
	return ok;
}

/* Each path counts once for a type, however often the type is on it: nodes with an ancestor of their type do not. */
static void node_summary(struct culprit_stall_results *out)
{
	for (size_t i = 0; i < out->node_count; i++) {
		const struct culprit_stall_node *n = &out->nodes[i];
		uint32_t up = n->parent;
		while (up != CULPRIT_STALL_ROOT && out->nodes[up].type != n->type)
			up = out->nodes[up].parent;
		if (up == CULPRIT_STALL_ROOT)
			out->node_totals[n->type] += n->total;
	}
}

static bool copy_intervals(const struct culprit_stalls *s, const struct stall_accumulator *a,
			   struct culprit_stall_results *out)
{
	size_t width = 2 * (size_t)s->type_count;
	out->interval = a->interval;
	out->intervals = calloc(a->row_count + 1, sizeof *out->intervals);
	uint64_t *rows = malloc((a->row_count + 1) * width * sizeof *rows);
	if (!out->intervals || !rows) {
		free(rows);
		return false;
	}
	if (a->row_count)
		memcpy(rows, a->rows, a->row_count * width * sizeof *rows);
	out->intervals[a->row_count].leaves = rows; /* where it is freed from */
	out->interval_count = a->row_count;
	for (size_t i = 0; i < a->row_count; i++) {
		struct culprit_stall_interval *v = &out->intervals[i];
		v->first = i * a->interval;
		v->cycles = a->end - v->first < a->interval ? a->end - v->first : a->interval;
		v->leaves = rows + i * width;
		v->tops = v->leaves + s->type_count;
		for (uint32_t t = 0; t < s->type_count; t++)
			v->lost += v->leaves[t];
	}
	return true;
}

bool culprit_stalls_results(const struct culprit_stalls *s, uint32_t accumulator, struct culprit_stall_results *out)
{
	const struct stall_accumulator *a = &s->accumulators[accumulator];
	*out = (struct culprit_stall_results){
		.accumulator = a->name,
		.width = a->width,
		.counted = a->counted,
		.lost = a->counted - a->elsewhere,
		.elsewhere = a->elsewhere,
		.type_count = s->type_count,
		.chains = s->chain_count,
		.dropped_events = s->dropped_events,
	};
	struct culprit_stall_type_info *types = malloc(s->type_count * sizeof *types);
	out->types = types;
	out->leaf_totals = calloc(s->type_count, sizeof *out->leaf_totals);
	out->node_totals = calloc(s->type_count, sizeof *out->node_totals);
	bool ok = types && out->leaf_totals && out->node_totals;
	if (ok) {
		memcpy(types, s->types, s->type_count * sizeof *types);
		ok = gather(s, a, out) && copy_intervals(s, a, out);
	}
	if (!ok)
		culprit_stalls_results_free(out);
	else
		node_summary(out);
	return ok;
}

void culprit_stalls_results_free(struct culprit_stall_results *r)
{
	if (r->intervals)
		free((void *)r->intervals[r->interval_count].leaves);
	free(r->intervals);
	free((void *)r->types);
	free(r->nodes);
	free(r->leaf_totals);
	free(r->node_totals);
	*r = (struct culprit_stall_results){.accumulator = NULL};
}

bool culprit_stalls_invert(const struct culprit_stall_results *r, struct culprit_stall_node **nodes, size_t *node_count)
{
	size_t count = 0, length = 0, i = 0;
	for (size_t n = 0; n < r->node_count; n++) {
		count += r->nodes[n].own != 0;
		length += r->nodes[n].own ? r->nodes[n].depth + 1 : 0;
	}
	struct path *paths = malloc((count + 1) * sizeof *paths);
	uint32_t *types = malloc((length + 1) * sizeof *types), *next = types;
	bool ok = paths && types;
	for (size_t n = 0; ok && n < r->node_count; n++) {
		if (!r->nodes[n].own)
			continue;
		paths[i++] = (struct path){next, r->nodes[n].depth + 1, r->nodes[n].own};
		for (uint32_t at = (uint32_t)n; at != CULPRIT_STALL_ROOT; at = r->nodes[at].parent)
			*next++ = r->nodes[at].type;
	}
	ok = ok && build(paths, count, nodes, node_count);
	free(paths);
	free(types);
	return ok;
}
