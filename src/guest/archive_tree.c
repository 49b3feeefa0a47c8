/* Files and directories that only the guest has, for checkpoints: nodes in breadth-first order from the tops, then the
 * names in each directory. A directory comes before what is in it, so what is loaded has no circles. */
#include "guest/archive.h"
#include "guest/memory_tree.h"

#include <stdlib.h>

struct nodes {
	struct node **nodes;
	size_t count, room;
};
enum { TOPS = sizeof(((struct guest *)0)->memory_tops) / sizeof(struct node *), NODES_MOST = 1 << 24 };

static bool nodes_add(struct nodes *n, struct node *node)
{
	if (n->count == n->room) {
		size_t room = n->room ? 2 * n->room : 64;
		struct node **nodes = realloc(n->nodes, room * sizeof(*nodes));

		if (!nodes)
			return false;
		n->nodes = nodes;
		n->room = room;
	}
	n->nodes[n->count++] = node;
	return true;
}

static size_t number(const struct nodes *n, const struct node *node)
{
	size_t i = 0;

	while (i < n->count && n->nodes[i] != node)
		i++;
	return i;
}

/* A node with several names is met several times. */
static bool list_nodes(const struct guest *g, struct nodes *n)
{
	*n = (struct nodes){0};
	for (size_t i = 0; i < TOPS; i++)
		if (!nodes_add(n, g->memory_tops[i]))
			return false;
	for (size_t i = 0; i < n->count; i++)
		for (const struct entry *e = tree_first(n->nodes[i]); e; e = e->next[0])
			if ((e->node->links < 2 || number(n, e->node) == n->count) && !nodes_add(n, e->node))
				return false;
	return true;
}

static void node_archive(struct archive *a, struct node *node)
{
	ARCHIVE(a, node->mode);
	ARCHIVE(a, node->inode);
	ARCHIVE(a, node->modified);
	memory_archive(&node->file, a);
}

/* --- names --- */

static void save_entries(const struct nodes *n, const struct node *directory, struct archive *a)
{
	uint64_t count = 0;

	for (const struct entry *e = tree_first(directory); e; e = e->next[0])
		count++;
	ARCHIVE(a, count);
	for (const struct entry *e = tree_first(directory); e; e = e->next[0]) {
		uint64_t child = number(n, e->node);

		ARCHIVE(a, child);
		bytes_put_text(a->to, e->name);
	}
}

/* Of a directory: its first name, and it comes after its parent. */
static bool may_hold(const struct nodes *n, size_t parent, uint64_t child, const char *name, const struct entry *before)
{
	const struct node *node = child < n->count ? n->nodes[child] : NULL;

	return node && child >= TOPS && name && *name && !strchr(name, '/') && S_ISDIR(n->nodes[parent]->mode) &&
	       (!S_ISDIR(node->mode) || (!node->links && child > parent)) &&
	       (!before || strcmp(before->name, name) < 0);
}

static struct entry *load_entry(const struct nodes *n, size_t parent, const struct entry *before, struct archive *a)
{
	uint64_t child = cursor_get(&a->from, 8);
	char *name = cursor_get_text(&a->from, 255);
	struct entry *e = name ? entry_new(n->nodes[parent], name) : NULL;

	if (name && !e)
		archive_no_memory(a);
	if (!e || !may_hold(n, parent, child, name, before)) {
		archive_fail(a, "it has a name in a directory that cannot be there");
		free(e);
		free(name);
		return NULL;
	}
	free(name);
	e->node = n->nodes[child];
	e->node->links++;
	if (S_ISDIR(e->node->mode))
		e->node->parent = n->nodes[parent];
	return e;
}

static void load_entries(const struct nodes *n, size_t parent, struct archive *a)
{
	struct entry *before = NULL;
	uint64_t count = 0;

	archive_count(a, &count, NODES_MOST);
	for (uint64_t i = 0; i < count && !a->failed; i++) {
		before = load_entry(n, parent, before, a);
		if (before)
			entry_put(n->nodes[parent], before);
	}
}

/* --- all of it --- */

static void save_tree(struct guest *g, struct archive *a)
{
	struct nodes n;

	if (!list_nodes(g, &n))
		archive_no_memory(a);
	ARCHIVE(a, n.count);
	for (size_t i = 0; i < n.count && !a->failed; i++)
		node_archive(a, n.nodes[i]);
	for (size_t i = 0; i < n.count && !a->failed; i++)
		save_entries(&n, n.nodes[i], a);
	free(n.nodes);
}

static void load_nodes(struct nodes *n, uint64_t count, struct archive *a)
{
	for (uint64_t i = 0; i < count && !a->failed && !a->from.failed; i++) {
		struct node *node = calloc(1, sizeof(*node));

		if (!node || !nodes_add(n, node)) {
			free(node);
			archive_no_memory(a);
			return;
		}
		node_archive(a, node);
		if (S_ISDIR(node->mode) && !node_open_lanes(node))
			archive_no_memory(a);
		if (i < TOPS && !S_ISDIR(node->mode))
			archive_fail(a, "a directory of its own is none");
	}
}

/* Those that no name leads to are nobody's after this. */
static void free_nameless(const struct nodes *n, struct archive *a)
{
	for (size_t i = 0; i < n->count; i++) {
		if (n->nodes[i]->links)
			continue;
		archive_fail(a, "it has a file without a name");
		free(n->nodes[i]->file.bytes);
		free(n->nodes[i]->lanes);
		free(n->nodes[i]);
	}
}

static void load_tree(struct guest *g, struct archive *a)
{
	struct nodes n = {0};
	uint64_t count = 0;

	archive_count(a, &count, NODES_MOST);
	load_nodes(&n, count, a);
	if (n.count < TOPS)
		archive_fail(a, "it has too few directories");
	for (size_t i = 0; i < TOPS && i < n.count; i++)
		n.nodes[i]->links = 1;
	for (size_t i = 0; i < n.count && !a->failed; i++)
		load_entries(&n, i, a);
	free_nameless(&n, a);
	for (size_t i = 0; i < TOPS && i < n.count; i++)
		g->memory_tops[i] = n.nodes[i];
	free(n.nodes);
}

void tree_archive(struct guest *g, struct archive *a)
{
	if (a->loading)
		load_tree(g, a);
	else
		save_tree(g, a);
	ARCHIVE(a, g->next_memory_inode);
}

/* An open file: which node, or the node itself where it has lost its name. Several may hold one. */
void tree_file_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	struct nodes n;
	struct node *node = f->state;
	bool listed = list_nodes(g, &n);
	uint64_t which = a->loading || !listed ? 0 : number(&n, node), first = 0;

	if (!listed)
		archive_no_memory(a);
	archive_count(a, &which, n.count);
	if (a->loading && which < n.count)
		node = n.nodes[which];
	if (which == n.count) {
		first = a->loading ? 0 : file_list_first(list, f);
		archive_count(a, &first, list->count);
		if (a->loading && first < list->count)
			node = list->files[first]->ops == f->ops ? list->files[first]->state : NULL;
		else if (a->loading)
			node = calloc(1, sizeof(*node));
		if (node && (a->loading ? first == list->count : list->files[first] == f))
			node_archive(a, node);
	}
	free(n.nodes);
	if (!node || S_ISDIR(node->mode) || S_ISLNK(node->mode))
		archive_fail(a, "it has an open file that is none");
	if (!a->loading || !node)
		return;
	f->state = node;
	node->holders++;
}
