/* The guest's state as bytes, for checkpoints: all but the content of its pages. Each object's own file says what
 * belongs to it.
 *
 * Open files are of kinds, each a row in archive_files.c. A file of no kind there cannot be saved, and is refused by
 * its name: nothing is ever left out without a word. */
#ifndef CULPRIT_GUEST_ARCHIVE_H
#define CULPRIT_GUEST_ARCHIVE_H

#include "base/archive.h"
#include "guest/files.h"
#include "guest/memory_tree.h"

/* All open files, each once. While they are loaded, those before the one at hand are there. */
struct file_list {
	struct open_file **files;
	size_t count;
};
/* The first file with the same state: it saves what several share. */
size_t file_list_first(const struct file_list *list, const struct open_file *f);

struct file_kind {
	const char *name;
	const struct file_ops *ops;
	/* What is the kind's own. Loading: `f` has its flags, offset and path, and gets what is missing; on failure its
	 * state stays NULL. */
	void (*archive)(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a);
};

extern const struct file_kind host_file_kind, stream_kind, input_kind, directory_kind, memory_kind, memfd_kind,
	tree_kind, pipe_kind, event_kind, timer_file_kind, epoll_kind;

void files_archive(struct guest *g, struct archive *a);	  /* archive_files.c: descriptors and what they name */
void threads_archive(struct guest *g, struct archive *a); /* archive_threads.c: signals and timers, too */
void map_archive(struct guest *g, struct archive *a);	  /* archive_map.c */
void names_archive(struct guest *g, struct archive *a);	  /* names.c */
void tree_archive(struct guest *g, struct archive *a);	  /* archive_tree.c */
void tree_file_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a);
/* epoll.c: what each instance watches, once all files are there */
void epolls_archive(struct guest *g, const struct file_list *list, struct archive *a);
void inodes_archive(struct guest *g, struct archive *a);  /* host_file.c */
void objects_archive(struct guest *g, struct archive *a); /* objects.c */
/* memory_file.c: bytes in memory; loading: malloc'd, into an empty one */
void memory_archive(struct memory_file *m, struct archive *a);

#endif
