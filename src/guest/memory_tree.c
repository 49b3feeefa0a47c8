/* The tree: nodes are files, directories and links; entries are their names. All of it is counted as the guest's
 * memory: of a name's lanes two, which is what a name has on average. */
#include "guest/memory_tree.h"

#include "guest/archive.h"
#include "guest/watches.h"

#include <stdlib.h>

static const char *const tops[] = {"/tmp", "/var/tmp", "/dev/shm", "/home"};
#define TOPS (sizeof(tops) / sizeof(*tops))

size_t tree_covers(const char *path)
{
	for (size_t i = 0; i < TOPS; i++) {
		size_t length = strlen(tops[i]);

		if (!strncmp(path, tops[i], length) && (!path[length] || path[length] == '/'))
			return length;
	}
	return 0;
}

static uint64_t size_of_node(uint32_t mode)
{
	return sizeof(struct node) + (S_ISDIR(mode) ? ENTRY_LANES * sizeof(struct entry *) : 0);
}

static uint64_t size_of_entry(const char *name)
{
	return sizeof(struct entry) + 2 * sizeof(struct entry *) + strlen(name) + 1;
}

bool node_open_lanes(struct node *directory)
{
	directory->lanes = calloc(ENTRY_LANES, sizeof(*directory->lanes));
	return directory->lanes != NULL;
}

static struct node *node_new(struct guest *g, uint32_t mode)
{
	struct node *n = guest_charge(g, size_of_node(mode)) ? calloc(1, sizeof(*n)) : NULL;

	if (!n || (S_ISDIR(mode) && !node_open_lanes(n))) {
		free(n);
		return NULL;
	}
	n->mode = mode;
	n->inode = 1000000 + g->next_memory_inode++;
	n->modified = clock_realtime(g);
	return n;
}

static void node_drop(struct guest *g, struct node *n)
{
	if (n->links || n->holders)
		return;
	if (g->watches)
		watch_gone(g, 4, n->inode); /* the device, as tree_status has it */
	guest_uncharge(g, size_of_node(n->mode));
	memory_drop(g, &n->file);
	fifo_drop(g, n);
	free(n->lanes);
	free(n);
}

bool tree_create(struct guest *g)
{
	for (size_t i = 0; i < TOPS; i++) {
		struct node *n = node_new(g, S_IFDIR | 0777);

		if (!n)
			return false;
		n->links = 1;
		g->memory_tops[i] = n;
	}
	return true;
}

/* Without going down into itself: a tree may be as deep as the guest likes. */
static void clear(struct guest *g, struct node *top)
{
	struct node *at = top;

	while (tree_first(at) || at != top) {
		struct entry *e = tree_first(at);

		if (!e) { /* empty: back up, where its own name is the next to go */
			at = at->parent;
			continue;
		}
		if (tree_first(e->node)) {
			at = e->node;
			continue;
		}
		unsigned lane = 0;
		do
			at->lanes[lane] = e->next[lane]; /* it is the first of each */
		while (++lane < e->height);
		e->node->links--;
		node_drop(g, e->node);
		free(e);
	}
}

void tree_destroy(struct guest *g)
{
	for (size_t i = 0; i < TOPS && g->memory_tops[i]; i++) {
		clear(g, g->memory_tops[i]);
		g->memory_tops[i]->links = 0;
		node_drop(g, g->memory_tops[i]);
	}
}

/* Of entry `e` before (below 0), at, or behind a name. */
static int order(const struct entry *e, const char *name, size_t length)
{
	int order = strncmp(e->name, name, length);

	return order ? order : e->name[length] != '\0';
}

/* The entry of that name, or NULL. links, if wanted, receives for each lane the link that leads to the first entry not
 * before the name. */
static struct entry *entry_find(struct node *directory, const char *name, size_t length,
				struct entry **links[ENTRY_LANES])
{
	struct entry **tower = directory->lanes;

	for (unsigned lane = ENTRY_LANES; tower && lane-- > 0;) {
		while (tower[lane] && order(tower[lane], name, length) < 0)
			tower = tower[lane]->next;
		if (links)
			links[lane] = &tower[lane];
	}
	return tower && tower[0] && !order(tower[0], name, length) ? tower[0] : NULL;
}

static struct node *child(struct node *directory, const char *name, size_t length)
{
	const struct entry *e = entry_find(directory, name, length, NULL);

	return e ? e->node : NULL;
}

/* One lane for half of all names, two for a quarter, ...: by a hash that has the directory's address in it. */
static unsigned height_of(const struct node *directory, const char *name)
{
	uint64_t hash = (uint64_t)(uintptr_t)directory;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 0x9e3779b97f4a7c15, hash ^= hash >> 32;
	return (unsigned)__builtin_ctzll(hash | 1ull << (ENTRY_LANES - 1)) + 1;
}

struct entry *entry_new(const struct node *directory, const char *name)
{
	unsigned height = height_of(directory, name);
	struct entry *e = malloc(sizeof(*e) + height * sizeof(*e->next) + strlen(name) + 1);

	if (!e)
		return NULL;
	e->height = height;
	e->name = strcpy((char *)&e->next[height], name);
	return e;
}

void entry_put(struct node *directory, struct entry *e)
{
	struct entry **links[ENTRY_LANES];

	entry_find(directory, e->name, strlen(e->name), links);
	for (unsigned lane = 0; lane < e->height; lane++) {
		e->next[lane] = *links[lane];
		*links[lane] = e;
	}
}

struct node *tree_find(struct guest *g, const char *path, struct node **parent)
{
	size_t top = tree_covers(path);
	struct node *n = NULL;

