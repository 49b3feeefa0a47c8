/* Scheduling, as far as there is any: one core, threads that run in turns, and a nice value of each process that
 * changes nothing but what is told of it. */
#include "guest/calls.h"
#include "guest/files.h"

/* --- nice values --- */

enum whose { OF_PROCESS, OF_GROUP, OF_USER };
enum { NICE_MOST = 19, NICE_LEAST = -20 };

/* `who` 0: the caller's own. */
static bool is_meant(struct guest *g, const struct process *p, uint64_t which, int who)
{
	const struct thread *t;

	if (process_ended(p))
		return false;
	switch (which) {
	case OF_PROCESS:
		t = who ? thread_find(g, who) : g->current;
		return t && t->process == p;
	case OF_GROUP:
		return p->group == (who ? who : g->process->group);
	default:
		return !who || who == GUEST_UID;
	}
}

/* The most urgent one's, counted from 40 downwards. */
int64_t sys_getpriority(struct guest *g, const uint64_t *args)
{
	int64_t found = -GUEST_ESRCH;

	if (args[0] > OF_USER)
		return -GUEST_EINVAL;
	for (const struct process *p = g->processes; p; p = p->next)
		if (is_meant(g, p, args[0], (int)args[1]) && NICE_MOST + 1 - p->nice > found)
			found = NICE_MOST + 1 - p->nice;
	return found;
}

static int within(int nice)
{
	return nice > NICE_MOST ? NICE_MOST : nice < NICE_LEAST ? NICE_LEAST : nice;
}

/* More urgent than it is only root makes a process. */
int64_t sys_setpriority(struct guest *g, const uint64_t *args)
{
	int nice = within((int)args[2]);
	int64_t result = -GUEST_ESRCH;

	if (args[0] > OF_USER)
		return -GUEST_EINVAL;
	for (struct process *p = g->processes; p; p = p->next) {
		if (!is_meant(g, p, args[0], (int)args[1]))
			continue;
		if (nice < p->nice)
			result = -GUEST_EACCES;
		else
			p->nice = nice;
		if (result == -GUEST_ESRCH)
			result = 0;
	}
	return result;
}

/* --- policies --- */

enum policy { POLICY_NORMAL, POLICY_FIFO, POLICY_ROUND_ROBIN, POLICY_BATCH, POLICY_IDLE = 5, POLICY_DEADLINE };
enum { ATTR_FIRST = 48, ATTR_BYTES = 56 }; /* struct sched_attr: at first, and now */

/* The thread's process, or a negated errno. */
static int64_t process_of(struct guest *g, uint64_t number, struct process **p)
{
	const struct thread *t = (int)number ? thread_find(g, (int)number) : g->current;

	if ((int)number < 0)
		return -GUEST_EINVAL;
	if (!t)
		return -GUEST_ESRCH;
	*p = t->process;
	return 0;
}

int64_t sys_sched_getattr(struct guest *g, const uint64_t *args)
{
	uint32_t size = (uint32_t)args[2];
	uint8_t raw[ATTR_BYTES] = {0};
	struct process *p = NULL;
	int64_t result = process_of(g, args[0], &p);

	if (!args[1] || size > GUEST_PAGE_SIZE || size < ATTR_FIRST || (uint32_t)args[3] || result == -GUEST_EINVAL)
		return -GUEST_EINVAL;
	if (result)
		return result;
	if (size > ATTR_BYTES)
		size = ATTR_BYTES;
	put32(raw, size);
	put32(raw + 16, (uint32_t)p->nice);
	return user_write(g, args[1], raw, size) ? 0 : -GUEST_EFAULT;
}

static int64_t set_policy(struct process *p, uint32_t policy, int nice)
{
	switch (policy) {
	case POLICY_NORMAL:
	case POLICY_BATCH:
		if (within(nice) < p->nice)
			return -GUEST_EPERM;
		p->nice = within(nice);
		return 0;
	case POLICY_IDLE:
		return 0;
	case POLICY_FIFO:
	case POLICY_ROUND_ROBIN:
	case POLICY_DEADLINE:
		return -GUEST_EPERM;
	default:
		return -GUEST_EINVAL;
	}
}

int64_t sys_sched_setattr(struct guest *g, const uint64_t *args)
{
	uint8_t raw[ATTR_FIRST];
	struct process *p = NULL;
	int64_t result = process_of(g, args[0], &p);

	if (!args[1] || (uint32_t)args[2] || result == -GUEST_EINVAL)
		return -GUEST_EINVAL;
	if (!user_read(g, raw, args[1], 4))
		return -GUEST_EFAULT;
	if (get32(raw) && get32(raw) < ATTR_FIRST)
		return user_put32(g, args[1], ATTR_BYTES) ? -GUEST_E2BIG : -GUEST_EFAULT;
	if (!user_read(g, raw, args[1], sizeof(raw)))
		return -GUEST_EFAULT;
	return result ? result : set_policy(p, get32(raw + 4), (int)get32(raw + 16));
}

/* A turn's length. */
int64_t sys_sched_rr_get_interval(struct guest *g, const uint64_t *args)
{
	struct process *p = NULL;
	int64_t result = process_of(g, args[0], &p);

	if (result)
		return result;
	return user_put64(g, args[1], 0) && user_put64(g, args[1] + 8, GUEST_TURN) ? 0 : -GUEST_EFAULT;
}

int64_t sys_sched_yield(struct guest *g, const uint64_t *args)
{
	g->yielding = true;
	return 0;
}

int64_t sys_sched_getaffinity(struct guest *g, const uint64_t *args)
{
	if (args[1] < 8 || (args[1] & 7))
		return -GUEST_EINVAL;
	return user_put64(g, args[2], 1) ? 8 : -GUEST_EFAULT;
}

int64_t sys_sched_setaffinity(struct guest *g, const uint64_t *args)
{
	uint64_t set;

	if (args[1] < 8 || !user_get64(g, args[2], &set))
		return args[1] < 8 ? -GUEST_EINVAL : -GUEST_EFAULT;
	return set & 1 ? 0 : -GUEST_EINVAL;
}

int64_t sys_sched_getscheduler(struct guest *g, const uint64_t *args)
{
	return 0;
}

int64_t sys_sched_getparam(struct guest *g, const uint64_t *args)
{
	return user_put32(g, args[1], 0) ? 0 : -GUEST_EFAULT;
}

int64_t sys_sched_setscheduler(struct guest *g, const uint64_t *args)
{
	return args[1] ? -GUEST_EPERM : 0;
}

int64_t sys_sched_priority_range(struct guest *g, const uint64_t *args)
{
	return 0;
}

int64_t sys_getcpu(struct guest *g, const uint64_t *args)
{
	if ((args[0] && !user_put32(g, args[0], 0)) || (args[1] && !user_put32(g, args[1], 0)))
		return -GUEST_EFAULT;
	return 0;
}
