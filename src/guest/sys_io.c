/* Reading and writing open files. The transfer goes straight between the file and the guest's memory, once the pages
 * have been checked; a range that is bad from some point on transfers up to that point, as in Linux. */
#include "guest/calls.h"
#include "guest/socket.h"
#include "guest/watches.h"

#define COUNT_MAX 0x7ffff000ull
#define VECTORS_MAX 1024
#define AT_OFFSET_OF_FILE UINT64_MAX

enum direction { FROM_FILE, TO_FILE };

static int64_t transfer_result(struct guest *g, struct open_file *f, int64_t result)
{
	if (result == -GUEST_EPIPE)
		signal_broken_pipe(g);
	if (result == -GUEST_EAGAIN && !(f->flags & GUEST_O_NONBLOCK))
		return thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
	return result;
}

static int64_t transfer_check(const struct open_file *f, enum direction direction)
{
	if (!f || !(direction == FROM_FILE ? file_readable(f) : file_writable(f)))
		return -GUEST_EBADF;
	if (f->ops->directory)
		return -GUEST_EISDIR;
	return (direction == FROM_FILE ? f->ops->read != NULL : f->ops->write != NULL) ? 0 : -GUEST_EINVAL;
}

/* One contiguous piece. `offset` AT_OFFSET_OF_FILE: at the file's position, which moves. */
static int64_t transfer(struct guest *g, struct open_file *f, uint64_t address, uint64_t size, uint64_t offset,
			enum direction direction)
{
	uint64_t at = offset == AT_OFFSET_OF_FILE ? f->offset : offset, span;
	uint8_t *memory;
	int64_t done;

	span = user_span(g, address, size, direction == FROM_FILE ? PAGE_WRITE : PAGE_READ);
	if (size && !span)
		return -GUEST_EFAULT;
	if (!size && direction == FROM_FILE)
		return 0;
	memory = span ? address_space_host(&g->memory, address) : NULL;
	if (direction == TO_FILE && f->ops->seekable && (f->flags & GUEST_O_APPEND)) {
		int64_t end = f->ops->size(f);

		at = end < 0 ? 0 : (uint64_t)end;
	}
	if ((int64_t)at < 0 || (int64_t)(at + span) < 0)
		return -GUEST_EFBIG;
	done = direction == FROM_FILE ? f->ops->read(g, f, memory, span, at) : f->ops->write(g, f, memory, span, at);
	if (done > 0 && offset == AT_OFFSET_OF_FILE && f->ops->seekable)
		f->offset = at + (uint64_t)done;
	if (done > 0 && g->watches)
		watch_file(g, f, direction == FROM_FILE ? WATCH_ACCESS : WATCH_MODIFY);
	return done;
}

/* A write to a pipe that does not say O_NONBLOCK returns when all is written: what fits goes now, the rest when the
 * call is retried, from wait.progress on. */
static bool writes_whole(const struct open_file *f, enum direction direction)
{
	return direction == TO_FILE && f->ops->poll && !(f->flags & GUEST_O_NONBLOCK);
}

/* How much of a piece there is to write: of one that leads into memory without access whole pages, as in Linux. */
static uint64_t present(struct guest *g, uint64_t address, uint64_t size)
{
	uint64_t span = user_span(g, address, size, PAGE_READ);

	return span < size ? span / GUEST_PAGE_SIZE * GUEST_PAGE_SIZE : size;
}

/* What a call returns that has written so much, and then failed. A pipe whose reader is gone raises SIGPIPE even so, a
 * socket only if nothing was written. */
static int64_t written(struct guest *g, struct open_file *f, uint64_t size, int64_t result)
{
	if (!size)
		return transfer_result(g, f, result);
	if (result == -GUEST_EPIPE && f->ops->poll && f->ops != &socket_ops)
		signal_broken_pipe(g);
	return (int64_t)size;
}

static int64_t write_whole(struct guest *g, struct open_file *f, uint64_t address, uint64_t size)
{
	uint64_t *progress = &g->current->wait.progress;
	uint64_t left = size - *progress, there = present(g, address + *progress, left);
	int64_t done = left && !there ? -GUEST_EFAULT
				      : transfer(g, f, address + *progress, there, AT_OFFSET_OF_FILE, TO_FILE);

	if (done < 0)
		return done != -GUEST_EAGAIN ? written(g, f, *progress, done) : transfer_result(g, f, done);
	*progress += (uint64_t)done;
	return (uint64_t)done < there ? thread_block(g, WAIT_RETRY, NO_DEADLINE, true) : (int64_t)*progress;
}

static int64_t transfer_call(struct guest *g, const uint64_t *args, uint64_t offset, enum direction direction)
{
	struct open_file *f = descriptor_file(g, args[0]);
	int64_t result = transfer_check(f, direction);

	if (result)
		return result;
	if (writes_whole(f, direction))
		return write_whole(g, f, args[1], args[2] < COUNT_MAX ? args[2] : COUNT_MAX);
	return transfer_result(g, f,
			       transfer(g, f, args[1], args[2] < COUNT_MAX ? args[2] : COUNT_MAX, offset, direction));
}

