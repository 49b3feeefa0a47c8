/* Files that stand for events: counters (eventfd), timers (timerfd), signals (signalfd). */
#include "guest/archive.h"
#include "guest/calls.h"
#include "guest/files.h"

#include <stdlib.h>

int64_t nameless_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	*status = (struct file_status){
		.device = 3, .inode = 1, .mode = 0600, .links = 1, .uid = GUEST_UID, .gid = GUEST_UID};
	status->modified = clock_realtime(g);
	return 0;
}

static void state_release(struct guest *g, struct open_file *f)
{
	free(f->state);
}

/* --- eventfd --- */

struct event_counter {
	uint64_t value, changes;
	bool semaphore;
};

static int64_t event_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	struct event_counter *e = f->state;
	uint64_t take = e->semaphore ? 1 : e->value;

	if (size < sizeof(take))
		return -GUEST_EINVAL;
	if (!e->value)
		return -GUEST_EAGAIN;
	memcpy(to, &take, sizeof(take));
	e->value -= take;
	e->changes++;
	threads_retry(g);
	return sizeof(take);
}

static int64_t event_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct event_counter *e = f->state;
	uint64_t add;

	if (size < sizeof(add))
		return -GUEST_EINVAL;
	memcpy(&add, from, sizeof(add));
	if (add == UINT64_MAX)
		return -GUEST_EINVAL;
	if (add > UINT64_MAX - 1 - e->value)
		return -GUEST_EAGAIN;
	e->value += add;
	e->changes++;
	threads_retry(g);
	return sizeof(add);
}

static unsigned event_poll(struct guest *g, struct open_file *f)
{
	struct event_counter *e = f->state;

	return (e->value ? READY_IN : 0) | (e->value < UINT64_MAX - 1 ? READY_OUT : 0);
}

static const struct file_ops event_ops = {
	.read = event_read,
	.write = event_write,
	.poll = event_poll,
	.status = nameless_status,
	.release = state_release,
	.name = "anon_inode:[eventfd]",
};

int64_t sys_eventfd2(struct guest *g, const uint64_t *args)
{
	struct event_counter *e;
	int64_t fd;

	if (args[1] & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK | 1))
		return -GUEST_EINVAL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -GUEST_ENOMEM;
	e->value = (uint32_t)args[0];
	e->semaphore = args[1] & 1;
	fd = descriptor_new(g, &event_ops, GUEST_O_RDWR | (args[1] & GUEST_O_NONBLOCK), e, args[1] & GUEST_O_CLOEXEC);
	if (fd < 0)
		free(e);
	else
		descriptor_file(g, (uint64_t)fd)->changes = &e->changes;
	return fd;
}

static void event_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	struct event_counter *e = a->loading ? calloc(1, sizeof(*e)) : f->state;

	if (!e) {
		archive_no_memory(a);
		return;
	}
	ARCHIVE(a, e->value);
	ARCHIVE(a, e->changes);
	archive_flag(a, &e->semaphore);
	f->state = e;
	f->changes = &e->changes;
}

const struct file_kind event_kind = {"an event counter", &event_ops, event_archive};

/* --- timerfd: see also timers.c --- */

static int64_t timer_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	struct timer_file *t = f->state;

	timers_fire(g);
	if (size < sizeof(t->expirations))
		return -GUEST_EINVAL;
	if (!t->expirations)
		return -GUEST_EAGAIN;
	memcpy(to, &t->expirations, sizeof(t->expirations));
	t->expirations = 0;
	return sizeof(t->expirations);
}

static unsigned timer_poll(struct guest *g, struct open_file *f)
{
	const struct timer_file *t = f->state;

	timers_fire(g);
	return t->expirations ? READY_IN : 0;
}

static void timer_release(struct guest *g, struct open_file *f)
{
	struct timer_file *t = f->state, **link = &g->timer_files;

	if (t->armed)
		g->armed_timers--;
	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	free(t);
}

static const struct file_ops timer_ops = {
	.read = timer_read,
	.poll = timer_poll,
	.status = nameless_status,
	.release = timer_release,
	.name = "anon_inode:[timerfd]",
};

/* Its own are behind those of timers.c, which are loaded first. */
static void timer_file_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	struct timer_file *t = a->loading ? calloc(1, sizeof(*t)) : f->state;

	if (!t) {
		archive_no_memory(a);
		return;
	}
	ARCHIVE(a, t->clock);
	archive_flag(a, &t->armed);
	ARCHIVE(a, t->deadline);
	ARCHIVE(a, t->interval);
	ARCHIVE(a, t->expirations);
	ARCHIVE(a, t->changes);
	if (!a->loading)
		return;
	t->next = g->timer_files;
	g->timer_files = t;
	g->armed_timers += t->armed;
	f->state = t;
	f->changes = &t->changes;
}

const struct file_kind timer_file_kind = {"a timer", &timer_ops, timer_file_archive};

