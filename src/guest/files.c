/* The descriptor table. */
#include "guest/files.h"
#include "guest/watches.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct open_file *file_new(const struct file_ops *ops, unsigned flags, int host, const char *path)
{
	struct open_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->ops = ops;
	f->references = 1;
	f->flags = flags;
	f->host = host;
	if (path && !(f->path = strdup(path))) {
		free(f);
		return NULL;
	}
	return f;
}

int64_t file_new_host(struct guest *g, const struct file_ops *ops, unsigned flags, int host, const char *path,
		      struct open_file **file)
{
	*file = g->host_files < GUEST_FILES ? file_new(ops, flags, host, path) : NULL;
	if (*file) {
		g->host_files++;
		return 0;
	}
	close(host);
	return g->host_files < GUEST_FILES ? -GUEST_ENOMEM : -GUEST_ENFILE;
}

void file_retain(struct open_file *f)
{
	f->references++;
}

void file_release(struct guest *g, struct open_file *f)
{
	if (--f->references)
		return;
	if (f->watched)
		epoll_forget(g, f);
	if (g->file_locks)
		locks_forget(g, f);
	if (g->watches && !f->replaced)
		watch_closed(g, f);
	if (f->ops->release)
		f->ops->release(g, f);
	if (f->host >= 0 && !f->borrowed) {
		close(f->host);
		g->host_files--;
	} else if (f->borrowed && f->ops->seekable) {
		/* who shares the descriptor goes on where the guest stopped reading */
		f->offset = (uint64_t)lseek(f->host, (off_t)f->offset, SEEK_SET);
	}
	free(f->path);
	free(f->snapshot);
	free(f);
}

void descriptor_release(struct guest *g, const struct process *p, struct open_file *f)
{
	if (g->file_locks)
		locks_close(g, p, f);
	file_release(g, f);
}

struct open_file *descriptor_file(struct guest *g, uint64_t fd)
{
	return (uint32_t)fd < g->process->file_room ? g->process->files[(uint32_t)fd].file : NULL;
}

int64_t descriptor_add(struct guest *g, struct open_file *f, uint64_t lowest, bool close_on_exec)
{
	for (uint64_t fd = lowest; fd < g->process->file_room; fd++) {
		if (g->process->files[fd].file)
			continue;
		g->process->files[fd] = (struct descriptor){.file = f, .close_on_exec = close_on_exec};
		return (int64_t)fd;
	}
	return -GUEST_EMFILE;
}

int64_t descriptor_new(struct guest *g, const struct file_ops *ops, unsigned flags, void *state, bool close_on_exec)
{
	struct open_file *f = file_new(ops, flags, -1, NULL);
	int64_t fd = f ? descriptor_add(g, f, 0, close_on_exec) : -GUEST_ENOMEM;

	if (fd < 0)
		free(f);
	else
		f->state = state;
	return fd;
}

bool file_readable(const struct open_file *f)
{
	return (f->flags & GUEST_O_ACCMODE) != GUEST_O_WRONLY && !(f->flags & GUEST_O_PATH);
}

bool file_writable(const struct open_file *f)
{
	return (f->flags & GUEST_O_ACCMODE) != 0 && !(f->flags & GUEST_O_PATH);
}

bool files_create(struct guest *g, struct error *err)
{
	static const unsigned flags[3] = {0, GUEST_O_WRONLY, GUEST_O_WRONLY};

	for (int fd = 0; fd < 3; fd++) {
		errno = 0;
		g->process->files[fd].file = stream_open(fd, flags[fd]);
		if (!g->process->files[fd].file && errno != EBADF) /* that: closed on the host, too */
			return error_set(err, ERROR_SYSTEM, "out of memory");
	}
	return true;
}
