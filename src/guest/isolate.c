/* Simulations continued from one state by fork() must not meet through the host. Before the fork standard input is
 * taken into memory and a snapshot of the writable directories (and of open files without a name) is made, because the
 * parent goes on changing the originals at once. Each isolated child copies the snapshot and has nowhere to print to.
 * It sees exactly what it would have seen alone. */
#include "guest/copy_tree.h"
#include "guest/files.h"
#include "guest/memory_map.h"
#include "guest/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static bool fail(struct error *err, const char *what)
{
	return error_set(err, ERROR_SYSTEM, "%s: %s", what, strerror(errno));
}

static bool slurp(int fd, char **bytes, size_t *size)
{
	size_t room = 0;

	*bytes = NULL;
	*size = 0;
	for (;;) {
		ssize_t got;

		if (*size == room) {
			char *more = realloc(*bytes, room = room * 2 + 65536);

			if (!more)
				return false;
			*bytes = more;
		}
		got = read(fd, *bytes + *size, room - *size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0;
		*size += (size_t)got;
	}
}

/* Who may hold an open file: the descriptors of each process, then its mappings that are written back; then the queues
 * of sockets. */
struct holders {
	struct process *process; /* NULL: begin */
	bool processes_done;
	size_t descriptor, on_its_way;
	uint64_t address; /* of the next mapping */
};

static struct open_file **next_in_process(struct holders *at)
{
	struct process *p = at->process;
	struct region *r;

	if (at->descriptor < p->file_room)
		return &p->files[at->descriptor++].file;
	r = p->space ? region_tree_from(p->space->map.regions, at->address) : NULL;
	if (!r)
		return NULL;
	at->address = r->end;
	return &r->file;
}

static struct open_file **next_holder(struct guest *g, struct holders *at)
{
	if (!at->process && !at->processes_done)
		at->process = g->processes;
	while (at->process) {
		struct open_file **holder = next_in_process(at);

		if (holder)
			return holder;
		at->process = at->process->next;
		at->processes_done = !at->process;
		at->descriptor = 0;
		at->address = 0;
	}
	return parcel_file(g, at->on_its_way++);
}

/* Every descriptor and mapping that had the one file has the other, which comes with one reference of its maker's. */
static void replace_file(struct guest *g, struct open_file *old, struct open_file *new)
{
	struct holders at = {0};
	struct open_file **holder;

	locks_move(g, old, new);
	old->replaced = true;
	while ((holder = next_holder(g, &at))) {
		if (*holder != old)
			continue;
		*holder = new;
		file_retain(new);
		file_release(g, old);
	}
	file_release(g, new);
}

static bool make_scratch(char **path)
{
	char scratch[] = "/tmp/culprit-isolated-XXXXXX";

	*path = mkdtemp(scratch) ? realpath(scratch, NULL) : NULL; /* host_path.h follows no link */
	return *path != NULL;
}

/* --- before the fork --- */

static bool has_writable(const struct guest *g)
{
	for (size_t i = 0; i < g->names.count; i++)
		if (g->names.mounts[i].writable)
			return true;
	return false;
}

static bool same_directory(const struct mount *a, const struct mount *b)
{
	return a->writable && b->writable && !strcmp(a->host, b->host);
}

/* A directory may be mounted under two spellings; it has one copy, named by the first one's number. */
static size_t first_spelling(const struct guest *g, size_t mount)
{
	size_t i = 0;

	while (!same_directory(&g->names.mounts[i], &g->names.mounts[mount]))
		i++;
	return i;
}

static bool snapshot_mounts(struct guest *g)
{
	char to[GUEST_PATH_MAX];

	for (size_t i = 0; i < g->names.count; i++) {
		if (!g->names.mounts[i].writable || first_spelling(g, i) != i)
			continue;
		snprintf(to, sizeof(to), "%s/%zu", g->snapshot, i);
		if (!copy_tree(g, g->names.mounts[i].host, to))
			return false;
	}
	return true;
}

static bool wants_copy(const struct open_file *f)
{
	return f && f->ops == &host_file_ops && f->may_change && !f->borrowed;
}

static bool same_file(const struct place *place, int host)
{
	struct stat st;

	return place->kind == PLACE_HOST && !fstat(host, &st) && st.st_dev == place->st.st_dev &&
	       st.st_ino == place->st.st_ino;
}

/* Where in a snapshot an open file is: below its mount when it still has its name, else a file of its own. */
static bool locate_named(struct guest *g, struct open_file *f, char *at, size_t size)
{
	struct place place;

	if (!f->path || path_walk(g, (uint64_t)GUEST_AT_FDCWD, f->path, false, &place) || !same_file(&place, f->host))
		return false;
	for (size_t i = 0; i < g->names.count; i++) {
		const struct mount *m = &g->names.mounts[i];
		size_t length = strlen(m->host);

		if (!m->writable || strncmp(place.host, m->host, length) || place.host[length] != '/')
			continue;
		snprintf(at, size, "/%zu%s", first_spelling(g, i), place.host + length);
		return true;
	}
	return false;
}

static bool copy_nameless(struct guest *g, struct open_file *f, const char *to)
{
	char self[64];
	struct stat st, copy;
	int in, out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool done;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->host);
	in = open(self, O_RDONLY | O_CLOEXEC);
	done = in >= 0 && out >= 0 && copy_bytes(in, out) && !fstat(in, &st) && !fstat(out, &copy) &&
	       inode_alias(g, &st, &copy);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return done;
}