static int64_t transfer_vector(struct guest *g, const uint64_t *args, uint64_t offset, enum direction direction)
{
	struct open_file *f = descriptor_file(g, args[0]);
	int64_t done = 0, result = transfer_check(f, direction);
	uint64_t before = g->current->wait.progress, skip = before;
	bool whole;

	if (result)
		return result;
	if (args[2] > VECTORS_MAX)
		return -GUEST_EINVAL;
	whole = writes_whole(f, direction);
	for (uint64_t i = 0; i < args[2]; i++) {
		uint64_t piece[2], there;

		if (!user_read(g, piece, args[1] + 16 * i, sizeof(piece)))
			return done ? done : -GUEST_EFAULT;
		if ((int64_t)piece[1] < 0)
			return done ? done : -GUEST_EINVAL;
		if (skip >= piece[1]) {
			skip -= piece[1];
			continue;
		}
		piece[0] += skip;
		piece[1] -= skip;
		skip = 0;
		if (piece[1] > COUNT_MAX - (uint64_t)done) /* all pieces together, as Linux has it */
			piece[1] = COUNT_MAX - (uint64_t)done;
		if (guest_stopping(g))
			return done;
		there = whole ? present(g, piece[0], piece[1]) : piece[1];
		result = piece[1] && !there
				 ? -GUEST_EFAULT
				 : transfer(g, f, piece[0], there,
					    offset == AT_OFFSET_OF_FILE ? offset : offset + (uint64_t)done, direction);
		if (whole && (result >= 0 ? (uint64_t)result < there : result == -GUEST_EAGAIN)) {
			g->current->wait.progress = before + (uint64_t)done + (result > 0 ? (uint64_t)result : 0);
			return thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
		}
		if (result < 0)
			return written(g, f, before + (uint64_t)done, result);
		done += result;
		if ((uint64_t)result < piece[1] || done == COUNT_MAX)
			break;
	}
	return (int64_t)before + done;
}

static int64_t check_offset(struct guest *g, uint64_t fd, uint64_t offset)
{
	struct open_file *f = descriptor_file(g, fd);

	if ((int64_t)offset < 0)
		return -GUEST_EINVAL;
	return !f ? -GUEST_EBADF : f->ops->seekable || f->ops->directory ? 0 : -GUEST_ESPIPE;
}

int64_t sys_read(struct guest *g, const uint64_t *args)
{
	return transfer_call(g, args, AT_OFFSET_OF_FILE, FROM_FILE);
}

int64_t sys_write(struct guest *g, const uint64_t *args)
{
	return transfer_call(g, args, AT_OFFSET_OF_FILE, TO_FILE);
}

int64_t sys_readv(struct guest *g, const uint64_t *args)
{
	return transfer_vector(g, args, AT_OFFSET_OF_FILE, FROM_FILE);
}

int64_t sys_writev(struct guest *g, const uint64_t *args)
{
	return transfer_vector(g, args, AT_OFFSET_OF_FILE, TO_FILE);
}

int64_t sys_pread64(struct guest *g, const uint64_t *args)
{
	int64_t result = check_offset(g, args[0], args[3]);

	return result ? result : transfer_call(g, args, args[3], FROM_FILE);
}

int64_t sys_pwrite64(struct guest *g, const uint64_t *args)
{
	int64_t result = check_offset(g, args[0], args[3]);

	return result ? result : transfer_call(g, args, args[3], TO_FILE);
}

int64_t sys_preadv(struct guest *g, const uint64_t *args)
{
	int64_t result = check_offset(g, args[0], args[3]);

	return result ? result : transfer_vector(g, args, args[3], FROM_FILE);
}

int64_t sys_pwritev(struct guest *g, const uint64_t *args)
{
	int64_t result = check_offset(g, args[0], args[3]);

	return result ? result : transfer_vector(g, args, args[3], TO_FILE);
}

int64_t sys_preadv2(struct guest *g, const uint64_t *args)
{
	return (int64_t)args[3] == -1 ? sys_readv(g, args) : sys_preadv(g, args);
}

int64_t sys_pwritev2(struct guest *g, const uint64_t *args)
{
	return (int64_t)args[3] == -1 ? sys_writev(g, args) : sys_pwritev(g, args);
}

