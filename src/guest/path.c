/* The walk. `place->guest` grows by one component at a time and never contains a link, "." or "..", so its host
 * counterpart is found by putting a mount's host path in front. Should one appear there afterwards, host_path.h does
 * not follow it. */
#include "guest/path.h"

#include "guest/host_path.h"
#include "guest/memory_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define LINKS_MAX 40

/* The part of `path` below the mount, or NULL. */
static const char *mount_rest(const struct mount *m, const char *path)
{
	size_t length = strlen(m->guest);

	return !strncmp(path, m->guest, length) && (!path[length] || path[length] == '/') ? path + length : NULL;
}

static bool mount_is_below(const struct mount *m, const char *path)
{
	size_t length = strlen(path);

	return !strncmp(path, m->guest, length) && m->guest[length] == '/';
}

static bool place_try_mount(const struct mount *m, const char *rest, struct place *place)
{
	char host[GUEST_PATH_MAX];
	int length = snprintf(host, sizeof(host), "%s%s", m->host, *m->host || *rest ? rest : "/");

	if (length < 0 || (size_t)length >= sizeof(host))
		return false;
	if (host_lstat(*host ? host : "/", &place->st)) {
		if (place->kind == PLACE_NOTHING && !*place->host) { /* the first is where it would be created */
			strcpy(place->host, host);
			place->writable = m->writable;
		}
		return false;
	}
	place->kind = PLACE_HOST;
	place->mode = place->st.st_mode;
	place->writable = m->writable;
	strcpy(place->host, *host ? host : "/");
	return true;
}

/* A directory that exists only because a mount lies below it. */
static const struct virtual_node passage = {.path = "", .kind = VIRTUAL_DIRECTORY};

static void place_set_virtual(struct place *place, const struct virtual_node *node)
{
	static const uint32_t modes[] = {[VIRTUAL_DIRECTORY] = S_IFDIR | 0555,
					 [VIRTUAL_TEXT] = S_IFREG | 0444,
					 [VIRTUAL_LINK] = S_IFLNK | 0777,
					 [VIRTUAL_DEVICE] = S_IFCHR | 0666};

	place->kind = PLACE_VIRTUAL;
	place->node = node;
	place->mode = modes[node->kind];
}

/* A file of the guest's own. */
static void place_set_memory(struct guest *g, struct place *place)
{
	place->file = tree_find(g, place->guest, &place->parent);
	if (!place->file)
		return;
	place->kind = PLACE_MEMORY;
	place->mode = place->file->mode;
	place->writable = true;
}

/* Or where one can be made: but below a mount that has no such file, the mount says whether it may be. */
static void place_creatable(struct place *place)
{
	if (place->kind == PLACE_NOTHING && place->parent && !*place->host)
		place->writable = true;
	else if (place->kind != PLACE_MEMORY)
		place->parent = NULL;
}

/* What is at place->guest? Where a directory in memory covers it, only mounts below that one come first, so not the
 * sysroot. */
static void place_look(struct guest *g, struct place *place)
{
	size_t covered = tree_covers(place->guest);
	const struct virtual_node *node;

	place->kind = PLACE_NOTHING;
	place->writable = false;
	place->host[0] = 0;
	place->file = place->parent = NULL;
	if (virtual_descriptor(g, place->guest, &place->descriptor)) {
		place->mode = S_IFLNK | 0700;
		if (descriptor_file(g, place->descriptor))
			place->kind = PLACE_DESCRIPTOR;
		return;
	}
	node = virtual_find(g, place->guest);
	if (node)
		place_set_virtual(place, node);
	if (node || (!covered && virtual_covers(place->guest)))
		return;
	for (size_t i = 0; i < g->names.count; i++) {
		const char *rest = mount_rest(&g->names.mounts[i], place->guest);

		if (strlen(g->names.mounts[i].guest) < covered)
			continue;
		if (rest && place_try_mount(&g->names.mounts[i], rest, place))
			return;
		if (rest && g->names.mounts[i].writable) /* what is deleted there must not show through from below */
			break;
	}
	if (covered)
		place_set_memory(g, place);
	for (size_t i = 0; i < g->names.count && place->kind == PLACE_NOTHING; i++)
		if (mount_is_below(&g->names.mounts[i], place->guest))
			place_set_virtual(place, &passage);
	node = place->kind == PLACE_NOTHING && !place->writable && !covered ? virtual_spare(place->guest) : NULL;
	if (node)
		place_set_virtual(place, node);
	place_creatable(place);
}

