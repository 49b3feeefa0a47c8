/* Scheduling, as far as there is any: one core, one policy, and a nice value of each process that changes nothing but
 * what is told of it. */
#include "guest/calls.h"
#include "guest/files.h"

int64_t sys_getpriority(struct guest *g, const uint64_t *args)
{
	return 20;
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
