/* splice, tee and vmsplice: between a pipe and another file, or two pipes. Nothing is moved but bytes, at most a pipe's
 * content in one call. */
#include "guest/calls.h"
#include "guest/socket.h"
#include "guest/watches.h"

#include <stdlib.h>

#define CHUNK 65536
enum { WITHOUT_WAIT = 2, FLAGS_KNOWN = 15 };

struct way {
	struct open_file *in, *out;
	bool waits;
	uint64_t in_at, out_at; /* addresses of offsets; 0: the file's own */
};

static int64_t find_way(struct guest *g, uint64_t in, uint64_t out, uint64_t flags, struct way *w)
{
	*w = (struct way){.in = descriptor_file(g, in), .out = descriptor_file(g, out)};
	if (flags & ~(uint64_t)FLAGS_KNOWN)
		return -GUEST_EINVAL;
	if (!w->in || !w->out || !file_readable(w->in) || !file_writable(w->out))
		return -GUEST_EBADF;
	if (!w->in->ops->read || !w->out->ops->write)
		return -GUEST_EINVAL;
	if (file_pipe(w->in) && file_pipe(w->in) == file_pipe(w->out))
		return -GUEST_EINVAL;
	w->waits = !(flags & WITHOUT_WAIT) && !((w->in->flags | w->out->flags) & GUEST_O_NONBLOCK);
	return 0;
}

static int64_t check_offset(const struct open_file *f, uint64_t at)
{
	if (at && file_pipe(f))
		return -GUEST_ESPIPE;
	return at && !f->ops->seekable ? -GUEST_EINVAL : 0;
}

static int64_t get_offset(struct guest *g, struct open_file *f, uint64_t at, uint64_t *offset)
{
	*offset = f->offset;
	if (at && !user_get64(g, at, offset))
		return -GUEST_EFAULT;
	return (int64_t)*offset < 0 ? -GUEST_EINVAL : 0;
}

static int64_t moved(struct guest *g, struct open_file *f, uint64_t at, uint64_t offset, int64_t done)
{
	if (done <= 0 || !f->ops->seekable)
		return done;
	if (!at)
		f->offset = offset + (uint64_t)done;
	else if (!user_put64(g, at, offset + (uint64_t)done))
		return -GUEST_EFAULT;
	return done;
}

static int64_t put(struct guest *g, const struct way *w, const uint8_t *bytes, uint64_t size)
{
	uint64_t offset;
	int64_t result = get_offset(g, w->out, w->out_at, &offset);

	if (!result)
		result = w->out->ops->write(g, w->out, bytes, size, offset);
	if (result > 0 && g->watches)
		watch_file(g, w->out, WATCH_MODIFY);
	return moved(g, w->out, w->out_at, offset, result);
}

/* `keep`: what was read stays in the pipe. */
static int64_t from_pipe(struct guest *g, const struct way *w, uint8_t *bytes, uint64_t size, bool keep)
{
	int64_t there = pipe_look(w->in, bytes, size), done;

	if (there <= 0)
		return there;
	done = put(g, w, bytes, (uint64_t)there);
	if (done > 0 && !keep)
		pipe_skip(g, w->in, (uint64_t)done);
	return done;
}

static int64_t to_pipe(struct guest *g, const struct way *w, uint8_t *bytes, uint64_t size)
{
	int64_t room = pipe_space(w->out), result, done;
	uint64_t offset;

	if (room <= 0)
		return room;
	result = get_offset(g, w->in, w->in_at, &offset);
	if (result)
		return result;
	done = w->in->ops->read(g, w->in, bytes, size < (uint64_t)room ? size : (uint64_t)room, offset);
	if (done > 0 && g->watches)
		watch_file(g, w->in, WATCH_ACCESS);
	done = moved(g, w->in, w->in_at, offset, done);
	return done > 0 ? w->out->ops->write(g, w->out, bytes, (uint64_t)done, 0) : done;
}

static int64_t move(struct guest *g, const struct way *w, uint64_t size, bool keep)
{
	uint8_t *bytes = malloc(CHUNK);
	int64_t done;

	if (!bytes)
		return -GUEST_ENOMEM;
	if (size > CHUNK)
		size = CHUNK;
	done = file_pipe(w->in) ? from_pipe(g, w, bytes, size, keep) : to_pipe(g, w, bytes, size);
	free(bytes);
	if (done == -GUEST_EPIPE)
		signal_broken_pipe(g);
	return done == -GUEST_EAGAIN && w->waits ? thread_block(g, WAIT_RETRY, NO_DEADLINE, true) : done;
}

int64_t sys_splice(struct guest *g, const uint64_t *args)
{
	struct way w;
	int64_t result = find_way(g, args[0], args[2], args[5], &w);

	if (!args[4])
		return args[5] & ~(uint64_t)FLAGS_KNOWN ? -GUEST_EINVAL : 0;
	if (result)
		return result;
	w.in_at = args[1];
	w.out_at = args[3];
	result = check_offset(w.in, w.in_at);
	if (!result)
		result = check_offset(w.out, w.out_at);
	if (result)
		return result;
	if ((!file_pipe(w.in) && !file_pipe(w.out)) || (w.out->flags & GUEST_O_APPEND))
		return -GUEST_EINVAL;
	return move(g, &w, args[4], false);
}

int64_t sys_tee(struct guest *g, const uint64_t *args)
{
	struct way w;
	int64_t result = find_way(g, args[0], args[1], args[3], &w);

	if (!args[2] || result)
		return args[3] & ~(uint64_t)FLAGS_KNOWN ? -GUEST_EINVAL : !args[2] ? 0 : result;
	return file_pipe(w.in) && file_pipe(w.out) ? move(g, &w, args[2], true) : -GUEST_EINVAL;
}

/* The pages are copied, so it is a read or a write. */
int64_t sys_vmsplice(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);

	if (args[3] & ~(uint64_t)FLAGS_KNOWN)
		return -GUEST_EINVAL;
	if (!f || !file_pipe(f))
		return -GUEST_EBADF;
	return file_writable(f) ? sys_writev(g, args) : sys_readv(g, args);
}
