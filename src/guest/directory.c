/* Directories: read whole at the first getdents64 and sorted by name, so that listings are the same on every host. */
#include "guest/archive.h"
#include "guest/calls.h"
#include "guest/host_path.h"
#include "guest/memory_tree.h"
#include "guest/path.h"
#include "guest/terminal.h"
#include "guest/watches.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct name {
	char *name;
	uint64_t device, number; /* the host's inode */
	uint8_t type;
};

struct listing {
	struct name *entries;
	size_t count, room;
	uint64_t charged;
	bool loaded;
	char *host_path; /* NULL: a synthesised directory */
};

static bool listing_add(struct guest *g, struct listing *list, const char *name, size_t length, uint64_t device,
			uint64_t number, uint8_t type)
{
	uint64_t cost = 2 * sizeof(struct name) + length + 32;
	struct name *e;

	if (!guest_charge(g, cost))
		return false;
	list->charged += cost;
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 32;
		struct name *entries = realloc(list->entries, room * sizeof(*entries));

		if (!entries)
			return false;
		list->entries = entries;
		list->room = room;
	}
	e = &list->entries[list->count];
	*e = (struct name){.name = strndup(name, length), .device = device, .number = number, .type = type};
	if (!e->name)
		return false;
	list->count++;
	return true;
}

static bool listing_has(const struct listing *list, const char *name, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strncmp(list->entries[i].name, name, length) && !list->entries[i].name[length])
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->name, ((const struct name *)b)->name);
}

static uint8_t type_of_mode(uint32_t mode)
{
	return (mode & S_IFMT) >> 12;
}

static bool load_host(struct guest *g, struct open_file *f, struct listing *list)
{
	struct dirent *d;
	struct stat st;
	DIR *dir = host_list(list->host_path);

	if (!dir || fstat(dirfd(dir), &st)) {
		if (dir)
			closedir(dir);
		return false;
	}
	while ((d = readdir(dir))) {
		struct stat entry;
		uint8_t type = d->d_type;

		/* Some host file systems leave the type open; whether they do must not show. */
		if (type == DT_UNKNOWN && !fstatat(dirfd(dir), d->d_name, &entry, AT_SYMLINK_NOFOLLOW))
			type = type_of_mode(entry.st_mode);
		if (!listing_add(g, list, d->d_name, strlen(d->d_name), st.st_dev, d->d_ino, type))
			break;
	}
	closedir(dir);
	return true;
}

static struct node *memory_directory(struct guest *g, const struct open_file *f)
{
	const struct listing *list = f->state;
	struct node *parent;

	return list->host_path || !tree_covers(f->path) ? NULL : tree_find(g, f->path, &parent);
}

static void load_memory(struct guest *g, struct open_file *f, struct listing *list)
{
	const struct node *node = memory_directory(g, f);

	for (const struct entry *e = node ? tree_first(node) : NULL; e; e = e->next[0])
		listing_add(g, list, e->name, strlen(e->name), 0, e->node->inode, type_of_mode(e->node->mode));
}

/* /proc/self/fd. */
static void load_descriptors(struct guest *g, struct listing *list)
{
	for (size_t fd = 0; fd < g->process->file_room; fd++) {
		char name[24];

		if (g->process->files[fd].file)
			listing_add(g, list, name, (size_t)snprintf(name, sizeof(name), "%zu", fd), 0, 0, DT_LNK);
	}
}

static void load_virtual(struct guest *g, struct open_file *f, struct listing *list)
{
	static const uint8_t types[] = {[VIRTUAL_DIRECTORY] = DT_DIR,
					[VIRTUAL_TEXT] = DT_REG,
					[VIRTUAL_LINK] = DT_LNK,
					[VIRTUAL_DEVICE] = DT_CHR};
	const int threads_of = virtual_lists_threads(f->path);
	const struct virtual_node *node;
	const char *name;
	size_t length;

	if (virtual_lists_descriptors(g, f->path))
		load_descriptors(g, list);
	for (const struct thread *t = threads_of ? g->threads : NULL; t; t = t->next) {
		char number[24];

		if (t->process->pid == threads_of && t->wait.kind != WAIT_EXITED)
			listing_add(g, list, number, (size_t)snprintf(number, sizeof(number), "%d", t->tid), 0, 0,
				    DT_DIR);
	}
	for (size_t i = 0; (node = virtual_child(f->path, i, &name, &length)); i++)
		if (length && !listing_has(list, name, length))
			listing_add(g, list, name, length, 0, 0, name[length] ? DT_DIR : types[node->kind]);
	for (const struct terminal *t = g->terminals; t && !strcmp(f->path, "/dev/pts"); t = t->next) {
		char number[24];

		if (t->master)
			listing_add(g, list, number, (size_t)snprintf(number, sizeof(number), "%u", t->number), 0, 0,
				    DT_CHR);
	}
	for (const struct process *p = g->processes; p && !strcmp(f->path, "/proc"); p = p->next) {
		char number[24];

		if (!process_ended(p))
			listing_add(g, list, number, (size_t)snprintf(number, sizeof(number), "%d", p->pid), 0, 0,
				    DT_DIR);
	}
}

