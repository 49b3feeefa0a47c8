/* epoll. An instance looks at its files when it is asked, in order of descriptor: so what it reports is the same
 * in every run. Edge-triggered items are reported when their file has changed since (open_file's `changes`), or is
 * ready for more.
 * An instance may watch others, but not ones that watch in turn: a look is then bounded. */
#include "guest/archive.h"
#include "guest/calls.h"
#include "guest/files.h"

#include <stdlib.h>

enum { CTL_ADD = 1, CTL_DEL = 2, CTL_MOD = 3 };
#define EPOLL_ET (1u << 31)
#define EPOLL_ONESHOT (1u << 30)
#define EPOLL_ALWAYS (READY_ERR | READY_HUP)
#define EVENT_SIZE 16 /* u32 events, padding, u64 data */

struct watch {
	struct watch *next; /* by descriptor */
	uint32_t fd, events;
	uint64_t data;
	struct open_file *file; /* not held: forgotten when it is closed */
	unsigned seen;		/* readiness at the last look */
	uint64_t changes;	/* the file's, then */
	bool reported;
};

struct epoll {
	struct epoll *next; /* all of the guest's */
	struct watch *watches;
	size_t count, epolls; /* epolls: instances watched */
	unsigned held;	      /* by instances that watch it */
};

static unsigned epoll_poll(struct guest *g, struct open_file *f);
static void epoll_release(struct guest *g, struct open_file *f);

static const struct file_ops epoll_ops = {
	.poll = epoll_poll,
	.status = nameless_status,
	.release = epoll_release,
	.name = "anon_inode:[eventpoll]",
};

/* What the item would report now; `take`: it is reported. */
static unsigned look(struct guest *g, struct watch *w, bool take)
{
	unsigned ready = file_ready(g, w->file, w->events & 0xffff), fresh = ready & ~w->seen;
	uint64_t changes = w->file->changes ? *w->file->changes : 0;

	if (!(w->events & ~(EPOLL_ET | EPOLL_ONESHOT)))
		return 0; /* disabled */
	if ((w->events & EPOLL_ET) && w->reported && !fresh && changes == w->changes)
		return 0;
	if (take) {
		w->seen = ready;
		w->changes = changes;
		w->reported = ready != 0;
		if (ready && (w->events & EPOLL_ONESHOT))
			w->events &= EPOLL_ET | EPOLL_ONESHOT;
	}
	return ready;
}

static unsigned epoll_poll(struct guest *g, struct open_file *f)
{
	struct epoll *e = f->state;

	for (struct watch *w = e->watches; w; w = w->next)
		if (look(g, w, false))
			return READY_IN;
	return 0;
}

static struct epoll *epoll_of(struct open_file *f)
{
	return f && f->ops == &epoll_ops ? f->state : NULL;
}

static struct watch **find(struct epoll *e, uint32_t fd, const struct open_file *f)
{
	struct watch **link = &e->watches;

	while (*link && ((*link)->fd < fd || ((*link)->fd == fd && (*link)->file != f)))
		link = &(*link)->next;
	return link;
}

static void drop(struct epoll *e, struct watch **link)
{
	struct watch *w = *link;
	struct epoll *inner = epoll_of(w->file);

	if (inner) {
		inner->held--;
		e->epolls--;
	}
	*link = w->next;
	e->count--;
	free(w);
}

static void epoll_release(struct guest *g, struct open_file *f)
{
	struct epoll *e = f->state, **link = &g->epolls;

	while (e->watches)
		drop(e, &e->watches);
	while (*link != e)
		link = &(*link)->next;
	*link = e->next;
	free(e);
}

/* The file's last descriptor is gone. */
void epoll_forget(struct guest *g, struct open_file *f)
{
	for (struct epoll *e = g->epolls; e; e = e->next)
		for (struct watch **link = &e->watches; *link;) {
			if ((*link)->file == f)
				drop(e, link);
			else
				link = &(*link)->next;
		}
}

int64_t sys_epoll_create1(struct guest *g, const uint64_t *args)
{
	struct epoll *e;
	int64_t fd;

	if (args[0] & ~(uint64_t)GUEST_O_CLOEXEC)
		return -GUEST_EINVAL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -GUEST_ENOMEM;
	e->next = g->epolls;
	g->epolls = e;
	fd = descriptor_new(g, &epoll_ops, GUEST_O_RDWR, e, args[0] & GUEST_O_CLOEXEC);
	if (fd < 0) {
		g->epolls = e->next;
		free(e);
	}
	return fd;
}

/* Regular files and directories are always ready: Linux refuses to watch them. */
static bool watchable(struct guest *g, struct open_file *f)
{
	struct file_status status;

	if (f->ops->poll || f->ops->terminal)
		return true;
	return !f->ops->status(g, f, &status) && S_ISFIFO(status.mode);
}

static int64_t add(struct guest *g, struct epoll *e, struct watch **link, struct open_file *f, const struct watch *item)
{
	struct epoll *inner = epoll_of(f);
	struct watch *w;

	if (!watchable(g, f))
		return -GUEST_EPERM;
	if (inner && (inner->epolls || e->held))
		return -GUEST_ELOOP;
	if (e->count >= GUEST_FILES)
		return -GUEST_ENOSPC;
	w = malloc(sizeof(*w));
	if (!w)
		return -GUEST_ENOMEM;
	*w = *item;
	w->next = *link;
	*link = w;
	f->watched = true;
	e->count++;
	if (inner) {
		inner->held++;
		e->epolls++;
	}
	return 0;
}

