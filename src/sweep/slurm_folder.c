#include "sweep/slurm_folder.h"

#include "sweep/backend.h"
#include "sweep/points.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool slurm_put_file(const char *folder, const char *name, const char *end, const char *text, struct error *err)
{
	char path[PATH_MAX + 100], half[PATH_MAX + 110];
	snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
	snprintf(half, sizeof half, "%s.half", path);
	FILE *out = fopen(half, "w");
	bool good = out && fputs(text, out) >= 0;
	if (out)
		good = !fclose(out) && good;
	return (good && !rename(half, path)) ||
	       error_set(err, ERROR_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
}

void slurm_remove_file(const char *folder, const char *name, const char *end)
{
	char path[PATH_MAX + 100];
	snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
	unlink(path);
}

FILE *slurm_open_file(const char *folder, const char *name, const char *end)
{
	char path[PATH_MAX + 100];
	snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
	return fopen(path, "re");
}

/* "NAME.end" -> NAME */
bool slurm_take_name(const char *file, const char *end, char *name, size_t room)
{
	size_t length = strlen(file), tail = strlen(end);
	if (length <= tail || length - tail >= room || strcmp(file + length - tail, end) != 0)
		return false;
	memcpy(name, file, length - tail);
	name[length - tail] = 0;
	return true;
}

bool slurm_take_result(const char *file, char *id, size_t room)
{
	return slurm_take_name(file, ".json", id, room) || slurm_take_name(file, ".ckpt", id, room);
}

bool sweep_slurm_has(const char *folder)
{
	char name[64];
	bool found = false;
	DIR *scan = opendir(folder);
	struct dirent *entry;
	while (scan && !found && (entry = readdir(scan)))
		found = slurm_take_name(entry->d_name, ".list", name, sizeof name);
	if (scan)
		closedir(scan);
	return found;
}

bool slurm_owns(const char *folder, const char *name, const char *id)
{
	char line[64] = "";
	FILE *task = slurm_open_file(folder, id, "task");
	bool good = task && fgets(line, sizeof line, task) && line[0] == '#' && line[1] == ' ';
	if (task)
		fclose(task);
	line[strcspn(line, "\n")] = 0;
	return good && !strcmp(line + 2, name);
}

static const char script[] =
	"#!/bin/sh\n"
	"# The tasks of culprit sweep --slurm. A point without its file has been taken, or given to another array.\n"
	"trap '' INT TERM # half a result is none\n"
	"cd %s || exit 0\n"
	"id=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" %s.list)\n"
	"[ \"$id\" ] && [ \"$(head -n 1 \"$id.task\")\" = '# %s' ] && [ ! -e \"$id.json\" ] && [ ! -e \"$id.ckpt\" ] "
	"|| exit 0\n"
	"sh \"./$id.task\" >/dev/null 2>\"$id.said\"\n"
	"status=$?\n"
	"[ ! -e \"$id.task\" ] || [ -e \"$id.json\" ] || [ -e \"$id.ckpt\" ] || { echo \"status $status\" "
	">>\"$id.said\"; mv \"$id.said\" "
	"\"$id.ended\"; }\n"
	"rm -f \"$id.said\"\n";

bool slurm_put_script(const char *in, const char *name, struct error *err)
{
	char *text = NULL, *folder = NULL;
	size_t size;
	FILE *out = open_memstream(&folder, &size);
	if (out) {
		sweep_print_word(in, out);
		fclose(out);
	}
	bool good = out && asprintf(&text, script, folder, name, name) >= 0
			    ? slurm_put_file(in, name, "sh", text, err)
			    : error_set(err, ERROR_SYSTEM, "out of memory for Slurm's jobs");
	free(text);
	free(folder);
	return good;
}
