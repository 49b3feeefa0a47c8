#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_write(const char *path, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
}

/* Standard output or error, if that is what the path leads to: -1 = neither. */
static int open_already(const struct stat *target)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat s;
		if (!fstat(fd, &s) && s.st_dev == target->st_dev && s.st_ino == target->st_ino)
			return fd;
	}
	return -1;
}

static bool open_in_place(struct output *o, const char *path, int already, struct error *err)
{
	int fd = already >= 0 ? fcntl(already, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return cannot_write(path, err);
	o->temporary[0] = 0;
	o->file = fdopen(fd, "w");
	if (o->file)
		return true;
	close(fd);
	return cannot_write(path, err);
}

static void remove_temporary(const struct output *o)
{
	if (o->temporary[0] && !o->nameless)
		unlink(o->temporary);
}

/* A name that no file has, for a moment: what has a name already cannot be replaced by a link. */
static bool give_name(struct output *o)
{
	enum { TRIES = 100 };
	char from[64];
	uint64_t number;
	snprintf(from, sizeof from, "/proc/self/fd/%d", fileno(o->file));
	for (int i = 0; i < TRIES; i++) {
		if (getrandom(&number, sizeof number, 0) != sizeof number)
			return false;
		snprintf(o->temporary, sizeof o->temporary, "%s.tmp%06llx", o->path,
			 (unsigned long long)number & 0xffffff);
		o->nameless = linkat(AT_FDCWD, from, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) != 0;
		if (!o->nameless || errno != EEXIST)
			return !o->nameless;
	}
	return false;
}

/* Without a name nothing is left of it, whatever ends the process. -1: this file system has no such files, or a name
 * could not be given to it later. */
static int open_nameless(const char *path)
{
	char folder[sizeof((struct output *)NULL)->path], name[64];
	const char *slash = strrchr(path, '/');
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	if (fd < 0 || !access(name, F_OK))
		return fd;
	close(fd);
	return -1;
}

static int open_named(char *name)
{
	int fd = mkstemp(name);
	mode_t mask = umask(0);
	umask(mask);
	if (fd < 0 || !fchmod(fd, 0666 & ~mask))
		return fd;
	close(fd);
	unlink(name);
	return -1;
}

static bool open_temporary(struct output *o, const char *path, struct error *err)
{
	snprintf(o->temporary, sizeof o->temporary, "%s.tmpXXXXXX", o->path);
	int fd = open_nameless(o->path);
	o->nameless = fd >= 0;
	if (fd < 0)
		fd = open_named(o->temporary);
	if (fd < 0)
		return cannot_write(path, err);
	if ((o->file = fdopen(fd, "w")))
		return true;
	cannot_write(path, err);
	close(fd);
	remove_temporary(o);
	return false;
}

bool output_open(struct output *o, const char *path, struct error *err)
{
	o->file = NULL;
	o->borrowed = o->nameless = false;
	if ((size_t)snprintf(o->path, sizeof o->path, "%s", path) >= sizeof o->path)
		return error_set(err, ERROR_USAGE, "%.60s...: path too long", path);
	struct stat target;
	if (!strcmp(path, "-"))
		return open_in_place(o, path, STDOUT_FILENO, err);
	if (stat(path, &target))
		return open_temporary(o, path, err);
	int already = open_already(&target);
	if (already >= 0 || !S_ISREG(target.st_mode))
		return open_in_place(o, path, already, err);
	char real[PATH_MAX];
	if (!realpath(path, real) || access(real, W_OK))
		return cannot_write(path, err);
	snprintf(o->path, sizeof o->path, "%s", real);
	return open_temporary(o, path, err);
}

bool output_open_or(struct output *o, const char *path, FILE *otherwise, struct error *err)
{
	if (path)
		return output_open(o, path, err);
	o->file = otherwise;
	o->borrowed = true;
	return true;
}

bool output_check(const char *path, struct error *err)
{
	struct stat target;
	if (!stat(path, &target) && !S_ISREG(target.st_mode) && !S_ISDIR(target.st_mode))
		return access(path, W_OK) ? cannot_write(path, err)
					  : true; /* opening a pipe could wait for its reader */
	struct output o;
	TRY(output_open(&o, path, err));
	output_abandon(&o);
	return true;
}

bool output_commit(struct output *o, struct error *err)
{
	if (o->borrowed) /* whether all was written is asked when the program ends */
		return true;
	bool whole = o->temporary[0];
	bool good = fflush(o->file) == 0 && !ferror(o->file) && (!whole || fsync(fileno(o->file)) == 0);
	good = good && (!o->nameless || give_name(o));
	good = fclose(o->file) == 0 && good;
	o->file = NULL;
	if (good && (!whole || rename(o->temporary, o->path) == 0))
		return true;
	cannot_write(o->path, err);
	remove_temporary(o);
	return false;
}

void output_abandon(struct output *o)
{
	if (!o->file || o->borrowed)
		return;
	fclose(o->file);
	o->file = NULL;
	remove_temporary(o);
}

bool output_finish(struct output *o, bool good, struct error *err)
{
	if (good)
		return output_commit(o, err);
	output_abandon(o);
	return false;
}
