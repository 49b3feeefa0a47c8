/* Descriptors and open files, for checkpoints. */
#include "guest/archive.h"

#include <stdlib.h>

static void nothing_more(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
}

static const struct file_kind null_kind = {"/dev/null", &null_ops, nothing_more},
			      zero_kind = {"/dev/zero", &zero_ops, nothing_more},
			      full_kind = {"/dev/full", &full_ops, nothing_more},
			      random_kind = {"/dev/random", &random_ops, nothing_more};

/* What can be saved, in the order of the numbers in files: new ones come last. */
static const struct file_kind *const kinds[] = {
	&stream_kind, &host_file_kind, &directory_kind,	 &memory_kind, &tree_kind,
	&pipe_kind,   &event_kind,     &input_kind,	 &null_kind,   &zero_kind,
	&full_kind,   &random_kind,    &timer_file_kind, &epoll_kind,  &memfd_kind,
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* The host's own streams are one kind, whatever they are. */
static size_t kind_of(const struct open_file *f)
{
	size_t kind = 1;

	if (f->borrowed)
		return 0;
	while (kind < KINDS && kinds[kind]->ops != f->ops)
		kind++;
	return kind;
}

static bool refuse(struct archive *a, const struct open_file *f)
{
	const char *name = f->ops->name ? f->ops->name : f->path ? f->path : "a socket";

	return archive_fail(a, "the program has %s open, which cannot be saved yet", name);
}

size_t file_list_first(const struct file_list *list, const struct open_file *f)
{
	size_t i = 0;

	while (i < list->count && list->files[i]->state != f->state)
		i++;
	return i;
}

static size_t position(const struct file_list *list, const struct open_file *f)
{
	size_t i = 0;

	while (i < list->count && list->files[i] != f)
		i++;
	return i;
}

static void file_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	ARCHIVE(a, f->flags);
	ARCHIVE(a, f->offset);
	archive_flag(a, &f->may_change);
	archive_text(a, &f->path);
}

/* --- saving --- */

static void list_files(const struct guest *g, struct file_list *list)
{
	for (size_t fd = 0; fd < g->process->file_room; fd++) {
		struct open_file *f = g->process->files[fd].file;

		if (f && position(list, f) == list->count)
			list->files[list->count++] = f;
	}
}

static void save_files(struct guest *g, struct file_list *list, struct archive *a)
{
	list_files(g, list);
	bytes_put(a->to, list->count, 8);
	for (size_t i = 0; i < list->count && !a->failed; i++) {
		struct open_file *f = list->files[i];
		size_t kind = kind_of(f);

		if (kind == KINDS) {
			refuse(a, f);
			return;
		}
		bytes_put(a->to, kind, 1);
		file_archive(g, f, list, a);
		kinds[kind]->archive(g, f, list, a);
	}
}

/* --- loading --- */

/* It is half a file where what it needs is missing. */
static void drop(struct guest *g, struct open_file *f)
{
	if (!f->ops->release || f->state) {
		file_release(g, f);
		return;
	}
	free(f->path);
	free(f);
}

static void load_file(struct guest *g, struct file_list *list, struct archive *a)
{
	uint64_t kind = cursor_get(&a->from, 1);
	struct open_file *f = kind < KINDS ? file_new(kinds[kind]->ops, 0, -1, NULL) : NULL;

	if (!f) {
		if (kind < KINDS)
			archive_no_memory(a);
		archive_fail(a, "it has a file of a kind that is not known");
		return;
	}
	file_archive(g, f, list, a);
	kinds[kind]->archive(g, f, list, a);
	if (a->failed)
		drop(g, f);
	else
		list->files[list->count++] = f;
}

static void load_files(struct guest *g, struct file_list *list, struct archive *a)
{
	uint64_t count = 0;

	archive_count(a, &count, GUEST_FILES);
	while (list->count < count && !a->failed && !a->from.failed)
		load_file(g, list, a);
}

static void descriptors_archive(struct guest *g, const struct file_list *list, struct archive *a)
{
	for (size_t fd = 0; fd < g->process->file_room && !a->failed; fd++) {
		struct descriptor *d = &g->process->files[fd];
		uint64_t file = a->loading || !d->file ? list->count : position(list, d->file);

		archive_count(a, &file, list->count);
		archive_flag(a, &d->close_on_exec);
		if (!a->loading || file >= list->count || a->from.failed)
			continue;
		d->file = list->files[file];
		file_retain(d->file);
	}
}

void files_archive(struct guest *g, struct archive *a)
{
	const bool loading = a->loading;
	struct file_list list = {.files = calloc(GUEST_FILES, sizeof(*list.files))};

	ARCHIVE(a, g->process->umask);
	if (!list.files) {
		archive_no_memory(a);
		return;
	}
	if (loading)
		load_files(g, &list, a);
	else
		save_files(g, &list, a);
	if (!a->failed)
		epolls_archive(g, &list, a);
	descriptors_archive(g, &list, a);
	for (size_t i = 0; loading && i < list.count; i++)
		drop(g, list.files[i]); /* the list's own reference */
	free(list.files);
}