int64_t sys_epoll_ctl(struct guest *g, const uint64_t *args)
{
	struct open_file *own = descriptor_file(g, args[0]), *f = descriptor_file(g, args[2]);
	struct epoll *e = epoll_of(own);
	struct watch item = {.fd = (uint32_t)args[2], .file = f}, **link;
	uint8_t event[EVENT_SIZE];
	bool there;

	if (args[1] != CTL_DEL && !user_read(g, event, args[3], sizeof(event)))
		return -GUEST_EFAULT;
	if (!own || !f)
		return -GUEST_EBADF;
	if (!e || f == own || args[1] < CTL_ADD || args[1] > CTL_MOD)
		return -GUEST_EINVAL;
	link = find(e, item.fd, f);
	there = *link && (*link)->fd == item.fd;
	if (there != (args[1] != CTL_ADD))
		return there ? -GUEST_EEXIST : -GUEST_ENOENT;
	threads_retry(g); /* who waits sees the change */
	if (args[1] == CTL_DEL) {
		drop(e, link);
		return 0;
	}
	item.events = get32(event) | EPOLL_ALWAYS;
	item.data = get64(event + 8);
	if (args[1] == CTL_ADD)
		return add(g, e, link, f, &item);
	item.next = (*link)->next;
	**link = item;
	return 0;
}

static int64_t report(struct guest *g, struct epoll *e, uint64_t address, uint64_t most)
{
	uint64_t count = 0;

	for (struct watch *w = e->watches; w && count < most; w = w->next) {
		uint8_t event[EVENT_SIZE] = {0};
		unsigned ready = look(g, w, true);

		if (!ready)
			continue;
		put32(event, ready);
		put64(event + 8, w->data);
		if (!user_write(g, address + EVENT_SIZE * count, event, sizeof(event)))
			return count ? (int64_t)count : -GUEST_EFAULT;
		count++;
	}
	return (int64_t)count;
}

static int64_t epoll_wait(struct guest *g, const uint64_t *args, uint64_t deadline)
{
	struct open_file *f = descriptor_file(g, args[0]);
	struct epoll *e = epoll_of(f);
	int64_t ready, result;

	if (!f)
		return -GUEST_EBADF;
	if (!e || (int)args[2] <= 0)
		return -GUEST_EINVAL;
	result = wait_mask(g, args[4]);
	if (result)
		return result;
	ready = report(g, e, args[1], (uint32_t)args[2]);
	return ready < 0 ? ready : wait_ready(g, ready, deadline);
}

int64_t sys_epoll_pwait(struct guest *g, const uint64_t *args)
{
	int timeout = (int)args[3];
	uint64_t deadline = NO_DEADLINE;

	if (g->current->wait.retrying)
		deadline = g->current->wait.deadline;
	else if (timeout >= 0)
		deadline = deadline_after(g, (uint64_t)timeout * 1000000);
	return epoll_wait(g, args, deadline);
}

int64_t sys_epoll_pwait2(struct guest *g, const uint64_t *args)
{
	uint64_t deadline;
	int64_t result = wait_deadline(g, args[3], &deadline);

	return result ? result : epoll_wait(g, args, deadline);
}

/* --- checkpoints --- */

static void epoll_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	struct epoll *e = a->loading ? calloc(1, sizeof(*e)) : f->state;

	if (!e) {
		archive_no_memory(a);
		return;
	}
	if (!a->loading)
		return;
	e->next = g->epolls;
	g->epolls = e;
	f->state = e;
}

const struct file_kind epoll_kind = {"an epoll instance", &epoll_ops, epoll_archive};

static void watch_archive(struct watch *w, const struct file_list *list, struct archive *a)
{
	uint64_t file = 0;

	while (!a->loading && file < list->count && list->files[file] != w->file)
		file++;
	archive_count(a, &file, list->count);
	w->file = file < list->count ? list->files[file] : NULL;
	ARCHIVE(a, w->fd);
	ARCHIVE(a, w->events);
	ARCHIVE(a, w->data);
	ARCHIVE(a, w->seen);
	ARCHIVE(a, w->changes);
	archive_flag(a, &w->reported);
}

/* To the end of the list, whose order is that of the file; *link is the end. */
static struct watch **load_watch(struct guest *g, struct epoll *e, struct watch **link, const struct file_list *list,
				 struct archive *a)
{
	struct watch *w = calloc(1, sizeof(*w));
	struct epoll *inner;

	if (!w) {
		archive_no_memory(a);
		return link;
	}
	watch_archive(w, list, a);
	inner = epoll_of(w->file);
	if (a->failed || a->from.failed || !w->file || !watchable(g, w->file) ||
	    (inner && (inner == e || inner->epolls || e->held))) {
		free(w);
		archive_fail(a, "it has an epoll instance that watches what it cannot");
		return link;
	}
	w->file->watched = true;
	if (inner) {
		inner->held++;
		e->epolls++;
	}
	e->count++;
	*link = w;
	return &w->next;
}

void epolls_archive(struct guest *g, const struct file_list *list, struct archive *a)
{
	for (size_t i = 0; i < list->count && !a->failed; i++) {
		struct epoll *e = epoll_of(list->files[i]);
		uint64_t count = e ? e->count : 0;

		if (!e)
			continue;
		archive_count(a, &count, GUEST_FILES);
		for (struct watch *w = e->watches; w && !a->loading; w = w->next)
			watch_archive(w, list, a);
		for (struct watch **end = &e->watches; a->loading && e->count < count && !a->failed;)
			end = load_watch(g, e, end, list, a);
	}
}
