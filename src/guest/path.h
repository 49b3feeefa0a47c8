/* The guest's name space: which host file a guest path leads to, if any.
 *
 * Paths are walked by us, component by component, in the guest's own tree: the sysroot is the root, the readable and
 * writable host directories appear at their host paths (looked up before the sysroot), and /proc, /sys and /dev are
 * synthesised. A symbolic link is read and walked in that tree, and `..` goes up in it, so nothing leads out of it. */
#ifndef CULPRIT_GUEST_PATH_H
#define CULPRIT_GUEST_PATH_H

#include "guest/process.h"

#include <stdio.h>
#include <sys/stat.h>

struct mount {
	char *guest, *host; /* absolute, no trailing slash; "" is the root */
	bool writable;
};

struct virtual_node {
	const char *path; /* "/proc/self/maps": below the process's own directory whatever its number */
	enum virtual_kind { VIRTUAL_DIRECTORY, VIRTUAL_TEXT, VIRTUAL_LINK, VIRTUAL_DEVICE } kind;
	const char *fixed;			  /* content, or a link's target; or NULL */
	void (*text)(struct guest *g, FILE *out); /* ... what writes it; or NULL */
	const struct file_ops *device;
};

enum place_kind { PLACE_NOTHING, PLACE_HOST, PLACE_VIRTUAL, PLACE_DESCRIPTOR, PLACE_MEMORY };

/* Where a path leads. MEMORY: to a directory that only the guest has, or below it. NOTHING: the parent exists, the last
 * component does not (host or parent says where it would be). */
struct place {
	enum place_kind kind;
	bool writable;
	bool must_be_directory; /* the path ended in a slash */
	uint32_t mode;
	const struct virtual_node *node;
	struct node *file, *parent; /* MEMORY, and NOTHING where `parent` is in memory */
	uint64_t descriptor;
	char guest[GUEST_PATH_MAX];
	char host[GUEST_PATH_MAX];
	struct stat st; /* HOST */
};

/* 0 or a negated errno. `follow`: the last component too. */
int64_t path_walk(struct guest *g, uint64_t dirfd, const char *path, bool follow, struct place *place);
/* The same for a path in guest memory. */
int64_t path_walk_user(struct guest *g, uint64_t dirfd, uint64_t path, bool follow, struct place *place);
/* Would writing there be allowed? 0, -EROFS. */
int64_t path_may_change(const struct place *place);

bool names_create(struct guest *g, const struct guest_options *options, struct error *err);
void names_destroy(struct guest *g);
/* One more host file or directory the guest may read. */
bool names_allow(struct guest *g, const char *host, bool writable, struct error *err);

/* mounts.c, rlimits.c: texts of /proc */
void text_mounts(struct guest *g, FILE *out);
void text_mountinfo(struct guest *g, FILE *out);
void text_limits(struct guest *g, FILE *out);

/* virtual.c */
const struct virtual_node *virtual_find(const struct guest *g, const char *path);
/* What is there when nothing else is: NULL or a row of /etc, or what leads to one. */
const struct virtual_node *virtual_spare(const char *path);
const struct virtual_node *virtual_child(const char *directory, size_t index, const char **name, size_t *length);
bool virtual_covers(const char *path); /* below /proc, /sys or /dev: nothing of the host's is looked up */
bool virtual_lists_descriptors(const struct guest *g, const char *path);	/* /proc/self/fd */
int virtual_lists_threads(const char *path);					/* /proc/PID/task: PID; or 0 */
bool virtual_descriptor(const struct guest *g, const char *path, uint64_t *fd); /* /proc/self/fd/N */
char *virtual_text(struct guest *g, const struct virtual_node *node, const char *path, size_t *size); /* malloc'd */

#endif
