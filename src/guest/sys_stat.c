/* Status of files: stat, statx, access, laid out as riscv64 (asm-generic) has them. */
#include "guest/calls.h"
#include "guest/host_path.h"
#include "guest/memory_tree.h"
#include "guest/path.h"
#include "guest/watches.h"

#include <errno.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define BLOCK 4096

int64_t place_status(struct guest *g, const struct place *place, struct file_status *status)
{
	switch (place->kind) {
	case PLACE_HOST:
		status_of_host(g, &place->st, place->writable, status);
		return 0;
	case PLACE_MEMORY:
		tree_status(g, place->file, status);
		return 0;
	case PLACE_VIRTUAL:
		*status = (struct file_status){.device = 2, .inode = 1, .mode = place->mode, .links = 1};
		if (place->node->kind == VIRTUAL_DEVICE) {
			struct open_file device = {.ops = place->node->device, .path = (char *)place->guest};

			return device.ops->status(g, &device, status);
		}
		return 0;
	case PLACE_DESCRIPTOR: {
		struct open_file *f = descriptor_file(g, place->descriptor);

		return f->ops->status(g, f, status);
	}
	default:
		return -GUEST_ENOENT;
	}
}

static int64_t descriptor_status(struct guest *g, uint64_t fd, struct file_status *status)
{
	struct open_file *f = descriptor_file(g, fd);

	return f ? f->ops->status(g, f, status) : -GUEST_EBADF;
}

/* The *at calls: a path, or with AT_EMPTY_PATH and "" the descriptor itself. */
static int64_t status_at(struct guest *g, uint64_t dirfd, uint64_t path, uint64_t flags, struct file_status *status)
{
	struct place place;
	int64_t result;
	char first = 1;

	if (flags & GUEST_AT_EMPTY_PATH) {
		if (path && !user_read(g, &first, path, 1))
			return -GUEST_EFAULT;
		if ((!path || !first) && (int)dirfd != GUEST_AT_FDCWD)
			return descriptor_status(g, dirfd, status);
		if (!path || !first) {
			result = path_walk(g, dirfd, ".", true, &place);
			return result ? result : place_status(g, &place, status);
		}
	}
	result = path_walk_user(g, dirfd, path, !(flags & GUEST_AT_SYMLINK_NOFOLLOW), &place);
	return result ? result : place_status(g, &place, status);
}

static int64_t put_stat(struct guest *g, uint64_t address, const struct file_status *s)
{
	uint8_t raw[128] = {0};

	put64(raw, s->device);
	put64(raw + 8, s->inode);
	put32(raw + 16, s->mode);
	put32(raw + 20, s->links);
	put32(raw + 24, s->uid);
	put32(raw + 28, s->gid);
	put64(raw + 32, s->rdev);
	put64(raw + 48, s->size);
	put32(raw + 56, BLOCK);
	put64(raw + 64, s->blocks);
	for (int i = 0; i < 3; i++) { /* access, modification, change: all the time of modification */
		put64(raw + 72 + 16 * i, s->modified / SECOND);
		put64(raw + 80 + 16 * i, s->modified % SECOND);
	}
	return user_write(g, address, raw, sizeof(raw)) ? 0 : -GUEST_EFAULT;
}

int64_t sys_fstat(struct guest *g, const uint64_t *args)
{
	struct file_status status;
	int64_t result = descriptor_status(g, args[0], &status);

	return result ? result : put_stat(g, args[1], &status);
}

int64_t sys_newfstatat(struct guest *g, const uint64_t *args)
{
	struct file_status status;
	int64_t result = status_at(g, args[0], args[1], args[3], &status);

	return result ? result : put_stat(g, args[2], &status);
}

static void put_statx_time(uint8_t *at, uint64_t time)
{
	put64(at, time / SECOND);
	put32(at + 8, (uint32_t)(time % SECOND));
}

int64_t sys_statx(struct guest *g, const uint64_t *args)
{
	enum { BASIC_STATS = 0x7ff };
	struct file_status s;
	uint8_t raw[256] = {0};
	int64_t result = status_at(g, args[0], args[1], args[2], &s);

	if (result)
		return result;
	put32(raw, BASIC_STATS);
	put32(raw + 4, BLOCK);
	put32(raw + 16, s.links);
	put32(raw + 20, s.uid);
	put32(raw + 24, s.gid);
	put16(raw + 28, (uint16_t)s.mode);
	put64(raw + 32, s.inode);
	put64(raw + 40, s.size);
	put64(raw + 48, s.blocks);
	put_statx_time(raw + 64, s.modified);
	put_statx_time(raw + 96, s.modified);
	put_statx_time(raw + 112, s.modified);
	put32(raw + 128, (uint32_t)(s.rdev >> 8));
	put32(raw + 132, (uint32_t)(s.rdev & 255));
	put32(raw + 140, (uint32_t)s.device);
	return user_write(g, args[4], raw, sizeof(raw)) ? 0 : -GUEST_EFAULT;
}

static int64_t access_at(struct guest *g, const uint64_t *args, uint64_t flags)
{
	enum { MAY_EXECUTE = 1, MAY_WRITE = 2, MAY_READ = 4 };
	struct place place;
	int64_t result = path_walk_user(g, args[0], args[1], !(flags & GUEST_AT_SYMLINK_NOFOLLOW), &place);

	if (result)
		return result;
	if (args[2] & ~7ull)
		return -GUEST_EINVAL;
	if (place.kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	if (place.kind == PLACE_VIRTUAL && place.node->kind == VIRTUAL_DEVICE)
		return args[2] & MAY_EXECUTE ? -GUEST_EACCES : 0;
	if ((args[2] & MAY_WRITE) && path_may_change(&place))
		return path_may_change(&place);
	if (place.kind == PLACE_MEMORY && (args[2] & MAY_EXECUTE) && !(place.mode & 0111))
		return -GUEST_EACCES;
	if (place.kind != PLACE_HOST)
		return 0;
	if ((args[2] & MAY_EXECUTE) && !(place.mode & 0111))
		return -GUEST_EACCES;
	return host_access(place.host, (args[2] & MAY_READ ? R_OK : 0) | (args[2] & MAY_WRITE ? W_OK : 0))
		       ? -guest_errno_of_host(errno)
		       : 0;
}

int64_t sys_faccessat(struct guest *g, const uint64_t *args)
{
	return access_at(g, args, 0);
}

int64_t sys_faccessat2(struct guest *g, const uint64_t *args)
{
	return access_at(g, args, args[3]);
}

int64_t sys_getxattr(struct guest *g, const uint64_t *args)
{
	return -GUEST_ENODATA;
}

int64_t sys_setxattr(struct guest *g, const uint64_t *args)
{
	return -GUEST_EOPNOTSUPP;
}

int64_t sys_listxattr(struct guest *g, const uint64_t *args)
{
	return 0;
}
