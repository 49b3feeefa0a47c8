/* Standard input, output and error: the host's own descriptors, passed through.
 *
 * A read from a pipe waits until it has all that was asked for (or the end), because how the host cuts a pipe's data
 * into pieces depends on timing, and the guest must not see that. Terminals give a line at a time as usual.
 * Waiting happens on the host; simulated time stands still meanwhile. */
#include "guest/archive.h"
#include "guest/files.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_for(int host, short events)
{
	struct pollfd poll_fd = {.fd = host, .events = events};

	poll(&poll_fd, 1, -1);
}

/* False when the user wants to stop. Signals come only inside ppoll, which they end: one that came between the look and
 * the wait would be seen only after input that may never come. */
static bool wait_for_input(struct guest *g, int host)
{
	struct pollfd poll_fd = {.fd = host, .events = POLLIN};
	sigset_t all, before;
	bool stop;

	if (!g->interrupted) {
		wait_for(host, POLLIN);
		return true;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	stop = g->interrupted();
	if (!stop)
		ppoll(&poll_fd, 1, NULL, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !stop && !g->interrupted();
}

/* Ctrl-C ends the input, so that the run can end with a report. */
static int64_t stream_read_some(struct guest *g, struct open_file *f, uint8_t *to, uint64_t size)
{
	while (wait_for_input(g, f->host)) {
		ssize_t got = read(f->host, to, size);

		if (got >= 0)
			return got;
		if (errno != EAGAIN && errno != EINTR)
			return -guest_errno_of_host(errno);
	}
	return 0;
}

static int64_t stream_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	uint64_t done = 0;

	while (done < size) {
		int64_t got = stream_read_some(g, f, (uint8_t *)to + done, size - done);

		if (got < 0 && !done)
			return got;
		if (got <= 0)
			break;
		done += (uint64_t)got;
		if (f->ops->terminal)
			break;
	}
	return (int64_t)done;
}

/* write without letting a closed pipe's SIGPIPE end the simulator: the guest gets the signal instead. */
static ssize_t write_quietly(int host, const void *from, size_t size)
{
	struct timespec none = {0, 0};
	sigset_t pipe_only, before, pending;
	bool was_pending;
	ssize_t put;
	int saved;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
	put = write(host, from, size);
	saved = errno;
	if (put < 0 && saved == EPIPE && !was_pending)
		sigtimedwait(&pipe_only, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return put;
}

static int64_t stream_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	uint64_t done = 0;

	while (done < size) {
		ssize_t put = write_quietly(f->host, (const uint8_t *)from + done, size - done);

		if (put >= 0)
			done += (uint64_t)put;
		else if (errno == EAGAIN)
			wait_for(f->host, POLLOUT);
		else if (errno != EINTR)
			return done ? (int64_t)done : -guest_errno_of_host(errno);
	}
	return (int64_t)done;
}

static int64_t stream_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	struct stat st;

	if (fstat(f->host, &st))
		return -guest_errno_of_host(errno);
	*status = (struct file_status){
		.device = 1,
		.inode = inode_of_host(g, st.st_dev, st.st_ino),
		.mode = S_ISSOCK(st.st_mode) ? S_IFIFO | 0600 : st.st_mode,
		.links = 1,
		.uid = GUEST_UID,
		.gid = GUEST_UID,
		.rdev = f->ops->terminal      ? 0x8800
			: S_ISCHR(st.st_mode) ? 0x103
					      : 0,
		.size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0,
		.modified = clock_realtime(g),
	};
	return 0;
}

static int64_t stream_seek(struct guest *g, struct open_file *f, int64_t offset, int whence)
{
	static const int host_whence[3] = {SEEK_SET, SEEK_CUR, SEEK_END};
	off_t at;

	if (whence < 0 || whence > 2)
		return -GUEST_EINVAL;
	at = lseek(f->host, offset, host_whence[whence]);
	return at < 0 ? -guest_errno_of_host(errno) : (int64_t)at;
}

static int64_t stream_truncate(struct guest *g, struct open_file *f, uint64_t size)
{
	return ftruncate(f->host, (off_t)size) ? -guest_errno_of_host(errno) : 0;
}

static const struct file_ops stream_ops = {
	.read = stream_read,
	.write = stream_write,
	.seek = stream_seek,
	.truncate = stream_truncate,
	.status = stream_status,
};

static const struct file_ops terminal_ops = {
	.terminal = true,
	.read = stream_read,
	.write = stream_write,
	.status = stream_status,
};

/* --- after guest_prepare_fork and guest_isolate --- */

struct silent_stream {
	struct file_status status;
	uint64_t end;
	bool positioned; /* a regular file */
};

static int64_t silent_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct silent_stream *s = f->state;

	f->offset += size;
	if (f->offset > s->end)
		s->end = f->offset;
	return (int64_t)size;
}

static int64_t silent_seek(struct guest *g, struct open_file *f, int64_t offset, int whence)
{
	const struct silent_stream *s = f->state;
	int64_t at = offset + (whence == 1 ? (int64_t)f->offset : whence == 2 ? (int64_t)s->end : 0);

	if (!s->positioned)
		return -GUEST_ESPIPE;
	if (at < 0 || whence < 0 || whence > 2)
		return -GUEST_EINVAL;
	f->offset = (uint64_t)at;
	return at;
}

static int64_t silent_truncate(struct guest *g, struct open_file *f, uint64_t size)
{
	struct silent_stream *s = f->state;

	s->end = size;
	return s->positioned ? 0 : -GUEST_EINVAL;
}

