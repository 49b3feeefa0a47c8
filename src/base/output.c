#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_open(struct output *o, const char *path, struct error *err)
{
	o->file = NULL;
	if ((size_t)snprintf(o->path, sizeof o->path, "%s", path) >= sizeof o->path)
		return error_set(err, ERROR_USAGE, "%.60s...: path too long", path);
	snprintf(o->temporary, sizeof o->temporary, "%s.tmpXXXXXX", path);
	int fd = mkstemp(o->temporary);
	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
	mode_t mask = umask(0);
	umask(mask);
	if (fchmod(fd, 0666 & ~mask) || !(o->file = fdopen(fd, "w"))) {
		close(fd);
		unlink(o->temporary);
		return error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
	}
	return true;
}

bool output_commit(struct output *o, struct error *err)
{
	bool good = fflush(o->file) == 0 && !ferror(o->file) && fsync(fileno(o->file)) == 0;
	good = fclose(o->file) == 0 && good;
	o->file = NULL;
	if (good && rename(o->temporary, o->path) == 0)
		return true;
	error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", o->path, strerror(errno));
	unlink(o->temporary);
	return false;
}

void output_abandon(struct output *o)
{
	if (!o->file)
		return;
	fclose(o->file);
	o->file = NULL;
	unlink(o->temporary);
}