static bool snapshot_file(struct guest *g, struct open_file *f, size_t number)
{
	char at[GUEST_PATH_MAX + 32], to[GUEST_PATH_MAX + 64];

	if (!locate_named(g, f, at, sizeof(at))) {
		snprintf(at, sizeof(at), "/open%zu", number);
		snprintf(to, sizeof(to), "%s%s", g->snapshot, at);
		if (!copy_nameless(g, f, to))
			return false;
	}
	free(f->snapshot);
	f->snapshot = strdup(at);
	return f->snapshot != NULL;
}

static bool make_snapshot(struct guest *g)
{
	struct holders at = {0};
	struct open_file **holder;
	size_t number = 0;

	remove_tree(g->snapshot);
	g->snapshot_maker = getpid();
	if (!make_scratch(&g->snapshot) || !snapshot_mounts(g))
		return false;
	while ((holder = next_holder(g, &at)))
		if (wants_copy(*holder) && !snapshot_file(g, *holder, number++))
			return false;
	return true;
}

bool guest_prepare_fork(struct guest *g, struct error *err)
{
	struct holders at = {0};
	struct open_file **holder;

	while ((holder = next_holder(g, &at))) {
		struct open_file *f = *holder, *memory;
		char *bytes;
		size_t size;

		if (!f || !f->borrowed || f->host != STDIN_FILENO || f->ops->seekable || f->ops->terminal)
			continue;
		if (!slurp(f->host, &bytes, &size)) {
			free(bytes);
			return fail(err, "standard input");
		}
		memory = input_file_open(bytes, size);
		if (!memory)
			return fail(err, "standard input");
		replace_file(g, f, memory);
	}
	if (!common_save(g))
		return fail(err, "the guest's shared memory");
	stream_note_starts(g);
	fflush(NULL); /* what is buffered now is printed once */
	if (has_writable(g) && !make_snapshot(g))
		return fail(err, "snapshot of the guest's writable directories");
	return true;
}

/* --- in a child --- */

static bool reopen(struct guest *g, struct open_file *f)
{
	char at[2 * GUEST_PATH_MAX];
	struct open_file *copy;
	int host;

	snprintf(at, sizeof(at), "%s%s", g->scratch, f->snapshot);
	host = open(at, (file_writable(f) ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);
	if (host < 0)
		return false;
	copy = file_new(f->ops, f->flags, host, f->path);
	if (!copy) {
		close(host);
		return false;
	}
	g->host_files++; /* until the file goes that it takes the place of */
	copy->may_change = true;
	copy->offset = f->offset;
	replace_file(g, f, copy);
	return true;
}

static bool move_mounts(struct guest *g)
{
	for (size_t i = g->names.count; i-- > 0;) { /* backwards: the first spelling is still there to be found */
		struct mount *m = &g->names.mounts[i];
		char to[GUEST_PATH_MAX];

		if (!m->writable)
			continue;
		snprintf(to, sizeof(to), "%s/%zu", g->scratch, first_spelling(g, i));
		free(m->host);
		m->host = strdup(to);
		if (!m->host)
			return false;
	}
	return true;
}

static bool silence(struct guest *g)
{
	struct holders at = {0};
	struct open_file **holder;

	g->silent = true;
	while ((holder = next_holder(g, &at))) {
		struct open_file *f = *holder, *silent;

		if (!f || !f->borrowed)
			continue;
		if (f->ops->seekable) {
			f->silent = true; /* standard input's position is left alone at the end */
			continue;
		}
		silent = file_writable(f) ? stream_silent(g, f) : NULL;
		if (silent)
			replace_file(g, f, silent);
		else if (file_writable(f))
			return false;
	}
	return true;
}

bool guest_isolate(struct guest *g, struct error *err)
{
	struct holders at = {0};
	struct open_file **holder;
	char *scratch;

	if (!silence(g))
		return error_set(err, ERROR_SYSTEM, "out of memory");
	if (!common_isolate(g))
		return fail(err, "a copy of the guest's shared memory");
	if (!g->snapshot)
		return true;
	if (!make_scratch(&scratch))
		return fail(err, "folder for a private copy of the guest's writable directories");
	g->scratch = scratch;
	if (!copy_tree(g, g->snapshot, scratch) || !move_mounts(g))
		return fail(err, "private copy of the guest's writable directories");
	free(g->snapshot); /* the parent's, who removes it */
	g->snapshot = NULL;
	while ((holder = next_holder(g, &at)))
		if (wants_copy(*holder) && (*holder)->snapshot && !reopen(g, *holder))
			return fail(err, "private copy of an open file");
	return true;
}

void isolate_clean_up(struct guest *g)
{
	remove_tree(g->scratch);
	if (g->snapshot_maker == getpid()) /* a child that goes on with the originals leaves it to the others */
		remove_tree(g->snapshot);
	else
		free(g->snapshot);
}
