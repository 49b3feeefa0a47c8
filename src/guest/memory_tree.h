/* Files of the guest that are nowhere on the host: /tmp, /var/tmp, /dev/shm and /home are directories in memory, empty
 * at the start and gone at the end. A simulation continued by fork has its own, as it has its own memory. */
#ifndef CULPRIT_GUEST_MEMORY_TREE_H
#define CULPRIT_GUEST_MEMORY_TREE_H

#include "guest/files.h"

#define MEMORY_FILE_MAX (1ull << 32)

/* The bytes of a file in memory; `state` of an open one. */
struct memory_file {
	uint8_t *bytes;
	uint64_t size, room;
	struct common *common; /* NULL: `bytes` is malloc's; else mapped from there */
};

struct node {
	struct memory_file file; /* a link's target, too; must be first: `state` of the open file */
	uint32_t mode;
	unsigned links, holders; /* names; open files */
	uint64_t inode, modified;
	struct node *parent;  /* directories */
	struct entry **lanes; /* directories: where each of their ENTRY_LANES lanes begins */
	struct pipe *pipe;    /* of a named pipe that is open, or has what nobody has read; NULL: none */
};

/* The names of a directory are a skip list (Pugh, CACM 1990): lane 0 has all of them in order, each further one about
 * half of those of the one below, so that neither finding nor adding one takes time in proportion to their number. How
 * high an entry reaches shows in no result; it depends on where things lie in the host's memory, so that no guest can
 * choose it. */
#define ENTRY_LANES 20
struct entry {
	struct node *node;
	char *name; /* behind the lanes */
	unsigned height;
	struct entry *next[];
};

/* The first name of a directory, in order, or NULL; then e->next[0]. */
static inline struct entry *tree_first(const struct node *directory)
{
	return directory->lanes ? directory->lanes[0] : NULL;
}

bool tree_create(struct guest *g);
/* A name that is in no directory yet, and where one that is not there yet goes. NULL, false: no memory. */
struct entry *entry_new(const struct node *directory, const char *name);
bool node_open_lanes(struct node *directory);
void entry_put(struct node *directory, struct entry *e);
void tree_destroy(struct guest *g);
/* Is the path one of these directories, or below? The directory's length, or 0. */
size_t tree_covers(const char *path);
/* What is there, or NULL; *parent receives the directory where the last component is or would be, or NULL. */
struct node *tree_find(struct guest *g, const char *path, struct node **parent);
/* A new file, directory (mode) or link (target) called as the path's last component. 0, or a negated errno. */
int64_t tree_make(struct guest *g, struct node *parent, const char *path, uint32_t mode, const char *target,
		  struct node **made);
int64_t tree_link(struct guest *g, struct node *node, struct node *parent, const char *path);
int64_t tree_unlink(struct guest *g, struct node *parent, const char *path, bool directory);
int64_t tree_rename(struct guest *g, struct node *from, const char *from_path, struct node *to, const char *to_path);
void tree_status(struct guest *g, const struct node *node, struct file_status *status);
void node_change_mode(struct node *node, uint32_t mode);
void tree_change_mode(struct open_file *f, uint32_t mode); /* nothing where it is no file of the tree */
int64_t tree_open(struct guest *g, struct node *node, const char *path, unsigned flags, struct open_file **file);

void node_let_go(struct guest *g, struct node *node); /* an open file of it is closed */

/* pipe.c: a node that is a named pipe; its pipe goes with it */
int64_t fifo_open(struct guest *g, struct node *node, const char *path, unsigned flags, struct open_file **file);
void fifo_drop(struct guest *g, struct node *node);

/* memory_file.c */
int64_t memory_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset);
int64_t memory_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset);
int64_t memory_size(struct open_file *f);
int64_t memory_resize(struct guest *g, struct memory_file *m, uint64_t size);
void memory_drop(struct guest *g, struct memory_file *m); /* its bytes */

/* shared_memory.c: for a mapping that shares them, they move; so they are at the mapping's disposal. NULL: no memory */
struct common *memory_common(struct guest *g, struct open_file *f);
int memory_host_copy(const struct memory_file *m); /* descriptor, or -1 */
void memory_unmap(struct guest *g, struct memory_file *m);

#endif