/* The target of the link at place, in front of what is left to walk. */
static int64_t place_follow(struct guest *g, struct place *place, char *rest)
{
	char target[2 * GUEST_PATH_MAX];
	size_t length;

	if (place->kind == PLACE_HOST) {
		ssize_t got = host_readlink(place->host, target, GUEST_PATH_MAX);

		if (got < 0)
			return -guest_errno_of_host(errno);
		length = (size_t)got;
	} else if (place->kind == PLACE_MEMORY) {
		length = place->file->file.size;
		memcpy(target, place->file->file.bytes, length);
	} else {
		char *text = virtual_text(g, place->node, place->guest, &length);

		if (!text)
			return -GUEST_ENOMEM;
		memcpy(target, text, length = length < GUEST_PATH_MAX ? length : GUEST_PATH_MAX - 1);
		free(text);
	}
	if (!length)
		return -GUEST_ENOENT;
	if (length + 1 + strlen(rest) >= GUEST_PATH_MAX)
		return -GUEST_ENAMETOOLONG;
	target[length] = '/';
	strcpy(target + length + 1, rest);
	if (!*rest)
		target[length] = 0;
	strcpy(rest, target);
	return 0;
}

static void guest_path_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = 0;
}

/* One component from the front of rest: its length; *after = where the next one starts. */
static size_t component(const char *rest, size_t *after)
{
	size_t length = strcspn(rest, "/");

	*after = length + strspn(rest + length, "/");
	return length;
}

static int64_t walk_component(struct guest *g, struct place *place, char *rest, bool follow, unsigned *links)
{
	size_t after, length = component(rest, &after), at = strlen(place->guest);
	bool last = !rest[after], slash = after > length;
	char name[GUEST_PATH_MAX];
	int64_t result;

	memcpy(name, rest, length);
	name[length] = 0;
	memmove(rest, rest + after, strlen(rest + after) + 1);
	if (!S_ISDIR(place->mode))
		return -GUEST_ENOTDIR;
	place->must_be_directory = slash;
	if (!strcmp(name, ".") || !strcmp(name, "..")) {
		if (length == 2)
			guest_path_up(place->guest);
		place->must_be_directory = true;
		place_look(g, place);
		return place->kind == PLACE_NOTHING ? -GUEST_ENOENT : 0;
	}
	if (length > 255 || at + length + 2 >= GUEST_PATH_MAX)
		return -GUEST_ENAMETOOLONG;
	place->guest[at] = '/';
	strcpy(place->guest + at + 1, name);
	place_look(g, place);
	if (place->kind == PLACE_NOTHING)
		return last ? 0 : -GUEST_ENOENT;
	if (place->kind == PLACE_DESCRIPTOR || !S_ISLNK(place->mode) || (last && !slash && !follow))
		return 0;
	if (++*links > LINKS_MAX)
		return -GUEST_ELOOP;
	result = place_follow(g, place, rest);
	if (result)
		return result;
	if (slash && last && strlen(rest) + 1 < GUEST_PATH_MAX)
		strcat(rest, "/");
	guest_path_up(place->guest);
	if (*rest == '/')
		place->guest[0] = 0;
	memmove(rest, rest + strspn(rest, "/"), strlen(rest + strspn(rest, "/")) + 1);
	place_look(g, place);
	return 0;
}

static int64_t walk_start(struct guest *g, uint64_t dirfd, const char *path, struct place *place)
{
	struct open_file *f;

	if (*path == '/') {
		place->guest[0] = 0;
	} else if ((int)dirfd == GUEST_AT_FDCWD) {
		strcpy(place->guest, g->process->cwd);
	} else {
		f = descriptor_file(g, dirfd);
		if (!f)
			return -GUEST_EBADF;
		if (!f->ops->directory)
			return -GUEST_ENOTDIR;
		strcpy(place->guest, f->path);
	}
	place_look(g, place);
	return place->kind == PLACE_NOTHING ? -GUEST_ENOENT : 0;
}

int64_t path_walk(struct guest *g, uint64_t dirfd, const char *path, bool follow, struct place *place)
{
	char rest[2 * GUEST_PATH_MAX];
	unsigned links = 0;
	int64_t result;

	memset(place, 0, offsetof(struct place, guest));
	if (!*path)
		return -GUEST_ENOENT;
	if (strlen(path) >= GUEST_PATH_MAX)
		return -GUEST_ENAMETOOLONG;
	result = walk_start(g, dirfd, path, place);
	strcpy(rest, path + strspn(path, "/"));
	while (!result && *rest)
		result = walk_component(g, place, rest, follow, &links);
	if (!result && place->must_be_directory && place->kind != PLACE_NOTHING && !S_ISDIR(place->mode))
		return -GUEST_ENOTDIR;
	return result;
}

int64_t path_walk_user(struct guest *g, uint64_t dirfd, uint64_t path, bool follow, struct place *place)
{
	char text[GUEST_PATH_MAX];
	int64_t result = user_string(g, path, text, sizeof(text));

	return result ? result : path_walk(g, dirfd, text, follow, place);
}

int64_t path_may_change(const struct place *place)
{
	return place->writable ? 0 : -GUEST_EROFS;
}
