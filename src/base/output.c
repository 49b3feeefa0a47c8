#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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

static bool open_temporary(struct output *o, const char *path, struct error *err)
{
	snprintf(o->temporary, sizeof o->temporary, "%s.tmpXXXXXX", o->path);
	int fd = mkstemp(o->temporary);
	if (fd < 0)
		return cannot_write(path, err);
	mode_t mask = umask(0);
	umask(mask);
	if (!fchmod(fd, 0666 & ~mask) && (o->file = fdopen(fd, "w")))
		return true;
	cannot_write(path, err);
	close(fd);
	unlink(o->temporary);
	return false;
}

bool output_open(struct output *o, const char *path, struct error *err)
{
	o->file = NULL;
	o->borrowed = false;
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
	good = fclose(o->file) == 0 && good;
	o->file = NULL;
	if (good && (!whole || rename(o->temporary, o->path) == 0))
		return true;
	cannot_write(o->path, err);
	if (whole)
		unlink(o->temporary);
	return false;
}

void output_abandon(struct output *o)
{
	if (!o->file || o->borrowed)
		return;
	fclose(o->file);
	o->file = NULL;
	if (o->temporary[0])
		unlink(o->temporary);
}

bool output_finish(struct output *o, bool good, struct error *err)
{
	if (good)
		return output_commit(o, err);
	output_abandon(o);
	return false;
}
