/* Calls that change the tree (only below writable directories) and the current directory. */
#include "guest/calls.h"
#include "guest/host_path.h"
#include "guest/memory_tree.h"
#include "guest/path.h"

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

int64_t sys_mkdirat(struct guest *g, const uint64_t *args)
{
	struct place place;
	int64_t result = creatable(g, args[0], args[1], &place);

	if (!result && place.parent)
		return tree_make(g, place.parent, place.guest,
				 S_IFDIR | (args[2] & ~(uint64_t)g->process->umask & 0777), NULL, NULL);
	return result ? result : host_result(host_mkdir(place.host, args[2] & ~(uint64_t)g->process->umask & 0777));
}

int64_t sys_mknodat(struct guest *g, const uint64_t *args)
{
	struct place place;
	int64_t result;
	int fd;

	if ((args[2] & S_IFMT) && !S_ISREG(args[2]) && !S_ISFIFO(args[2]))
		return -GUEST_EPERM;
	result = creatable(g, args[0], args[1], &place);
	if (result)
		return result;
	if (place.parent)
		return tree_make(g, place.parent, place.guest,
				 (S_ISFIFO(args[2]) ? S_IFIFO : S_IFREG) |
					 (args[2] & ~(uint64_t)g->process->umask & 0777),
				 NULL, NULL);
	if (S_ISFIFO(args[2])) /* the host's own programs would meet it */
		return -GUEST_EPERM;
	fd = host_open(place.host, O_CREAT | O_EXCL | O_WRONLY, args[2] & ~(uint64_t)g->process->umask & 0777);
	return fd < 0 ? host_result(fd) : host_result(close(fd));
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
	if (place.kind == PLACE_MEMORY)
		return tree_unlink(g, place.parent, place.guest, directory);
	if (!directory && S_ISDIR(place.mode))
		return -GUEST_EISDIR;
	return host_result(host_unlink(place.host, directory));
}

int64_t sys_symlinkat(struct guest *g, const uint64_t *args)
{
	char target[GUEST_PATH_MAX];
	struct place place;
	int64_t result = user_string(g, args[0], target, sizeof(target));

	if (!result)
		result = *target ? creatable(g, args[1], args[2], &place) : -GUEST_ENOENT;
	if (!result && place.parent)
		return tree_make(g, place.parent, place.guest, S_IFLNK | 0777, target, NULL);
	return result ? result : host_result(host_symlink(target, place.host));
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
	if (!result && to.parent)
		return S_ISDIR(from.mode) ? -GUEST_EPERM : tree_link(g, from.file, to.parent, to.guest);
	return result ? result : host_result(host_link(from.host, to.host));
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
	if (to.parent)
		return tree_rename(g, from.parent, from.guest, to.parent, to.guest);
	return host_result(host_rename(from.host, to.host));
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

	if (!result && place.kind == PLACE_MEMORY) {
		node_change_mode(place.file, (uint32_t)args[2]);
		return 0;
	}
	return result ? result : change_mode(place.host, args[2]);
}

int64_t sys_fchmod(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	if (!f)
		return -GUEST_EBADF;
	if (f->host < 0 || f->borrowed) {
		tree_change_mode(f, (uint32_t)args[1]);
		return 0;
	}
	return f->may_change ? host_result(fchmod(f->host, args[1] & 0777)) : -GUEST_EROFS;
}

/* Everything already belongs to the one user there is. */
int64_t sys_fchownat(struct guest *g, const uint64_t *args)
{
	struct place place;

	return changeable(g, args[0], args[1], !(args[4] & GUEST_AT_SYMLINK_NOFOLLOW), &place);
}

int64_t sys_fchown(struct guest *g, const uint64_t *args)
{
	return descriptor_file(g, args[0]) ? 0 : -GUEST_EBADF;
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
		if (!result && place.kind == PLACE_MEMORY) {
			set_modified(place.file, &times[1]);
			return 0;
		}
		if (!result)
			result = host_result(host_set_times(place.host, times));
		if (!result)
			forget_written(g, place.host);
		return result;
	}
	f = descriptor_file(g, args[0]);
	if (!f)
		return -GUEST_EBADF;
	if (!f->may_change)
		return -GUEST_EROFS;
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
	if (place.kind == PLACE_MEMORY)
		return memory_resize(g, &place.file->file, args[1]);
	return host_result(host_path_truncate(place.host, (off_t)args[1]));
}

int64_t sys_umask(struct guest *g, const uint64_t *args)
{
	unsigned old = g->process->umask;

	g->process->umask = args[0] & 0777;
	return old;
}

int64_t sys_readlinkat(struct guest *g, const uint64_t *args)
{
	char target[GUEST_PATH_MAX];
	struct place place;
	int64_t result = path_walk_user(g, args[0], args[1], false, &place);
	size_t length = 0;

	if (result)
		return result;
	if ((int64_t)args[3] <= 0)
		return -GUEST_EINVAL;
	if (place.kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	if (!S_ISLNK(place.mode))
		return -GUEST_EINVAL;
	if (place.kind == PLACE_HOST) {
		ssize_t got = host_readlink(place.host, target, sizeof(target));

		if (got < 0)
			return -guest_errno_of_host(errno);
		length = (size_t)got;
	} else if (place.kind == PLACE_MEMORY) {
		length = place.file->file.size;
		memcpy(target, place.file->file.bytes, length);
	} else if (place.kind == PLACE_DESCRIPTOR) {
		const struct open_file *f = descriptor_file(g, place.descriptor);
		const char *name = f->path ? f->path : f->ops->name;

		length = (size_t)snprintf(target, sizeof(target), "%s", name ? name : "pipe:[1]");
	} else {
		char *text = virtual_text(g, place.node, place.guest, &length);

		if (!text)
			return -GUEST_ENOMEM;
		memcpy(target, text, length = length < sizeof(target) ? length : sizeof(target));
		free(text);
	}
	if (length > args[3])
		length = args[3];
	return user_write(g, args[2], target, length) ? (int64_t)length : -GUEST_EFAULT;
}

int64_t sys_getcwd(struct guest *g, const uint64_t *args)
{
	const char *cwd = *g->process->cwd ? g->process->cwd : "/";
	size_t size = strlen(cwd) + 1;

	if (args[1] < size)
		return -GUEST_ERANGE;
	return user_write(g, args[0], cwd, size) ? (int64_t)size : -GUEST_EFAULT;
}

static int64_t set_cwd(struct guest *g, const char *path)
{
	char *cwd = strdup(path);

	if (!cwd)
		return -GUEST_ENOMEM;
	free(g->process->cwd);
	g->process->cwd = cwd;
	return 0;
}

int64_t sys_chdir(struct guest *g, const uint64_t *args)
{
	struct place place;
	int64_t result = path_walk_user(g, GUEST_AT_FDCWD, args[0], true, &place);

	if (result)
		return result;
	if (place.kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	return S_ISDIR(place.mode) ? set_cwd(g, place.guest) : -GUEST_ENOTDIR;
}

int64_t sys_fchdir(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	if (!f)
		return -GUEST_EBADF;
	return f->ops->directory ? set_cwd(g, f->path) : -GUEST_ENOTDIR;
}