int64_t sys_lseek(struct guest *g, const uint64_t *args)
{
	enum { SET, CUR, END, DATA, HOLE };
	struct open_file *f = descriptor_file(g, args[0]);
	int64_t size, at, offset = (int64_t)args[1];

	if (!f)
		return -GUEST_EBADF;
	if (f->ops->seek)
		return f->ops->seek(g, f, offset, (int)args[2]);
	if (!f->ops->seekable)
		return -GUEST_ESPIPE;
	size = f->ops->size(f);
	if (size < 0)
		return size;
	switch (args[2]) {
	case SET:
		at = offset;
		break;
	case CUR:
		at = (int64_t)(f->offset + args[1]);
		break;
	case END:
		at = (int64_t)((uint64_t)size + args[1]);
		break;
	case DATA: /* a file without holes, but for the one at its end */
	case HOLE:
		if (offset < 0 || offset >= size)
			return -GUEST_ENXIO;
		at = args[2] == DATA ? offset : size;
		break;
	default:
		return -GUEST_EINVAL;
	}
	if (at < 0)
		return -GUEST_EINVAL;
	f->offset = (uint64_t)at;
	return at;
}

int64_t sys_ftruncate(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	int64_t result;

	if (!f)
		return -GUEST_EBADF;
	if (!file_writable(f) || !f->ops->truncate || (int64_t)args[1] < 0)
		return -GUEST_EINVAL;
	result = f->ops->truncate(g, f, args[1]);
	if (!result && g->watches)
		watch_file(g, f, WATCH_MODIFY);
	return result;
}

int64_t sys_fallocate(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	uint64_t end = args[2] + args[3];
	int64_t result = 0;

	if (!f || !file_writable(f))
		return -GUEST_EBADF;
	if ((int64_t)args[2] < 0 || (int64_t)args[3] <= 0 || (int64_t)end < 0)
		return -GUEST_EINVAL;
	if (!f->ops->seekable)
		return -GUEST_ESPIPE;
	if (args[1] & ~1ull)
		return -GUEST_EOPNOTSUPP;
	if (!args[1] && f->ops->size(f) < (int64_t)end)
		result = f->ops->truncate(g, f, end);
	if (!result && g->watches)
		watch_file(g, f, WATCH_MODIFY);
	return result;
}

/* The bounce goes through a buffer of ours; both files have been checked. */
static int64_t copy_between(struct guest *g, struct open_file *in, uint64_t *in_at, struct open_file *out,
			    uint64_t *out_at, uint64_t size)
{
	uint8_t buffer[16384];
	int64_t done = 0;

	while (size && !guest_stopping(g)) {
		uint64_t step = size < sizeof(buffer) ? size : sizeof(buffer);
		int64_t got = in->ops->read(g, in, buffer, step, *in_at), put;

		if (got <= 0)
			return done ? done : got;
		put = out->ops->write(g, out, buffer, (uint64_t)got, *out_at);
		if (put <= 0)
			return done ? done : put;
		*in_at += (uint64_t)put;
		*out_at += (uint64_t)put;
		done += put;
		size -= (uint64_t)put;
		if (put < got)
			break;
	}
	return done;
}

static int64_t copy_files(struct guest *g, uint64_t in_fd, uint64_t in_offset, uint64_t out_fd, uint64_t out_offset,
			  uint64_t size)
{
	struct open_file *in = descriptor_file(g, in_fd), *out = descriptor_file(g, out_fd);
	uint64_t in_at, out_at;
	int64_t done = transfer_check(in, FROM_FILE);

	if (!done)
		done = transfer_check(out, TO_FILE);
	if (done)
		return done;
	if (!in->ops->seekable)
		return -GUEST_EINVAL;
	in_at = in->offset;
	out_at = out->flags & GUEST_O_APPEND && out->ops->seekable ? (uint64_t)out->ops->size(out) : out->offset;
	if ((in_offset && !user_get64(g, in_offset, &in_at)) || (out_offset && !user_get64(g, out_offset, &out_at)))
		return -GUEST_EFAULT;
	if ((int64_t)in_at < 0 || (int64_t)out_at < 0)
		return -GUEST_EINVAL;
	done = copy_between(g, in, &in_at, out, &out_at, size < COUNT_MAX ? size : COUNT_MAX);
	if (done <= 0)
		return transfer_result(g, out, done);
	if (g->watches) {
		watch_file(g, in, WATCH_ACCESS);
		watch_file(g, out, WATCH_MODIFY);
	}
	if (in_offset)
		user_put64(g, in_offset, in_at);
	else
		in->offset = in_at;
	if (out_offset)
		user_put64(g, out_offset, out_at);
	else
		out->offset = out_at;
	return done;
}

int64_t sys_sendfile(struct guest *g, const uint64_t *args)
{
	return copy_files(g, args[1], args[2], args[0], 0, args[3]);
}

int64_t sys_copy_file_range(struct guest *g, const uint64_t *args)
{
	struct open_file *out = descriptor_file(g, args[2]);

	if (args[5])
		return -GUEST_EINVAL;
	if (out && !out->ops->seekable)
		return -GUEST_EINVAL;
	return copy_files(g, args[0], args[1], args[2], args[3], args[4]);
}

int64_t sys_fsync(struct guest *g, const uint64_t *args)
{
	return descriptor_file(g, args[0]) ? 0 : -GUEST_EBADF;
}

int64_t sys_sync(struct guest *g, const uint64_t *args)
{
	return 0;
}