int64_t sys_timerfd_create(struct guest *g, const uint64_t *args)
{
	struct timer_file *t;
	int64_t fd;

	if ((args[0] > 1 && args[0] != 7 && args[0] != 8 && args[0] != 9) ||
	    (args[1] & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK)))
		return -GUEST_EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -GUEST_ENOMEM;
	t->clock = (int)args[0];
	t->next = g->timer_files;
	g->timer_files = t;
	fd = descriptor_new(g, &timer_ops, GUEST_O_RDWR | (args[1] & GUEST_O_NONBLOCK), t, args[1] & GUEST_O_CLOEXEC);
	if (fd < 0) {
		g->timer_files = t->next;
		free(t);
	} else {
		descriptor_file(g, (uint64_t)fd)->changes = &t->changes;
	}
	return fd;
}

static struct timer_file *timer_file_of(struct guest *g, uint64_t fd, int64_t *result)
{
	struct open_file *f = descriptor_file(g, fd);

	*result = !f ? -GUEST_EBADF : -GUEST_EINVAL;
	return f && f->ops == &timer_ops ? f->state : NULL;
}

static bool put_timer_file(struct guest *g, uint64_t address, const struct timer_file *t)
{
	uint64_t now = clock_now(g), left = !t->armed ? 0 : t->deadline > now ? t->deadline - now : 1;

	return user_put_time(g, address, t->interval) && user_put_time(g, address + 16, left);
}

int64_t sys_timerfd_settime(struct guest *g, const uint64_t *args)
{
	enum { ABSTIME = 1, CANCEL_ON_SET = 2 };
	uint64_t interval, first;
	int64_t result;
	struct timer_file *t = timer_file_of(g, args[0], &result);

	if (!user_get_time(g, args[2], &interval) || !user_get_time(g, args[2] + 16, &first))
		return -GUEST_EFAULT;
	if (!t)
		return result;
	if (interval == NO_DEADLINE || first == NO_DEADLINE || (args[1] & ~3ull))
		return -GUEST_EINVAL;
	timers_fire(g);
	if (args[3] && !put_timer_file(g, args[3], t))
		return -GUEST_EFAULT;
	g->armed_timers -= t->armed;
	t->armed = first != 0;
	g->armed_timers += t->armed;
	t->interval = interval;
	t->expirations = 0;
	t->deadline = args[1] & ABSTIME ? deadline_absolute(g, t->clock, first) : deadline_after(g, first);
	threads_retry(g);
	return 0;
}

int64_t sys_timerfd_gettime(struct guest *g, const uint64_t *args)
{
	int64_t result;
	struct timer_file *t = timer_file_of(g, args[0], &result);

	if (!t)
		return result;
	timers_fire(g);
	return put_timer_file(g, args[1], t) ? 0 : -GUEST_EFAULT;
}

/* --- signalfd --- */

struct signal_file {
	uint64_t mask;
};
#define SIGNAL_RECORD 128

static void put_signal(uint8_t *to, const struct signal_info *info)
{
	memset(to, 0, SIGNAL_RECORD);
	put32(to, (uint32_t)info->number);
	put32(to + 8, (uint32_t)info->code);
	put32(to + 12, (uint32_t)info->pid);
	put32(to + 16, (uint32_t)info->uid);
	put32(to + 44, (uint32_t)info->value);
	put64(to + 48, info->value);
}

static int64_t signal_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	const struct signal_file *s = f->state;
	struct signal_info info;
	uint64_t done = 0;

	if (size < SIGNAL_RECORD)
		return -GUEST_EINVAL;
	for (; done + SIGNAL_RECORD <= size && signal_take(g, g->current, s->mask, &info); done += SIGNAL_RECORD)
		put_signal((uint8_t *)to + done, &info);
	return done ? (int64_t)done : -GUEST_EAGAIN;
}

static unsigned signal_poll(struct guest *g, struct open_file *f)
{
	const struct signal_file *s = f->state;

	return (g->current->pending.set | g->process->pending.set) & s->mask ? READY_IN : 0;
}

static const struct file_ops signal_ops = {
	.read = signal_read,
	.poll = signal_poll,
	.status = nameless_status,
	.release = state_release,
	.name = "anon_inode:[signalfd]",
};

int64_t sys_signalfd4(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	struct signal_file *s;
	uint64_t mask;
	int64_t fd;

	if (args[2] != sizeof(mask) || (args[3] & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK)))
		return -GUEST_EINVAL;
	if (!user_get64(g, args[1], &mask))
		return -GUEST_EFAULT;
	mask &= ~(1ull << (GUEST_SIGKILL - 1) | 1ull << (GUEST_SIGSTOP - 1));
	if ((int)args[0] != -1) {
		if (!f || f->ops != &signal_ops)
			return f ? -GUEST_EINVAL : -GUEST_EBADF;
		((struct signal_file *)f->state)->mask = mask;
		return (int)args[0];
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return -GUEST_ENOMEM;
	s->mask = mask;
	fd = descriptor_new(g, &signal_ops, GUEST_O_RDWR | (args[3] & GUEST_O_NONBLOCK), s, args[3] & GUEST_O_CLOEXEC);
	if (fd < 0)
		free(s);
	return fd;
}
