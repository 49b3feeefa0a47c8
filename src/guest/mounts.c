/* Which file systems there are and where: /proc/PID/mounts and mountinfo, and statfs, which agrees with them. What the
 * host lends is one ext4 file system that is mounted at each of its places. */
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/path.h"

#define BLOCK 4096

struct file_system {
	const char *name, *source;
	uint32_t magic;
	unsigned device; /* minor: what stat gives of the files on it */
};

static const struct file_system ext4 = {"ext4", "/dev/root", 0xef53, 1}, none = {"tmpfs", "none", 0x01021994, 2},
				tmpfs = {"tmpfs", "tmpfs", 0x01021994, 4}, proc = {"proc", "proc", 0x9fa0, 2},
				sysfs = {"sysfs", "sysfs", 0x62656572, 2},
				devtmpfs = {"devtmpfs", "devtmpfs", 0x01021994, 2},
				devpts = {"devpts", "devpts", 0x1cd1, 2};

struct mounted {
	const char *at; /* "" is the root */
	const struct file_system *system;
	bool writable;
};

/* That are always there, behind the root. */
static const struct mounted fixed[] = {
	{"/proc", &proc, true}, {"/sys", &sysfs, true},	 {"/dev", &devtmpfs, true},  {"/dev/pts", &devpts, true},
	{"/tmp", &tmpfs, true}, {"/home", &tmpfs, true}, {"/var/tmp", &tmpfs, true}, {"/dev/shm", &tmpfs, true},
};
enum { FIXED = sizeof(fixed) / sizeof(*fixed) };

static bool lies_in(const char *path, const char *at)
{
	size_t length = strlen(at);

	return !strncmp(path, at, length) && (!path[length] || path[length] == '/');
}

/* The first match wins: a later mount at or below an earlier one's place is not seen. */
static bool is_hidden(const struct names *n, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (lies_in(n->mounts[index].guest, n->mounts[i].guest))
			return true;
	return false;
}

/* Row by row; at = NULL where one is left out. False: no more. */
static bool mounted_at(const struct guest *g, size_t index, struct mounted *m)
{
	const struct names *n = &g->names;

	if (!index) {
		*m = (struct mounted){"", &none, false};
		for (size_t i = 0; i < n->count; i++)
			if (!*n->mounts[i].guest)
				*m = (struct mounted){"", &ext4, n->mounts[i].writable};
		return true;
	}
	if (--index < FIXED) {
		*m = fixed[index];
		return true;
	}
	index -= FIXED;
	if (index >= n->count)
		return false;
	*m = (struct mounted){n->mounts[index].guest, &ext4, n->mounts[index].writable};
	if (!*m->at || is_hidden(n, index))
		m->at = NULL;
	return true;
}

/* The number of the mount that the path lies in, with *m; `proper`: that is not at the path itself. */
static size_t mount_of(const struct guest *g, const char *path, bool proper, struct mounted *m)
{
	struct mounted row;
	size_t found = 0, length = 0;

	mounted_at(g, 0, m);
	for (size_t i = 1; mounted_at(g, i, &row); i++) {
		if (!row.at || strlen(row.at) <= length || !lies_in(path, row.at) || (proper && !strcmp(path, row.at)))
			continue;
		found = i;
		length = strlen(row.at);
		*m = row;
	}
	return found;
}

/* --- the texts --- */

/* What would part a line into other fields, in octal. */
static void print_path(FILE *out, const char *path)
{
	if (!*path)
		fputc('/', out);
	for (; *path; path++)
		fprintf(out, strchr(" \t\n\\", *path) ? "\\%03o" : "%c", *path);
}

void text_mounts(struct guest *g, FILE *out)
{
	struct mounted m;

	for (size_t i = 0; mounted_at(g, i, &m); i++) {
		if (!m.at)
			continue;
		fprintf(out, "%s ", m.system->source);
		print_path(out, m.at);
		fprintf(out, " %s %s,relatime 0 0\n", m.system->name, m.writable ? "rw" : "ro");
	}
}

void text_mountinfo(struct guest *g, FILE *out)
{
	enum { FIRST = 20, NOBODY = 1 };
	struct mounted m, parent;

	for (size_t i = 0; mounted_at(g, i, &m); i++) {
		const char *mode = m.writable ? "rw" : "ro";

		if (!m.at)
			continue;
		fprintf(out, "%zu %zu 0:%u ", FIRST + i, i ? FIRST + mount_of(g, m.at, true, &parent) : NOBODY,
			m.system->device);
		print_path(out, m.system == &ext4 ? m.at : "");
		fputc(' ', out);
		print_path(out, m.at);
		fprintf(out, " %s,relatime - %s %s %s\n", mode, m.system->name, m.system->source, mode);
	}
}

/* --- statfs --- */

/* Of the host's file systems nothing is told. */
static int64_t put_statfs(struct guest *g, const struct mounted *m, uint64_t address)
{
	enum { READ_ONLY = 1, VALID = 0x20, RELATIVE_TIMES = 0x1000 };
	bool memory = m->system == &tmpfs, host = m->system == &ext4;
	uint64_t free = memory ? (g->memory_limit - g->memory_used) / BLOCK : host ? 1 << 23 : 0;
	uint8_t raw[120] = {0};

	put64(raw, m->system->magic);
	put64(raw + 8, BLOCK);
	put64(raw + 16, memory ? g->memory_limit / BLOCK : host ? 1 << 24 : 0);
	put64(raw + 24, free);
	put64(raw + 32, free);
	put64(raw + 40, memory || host ? 1 << 22 : 0);
	put64(raw + 48, memory || host ? 1 << 21 : 0);
	put64(raw + 64, 255);
	put64(raw + 72, BLOCK);
	put64(raw + 80, VALID | RELATIVE_TIMES | (m->writable ? 0 : READ_ONLY));
	return user_write(g, address, raw, sizeof(raw)) ? 0 : -GUEST_EFAULT;
}

int64_t sys_statfs(struct guest *g, const uint64_t *args)
{
	struct mounted m;
	struct place place;
	int64_t result = path_walk_user(g, GUEST_AT_FDCWD, args[0], true, &place);

	if (result)
		return result;
	if (place.kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	mount_of(g, place.guest, false, &m);
	return put_statfs(g, &m, args[1]);
}

/* Pipes, sockets and the host's streams are said to be on the host's file system. */
int64_t sys_fstatfs(struct guest *g, const uint64_t *args)
{
	const struct open_file *f = descriptor_file(g, args[0]);
	struct mounted m = {"", &ext4, true};

	if (!f)
		return -GUEST_EBADF;
	if (f->path && !strncmp(f->path, "/memfd:", 7))
		m.system = &tmpfs;
	else if (f->path && *f->path == '/')
		mount_of(g, f->path, false, &m);
	return put_statfs(g, &m, args[1]);
}