static void listing_load(struct guest *g, struct open_file *f)
{
	struct listing *list = f->state;

	list->loaded = true;
	if (list->host_path)
		load_host(g, f, list);
	load_memory(g, f, list);
	if (!listing_has(list, ".", 1))
		listing_add(g, list, ".", 1, 0, 0, DT_DIR);
	if (!listing_has(list, "..", 2))
		listing_add(g, list, "..", 2, 0, 0, DT_DIR);
	load_virtual(g, f, list);
	if (list->count)
		qsort(list->entries, list->count, sizeof(*list->entries), by_name);
}

static void listing_clear(struct guest *g, struct listing *list)
{
	guest_uncharge(g, list->charged);
	list->charged = 0;
	for (size_t i = 0; i < list->count; i++)
		free(list->entries[i].name);
	free(list->entries);
	list->entries = NULL;
	list->count = list->room = 0;
	list->loaded = false;
}

static void directory_release(struct guest *g, struct open_file *f)
{
	struct listing *list = f->state;

	listing_clear(g, list);
	free(list->host_path);
	free(list);
}

static int64_t directory_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	struct listing *list = f->state;
	struct stat st;

	if (list->host_path && f->host >= 0) {
		if (fstat(f->host, &st))
			return -guest_errno_of_host(errno);
		status_of_host(g, &st, f->may_change, status);
	} else if (memory_directory(g, f)) {
		tree_status(g, memory_directory(g, f), status);
	} else {
		*status = (struct file_status){.device = 2, .inode = 1, .mode = S_IFDIR | 0555, .links = 1, .size = 0};
	}
	return 0;
}

static int64_t directory_seek(struct guest *g, struct open_file *f, int64_t offset, int whence)
{
	int64_t at = whence == 0 ? offset : whence == 1 ? (int64_t)f->offset + offset : -1;

	if (at < 0)
		return -GUEST_EINVAL;
	if (!at)
		listing_clear(g, f->state); /* rewinddir sees what is there now */
	f->offset = (uint64_t)at;
	return at;
}

static const struct file_ops directory_ops = {
	.directory = true,
	.seek = directory_seek,
	.status = directory_status,
	.release = directory_release,
};

int64_t directory_open(struct guest *g, const char *guest_path, const char *host_path, int host,
		       struct open_file **file)
{
	struct listing *list = calloc(1, sizeof(*list));
	int64_t result = -GUEST_ENOMEM;

	if (list && (!host_path || (list->host_path = strdup(host_path)))) {
		if (host_path)
			result = file_new_host(g, &directory_ops, 0, host, guest_path, file);
		else if ((*file = file_new(&directory_ops, 0, -1, guest_path)))
			result = 0;
	} else if (host >= 0) {
		close(host);
	}
	if (!result) {
		(*file)->state = list;
		return 0;
	}
	if (list)
		free(list->host_path);
	free(list);
	return result;
}

int64_t sys_getdents64(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	struct listing *list;
	uint64_t done = 0;

	if (!f)
		return -GUEST_EBADF;
	if (!f->ops->directory)
		return -GUEST_ENOTDIR;
	list = f->state;
	if (!list->loaded)
		listing_load(g, f);
	while (f->offset < list->count) {
		const struct name *e = &list->entries[f->offset];
		size_t length = strlen(e->name), size = (19 + length + 1 + 7) & ~(size_t)7;
		uint8_t record[19 + 256 + 8] = {0};

		if (length > 255 || done + size > (uint32_t)args[2])
			break;
		put64(record, e->device ? inode_of_host(g, e->device, e->number) : e->number ? e->number : 1);
		put64(record + 8, f->offset + 1);
		put16(record + 16, (uint16_t)size);
		record[18] = e->type;
		memcpy(record + 19, e->name, length);
		if (!user_write(g, args[1] + done, record, size))
			return done ? (int64_t)done : -GUEST_EFAULT;
		done += size;
		f->offset++;
	}
	if (g->watches)
		watch_file(g, f, WATCH_ACCESS);
	return done || f->offset >= list->count ? (int64_t)done : -GUEST_EINVAL;
}

/* --- for checkpoints --- */

/* A listing under way is read again: what the guest can read has not changed. */
static void directory_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	const bool loading = a->loading;
	struct listing *l = loading ? calloc(1, sizeof(*l)) : f->state;
	bool on_host = l && l->host_path;
	struct place place;

	archive_flag(a, &on_host);
	if (!loading)
		return;
	if (!l || !f->path) {
		archive_fail(a, "it has a directory without a name");
	} else if (on_host) {
		if (path_walk(g, (uint64_t)GUEST_AT_FDCWD, f->path, true, &place) || place.kind != PLACE_HOST ||
		    g->host_files >= GUEST_FILES || !(l->host_path = strdup(place.host)))
			archive_fail(a, "%s, which the program has open, is not there", f->path);
		else
			f->host = host_open(place.host, O_RDONLY | O_DIRECTORY, 0);
		g->host_files += f->host >= 0;
	}
	if (!a->failed && on_host && f->host < 0)
		archive_fail(a, "%s is no directory that can be read", f->path);
	if (!a->failed) {
		f->state = l;
		return;
	}
	if (l)
		free(l->host_path);
	free(l);
}

const struct file_kind directory_kind = {"a directory", &directory_ops, directory_archive};
