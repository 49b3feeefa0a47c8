/* Opening: where the walk says host file, synthesised file, directory or another descriptor. */
#include "guest/calls.h"
#include "guest/host_path.h"
#include "guest/memory_tree.h"
#include "guest/path.h"
#include "guest/watches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int host_flags(unsigned flags)
{
	int host = O_NOCTTY | O_NONBLOCK;

	host |= (flags & GUEST_O_ACCMODE) == GUEST_O_WRONLY ? O_WRONLY
		: (flags & GUEST_O_ACCMODE) == GUEST_O_RDWR ? O_RDWR
							    : O_RDONLY;
	if (flags & GUEST_O_CREAT)
		host |= O_CREAT;
	if (flags & GUEST_O_EXCL)
		host |= O_EXCL;
	if (flags & GUEST_O_TRUNC)
		host |= O_TRUNC;
	return host;
}

static bool wants_write(unsigned flags)
{
	return (flags & GUEST_O_ACCMODE) || (flags & (GUEST_O_CREAT | GUEST_O_TRUNC));
}

static int64_t open_directory(struct guest *g, const struct place *place, unsigned flags, struct open_file **file)
{
	int64_t result;
	int host = -1;

	if (flags & (GUEST_O_ACCMODE | GUEST_O_CREAT))
		return -GUEST_EISDIR;
	if (place->kind == PLACE_HOST) {
		host = host_open(place->host, O_RDONLY | O_DIRECTORY, 0);
		if (host < 0)
			return -guest_errno_of_host(errno);
	}
	result = directory_open(g, place->guest, place->kind == PLACE_HOST ? place->host : NULL, host, file);
	if (result)
		return result;
	(*file)->may_change = place->writable;
	return 0;
}

static int64_t open_host(struct guest *g, const struct place *place, unsigned flags, unsigned mode,
			 struct open_file **file)
{
	bool existed = place->kind == PLACE_HOST;
	int64_t result;
	struct stat st;
	int host;

	if (existed && S_ISLNK(place->mode))
		return flags & GUEST_O_PATH ? -GUEST_EOPNOTSUPP : -GUEST_ELOOP;
	if (existed && !S_ISREG(place->mode)) /* the host's devices, sockets and named pipes are none of the guest's */
		return -GUEST_EACCES;
	if (wants_write(flags) && (!existed || (flags & (GUEST_O_ACCMODE | GUEST_O_TRUNC))) && path_may_change(place))
		return path_may_change(place);
	host = host_open(place->host, host_flags(flags), mode & ~g->process->umask & 0777);
	if (host < 0)
		return -guest_errno_of_host(errno);
	if (!existed && !fstat(host, &st))
		inode_forget(g, st.st_dev, st.st_ino);
	result = file_new_host(g, &host_file_ops,
			       flags & (GUEST_O_ACCMODE | GUEST_O_APPEND | GUEST_O_NONBLOCK | GUEST_O_PATH), host,
			       place->guest, file);
	if (result)
		return result;
	(*file)->may_change = place->writable;
	if (flags & GUEST_O_TRUNC)
		host_file_ops.truncate(g, *file, 0);
	return 0;
}

static int64_t open_virtual(struct guest *g, const struct place *place, unsigned flags, struct open_file **file)
{
	char *text;
	size_t size;

	if (place->node->kind == VIRTUAL_LINK)
		return -GUEST_ELOOP;
	if (place->node->kind == VIRTUAL_DEVICE && place->node->device->open && !(flags & GUEST_O_PATH))
		return place->node->device->open(g, place->guest, flags, file);
	if (place->node->kind == VIRTUAL_DEVICE) {
		*file = file_new(place->node->device, flags & (GUEST_O_ACCMODE | GUEST_O_NONBLOCK | GUEST_O_PATH), -1,
				 place->guest);
		return *file ? 0 : -GUEST_ENOMEM;
	}
	if (flags & GUEST_O_ACCMODE)
		return -GUEST_EACCES;
	text = virtual_text(g, place->node, place->guest, &size);
	if (!text)
		return -GUEST_ENOMEM;
	*file = memory_file_open(g, place->guest, text, size, 0);
	return *file ? 0 : -GUEST_ENOMEM;
}

static int64_t open_memory(struct guest *g, const struct place *place, unsigned flags, unsigned mode,
			   struct open_file **file)
{
	struct node *node = place->file;
	int64_t result = node ? 0
			      : tree_make(g, place->parent, place->guest, S_IFREG | (mode & ~g->process->umask & 0777),
					  NULL, &node);

