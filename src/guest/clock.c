/* Simulated time: one instruction is one nanosecond, sleeping adds the time slept. The calendar starts at a fixed date
 * and the monotonic clocks start away from zero, which some programs take for "not set". */
#include "guest/calls.h"
#include "guest/process.h"

#define SECOND 1000000000ull
#define MONOTONIC_START 1000ull
#define TIMER_ABSTIME 1

enum guest_clock {
	CLOCK_OF_DAY = 0,
	CLOCK_MONO = 1,
	CLOCK_PROCESS = 2,
	CLOCK_THREAD = 3,
	CLOCK_OF_DAY_COARSE = 5,
	CLOCK_OF_DAY_ALARM = 8,
	CLOCK_OF_TAI = 11,
	CLOCK_LAST = 11
};

uint64_t clock_now(const struct guest *g)
{
	return g->hart.instret + g->clock_skip;
}

uint64_t clock_realtime(const struct guest *g)
{
	return GUEST_EPOCH * SECOND + clock_now(g);
}

static bool clock_is_of_day(int clock)
{
	return clock == CLOCK_OF_DAY || clock == CLOCK_OF_DAY_COARSE || clock == CLOCK_OF_DAY_ALARM ||
	       clock == CLOCK_OF_TAI;
}

/* Negative clock numbers name the CPU clock of a process or thread: the running process's. */
static bool clock_read(const struct guest *g, int clock, uint64_t *nanoseconds)
{
	if (clock > CLOCK_LAST || clock == 10)
		return false;
	if (clock < 0 || clock == CLOCK_PROCESS || clock == CLOCK_THREAD)
		*nanoseconds = process_ran(g, g->process);
	else if (clock_is_of_day(clock))
		*nanoseconds = clock_realtime(g);
	else
		*nanoseconds = MONOTONIC_START * SECOND + clock_now(g);
	return true;
}

bool user_get_time(struct guest *g, uint64_t address, uint64_t *nanoseconds)
{
	uint64_t raw[2];

	if (!user_read(g, raw, address, sizeof(raw)))
		return false;
	if ((int64_t)raw[0] < 0 || raw[1] >= SECOND)
		*nanoseconds = NO_DEADLINE; /* callers answer EINVAL */
	else if (raw[0] > UINT64_MAX / SECOND / 4)
		*nanoseconds = UINT64_MAX / 4;
	else
		*nanoseconds = raw[0] * SECOND + raw[1];
	return true;
}

bool user_put_time(struct guest *g, uint64_t address, uint64_t nanoseconds)
{
	uint64_t raw[2] = {nanoseconds / SECOND, nanoseconds % SECOND};

	return user_write(g, address, raw, sizeof(raw));
}

uint64_t deadline_after(const struct guest *g, uint64_t nanoseconds)
{
	return clock_now(g) + nanoseconds;
}

uint64_t deadline_absolute(const struct guest *g, int clock, uint64_t nanoseconds)
{
	uint64_t now = 0;

	clock_read(g, clock, &now);
	return clock_now(g) + (nanoseconds > now ? nanoseconds - now : 0);
}

int64_t sys_clock_gettime(struct guest *g, const uint64_t *args)
{
	uint64_t now;

	if (!clock_read(g, (int)args[0], &now))
		return -GUEST_EINVAL;
	return user_put_time(g, args[1], now) ? 0 : -GUEST_EFAULT;
}

int64_t sys_clock_getres(struct guest *g, const uint64_t *args)
{
	uint64_t now;

	if (!clock_read(g, (int)args[0], &now))
		return -GUEST_EINVAL;
	return !args[1] || user_put_time(g, args[1], 1) ? 0 : -GUEST_EFAULT;
}

int64_t sys_clock_settime(struct guest *g, const uint64_t *args)
{
	return -GUEST_EPERM;
}

int64_t sys_gettimeofday(struct guest *g, const uint64_t *args)
{
	uint64_t now = clock_realtime(g);
	uint64_t time[2] = {now / SECOND, now % SECOND / 1000};
	uint32_t zone[2] = {0, 0};

	if (args[0] && !user_write(g, args[0], time, sizeof(time)))
		return -GUEST_EFAULT;
	if (args[1] && !user_write(g, args[1], zone, sizeof(zone)))
		return -GUEST_EFAULT;
	return 0;
}

static int64_t sleep_until(struct guest *g, uint64_t deadline, uint64_t remaining_at)
{
	/* If a signal cuts the sleep short, what remains is all of it but what simulated time went by; the common
	 * case of no signal needs nothing written. */
	if (remaining_at && !user_span(g, remaining_at, 16, PAGE_WRITE))
		remaining_at = 0;
	if (remaining_at)
		user_put_time(g, remaining_at, 0);
	return thread_block(g, WAIT_SLEEP, deadline, false);
}

int64_t sys_nanosleep(struct guest *g, const uint64_t *args)
{
	uint64_t length;

	if (!user_get_time(g, args[0], &length))
		return -GUEST_EFAULT;
	if (length == NO_DEADLINE)
		return -GUEST_EINVAL;
	return sleep_until(g, deadline_after(g, length), args[1]);
}

int64_t sys_clock_nanosleep(struct guest *g, const uint64_t *args)
{
	uint64_t length, now;

	if (!clock_read(g, (int)args[0], &now))
		return -GUEST_EINVAL;
	if (!user_get_time(g, args[2], &length))
		return -GUEST_EFAULT;
	if (length == NO_DEADLINE)
		return -GUEST_EINVAL;
	if (args[1] & TIMER_ABSTIME)
		return sleep_until(g, deadline_absolute(g, (int)args[0], length), 0);
	return sleep_until(g, deadline_after(g, length), args[3]);
}

int64_t sys_times(struct guest *g, const uint64_t *args)
{
	uint64_t tick = SECOND / GUEST_HZ;
	uint64_t raw[4] = {process_ran(g, g->process) / tick, 0, g->process->children_ran / tick, 0};

	if (args[0] && !user_write(g, args[0], raw, sizeof(raw)))
		return -GUEST_EFAULT;
	return (int64_t)((MONOTONIC_START * SECOND + clock_now(g)) / tick);
}

int64_t sys_getrusage(struct guest *g, const uint64_t *args)
{
	uint64_t raw[18] = {0};
	int who = (int)args[0];

	if (who != 0 && who != 1 && who != -1)
		return -GUEST_EINVAL;
	uint64_t ran = who == -1 ? g->process->children_ran : process_ran(g, g->process);

	raw[0] = ran / SECOND;
	raw[1] = ran % SECOND / 1000;
	if (who != -1)
		raw[4] = 8192; /* ru_maxrss, KiB */
	return user_write(g, args[1], raw, sizeof(raw)) ? 0 : -GUEST_EFAULT;
}
