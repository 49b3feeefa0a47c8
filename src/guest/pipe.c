/* Pipes between the threads and processes of the guest, with names in its own directories (mkfifo) or without.
 *
 * Opening a named one never waits for the other end, as it does in Linux: instead the end of data is not reported
 * before a writer has come, nor a broken pipe before a reader has, and what was written before that is kept. */
#include "guest/archive.h"
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/memory_tree.h"

#include <stdlib.h>

#define PIPE_ROOM 65536

struct pipe {
	unsigned readers, writers;
	bool read, written; /* there has been a reader, a writer */
	struct node *node;  /* that has the name, or NULL */
	size_t start, count;
	uint64_t changes; /* of either end */
	uint8_t bytes[PIPE_ROOM];
};

static int64_t pipe_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	struct pipe *p = f->state;

	if (!p->count)
		return p->writers || (!p->written && !(f->flags & GUEST_O_NONBLOCK)) ? -GUEST_EAGAIN : 0;
	size = (uint64_t)pipe_look(f, to, size);
	pipe_skip(g, f, size);
	return (int64_t)size;
}

static int64_t pipe_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct pipe *p = f->state;
	uint64_t room = PIPE_ROOM - p->count;

	if (!p->readers && p->read)
		return -GUEST_EPIPE;
	if (!room || (size <= 4096 && room < size)) /* PIPE_BUF bytes go whole */
		return -GUEST_EAGAIN;
	if (size > room)
		size = room;
	for (uint64_t i = 0; i < size; i++)
		p->bytes[(p->start + p->count + i) % PIPE_ROOM] = ((const uint8_t *)from)[i];
	p->count += size;
	p->changes++;
	threads_retry(g);
	return (int64_t)size;
}

static uint64_t pipe_available(const struct open_file *f)
{
	return ((const struct pipe *)f->state)->count;
}

static unsigned pipe_poll(struct guest *g, struct open_file *f)
{
	struct pipe *p = f->state;
	unsigned events = 0;

	if (file_readable(f))
		events |= (p->count ? READY_IN : 0) | (p->writers || !p->written ? 0 : READY_HUP);
	if (file_writable(f))
		events |= (PIPE_ROOM - p->count >= 4096 ? READY_OUT : 0) | (p->readers || !p->read ? 0 : READY_ERR);
	return events;
}

/* --- for splice --- */

int64_t pipe_look(struct open_file *f, uint8_t *to, uint64_t size)
{
	const struct pipe *p = f->state;

	if (!p->count)
		return p->writers || !p->written ? -GUEST_EAGAIN : 0;
	if (size > p->count)
		size = p->count;
	for (uint64_t i = 0; i < size; i++)
		to[i] = p->bytes[(p->start + i) % PIPE_ROOM];
	return (int64_t)size;
}

void pipe_skip(struct guest *g, struct open_file *f, uint64_t size)
{
	struct pipe *p = f->state;

	p->start = (p->start + size) % PIPE_ROOM;
	p->count -= size;
	p->changes++;
	threads_retry(g);
}

int64_t pipe_space(struct open_file *f)
{
	const struct pipe *p = f->state;

	if (!p->readers && p->read)
		return -GUEST_EPIPE;
	return p->count < PIPE_ROOM ? (int64_t)(PIPE_ROOM - p->count) : -GUEST_EAGAIN;
}

/* --- its life --- */

static void pipe_free(struct guest *g, struct pipe *p)
{
	free(p);
	guest_uncharge(g, sizeof(*p));
}

/* True: nobody has it open any more. */
static bool pipe_leave(struct guest *g, const struct open_file *f)
{
	struct pipe *p = f->state;

	p->readers -= file_readable(f);
	p->writers -= file_writable(f);
	p->changes++;
	threads_retry(g);
	return !p->readers && !p->writers;
}

static void pipe_release(struct guest *g, struct open_file *f)
{
	if (pipe_leave(g, f))
		pipe_free(g, f->state);
}

static int64_t pipe_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	*status = (struct file_status){.device = 3,
				       .inode = 1,
				       .mode = S_IFIFO | 0600,
				       .links = 1,
				       .uid = GUEST_UID,
				       .gid = GUEST_UID,
				       .modified = clock_realtime(g)};
	return 0;
}

static const struct file_ops pipe_ops = {
	.read = pipe_read,
	.write = pipe_write,
	.available = pipe_available,
	.poll = pipe_poll,
	.status = pipe_status,
	.release = pipe_release,
};

static bool pipe_open(struct guest *g, unsigned flags, struct open_file *ends[2])
{
	struct pipe *p = guest_charge(g, sizeof(*p)) ? calloc(1, sizeof(*p)) : NULL;

	ends[0] = p ? file_new(&pipe_ops, flags & GUEST_O_NONBLOCK, -1, NULL) : NULL;
	ends[1] = p ? file_new(&pipe_ops, GUEST_O_WRONLY | (flags & GUEST_O_NONBLOCK), -1, NULL) : NULL;
	if (!ends[0] || !ends[1]) {
		free(ends[0]);
		free(ends[1]);
		if (p)
			guest_uncharge(g, sizeof(*p));
		free(p);
		return false;
	}
	p->readers = p->writers = 1;
	p->read = p->written = true;
	ends[0]->state = ends[1]->state = p;
	ends[0]->changes = ends[1]->changes = &p->changes;
	return true;
}

