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
	struct node *parent;   /* directories */
	struct entry *entries; /* by name */
	struct pipe *pipe;     /* of a named pipe that is open, or has what nobody has read; NULL: none */
};

struct entry {
	struct entry *next;
	struct node *node;
	char name[];
};

bool tree_create(struct guest *g);
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

void segments_destroy(struct guest *g); /* system_v.c */

/* shared_memory.c: for a mapping that shares them, they move; so they are at the mapping's disposal. NULL: no memory */
struct common *memory_common(struct guest *g, struct open_file *f);
int memory_host_copy(const struct memory_file *m); /* descriptor, or -1 */
void memory_unmap(struct guest *g, struct memory_file *m);

#endif
