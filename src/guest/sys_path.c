/* Calls that change the tree (only below writable directories), and who watches is told. */
#include "guest/calls.h"
#include "guest/host_path.h"
#include "guest/memory_tree.h"
#include "guest/path.h"
#include "guest/watches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int64_t host_result(int result)
{
	return result < 0 ? -guest_errno_of_host(errno) : 0;
}

/* An existing thing of the host that may be changed. */
static int64_t changeable(struct guest *g, uint64_t dirfd, uint64_t path, bool follow, struct place *place)
{
	int64_t result = path_walk_user(g, dirfd, path, follow, place);

	if (result)
		return result;
	if (place->kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	return place->kind == PLACE_HOST || place->kind == PLACE_MEMORY ? path_may_change(place) : -GUEST_EROFS;
}

/* A name that does not exist yet, in a directory that may be changed. */
static int64_t creatable(struct guest *g, uint64_t dirfd, uint64_t path, struct place *place)
{
	int64_t result = path_walk_user(g, dirfd, path, false, place);

	if (result)
		return result;
	if (place->kind != PLACE_NOTHING)
		return -GUEST_EEXIST;
	return *place->host || place->parent ? path_may_change(place) : -GUEST_EROFS;
}

/* A writable directory itself is the host's: it is not removed or renamed from inside. */
static bool is_mount(struct guest *g, const struct place *place)
{
	for (size_t i = 0; i < g->names.count; i++)
		if (!strcmp(g->names.mounts[i].guest, place->guest))
			return true;
	return tree_covers(place->guest) == strlen(place->guest);
}

/* The call's result, and that there is a name now. */
static int64_t made(struct guest *g, const struct place *place, uint32_t mode, int64_t result)
{
	if (!result && g->watches)
		watch_made(g, place->guest, mode);
	return result;
}

/* The same of a new file of the host. */
static int64_t made_on_host(struct guest *g, const struct place *place, uint32_t mode, int64_t result)
{
	struct stat st;

	if (!result && !host_lstat(place->host, &st))
		inode_forget(g, st.st_dev, st.st_ino);
	return made(g, place, mode, result);
}

static int64_t changed(struct guest *g, const struct place *place, uint32_t event, int64_t result)
{
	if (!result && g->watches)
		watch_place(g, place, event);
	return result;
}

/* A file in memory is kept until all has been told of it. */
static void hold(const struct place *place)
{
	if (place->kind == PLACE_MEMORY)
		place->file->holders++;
}

static void let_go(struct guest *g, const struct place *place)
{
	if (place->kind == PLACE_MEMORY)
		node_let_go(g, place->file);
}

int64_t sys_mkdirat(struct guest *g, const uint64_t *args)
{
	const uint32_t mode = args[2] & ~(uint64_t)g->process->umask & 0777;
	struct place place;
	int64_t result = creatable(g, args[0], args[1], &place);

	if (result)
		return result;
	if (!place.parent)
		return made_on_host(g, &place, S_IFDIR, host_result(host_mkdir(place.host, mode)));
	return made(g, &place, S_IFDIR, tree_make(g, place.parent, place.guest, S_IFDIR | mode, NULL, NULL));
}

int64_t sys_mknodat(struct guest *g, const uint64_t *args)
{
	const uint32_t mode = args[2] & ~(uint64_t)g->process->umask & 0777;
	struct place place;
	int64_t result;
	int fd;

	if ((args[2] & S_IFMT) && !S_ISREG(args[2]) && !S_ISFIFO(args[2]))
		return -GUEST_EPERM;
	result = creatable(g, args[0], args[1], &place);
	if (result)
		return result;
	if (place.parent) {
		result = tree_make(g, place.parent, place.guest, (S_ISFIFO(args[2]) ? S_IFIFO : S_IFREG) | mode, NULL,
				   NULL);
		return made(g, &place, S_IFREG, result);
	}
	if (S_ISFIFO(args[2])) /* the host's own programs would meet it */
		return -GUEST_EPERM;
	fd = host_open(place.host, O_CREAT | O_EXCL | O_WRONLY, mode);
	return made_on_host(g, &place, S_IFREG, fd < 0 ? host_result(fd) : host_result(close(fd)));
}

static int64_t remove_name(struct guest *g, const struct place *place, bool directory)
{
	if (place->kind == PLACE_MEMORY)
		return tree_unlink(g, place->parent, place->guest, directory);
	if (!directory && S_ISDIR(place->mode))
		return -GUEST_EISDIR;
	return host_result(host_unlink(place->host, directory));
}

int64_t sys_unlinkat(struct guest *g, const uint64_t *args)
{
	bool directory = args[2] & GUEST_AT_REMOVEDIR;
	struct place place;
	int64_t result = changeable(g, args[0], args[1], false, &place);

	if (result)
		return result;
	if (is_mount(g, &place))
		return -GUEST_EBUSY;
	hold(&place);
	result = remove_name(g, &place, directory);
	if (!result && g->watches)
		watch_loses_name(g, &place);
	let_go(g, &place);
	if (!result && g->watches)
		watch_removed(g, &place);
	return result;
}

int64_t sys_symlinkat(struct guest *g, const uint64_t *args)
{
	char target[GUEST_PATH_MAX];
	struct place place;
	int64_t result = user_string(g, args[0], target, sizeof(target));

	if (!result)
		result = *target ? creatable(g, args[1], args[2], &place) : -GUEST_ENOENT;
	if (result)
		return result;
	if (!place.parent)
		return made_on_host(g, &place, S_IFLNK, host_result(host_symlink(target, place.host)));
	return made(g, &place, S_IFLNK, tree_make(g, place.parent, place.guest, S_IFLNK | 0777, target, NULL));
}

/* Both ends must be writable: a link to a readable file would make it writable. */
int64_t sys_linkat(struct guest *g, const uint64_t *args)
{
	struct place from, to;
	int64_t result = changeable(g, args[0], args[1], args[4] & GUEST_AT_SYMLINK_FOLLOW, &from);

	if (!result)
		result = creatable(g, args[2], args[3], &to);
	if (!result && (from.kind == PLACE_MEMORY) != (to.parent != NULL))
		return -GUEST_EXDEV;
	if (result)
		return result;
	if (to.parent)
		result = S_ISDIR(from.mode) ? -GUEST_EPERM : tree_link(g, from.file, to.parent, to.guest);
	else
		result = host_result(host_link(from.host, to.host));
	if (!result && g->watches)
		watch_self(g, &from, WATCH_ATTRIB);
	return made(g, &to, S_IFREG, result);
}

int64_t sys_renameat2(struct guest *g, const uint64_t *args)
{
	enum { NOREPLACE = 1 };
	struct place from, to;
	int64_t result;

	if (args[4] & ~(uint64_t)NOREPLACE)
		return -GUEST_EINVAL;
	result = changeable(g, args[0], args[1], false, &from);
	if (!result)
		result = path_walk_user(g, args[2], args[3], false, &to);
	if (result)
		return result;
	if (to.kind != PLACE_NOTHING && (args[4] & NOREPLACE))
		return -GUEST_EEXIST;
	if ((!*to.host && !to.parent && to.kind != PLACE_MEMORY) || path_may_change(&to))
		return -GUEST_EROFS;
	if (is_mount(g, &from) || is_mount(g, &to))
		return -GUEST_EBUSY;
	if ((from.parent != NULL) != (to.parent != NULL))
		return -GUEST_EXDEV;
	hold(&to);
	result = to.parent ? tree_rename(g, from.parent, from.guest, to.parent, to.guest)
			   : host_result(host_rename(from.host, to.host));
	if (!result && g->watches)
		watch_moved(g, &from, &to);
	let_go(g, &to);
	return result;
}

int64_t sys_renameat(struct guest *g, const uint64_t *args)
{
	const uint64_t full[5] = {args[0], args[1], args[2], args[3], 0};

	return sys_renameat2(g, full);
}

static int64_t change_mode(const char *host, uint64_t mode)
{
	return host_result(host_chmod(host, mode & 0777)); /* no set-user-id programs from a guest */
}

int64_t sys_fchmodat(struct guest *g, const uint64_t *args)
{
	struct place place;
	int64_t result = changeable(g, args[0], args[1], true, &place);

	if (!result && place.kind == PLACE_MEMORY)
		node_change_mode(place.file, (uint32_t)args[2]);
	else if (!result)
		result = change_mode(place.host, args[2]);
	return changed(g, &place, WATCH_ATTRIB, result);
}

int64_t sys_fchmod(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	int64_t result = 0;

	if (!f)
		return -GUEST_EBADF;
	if (f->host < 0 || f->borrowed)
		tree_change_mode(f, (uint32_t)args[1]);
	else
		result = f->may_change ? host_result(fchmod(f->host, args[1] & 0777)) : -GUEST_EROFS;
	if (!result && g->watches)
		watch_file(g, f, WATCH_ATTRIB);
	return result;
}

/* Everything already belongs to the one user there is. */
int64_t sys_fchownat(struct guest *g, const uint64_t *args)
{
	struct place place;
	int64_t result = changeable(g, args[0], args[1], !(args[4] & GUEST_AT_SYMLINK_NOFOLLOW), &place);

	return changed(g, &place, WATCH_ATTRIB, result);
}

int64_t sys_fchown(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	if (f && g->watches)
		watch_file(g, f, WATCH_ATTRIB);
	return f ? 0 : -GUEST_EBADF;
}

static bool read_times(struct guest *g, uint64_t address, struct timespec *times)
{
	enum { UTIME_OF_NOW = 0x3fffffff };
	uint64_t raw[4] = {0, UTIME_OF_NOW, 0, UTIME_OF_NOW}, now = clock_realtime(g);

	if (address && !user_read(g, raw, address, sizeof(raw)))
		return false;
	for (int i = 0; i < 2; i++) {
		times[i].tv_sec = (time_t)raw[2 * i];
		times[i].tv_nsec = raw[2 * i + 1] == UTIME_OF_NOW + 0ull - 1 ? UTIME_OMIT : (long)raw[2 * i + 1];
		if (raw[2 * i + 1] == UTIME_OF_NOW) {
			times[i].tv_sec = (time_t)(now / 1000000000);
			times[i].tv_nsec = (long)(now % 1000000000);
		}
	}
	return true;
}

static uint32_t event_of(const struct timespec *times)
{
	const bool accessed = times[0].tv_nsec != UTIME_OMIT, modified = times[1].tv_nsec != UTIME_OMIT;

	return accessed && modified ? WATCH_ATTRIB : accessed ? WATCH_ACCESS : modified ? WATCH_MODIFY : 0;
}

static void set_modified(struct node *node, const struct timespec *time)
{
	if (time->tv_nsec != UTIME_OMIT)
		node->modified = (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

static void forget_written(struct guest *g, const char *host)
{
	struct stat st;

	if (!host_lstat(host, &st))
		inode_forget_written(g, st.st_dev, st.st_ino);
}

int64_t sys_utimensat(struct guest *g, const uint64_t *args)
{
	struct timespec times[2];
	struct place place;
	struct open_file *f;
	int64_t result;

	if (!read_times(g, args[2], times))
		return -GUEST_EFAULT;
	if (args[1]) {
		result = changeable(g, args[0], args[1], !(args[3] & GUEST_AT_SYMLINK_NOFOLLOW), &place);
		if (!result && place.kind == PLACE_MEMORY)
			set_modified(place.file, &times[1]);
		else if (!result)
			result = host_result(host_set_times(place.host, times));
		if (!result && place.kind == PLACE_HOST)
			forget_written(g, place.host);
		return changed(g, &place, event_of(times), result);
	}
	f = descriptor_file(g, args[0]);
	if (!f)
		return -GUEST_EBADF;
	if (!f->may_change)
		return -GUEST_EROFS;
	if (g->watches)
		watch_file(g, f, event_of(times));
	if (f->host < 0) { /* in memory, where it has a name */
		if (f->path && !path_walk(g, (uint64_t)GUEST_AT_FDCWD, f->path, false, &place) &&
		    place.kind == PLACE_MEMORY)
			set_modified(place.file, &times[1]);
		return 0;
	}
	result = host_result(futimens(f->host, times));
	if (!result && f->path) {
		result = path_walk(g, (uint64_t)GUEST_AT_FDCWD, f->path, false, &place);
		if (!result && place.kind == PLACE_HOST)
			forget_written(g, place.host);
	}
	return 0;
}

int64_t sys_truncate(struct guest *g, const uint64_t *args)
{
	struct place place;
	int64_t result = changeable(g, GUEST_AT_FDCWD, args[0], true, &place);

	if (result)
		return result;
	if (!S_ISREG(place.mode))
		return S_ISDIR(place.mode) ? -GUEST_EISDIR : -GUEST_EINVAL;
	result = place.kind == PLACE_MEMORY ? memory_resize(g, &place.file->file, args[1])
					    : host_result(host_path_truncate(place.host, (off_t)args[1]));
	return changed(g, &place, WATCH_MODIFY, result);
}
