/* Each call opens the directory that the last component is in, and then names that component alone. */
#include "guest/host_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_ROOM 4096

/* One component after the other, where the kernel has no openat2 (before Linux 5.6, or under a filter). */
static int open_folder_slowly(char *path)
{
	int folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), next;
	char *rest = path, *name;

	while (folder >= 0 && (name = strsep(&rest, "/"))) {
		if (!*name)
			continue;
		next = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(folder);
		folder = next;
	}
	return folder;
}

static int open_folder(char *path)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	int folder = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return folder >= 0 || (errno != ENOSYS && errno != EPERM) ? folder : open_folder_slowly(path);
}

/* The directory of the last component, which *name receives: -1 and errno, or a descriptor for `leave`. */
static int enter(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_ROOM];
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (!slash || length >= sizeof(folder)) {
		errno = slash ? ENAMETOOLONG : ENOENT;
		return -1;
	}
	*name = slash[1] ? slash + 1 : ".";
	memcpy(folder, path, length);
	strcpy(folder + length, length ? "" : "/");
	return open_folder(folder);
}

static int leave(int folder, int result)
{
	int saved = errno;

	close(folder);
	errno = saved;
	return result;
}

int host_open(const char *path, int flags, mode_t mode)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, mode));
}

DIR *host_list(const char *path)
{
	int fd = host_open(path, O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		leave(fd, -1);
	return dir;
}

int host_lstat(const char *path, struct stat *st)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, fstatat(folder, name, st, AT_SYMLINK_NOFOLLOW));
}

int host_access(const char *path, int mode)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, faccessat(folder, name, mode, AT_SYMLINK_NOFOLLOW));
}

ssize_t host_readlink(const char *path, char *target, size_t size)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, (int)readlinkat(folder, name, target, size));
}

int host_mkdir(const char *path, mode_t mode)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, mkdirat(folder, name, mode));
}

int host_unlink(const char *path, bool directory)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, unlinkat(folder, name, directory ? AT_REMOVEDIR : 0));
}

int host_symlink(const char *target, const char *path)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, symlinkat(target, folder, name));
}

/* What takes two names. */
static int with_both(const char *from, const char *to, int (*call)(int, const char *, int, const char *))
{
	const char *from_name, *to_name;
	int from_folder = enter(from, &from_name), to_folder, result = -1;

	if (from_folder < 0)
		return -1;
	to_folder = enter(to, &to_name);
	if (to_folder >= 0)
		result = leave(to_folder, call(from_folder, from_name, to_folder, to_name));
	return leave(from_folder, result);
}

static int link_names(int from_folder, const char *from, int to_folder, const char *to)
{
	return linkat(from_folder, from, to_folder, to, 0);
}

int host_link(const char *from, const char *to)
{
	return with_both(from, to, link_names);
}

int host_rename(const char *from, const char *to)
{
	return with_both(from, to, renameat);
}

int host_chmod(const char *path, mode_t mode)
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, fchmodat(folder, name, mode, AT_SYMLINK_NOFOLLOW));
}

int host_set_times(const char *path, const struct timespec times[2])
{
	const char *name;
	int folder = enter(path, &name);

	return folder < 0 ? -1 : leave(folder, utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW));
}

int host_path_truncate(const char *path, off_t size)
{
	int fd = host_open(path, O_WRONLY | O_NONBLOCK, 0);

	return fd < 0 ? -1 : leave(fd, ftruncate(fd, size));
}
