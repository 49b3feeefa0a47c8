/* inotify. A watch is on a file as the guest knows it (device and inode), found by a hash; its events wait in the queue
 * of its instance. Watches and events are counted as the guest's memory. */
#include "guest/inotify.h"

#include "guest/calls.h"

#include <stdlib.h>

#define INSTANCES_MAX 128 /* as Linux has it; so are events */
#define WATCHES_MAX 65536
#define EVENTS_MAX 16384
#define EVENT_HEAD 16

enum {
	ONLY_DIRECTORY = 0x01000000,
	DONT_FOLLOW = 0x02000000,
	EXCLUDE_UNLINKED = 0x04000000,
	MASK_CREATE = 0x10000000,
	MASK_ADD = 0x20000000,
};
#define MASK_KNOWN                                                                                       \
	(WATCH_ALL | 0xe000 | ONLY_DIRECTORY | DONT_FOLLOW | EXCLUDE_UNLINKED | MASK_CREATE | MASK_ADD | \
	 WATCH_IS_DIRECTORY | WATCH_ONE_SHOT)

/* --- the queue --- */

static void append(struct guest *g, struct instance *i, struct event *e)
{
	e->next = NULL;
	if (i->last)
		i->last->next = e;
	else
		i->first = e;
	i->last = e;
	i->count++;
	i->bytes += EVENT_HEAD + e->size;
	i->changes++;
	threads_retry(g);
}

static struct event *event_new(struct guest *g, const struct event *head, const char *name)
{
	uint32_t size = name ? (uint32_t)(strlen(name) + EVENT_HEAD) / EVENT_HEAD * EVENT_HEAD : 0;
	struct event *e;

	if (!guest_charge(g, sizeof(*e) + size))
		return NULL;
	e = calloc(1, sizeof(*e) + size);
	if (!e) {
		guest_uncharge(g, sizeof(*e) + size);
		return NULL;
	}
	*e = *head;
	e->size = size;
	e->name = (char *)(e + 1);
	if (name)
		strcpy(e->name, name);
	return e;
}

/* The same once more, and nothing in between. */
static bool repeats(const struct event *last, const struct event *head, const char *name)
{
	return last && last->watch == head->watch && last->mask == head->mask && head->mask != WATCH_IGNORED &&
	       !strcmp(last->size ? last->name : "", name ? name : "");
}

void instance_tell(struct guest *g, struct instance *i, const struct event *head, const char *name)
{
	struct event *e;

	if (repeats(i->last, head, name))
		return;
	e = i->count < EVENTS_MAX ? event_new(g, head, name) : NULL;
	if (e) {
		append(g, i, e);
	} else if (!i->overflowing) {
		i->overflowing = true;
		i->overflow = (struct event){.watch = -1, .mask = WATCH_OVERFLOW};
		append(g, i, &i->overflow);
	}
}

static void drop_event(struct guest *g, struct instance *i)
{
	struct event *e = i->first;

	i->first = e->next;
	if (!e->next)
		i->last = NULL;
	i->count--;
	i->bytes -= EVENT_HEAD + e->size;
	if (e == &i->overflow) {
		i->overflowing = false;
		return;
	}
	guest_uncharge(g, sizeof(*e) + e->size);
	free(e);
}

static int64_t instance_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	struct instance *i = f->state;
	uint8_t *at = to;
	uint64_t done = 0;

	if (!i->first)
		return -GUEST_EAGAIN;
	while (i->first && done + EVENT_HEAD + i->first->size <= size) {
		const struct event *e = i->first;

		put32(at + done, (uint32_t)e->watch);
		put32(at + done + 4, e->mask);
		put32(at + done + 8, e->cookie);
		put32(at + done + 12, e->size);
		if (e->size)
			memcpy(at + done + EVENT_HEAD, e->name, e->size);
		done += EVENT_HEAD + e->size;
		drop_event(g, i);
	}
	i->changes++;
	return done ? (int64_t)done : -GUEST_EINVAL;
}

static unsigned instance_poll(struct guest *g, struct open_file *f)
{
	const struct instance *i = f->state;

	return i->first ? READY_IN : 0;
}

static uint64_t instance_available(const struct open_file *f)
{
	return ((const struct instance *)f->state)->bytes;
}

/* --- watches --- */

static void drop_watch(struct guest *g, struct watch *w)
{
	struct watch **link = watch_bucket(g, w->device, w->inode);

	while (*link != w)
		link = &(*link)->next;
	*link = w->next;
	if (w->before)
		w->before->after = w->after;
	else
		w->instance->watches = w->after;
	if (w->after)
		w->after->before = w->before;
	g->watches->count--;
	guest_uncharge(g, sizeof(*w));
	free(w);
}

void watch_end(struct guest *g, struct watch *w)
{
	instance_tell(g, w->instance, &(struct event){.watch = w->number, .mask = WATCH_IGNORED}, NULL);
	drop_watch(g, w);
}