	*parent = NULL;
	for (size_t i = 0; i < TOPS; i++)
		if (strlen(tops[i]) == top && !strncmp(path, tops[i], top))
			n = g->memory_tops[i];
	for (path += top; *path; path += strcspn(path, "/")) {
		path += strspn(path, "/");
		if (!n || !S_ISDIR(n->mode)) {
			*parent = NULL;
			return NULL;
		}
		*parent = n;
		n = child(n, path, strcspn(path, "/"));
	}
	return n;
}

static const char *last_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

int64_t tree_link(struct guest *g, struct node *node, struct node *parent, const char *path)
{
	const char *name = last_of(path);
	struct entry *e = guest_charge(g, size_of_entry(name)) ? entry_new(parent, name) : NULL;

	if (!e)
		return -GUEST_ENOSPC;
	e->node = node;
	entry_put(parent, e);
	node->links++;
	if (S_ISDIR(node->mode))
		node->parent = parent;
	parent->modified = clock_realtime(g);
	return 0;
}

int64_t tree_make(struct guest *g, struct node *parent, const char *path, uint32_t mode, const char *target,
		  struct node **made)
{
	struct node *n = parent->links ? node_new(g, mode) : NULL;
	int64_t result = n ? 0 : parent->links ? -GUEST_ENOSPC : -GUEST_ENOENT;

	if (result)
		return result;
	if (target) {
		result = memory_resize(g, &n->file, strlen(target));
		if (!result)
			memcpy(n->file.bytes, target, strlen(target));
	}
	if (!result)
		result = tree_link(g, n, parent, path);
	if (result)
		node_drop(g, n);
	else if (made)
		*made = n;
	return result;
}

static void take_name(struct guest *g, struct node *parent, const char *name)
{
	struct entry **links[ENTRY_LANES], *e = entry_find(parent, name, strlen(name), links);

	if (!e) /* the callers have found it */
		return;
	for (unsigned lane = 0; lane < e->height; lane++)
		*links[lane] = e->next[lane];
	e->node->links--;
	guest_uncharge(g, size_of_entry(e->name));
	free(e);
	parent->modified = clock_realtime(g);
}

int64_t tree_unlink(struct guest *g, struct node *parent, const char *path, bool directory)
{
	const char *name = last_of(path);
	struct node *n = child(parent, name, strlen(name));

	if (!n)
		return -GUEST_ENOENT;
	if (directory != S_ISDIR(n->mode))
		return directory ? -GUEST_ENOTDIR : -GUEST_EISDIR;
	if (tree_first(n))
		return -GUEST_ENOTEMPTY;
	take_name(g, parent, name);
	node_drop(g, n);
	return 0;
}

static bool is_below(const struct node *n, const struct node *above)
{
	while (n && n != above)
		n = n->parent;
	return n != NULL;
}

int64_t tree_rename(struct guest *g, struct node *from, const char *from_path, struct node *to, const char *to_path)
{
	const char *name = last_of(from_path), *new_name = last_of(to_path);
	struct node *n = child(from, name, strlen(name)), *old = child(to, new_name, strlen(new_name));
	int64_t result;

	if (!n)
		return -GUEST_ENOENT;
	if (n == old)
		return 0;
	if (S_ISDIR(n->mode) && is_below(to, n))
		return -GUEST_EINVAL;
	if (old && S_ISDIR(old->mode) != S_ISDIR(n->mode))
		return S_ISDIR(old->mode) ? -GUEST_EISDIR : -GUEST_ENOTDIR;
	if (old) {
		result = tree_unlink(g, to, to_path, S_ISDIR(old->mode));
		if (result)
			return result;
	}
	result = tree_link(g, n, to, to_path);
	if (!result)
		take_name(g, from, name);
	return result;
}

void tree_status(struct guest *g, const struct node *n, struct file_status *status)
{
	bool directory = S_ISDIR(n->mode);

	*status = (struct file_status){
		.device = 4,
		.inode = n->inode,
		.size = directory ? 4096 : n->file.size,
		.mode = n->mode,
		.links = directory ? 1 : n->links,
		.uid = GUEST_UID,
		.gid = GUEST_UID,
		.modified = n->modified,
	};
	status->blocks = (status->size + 511) / 512;
}

/* --- open files --- */

static int64_t file_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	tree_status(g, f->state, status);
	return 0;
}

static int64_t file_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct node *n = f->state;

	n->modified = clock_realtime(g);
	return memory_write(g, f, from, size, offset);
}

static int64_t file_truncate(struct guest *g, struct open_file *f, uint64_t size)
{
	struct node *n = f->state;

	n->modified = clock_realtime(g);
	return memory_resize(g, &n->file, size);
}

void node_let_go(struct guest *g, struct node *n)
{
	n->holders--;
	node_drop(g, n);
}

static void file_close(struct guest *g, struct open_file *f)
{
	node_let_go(g, f->state);
}

static const struct file_ops tree_ops = {
	.seekable = true,
	.read = memory_read,
	.write = file_write,
	.size = memory_size,
	.truncate = file_truncate,
	.common = memory_common,
	.status = file_status,
	.release = file_close,
};

void node_change_mode(struct node *n, uint32_t mode)
{
	n->mode = (n->mode & S_IFMT) | (mode & 0777);
}

void tree_change_mode(struct open_file *f, uint32_t mode)
{
	if (f->ops == &tree_ops)
		node_change_mode(f->state, mode);
}

const struct file_kind tree_kind = {"a file in memory", &tree_ops, tree_file_archive};

int64_t tree_open(struct guest *g, struct node *n, const char *path, unsigned flags, struct open_file **file)
{
	*file = file_new(&tree_ops, flags, -1, path);
	if (!*file)
		return -GUEST_ENOMEM;
	(*file)->state = n;
	(*file)->may_change = true;
	n->holders++;
	return flags & GUEST_O_TRUNC ? file_truncate(g, *file, 0) : 0;
}
