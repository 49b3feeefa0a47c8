/* What has happened to files, told to those who watch them: by what the guest knows a file by (device and inode), and
 * by its directory, with its name there. */
#include "guest/inotify.h"

#include <stdlib.h>

static void happens(struct guest *g, const struct file_status *file, uint32_t event, uint32_t cookie, const char *name)
{
	struct watch *next;

	for (struct watch *w = *watch_bucket(g, file->device, file->inode); w; w = next) {
		next = w->next;
		if (w->inode != file->inode || w->device != file->device || !(w->mask & event & WATCH_ALL))
			continue;
		instance_tell(g, w->instance, &(struct event){.watch = w->number, .mask = event, .cookie = cookie},
			      name);
		if (w->mask & WATCH_ONE_SHOT)
			watch_end(g, w);
	}
}

/* In the directory of the path, to its last component; `file`: only if that still is the name of this file. */
static void happens_to_name(struct guest *g, const char *path, const struct file_status *file, uint32_t event,
			    uint32_t cookie)
{
	const char *slash = strrchr(path, '/');
	struct file_status status;
	struct place place;
	char above[GUEST_PATH_MAX];

	if (!slash || strlen(path) >= sizeof(above))
		return;
	if (file && (path_walk(g, (uint64_t)GUEST_AT_FDCWD, path, false, &place) || place_status(g, &place, &status) ||
		     status.inode != file->inode || status.device != file->device))
		return;
	snprintf(above, sizeof(above), "%.*s", slash > path ? (int)(slash - path) : 1, path);
	if (!path_walk(g, (uint64_t)GUEST_AT_FDCWD, above, true, &place) && !place_status(g, &place, &status))
		happens(g, &status, event, cookie, slash + 1);
}

/* The host's files and those in memory, no synthesised ones. */
static bool can_change(const struct file_status *status)
{
	return status->device == 1 || status->device == 4;
}

static void happens_to_both(struct guest *g, const char *path, const struct file_status *status, uint32_t event)
{
	if (!can_change(status))
		return;
	if (S_ISDIR(status->mode))
		event |= WATCH_IS_DIRECTORY;
	happens_to_name(g, path, status, event, 0);
	happens(g, status, event, 0, NULL);
}

void watch_file(struct guest *g, struct open_file *f, uint32_t event)
{
	struct file_status status;

	if (!nobody_watches(g) && f->path && !(f->flags & GUEST_O_PATH) && !f->ops->status(g, f, &status))
		happens_to_both(g, f->path, &status, event);
}

void watch_place(struct guest *g, const struct place *place, uint32_t event)
{
	struct file_status status;

	if (!nobody_watches(g) && !place_status(g, place, &status))
		happens_to_both(g, place->guest, &status, event);
}

void watch_self(struct guest *g, const struct place *place, uint32_t event)
{
	struct file_status status;

	if (!nobody_watches(g) && !place_status(g, place, &status))
		happens(g, &status, event, 0, NULL);
}

void watch_made(struct guest *g, const char *path, uint32_t mode)
{
	if (!nobody_watches(g))
		happens_to_name(g, path, NULL, WATCH_CREATE | (S_ISDIR(mode) ? WATCH_IS_DIRECTORY : 0), 0);
}

/* --- the end of files --- */

void watch_gone(struct guest *g, uint64_t device, uint64_t inode)
{
	struct watch *next;

	for (struct watch *w = nobody_watches(g) ? NULL : *watch_bucket(g, device, inode); w; w = next) {
		next = w->next;
		if (w->inode != inode || w->device != device)
			continue;
		if (w->mask & WATCH_DELETE_SELF)
			instance_tell(g, w->instance, &(struct event){.watch = w->number, .mask = WATCH_DELETE_SELF},
				      NULL);
		watch_end(g, w);
	}
}

static bool is_watched(struct guest *g, const struct file_status *file)
{
	for (const struct watch *w = *watch_bucket(g, file->device, file->inode); w; w = w->next)
		if (w->inode == file->inode && w->device == file->device)
			return true;
	return false;
}