static void instance_release(struct guest *g, struct open_file *f)
{
	struct instance *i = f->state;

	while (i->watches)
		drop_watch(g, i->watches);
	while (i->first)
		drop_event(g, i);
	g->watches->instances--;
	free(i);
}

void watches_destroy(struct guest *g)
{
	free(g->watches);
	g->watches = NULL; /* files in memory go after this */
}

static const struct file_ops instance_ops = {
	.read = instance_read,
	.poll = instance_poll,
	.available = instance_available,
	.status = nameless_status,
	.release = instance_release,
	.name = "anon_inode:inotify",
};

/* --- the calls --- */

int64_t sys_inotify_init1(struct guest *g, const uint64_t *args)
{
	struct instance *i;
	int64_t fd;

	if (args[0] & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK))
		return -GUEST_EINVAL;
	if (!g->watches && !(g->watches = calloc(1, sizeof(*g->watches))))
		return -GUEST_ENOMEM;
	if (g->watches->instances >= INSTANCES_MAX)
		return -GUEST_EMFILE;
	i = calloc(1, sizeof(*i));
	if (!i)
		return -GUEST_ENOMEM;
	fd = descriptor_new(g, &instance_ops, args[0] & GUEST_O_NONBLOCK, i, args[0] & GUEST_O_CLOEXEC);
	if (fd < 0) {
		free(i);
		return fd;
	}
	descriptor_file(g, (uint64_t)fd)->changes = &i->changes;
	g->watches->instances++;
	return fd;
}

static int64_t instance_of(struct guest *g, uint64_t fd, struct instance **i)
{
	struct open_file *f = descriptor_file(g, fd);

	if (!f || f->ops != &instance_ops)
		return f ? -GUEST_EINVAL : -GUEST_EBADF;
	*i = f->state;
	return 0;
}

static int64_t new_watch(struct guest *g, struct instance *i, const struct file_status *file, uint32_t mask)
{
	struct watch *w, **link = watch_bucket(g, file->device, file->inode);

	if (g->watches->count >= WATCHES_MAX || i->last_watch == INT32_MAX || !guest_charge(g, sizeof(*w)))
		return -GUEST_ENOSPC;
	w = calloc(1, sizeof(*w));
	if (!w) {
		guest_uncharge(g, sizeof(*w));
		return -GUEST_ENOMEM;
	}
	*w = (struct watch){.next = *link,
			    .after = i->watches,
			    .instance = i,
			    .number = ++i->last_watch,
			    .mask = mask,
			    .device = file->device,
			    .inode = file->inode};
	if (w->after)
		w->after->before = w;
	*link = i->watches = w;
	g->watches->count++;
	return w->number;
}

static int64_t add_watch(struct guest *g, struct instance *i, const struct file_status *file, uint32_t mask)
{
	const uint32_t kept = mask & (WATCH_ALL | EXCLUDE_UNLINKED | WATCH_ONE_SHOT);
	struct watch *w = *watch_bucket(g, file->device, file->inode);

	while (w && (w->instance != i || w->inode != file->inode || w->device != file->device))
		w = w->next;
	if (!w)
		return new_watch(g, i, file, kept);
	if (mask & MASK_CREATE)
		return -GUEST_EEXIST;
	w->mask = mask & MASK_ADD ? w->mask | kept : kept;
	return w->number;
}

static uint64_t hash_of(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * 0x100000001b3ull;
	return hash;
}

int64_t sys_inotify_add_watch(struct guest *g, const uint64_t *args)
{
	enum { SYNTHESISED = 2 }; /* as place_status has it */
	const uint32_t mask = (uint32_t)args[2];
	struct file_status status;
	struct instance *i;
	struct place place;
	int64_t result;

	if (!(mask & MASK_KNOWN) || ((mask & MASK_ADD) && (mask & MASK_CREATE)))
		return -GUEST_EINVAL;
	result = instance_of(g, args[0], &i);
	if (!result)
		result = path_walk_user(g, (uint64_t)GUEST_AT_FDCWD, args[1], !(mask & DONT_FOLLOW), &place);
	if (!result)
		result = place_status(g, &place, &status);
	if (result)
		return result;
	if (status.device == SYNTHESISED) /* they have no number of their own, and never change */
		status.inode = hash_of(place.guest);
	if ((mask & ONLY_DIRECTORY) && !S_ISDIR(status.mode))
		return -GUEST_ENOTDIR;
	return add_watch(g, i, &status, mask);
}

int64_t sys_inotify_rm_watch(struct guest *g, const uint64_t *args)
{
	struct instance *i;
	int64_t result = instance_of(g, args[0], &i);
	struct watch *w = result ? NULL : i->watches;

	while (w && w->number != (int32_t)args[1])
		w = w->after;
	if (result || !w)
		return result ? result : -GUEST_EINVAL;
	watch_end(g, w);
	return 0;
}
