/* Copying a writable directory so that the guest sees no difference: contents, modes, times, hard links, and the inode
 * numbers it already knows. */
#include "guest/copy_tree.h"

#include "guest/files.h"
#include "guest/host_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

bool copy_bytes(int from, int to)
{
	char buffer[65536];
	ssize_t got;

	while ((got = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)got) != got)
			return false;
	return got == 0;
}

static bool copy_file(const char *from, const char *to, mode_t mode)
{
	int in = host_open(from, O_RDONLY, 0), out;
	bool done;

	if (in < 0)
		return false;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
	done = out >= 0 && copy_bytes(in, out) && !fchmod(out, mode & 0777);
	close(in);
	if (out >= 0)
		close(out);
	return done;
}

static bool copy_link(const char *from, const char *to)
{
	char target[GUEST_PATH_MAX];
	ssize_t length = host_readlink(from, target, sizeof(target) - 1);

	if (length < 0)
		return false;
	target[length] = 0;
	return !symlink(target, to);
}

struct copier {
	struct guest *g;
	struct linked {
		dev_t device;
		ino_t number;
		char *copy;
	} * linked; /* files with several names, copied once */
	size_t count;
};

static const char *linked_copy(const struct copier *c, const struct stat *st)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->linked[i].device == st->st_dev && c->linked[i].number == st->st_ino)
			return c->linked[i].copy;
	return NULL;
}

static bool linked_note(struct copier *c, const struct stat *st, const char *copy)
{
	struct linked *linked = realloc(c->linked, (c->count + 1) * sizeof(*linked));

	if (!linked)
		return false;
	c->linked = linked;
	linked[c->count] = (struct linked){.device = st->st_dev, .number = st->st_ino, .copy = strdup(copy)};
	return linked[c->count++].copy != NULL;
}

static bool copy_regular(struct copier *c, const char *from, const char *to, const struct stat *st)
{
	const char *earlier = st->st_nlink > 1 ? linked_copy(c, st) : NULL;

	if (earlier)
		return !link(earlier, to);
	return copy_file(from, to, st->st_mode) && (st->st_nlink == 1 || linked_note(c, st, to));
}

static bool copy_entry(struct copier *c, const char *from, const char *to);

static bool copy_entries(struct copier *c, const char *from, const char *to)
{
	DIR *dir = host_list(from);
	struct dirent *entry;
	bool done = dir != NULL;

	while (done && (entry = readdir(dir))) {
		char source[GUEST_PATH_MAX], target[GUEST_PATH_MAX];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		done = snprintf(source, sizeof(source), "%s/%s", from, entry->d_name) < (int)sizeof(source) &&
		       snprintf(target, sizeof(target), "%s/%s", to, entry->d_name) < (int)sizeof(target) &&
		       copy_entry(c, source, target);
	}
	if (dir)
		closedir(dir);
	return done;
}

/* Devices, sockets and named pipes are left out: a guest cannot open them anyway. */
static bool copy_entry(struct copier *c, const char *from, const char *to)
{
	struct stat st, copy;
	struct timespec times[2];
	bool done;

	if (host_lstat(from, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		done = (!mkdir(to, 0700) || errno == EEXIST) && copy_entries(c, from, to) &&
		       !chmod(to, st.st_mode & 0777);
	else if (S_ISLNK(st.st_mode))
		done = copy_link(from, to);
	else if (S_ISREG(st.st_mode))
		done = copy_regular(c, from, to, &st);
	else
		return true;
	times[0] = times[1] = st.st_mtim;
	if (!done || lstat(to, &copy))
		return false;
	utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
	return inode_alias(c->g, &st, &copy);
}

bool copy_tree(struct guest *g, const char *from, const char *to)
{
	struct copier c = {.g = g};
	bool done = copy_entry(&c, from, to);

	for (size_t i = 0; i < c.count; i++)
		free(c.linked[i].copy);
	free(c.linked);
	return done;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

void remove_tree(char *path)
{
	if (path)
		nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}
