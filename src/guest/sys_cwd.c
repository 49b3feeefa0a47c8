/* What a process's paths start from and new files get; where a link leads. */
#include "guest/calls.h"
#include "guest/host_path.h"
#include "guest/memory_tree.h"
#include "guest/path.h"

#include <errno.h>
#include <stdlib.h>

int64_t sys_umask(struct guest *g, const uint64_t *args)
{
	unsigned old = g->process->umask;

	g->process->umask = args[0] & 0777;
	return old;
}

int64_t sys_readlinkat(struct guest *g, const uint64_t *args)
{
	char target[GUEST_PATH_MAX];
	struct place place;
	int64_t result = path_walk_user(g, args[0], args[1], false, &place);
	size_t length = 0;

	if (result)
		return result;
	if ((int64_t)args[3] <= 0)
		return -GUEST_EINVAL;
	if (place.kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	if (!S_ISLNK(place.mode))
		return -GUEST_EINVAL;
	if (place.kind == PLACE_HOST) {
		ssize_t got = host_readlink(place.host, target, sizeof(target));

		if (got < 0)
			return -guest_errno_of_host(errno);
		length = (size_t)got;
	} else if (place.kind == PLACE_MEMORY) {
		length = place.file->file.size;
		memcpy(target, place.file->file.bytes, length);
	} else if (place.kind == PLACE_DESCRIPTOR) {
		const struct open_file *f = descriptor_file(g, place.descriptor);
		const char *name = f->path ? f->path : f->ops->name;

		length = (size_t)snprintf(target, sizeof(target), "%s", name ? name : "pipe:[1]");
	} else {
		char *text = virtual_text(g, place.node, place.guest, &length);

		if (!text)
			return -GUEST_ENOMEM;
		memcpy(target, text, length = length < sizeof(target) ? length : sizeof(target));
		free(text);
	}
	if (length > args[3])
		length = args[3];
	return user_write(g, args[2], target, length) ? (int64_t)length : -GUEST_EFAULT;
}

int64_t sys_getcwd(struct guest *g, const uint64_t *args)
{
	const char *cwd = *g->process->cwd ? g->process->cwd : "/";
	size_t size = strlen(cwd) + 1;

	if (args[1] < size)
		return -GUEST_ERANGE;
	return user_write(g, args[0], cwd, size) ? (int64_t)size : -GUEST_EFAULT;
}

static int64_t set_cwd(struct guest *g, const char *path)
{
	char *cwd = strdup(path);

	if (!cwd)
		return -GUEST_ENOMEM;
	free(g->process->cwd);
	g->process->cwd = cwd;
	return 0;
}

int64_t sys_chdir(struct guest *g, const uint64_t *args)
{
	struct place place;
	int64_t result = path_walk_user(g, GUEST_AT_FDCWD, args[0], true, &place);

	if (result)
		return result;
	if (place.kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	return S_ISDIR(place.mode) ? set_cwd(g, place.guest) : -GUEST_ENOTDIR;
}

int64_t sys_fchdir(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	if (!f)
		return -GUEST_EBADF;
	return f->ops->directory ? set_cwd(g, f->path) : -GUEST_ENOTDIR;
}
