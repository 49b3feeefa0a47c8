/* Finding machine files by name, and listing them. */
#include "base/nearest.h"
#include "machine/machine_find.h"
#include "machine/machine_rows.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CULPRIT_INSTALL_MACHINES
#define CULPRIT_INSTALL_MACHINES "/usr/local/share/culprit/machines"
#endif

/* Where this code lies: in a program's file, or in that of libculprit.so. */
static const char *own_file(char path[PATH_MAX])
{
	Dl_info object;
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	path[length < 0 ? 0 : length] = '\0';
	/* the program itself is told by the name that it was called by, without its folder */
	if (dladdr((void *)(uintptr_t)own_file, &object) && object.dli_fname && strstr(object.dli_fname, ".so"))
		return object.dli_fname;
	return path;
}

/* A directory named from there. */
static void beside_us(const char *relative, char *path, size_t size)
{
	char room[PATH_MAX];
	const char *own = own_file(room), *slash = strrchr(own, '/');
	snprintf(path, size, "%.*s/%s", (int)(slash ? slash - own : 0), own, relative);
}

/* Directory number `index` of the search, or false after the last. Those that nobody named may be absent. */
static bool directory(unsigned index, char *path, size_t size)
{
	const char *list = getenv("CULPRIT_MACHINES");
	for (; list && *list; index--) {
		size_t length = strcspn(list, ":");
		if (!index) {
			snprintf(path, size, "%.*s", (int)(length < size ? length : 0), list);
			return true;
		}
		list += length + (list[length] == ':');
	}
	/* below bin or lib; lib/x86_64-linux-gnu; build/NAME in the source tree */
	static const char *const beside[] = {"../share/culprit/machines", "../../share/culprit/machines",
					     "../../machines"};
	enum { BESIDE = sizeof beside / sizeof *beside };
	if (index > BESIDE + 1)
		return false;
	if (index && index <= BESIDE)
		beside_us(beside[index - 1], path, size);
	else
		snprintf(path, size, "%s", index ? CULPRIT_INSTALL_MACHINES : "machines");
	return true;
}

/* A folder that is meant to be searched and is not there: a typing error would else go to another machine's file. */
static bool folders_there(struct error *err)
{
	const char *at = getenv("CULPRIT_MACHINES");
	for (size_t length; at && *at; at += length + (at[length] == ':')) {
		char dir[PATH_MAX];
		struct stat s;
		length = strcspn(at, ":");
		snprintf(dir, sizeof dir, "%.*s", (int)(length < PATH_MAX ? length : PATH_MAX), at);
		errno = 0;
		if (!length || (!stat(dir, &s) && S_ISDIR(s.st_mode)))
			continue;
		return error_set(err, ERROR_USAGE, "CULPRIT_MACHINES: %s: %s", dir, strerror(errno ? errno : ENOTDIR));
	}
	return true;
}

static bool in_directory(const char *dir, const char *name, char *path, size_t size)
{
	int n = snprintf(path, size, "%s/%s.yaml", dir, name);
	return *dir && n > 0 && (size_t)n < size && !access(path, R_OK);
}

static bool no_machine(const char *name, struct error *err)
{
	char quoted[64];
	struct nearest near;
	char **names = machine_list(NULL);
	const bool none = names && !*names;
	nearest_begin(&near, name, strlen(name));
	for (size_t i = 0; names && names[i]; i++) {
		nearest_consider(&near, names[i]);
		free(names[i]);
	}
	free(names);
	if (none)
		return error_set(err, ERROR_USAGE,
				 "no machine is called '%s': there are no machine files; name their folder in "
				 "CULPRIT_MACHINES",
				 machine_quotable(name, quoted));
	return error_set(err, ERROR_USAGE, "no machine is called '%s'%s%s `culprit machines` lists those there are",
			 machine_quotable(name, quoted), nearest_hint(&near), *near.best ? "" : ";");
}

bool machine_find(const char *name, const char *first, char *path, size_t size, struct error *err)
{
	char dir[PATH_MAX], quoted[64];
	if (*name == '.' || !*name || strchr(name, '/') || strlen(name) > 63)
		return error_set(err, ERROR_USAGE, "'%s' is not the name of a machine", machine_quotable(name, quoted));
	TRY(folders_there(err));
	if (first && in_directory(first, name, path, size))
		return true;
	for (unsigned i = 0; directory(i, dir, sizeof dir); i++)
		if (in_directory(dir, name, path, size))
			return true;
	return no_machine(name, err);
}

/* The list under construction: NULL-terminated at every moment. */
struct names {
	char **names;
	size_t count;
};

static bool add(struct names *list, const char *file)
{
	size_t length = strlen(file);
	if (length < 6 || *file == '.' || strcmp(file + length - 5, ".yaml"))
		return true;
	char **names = realloc(list->names, (list->count + 2) * sizeof *names);
	if (!names)
		return false;
	list->names = names;
	names[list->count] = strndup(file, length - 5);
	names[list->count + 1] = NULL;
	return names[list->count] ? (list->count++, true) : false;
}

static bool add_directory(struct names *list, const char *dir)
{
	DIR *d = opendir(dir);
	if (!d)
		return errno != ENOMEM; /* a directory of the search may be absent */
	bool ok = true;
	for (struct dirent *entry; ok && (entry = readdir(d));)
		ok = add(list, entry->d_name);
	closedir(d);
	return ok;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(struct names *list)
{
	size_t kept = 0;
	qsort(list->names, list->count, sizeof *list->names, compare);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && !strcmp(list->names[kept - 1], list->names[i]))
			free(list->names[i]);
		else
			list->names[kept++] = list->names[i];
	}
	list->names[kept] = NULL;
}

char **machine_list(struct error *err)
{
	if (!folders_there(err))
		return NULL;
	struct names list = {calloc(1, sizeof *list.names), 0};
	char dir[PATH_MAX];
	bool ok = list.names != NULL;
	for (unsigned i = 0; ok && directory(i, dir, sizeof dir); i++)
		ok = add_directory(&list, dir);
	if (ok) {
		sort_once(&list);
		return list.names;
	}
	for (size_t i = 0; i < list.count; i++)
		free(list.names[i]);
	free(list.names);
	error_set(err, ERROR_SYSTEM, "out of memory");
	return NULL;
}