int64_t sys_pipe2(struct guest *g, const uint64_t *args)
{
	bool close_on_exec = args[1] & GUEST_O_CLOEXEC;
	struct open_file *ends[2];
	int64_t in, out;
	uint32_t fds[2];

	if (!user_span(g, args[0], sizeof(fds), PAGE_WRITE))
		return -GUEST_EFAULT;
	if (!pipe_open(g, (unsigned)args[1], ends))
		return -GUEST_ENOMEM;
	in = descriptor_add(g, ends[0], 0, close_on_exec);
	out = in < 0 ? in : descriptor_add(g, ends[1], 0, close_on_exec);
	fds[0] = (uint32_t)in;
	fds[1] = (uint32_t)out;
	if (out >= 0 && user_write(g, args[0], fds, sizeof(fds)))
		return 0;
	if (in >= 0)
		g->process->files[in].file = NULL;
	if (out >= 0)
		g->process->files[out].file = NULL;
	file_release(g, ends[0]);
	file_release(g, ends[1]);
	return out < 0 ? out : -GUEST_EFAULT;
}

/* --- with names --- */

static void fifo_release(struct guest *g, struct open_file *f)
{
	struct pipe *p = f->state;
	struct node *n = p->node;

	if (pipe_leave(g, f) && (p->read || !p->count)) { /* else a reader is still to come */
		n->pipe = NULL;
		pipe_free(g, p);
	}
	node_let_go(g, n);
}

static int64_t fifo_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	const struct pipe *p = f->state;

	tree_status(g, p->node, status);
	return 0;
}

static const struct file_ops fifo_ops = {
	.read = pipe_read,
	.write = pipe_write,
	.available = pipe_available,
	.poll = pipe_poll,
	.status = fifo_status,
	.release = fifo_release,
};

const struct pipe *file_pipe(const struct open_file *f)
{
	return f->ops == &pipe_ops || f->ops == &fifo_ops ? f->state : NULL;
}

int64_t fifo_open(struct guest *g, struct node *n, const char *path, unsigned flags, struct open_file **file)
{
	bool alone = !n->pipe;
	struct pipe *p = n->pipe;

	if ((flags & (GUEST_O_ACCMODE | GUEST_O_NONBLOCK)) == (GUEST_O_WRONLY | GUEST_O_NONBLOCK) &&
	    (alone || !p->readers))
		return -GUEST_ENXIO;
	if (alone)
		p = guest_charge(g, sizeof(*p)) ? calloc(1, sizeof(*p)) : NULL;
	*file = p ? file_new(&fifo_ops, flags, -1, path) : NULL;
	if (!*file) {
		if (p && alone)
			pipe_free(g, p);
		return -GUEST_ENOMEM;
	}
	n->pipe = p;
	n->holders++;
	p->node = n;
	p->readers += file_readable(*file);
	p->writers += file_writable(*file);
	p->read |= file_readable(*file);
	p->written |= file_writable(*file);
	p->changes++;
	(*file)->state = p;
	(*file)->changes = &p->changes;
	threads_retry(g);
	return 0;
}

void fifo_drop(struct guest *g, struct node *n)
{
	if (n->pipe)
		pipe_free(g, n->pipe);
}

/* --- for checkpoints --- */

static void content_archive(struct pipe *p, struct archive *a)
{
	uint64_t start = p->start, count = p->count;

	archive_count(a, &start, PIPE_ROOM - 1);
	archive_count(a, &count, PIPE_ROOM);
	ARCHIVE(a, p->changes);
	p->start = start;
	p->count = count;
	for (size_t i = 0; i < count; i++)
		ARCHIVE(a, p->bytes[(start + i) % PIPE_ROOM]);
}

/* The first end has the content. */
static void pipe_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	uint64_t first = a->loading ? 0 : file_list_first(list, f);
	struct pipe *p = f->state;

	archive_count(a, &first, list->count);
	if (a->loading && first < list->count)
		p = list->files[first]->ops == &pipe_ops ? list->files[first]->state : NULL;
	else if (a->loading)
		p = calloc(1, sizeof(*p));
	if (!p) {
		(void)(first == list->count ? archive_no_memory(a) : archive_fail(a, "it has half a pipe"));
		return;
	}
	if (a->loading ? first == list->count : list->files[first] == f)
		content_archive(p, a);
	if (!a->loading)
		return;
	p->readers += file_readable(f);
	p->writers += !file_readable(f);
	p->read = p->written = true;
	f->state = p;
	f->changes = &p->changes;
}

const struct file_kind pipe_kind = {"a pipe", &pipe_ops, pipe_archive};