	if (result)
		return result;
	if (S_ISLNK(node->mode))
		return flags & GUEST_O_PATH ? -GUEST_EOPNOTSUPP : -GUEST_ELOOP;
	if (S_ISSOCK(node->mode) && !(flags & GUEST_O_PATH))
		return -GUEST_ENXIO;
	if (S_ISFIFO(node->mode) && !(flags & GUEST_O_PATH))
		return fifo_open(g, node, place->guest, flags & (GUEST_O_ACCMODE | GUEST_O_NONBLOCK), file);
	return tree_open(g, node, place->guest,
			 flags & (GUEST_O_ACCMODE | GUEST_O_APPEND | GUEST_O_NONBLOCK | GUEST_O_PATH | GUEST_O_TRUNC),
			 file);
}

static int64_t open_place(struct guest *g, const struct place *place, unsigned flags, unsigned mode,
			  struct open_file **file)
{
	if (place->kind == PLACE_NOTHING) {
		if (!(flags & GUEST_O_CREAT))
			return -GUEST_ENOENT;
		if (place->must_be_directory)
			return -GUEST_EISDIR;
		if (place->parent)
			return open_memory(g, place, flags, mode, file);
		return *place->host ? open_host(g, place, flags, mode, file) : -GUEST_EACCES;
	}
	if (place->kind == PLACE_DESCRIPTOR) {
		*file = descriptor_file(g, place->descriptor);
		file_retain(*file);
		return 0;
	}
	if ((flags & GUEST_O_CREAT) && (flags & GUEST_O_EXCL))
		return -GUEST_EEXIST;
	if (S_ISDIR(place->mode))
		return open_directory(g, place, flags, file);
	if (flags & GUEST_O_DIRECTORY)
		return -GUEST_ENOTDIR;
	if (place->kind == PLACE_MEMORY)
		return open_memory(g, place, flags, mode, file);
	return place->kind == PLACE_VIRTUAL ? open_virtual(g, place, flags, file)
					    : open_host(g, place, flags, mode, file);
}

/* O_TMPFILE: a file without a name in a writable directory; kept in memory, as nothing can ever name it. */
static int64_t open_nameless(struct guest *g, const struct place *place, unsigned flags, struct open_file **file)
{
	if (!S_ISDIR(place->mode) || !(flags & GUEST_O_ACCMODE))
		return -GUEST_EINVAL;
	if (path_may_change(place))
		return path_may_change(place);
	*file = memory_file_open(g, place->guest, NULL, 0, flags & GUEST_O_ACCMODE);
	return *file ? 0 : -GUEST_ENOMEM;
}

static void tell_watches(struct guest *g, const struct place *place, struct open_file *f, unsigned flags)
{
	if (place->kind == PLACE_DESCRIPTOR || (flags & GUEST_O_TMPFILE))
		return;
	if (place->kind == PLACE_NOTHING)
		watch_made(g, place->guest, S_IFREG);
	watch_file(g, f, WATCH_OPEN);
	if (place->kind != PLACE_NOTHING && (flags & GUEST_O_TRUNC))
		watch_file(g, f, WATCH_MODIFY);
}

static int64_t open_at(struct guest *g, uint64_t dirfd, uint64_t path, unsigned flags, unsigned mode)
{
	bool follow = !(flags & GUEST_O_NOFOLLOW) && !((flags & GUEST_O_CREAT) && (flags & GUEST_O_EXCL));
	struct open_file *file = NULL;
	struct place place;
	int64_t result = path_walk_user(g, dirfd, path, follow, &place);

	if (result)
		return result;
	if (flags & GUEST_O_PATH)
		flags &= GUEST_O_PATH | GUEST_O_DIRECTORY | GUEST_O_NOFOLLOW | GUEST_O_CLOEXEC;
	if (flags & GUEST_O_TMPFILE)
		result = open_nameless(g, &place, flags, &file);
	else
		result = open_place(g, &place, flags, mode, &file);
	if (result)
		return result;
	result = descriptor_add(g, file, 0, flags & GUEST_O_CLOEXEC);
	if (result < 0)
		file_release(g, file);
	else if (g->watches)
		tell_watches(g, &place, file, flags);
	return result;
}

int64_t sys_openat(struct guest *g, const uint64_t *args)
{
	return open_at(g, args[0], args[1], (unsigned)args[2], (unsigned)args[3]);
}

int64_t sys_openat2(struct guest *g, const uint64_t *args)
{
	uint64_t how[3];

	if (args[3] < sizeof(how))
		return -GUEST_EINVAL;
	if (!user_read(g, how, args[2], sizeof(how)))
		return -GUEST_EFAULT;
	if (how[2]) /* RESOLVE_*: callers fall back to openat */
		return -GUEST_ENOSYS;
	return open_at(g, args[0], args[1], (unsigned)how[0], (unsigned)how[1]);
}
