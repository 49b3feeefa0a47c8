/* Setting up the name space: the allowed host directories, the current directory, the sysroot, in this order. */
#include "guest/archive.h"
#include "guest/path.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void trim_slashes(char *path)
{
	size_t length = strlen(path);

	while (length && path[length - 1] == '/')
		path[--length] = 0;
}

static bool mount_add(struct guest *g, const char *guest, const char *host, bool writable, struct error *err)
{
	struct mount *mounts = realloc(g->names.mounts, (g->names.count + 1) * sizeof(*mounts));
	struct mount *m;

	if (!mounts)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	g->names.mounts = mounts;
	m = &mounts[g->names.count];
	*m = (struct mount){.guest = strdup(guest), .host = strdup(host), .writable = writable};
	if (!m->guest || !m->host) {
		free(m->guest);
		free(m->host);
		return error_set(err, ERROR_SYSTEM, "out of memory");
	}
	trim_slashes(m->guest);
	trim_slashes(m->host);
	g->names.count++;
	return true;
}

/* Absolute, without "." and "..", links left alone: as the user spelt it. */
static void spell_absolute(const char *cwd, const char *path, char *out)
{
	char joined[2 * GUEST_PATH_MAX + 2], *save = NULL;
	size_t length = 0;

	snprintf(joined, sizeof(joined), "%s/%s", *path == '/' ? "" : cwd, path);
	out[0] = 0;
	for (char *part = strtok_r(joined, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		if (!strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			char *slash = strrchr(out, '/');

			length = slash ? (size_t)(slash - out) : 0;
			out[length] = 0;
		} else if (length + strlen(part) + 2 < GUEST_PATH_MAX) {
			out[length++] = '/';
			strcpy(out + length, part);
			length += strlen(part);
		}
	}
}

static bool host_real_path(const char *path, char *out, struct error *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
	if (strlen(real) >= GUEST_PATH_MAX) {
		free(real);
		return error_set(err, ERROR_USAGE, "%s: path too long", path);
	}
	strcpy(out, real);
	free(real);
	return true;
}

static bool host_cwd(char *out, struct error *err)
{
	if (!getcwd(out, GUEST_PATH_MAX))
		return error_set(err, ERROR_SYSTEM, "current directory: %s",
				 errno == ERANGE ? "its path is too long" : strerror(errno));
	return true;
}

/* Under the spelling given and, where links make it another, under the real path. */
bool names_allow(struct guest *g, const char *host, bool writable, struct error *err)
{
	char real[GUEST_PATH_MAX], spelt[GUEST_PATH_MAX], cwd[GUEST_PATH_MAX];

	TRY(host_cwd(cwd, err));
	TRY(host_real_path(host, real, err));
	if (strlen(host) >= GUEST_PATH_MAX)
		return error_set(err, ERROR_USAGE, "%s: path too long", host);
	spell_absolute(cwd, host, spelt);
	TRY(mount_add(g, spelt, real, writable, err));
	if (strcmp(spelt, real))
		TRY(mount_add(g, real, real, writable, err));
	return true;
}

static bool names_add_list(struct guest *g, const char *const *list, bool writable, struct error *err)
{
	for (; list && *list; list++)
		TRY(names_allow(g, *list, writable, err));
	return true;
}

static bool names_add_root(struct guest *g, const char *sysroot, struct error *err)
{
	char real[GUEST_PATH_MAX];
	struct stat st;

	if (!sysroot || !*sysroot) { /* the host's own system directories take the sysroot's place */
		static const char *const system[] = {"/usr", "/lib", "/etc/ld.so.cache", "/etc/localtime"};

		for (size_t i = 0; i < sizeof(system) / sizeof(*system); i++)
			if (!access(system[i], F_OK))
				TRY(names_allow(g, system[i], false, err));
		return true;
	}
	TRY(host_real_path(sysroot, real, err) || error_context(err, "sysroot"));
	if (stat(real, &st) || !S_ISDIR(st.st_mode))
		return error_set(err, ERROR_USAGE, "sysroot: %s: not a directory", sysroot);
	if (access(real, R_OK | X_OK))
		return error_set(err, ERROR_USAGE, "sysroot: %s: %s", sysroot, strerror(errno));
	return mount_add(g, "", real, false, err);
}

/* Started in a system directory, the host's programs and libraries would hide the sysroot's: it comes first then. */
static bool is_system_directory(const char *cwd)
{
	static const char *const system[] = {"/usr", "/bin", "/sbin", "/lib", "/etc"};

	for (size_t i = 0; i < sizeof(system) / sizeof(*system); i++) {
		size_t length = strlen(system[i]);

		if (!strncmp(cwd, system[i], length) && (!cwd[length] || cwd[length] == '/'))
			return true;
	}
	return !*cwd;
}

bool names_create(struct guest *g, const struct guest_options *options, struct error *err)
{
	char cwd[GUEST_PATH_MAX];
	bool last;

	TRY(host_cwd(cwd, err));
	trim_slashes(cwd);
	last = is_system_directory(cwd);
	free(g->process->cwd);
	g->process->cwd = strdup(cwd);
	if (!g->process->cwd)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	TRY(names_add_list(g, options->writable, true, err));
	TRY(names_add_list(g, options->readable, false, err));
	if (!last)
		TRY(mount_add(g, cwd, cwd, false, err));
	TRY(names_add_root(g, options->sysroot, err));
	/* In "/" the whole host would be readable: only if the user named nothing narrower. */
	return !last || (!*cwd && options->readable) || mount_add(g, cwd, cwd, false, err);
}

void names_destroy(struct guest *g)
{
	for (size_t i = 0; i < g->names.count; i++) {
		free(g->names.mounts[i].guest);
		free(g->names.mounts[i].host);
	}
	free(g->names.mounts);
}

void names_archive(struct guest *g, struct archive *a)
{
	uint64_t count = g->names.count;

	archive_count(a, &count, 4096);
	if (a->loading)
		g->names.mounts = calloc(count + 1, sizeof(*g->names.mounts));
	if (!g->names.mounts)
		archive_no_memory(a);
	for (size_t i = 0; i < count && g->names.mounts; i++) {
		struct mount *m = &g->names.mounts[i];

		g->names.count = i + 1;
		archive_text(a, &m->guest);
		archive_text(a, &m->host);
		archive_flag(a, &m->writable);
		if (m->writable || (a->loading && (!m->guest || !m->host)))
			archive_fail(a, "a writable directory cannot be in it");
	}
}