static int64_t silent_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	const struct silent_stream *s = f->state;

	*status = s->status;
	status->size = s->positioned ? s->end : 0;
	status->modified = clock_realtime(g);
	return 0;
}

static void silent_release(struct guest *g, struct open_file *f)
{
	free(f->state);
}

static const struct file_ops silent_ops = {
	.write = silent_write,
	.seek = silent_seek,
	.truncate = silent_truncate,
	.status = silent_status,
	.release = silent_release,
};

static const struct file_ops silent_terminal_ops = {
	.terminal = true,
	.read = stream_read,
	.write = silent_write,
	.status = silent_status,
	.release = silent_release,
};

void stream_note_starts(struct guest *g)
{
	for (int host = 0; host < 3; host++) {
		struct stat st;

		g->starts[host].known = !fstat(host, &st);
		g->starts[host].at = lseek(host, 0, SEEK_CUR);
		g->starts[host].size = g->starts[host].known ? (uint64_t)st.st_size : 0;
	}
}

struct open_file *stream_silent(struct guest *g, struct open_file *f)
{
	struct silent_stream *s = calloc(1, sizeof(*s));
	struct open_file *silent =
		s ? file_new(f->ops->terminal ? &silent_terminal_ops : &silent_ops, f->flags, f->host, NULL) : NULL;
	const struct stream_start *start = &g->starts[f->host];

	if (!silent || f->ops->status(g, f, &s->status)) {
		free(s);
		free(silent);
		return NULL;
	}
	silent->borrowed = true;
	silent->state = s;
	s->positioned = S_ISREG(s->status.mode) && start->known;
	s->end = s->positioned ? start->size : 0;
	silent->offset = s->positioned && start->at > 0 ? (uint64_t)start->at : 0;
	return silent;
}

struct input {
	char *bytes;
	size_t size;
};

static int64_t input_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	const struct input *in = f->state;

	if (size > in->size - f->offset)
		size = in->size - f->offset;
	memcpy(to, in->bytes + f->offset, size);
	f->offset += size;
	return (int64_t)size;
}

static int64_t input_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	*status = (struct file_status){.device = 1,
				       .inode = 1,
				       .mode = S_IFIFO | 0600,
				       .links = 1,
				       .uid = GUEST_UID,
				       .gid = GUEST_UID,
				       .modified = clock_realtime(g)};
	return 0;
}

static void input_release(struct guest *g, struct open_file *f)
{
	struct input *in = f->state;

	free(in->bytes);
	free(in);
}

static const struct file_ops input_ops = {.read = input_read, .status = input_status, .release = input_release};

struct open_file *input_file_open(char *bytes, size_t size)
{
	struct input *in = calloc(1, sizeof(*in));
	struct open_file *f = in ? file_new(&input_ops, 0, -1, NULL) : NULL;

	if (!f) {
		free(in);
		free(bytes);
		return NULL;
	}
	*in = (struct input){.bytes = bytes, .size = size};
	f->state = in;
	return f;
}

struct open_file *stream_open(int host, unsigned flags)
{
	struct open_file *f;
	struct stat st;

	if (fstat(host, &st))
		return NULL;
	f = file_new(isatty(host) ? &terminal_ops : &stream_ops, flags, host, NULL);
	if (!f)
		return NULL;
	f->borrowed = true;
	if (f->ops->terminal)
		f->flags = GUEST_O_RDWR;
	if (host == STDIN_FILENO && S_ISREG(st.st_mode)) {
		off_t at = lseek(host, 0, SEEK_CUR);

		f->ops = &host_file_ops;
		f->offset = at > 0 ? (uint64_t)at : 0;
	}
	return f;
}

/* --- for checkpoints --- */

static void input_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	struct input *in = a->loading ? calloc(1, sizeof(*in)) : f->state;
	uint64_t size = in ? in->size : 0;

	archive_count(a, &size, a->loading ? a->from.left : UINT64_MAX);
	if (in && a->loading)
		*in = (struct input){.bytes = malloc(size + 1), .size = size};
	if (!in || !in->bytes || f->offset > size) {
		(void)(in && in->bytes ? archive_fail(a, "its standard input is damaged") : archive_no_memory(a));
		if (in)
			free(in->bytes);
		free(in);
		return;
	}
	archive_raw(a, in->bytes, in->size);
	f->state = in;
}

const struct file_kind input_kind = {"standard input", &input_ops, input_archive};

/* The host's own, whatever it is now; but input that has a position must be the same file. */
static void stream_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	struct stat st = {0};
	struct open_file *now = NULL;
	uint64_t size = 0;
	bool positioned = f->ops->seekable;

	ARCHIVE(a, f->host);
	archive_flag(a, &positioned);
	if (!a->loading && positioned && !fstat(f->host, &st))
		size = (uint64_t)st.st_size;
	ARCHIVE(a, size);
	if (!a->loading)
		return;
	if (f->host >= 0 && f->host <= 2)
		now = stream_open(f->host, f->flags);
	if (!now || (positioned && (fstat(f->host, &st) || (uint64_t)st.st_size != size || !now->ops->seekable))) {
		archive_fail(a,
			     f->host == STDIN_FILENO
				     ? "standard input must be the file of %llu bytes that the program read from"
				     : "standard output or error is closed (%llu)",
			     (unsigned long long)size);
		f->host = -1;
	} else {
		f->ops = now->ops;
		f->flags = now->flags;
		f->borrowed = true;
	}
	free(now);
}

const struct file_kind stream_kind = {"a standard stream", &stream_ops, stream_archive};
