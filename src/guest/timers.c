/* Interval and POSIX timers: signals at simulated times, sent between instructions at the turns and system calls. */
#include "guest/calls.h"
#include "guest/process.h"

#define SECOND 1000000000ull
#define TIMER_ABSTIME 1

enum { SI_TIMER = -2, SI_KERNEL = 0x80, SIGEV_SIGNAL = 0, SIGEV_NONE = 1, SIGEV_THREAD_ID = 4 };

static void timer_disarm(struct guest *g, struct timer *t)
{
	if (t->armed)
		g->armed_timers--;
	t->armed = false;
}

static void timer_arm(struct guest *g, struct timer *t, uint64_t deadline, uint64_t interval)
{
	timer_disarm(g, t);
	t->armed = true;
	t->deadline = deadline;
	t->interval = interval;
	g->armed_timers++;
}

static void timer_fire(struct guest *g, struct process *p, struct timer *t)
{
	struct signal_info info = {.number = t->signal,
				   .code = t->is_itimer ? SI_KERNEL : SI_TIMER,
				   .value = t->value,
				   .cause = SIGNAL_TIMER};
	uint64_t now = clock_now(g);

	if (t->interval)
		t->deadline += (now - t->deadline) / t->interval * t->interval + t->interval;
	else
		timer_disarm(g, t);
	struct thread *to = t->thread_directed ? thread_find(g, t->tid) : NULL;

	if (t->signal && to)
		signal_send(g, to, &info);
	else if (t->signal)
		signal_send_process(g, p, &info);
}

static void timer_file_fire(struct guest *g, struct timer_file *t)
{
	uint64_t times = 1;

	if (t->interval) {
		times += (clock_now(g) - t->deadline) / t->interval;
		t->deadline += times * t->interval;
	} else {
		t->armed = false;
		g->armed_timers--;
	}
	t->expirations += times;
	t->changes++;
	threads_retry(g);
}

void timers_fire(struct guest *g)
{
	for (struct process *p = g->processes; p && g->armed_timers; p = p->next)
		for (size_t i = 0; i < GUEST_TIMERS; i++)
			if (p->timers[i].armed && p->timers[i].deadline <= clock_now(g))
				timer_fire(g, p, &p->timers[i]);
	for (struct timer_file *t = g->timer_files; t; t = t->next)
		if (t->armed && t->deadline <= clock_now(g))
			timer_file_fire(g, t);
}

uint64_t timers_next(const struct guest *g)
{
	uint64_t next = NO_DEADLINE;

	for (const struct process *p = g->processes; p && g->armed_timers; p = p->next)
		for (size_t i = 0; i < GUEST_TIMERS; i++)
			if (p->timers[i].armed && p->timers[i].deadline < next)
				next = p->timers[i].deadline;
	for (const struct timer_file *t = g->timer_files; t; t = t->next)
		if (t->armed && t->deadline < next)
			next = t->deadline;
	return next;
}

static uint64_t timer_left(const struct guest *g, const struct timer *t)
{
	uint64_t now = clock_now(g);

	return !t->armed ? 0 : t->deadline > now ? t->deadline - now : 1;
}

static bool put_itimer(struct guest *g, uint64_t address, const struct timer *t)
{
	uint64_t left = timer_left(g, t), interval = t->armed ? t->interval : 0;
	uint64_t raw[4] = {interval / SECOND, interval % SECOND / 1000, left / SECOND, left % SECOND / 1000};

	return user_write(g, address, raw, sizeof(raw));
}

int64_t sys_getitimer(struct guest *g, const uint64_t *args)
{
	if (args[0] > 2)
		return -GUEST_EINVAL;
	return put_itimer(g, args[1], &g->process->timers[args[0]]) ? 0 : -GUEST_EFAULT;
}