/* Some process has the host's file open, `except` aside. */
static bool is_open(const struct guest *g, const struct stat *st, const struct open_file *except)
{
	for (const struct process *p = g->processes; p; p = p->next)
		for (size_t fd = 0; fd < p->file_room; fd++) {
			const struct open_file *f = p->files[fd].file;
			struct stat other;

			if (f && f != except && f->host >= 0 && !f->borrowed && !fstat(f->host, &other) &&
			    other.st_dev == st->st_dev && other.st_ino == st->st_ino)
				return true;
		}
	return false;
}

static void host_file_gone(struct guest *g, const struct place *place, const struct file_status *status)
{
	const bool last = S_ISDIR(status->mode) || place->st.st_nlink <= 1;

	if (place->kind == PLACE_HOST && last && is_watched(g, status) && !is_open(g, &place->st, NULL))
		watch_gone(g, status->device, status->inode);
}

static void loses_link(struct guest *g, const struct file_status *status)
{
	if (!S_ISDIR(status->mode))
		happens(g, status, WATCH_ATTRIB, 0, NULL);
}

void watch_loses_name(struct guest *g, const struct place *place)
{
	struct file_status status;

	if (nobody_watches(g) || place_status(g, place, &status))
		return;
	loses_link(g, &status);
	host_file_gone(g, place, &status);
}

void watch_removed(struct guest *g, const struct place *place)
{
	if (!nobody_watches(g))
		happens_to_name(g, place->guest, NULL, WATCH_DELETE | (S_ISDIR(place->mode) ? WATCH_IS_DIRECTORY : 0),
				0);
}

/* An open file goes by its new name, and what is open below a directory that was moved. */
static void rename_open(struct guest *g, struct open_file *f, const struct file_status *moved, const char *from,
			const char *to)
{
	const size_t length = strlen(from);
	struct file_status status;
	char path[GUEST_PATH_MAX], *copy;

	if (!f || !f->path || strncmp(f->path, from, length) || (f->path[length] && f->path[length] != '/') ||
	    (size_t)snprintf(path, sizeof(path), "%s%s", to, f->path + length) >= sizeof(path))
		return;
	if (!f->path[length] &&
	    (f->ops->status(g, f, &status) || status.inode != moved->inode || status.device != moved->device))
		return;
	copy = strdup(path);
	if (!copy)
		return;
	free(f->path);
	f->path = copy;
}

static void rename_all_open(struct guest *g, const struct file_status *moved, const char *from, const char *to)
{
	for (struct process *p = g->processes; p; p = p->next)
		for (size_t fd = 0; fd < p->file_room; fd++)
			rename_open(g, p->files[fd].file, moved, from, to);
}

void watch_moved(struct guest *g, const struct place *from, const struct place *to)
{
	struct file_status moved, replaced;
	uint32_t directory, cookie;
	bool replaces;

	if (nobody_watches(g) || place_status(g, from, &moved))
		return;
	replaces = to->kind != PLACE_NOTHING && !place_status(g, to, &replaced);
	if (replaces && moved.inode == replaced.inode && moved.device == replaced.device)
		return;
	directory = S_ISDIR(moved.mode) ? WATCH_IS_DIRECTORY : 0;
	cookie = ++g->watches->cookie;
	rename_all_open(g, &moved, from->guest, to->guest);
	happens_to_name(g, from->guest, NULL, WATCH_MOVED_FROM | directory, cookie);
	happens_to_name(g, to->guest, NULL, WATCH_MOVED_TO | directory, cookie);
	if (replaces)
		loses_link(g, &replaced);
	happens(g, &moved, WATCH_MOVE_SELF, 0, NULL);
	if (replaces)
		host_file_gone(g, to, &replaced);
}

void watch_closed(struct guest *g, struct open_file *f)
{
	struct file_status status;
	struct stat st;

	if (nobody_watches(g))
		return;
	watch_file(g, f, file_writable(f) ? WATCH_CLOSE_WRITE : WATCH_CLOSE_NOWRITE);
	if (f->host >= 0 && !f->borrowed && !fstat(f->host, &st) && !st.st_nlink && !f->ops->status(g, f, &status) &&
	    is_watched(g, &status) && !is_open(g, &st, f))
		watch_gone(g, status.device, status.inode);
}
