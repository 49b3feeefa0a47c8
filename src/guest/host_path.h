/* The host's files by path, without following a symbolic link anywhere in it: not the last component, not those before.
 * The walk (path.h) makes paths that contain no links. Whoever else may change the tree, another simulation with the
 * same writable directory, could put one in between the look and the use, and it would lead out.
 *
 * Each function is what its name says in POSIX, and sets errno as that does; ELOOP where a link has appeared. */
#ifndef CULPRIT_GUEST_HOST_PATH_H
#define CULPRIT_GUEST_HOST_PATH_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

int host_open(const char *path, int flags, mode_t mode);
DIR *host_list(const char *path); /* opendir */
int host_lstat(const char *path, struct stat *st);
int host_access(const char *path, int mode);
ssize_t host_readlink(const char *path, char *target, size_t size);
int host_mkdir(const char *path, mode_t mode);
int host_unlink(const char *path, bool directory);
int host_symlink(const char *target, const char *path);
int host_link(const char *from, const char *to);
int host_rename(const char *from, const char *to);
int host_chmod(const char *path, mode_t mode);
int host_set_times(const char *path, const struct timespec times[2]);
int host_path_truncate(const char *path, off_t size);

#endif