int64_t sys_setitimer(struct guest *g, const uint64_t *args)
{
	static const int signals[3] = {GUEST_SIGALRM, GUEST_SIGVTALRM, GUEST_SIGPROF};
	uint64_t raw[4] = {0};
	struct timer *t;

	if (args[0] > 2)
		return -GUEST_EINVAL;
	t = &g->process->timers[args[0]];
	if (args[1] && !user_read(g, raw, args[1], sizeof(raw)))
		return -GUEST_EFAULT;
	if (raw[1] >= 1000000 || raw[3] >= 1000000 || raw[0] >> 33 || raw[2] >> 33)
		return -GUEST_EINVAL;
	if (args[2] && !put_itimer(g, args[2], t))
		return -GUEST_EFAULT;
	t->used = true;
	t->is_itimer = true;
	t->signal = signals[args[0]];
	timer_disarm(g, t);
	if (raw[2] || raw[3])
		timer_arm(g, t, deadline_after(g, raw[2] * SECOND + raw[3] * 1000), raw[0] * SECOND + raw[1] * 1000);
	return 0;
}

static struct timer *timer_of(struct guest *g, uint64_t id)
{
	return id >= 3 && id < GUEST_TIMERS && g->process->timers[id].used ? &g->process->timers[id] : NULL;
}

static bool timer_event(struct guest *g, uint64_t address, struct timer *t)
{
	uint8_t event[20];
	int notify;

	t->signal = GUEST_SIGALRM;
	if (!address)
		return true;
	if (!user_read(g, event, address, sizeof(event)))
		return false;
	t->value = get64(event);
	t->signal = (int)get32(event + 8);
	notify = (int)get32(event + 12);
	if (notify == SIGEV_NONE)
		t->signal = 0;
	t->thread_directed = notify == SIGEV_THREAD_ID;
	t->tid = (int)get32(event + 16);
	return true;
}

int64_t sys_timer_create(struct guest *g, const uint64_t *args)
{
	for (uint32_t id = 3; id < GUEST_TIMERS; id++) {
		struct timer *t = &g->process->timers[id];

		if (t->used)
			continue;
		memset(t, 0, sizeof(*t));
		if (!timer_event(g, args[1], t))
			return -GUEST_EFAULT;
		if (t->signal < 0 || t->signal > GUEST_SIGNALS)
			return -GUEST_EINVAL;
		if (!user_put32(g, args[2], id))
			return -GUEST_EFAULT;
		t->used = true;
		t->clock = (int)args[0];
		return 0;
	}
	return -GUEST_EAGAIN;
}

static bool put_itimerspec(struct guest *g, uint64_t address, const struct timer *t)
{
	return user_put_time(g, address, t->armed ? t->interval : 0) &&
	       user_put_time(g, address + 16, timer_left(g, t));
}

int64_t sys_timer_settime(struct guest *g, const uint64_t *args)
{
	struct timer *t = timer_of(g, args[0]);
	uint64_t interval, first;

	if (!t)
		return -GUEST_EINVAL;
	if (!user_get_time(g, args[2], &interval) || !user_get_time(g, args[2] + 16, &first))
		return -GUEST_EFAULT;
	if (interval == NO_DEADLINE || first == NO_DEADLINE)
		return -GUEST_EINVAL;
	if (args[3] && !put_itimerspec(g, args[3], t))
		return -GUEST_EFAULT;
	timer_disarm(g, t);
	if (first)
		timer_arm(g, t,
			  args[1] & TIMER_ABSTIME ? deadline_absolute(g, t->clock, first) : deadline_after(g, first),
			  interval);
	return 0;
}

int64_t sys_timer_gettime(struct guest *g, const uint64_t *args)
{
	struct timer *t = timer_of(g, args[0]);

	if (!t)
		return -GUEST_EINVAL;
	return put_itimerspec(g, args[1], t) ? 0 : -GUEST_EFAULT;
}

int64_t sys_timer_getoverrun(struct guest *g, const uint64_t *args)
{
	return timer_of(g, args[0]) ? 0 : -GUEST_EINVAL;
}

int64_t sys_timer_delete(struct guest *g, const uint64_t *args)
{
	struct timer *t = timer_of(g, args[0]);

	if (!t)
		return -GUEST_EINVAL;
	timer_disarm(g, t);
	t->used = false;
	return 0;
}
