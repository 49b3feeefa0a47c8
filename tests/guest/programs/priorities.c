/* Nice values: of a process, of its children, of groups; and what the calls on policies say of them. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW(call) (errno = 0, say(#call, (long)(call)))

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 && errno ? strerrorname_np(errno) : "");
}

static void told(int pid)
{
	char path[64], line[1000] = "";
	int priority = 0, value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	fgets(line, sizeof(line), file);
	fclose(file);
	sscanf(strrchr(line, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %d %d", &priority,
	       &value);
	printf("stat: %d %d\n", priority, value);
}

static void attributes(int pid, unsigned size)
{
	struct {
		unsigned size, policy;
		unsigned long flags;
		int nice;
		unsigned priority;
		unsigned long more[4];
	} a;

	memset(&a, 0xff, sizeof(a));
	SHOW(syscall(SYS_sched_getattr, pid, &a, size, 0));
	if (!errno)
		printf("size %u, policy %u, flags %lu, nice %d, priority %u\n", a.size, a.policy, a.flags, a.nice,
		       a.priority);
}

static void child(int ready, int go)
{
	char byte;

	printf("inherited %d\n", getpriority(PRIO_PROCESS, 0));
	SHOW(setpriority(PRIO_PROCESS, 0, 12));
	told(getpid());
	setpgid(0, 0);
	write(ready, "x", 1);
	read(go, &byte, 1);
	printf("then %d\n", getpriority(PRIO_PROCESS, 0));
	_exit(0);
}

int main(void)
{
	int ready[2], go[2];
	struct timespec turn = {-1, -1};
	pid_t other;
	char byte;

	setvbuf(stdout, NULL, _IOLBF, 0);
	setpgid(0, 0); /* without who waits for it */
	SHOW(syscall(SYS_getpriority, PRIO_PROCESS, 0));
	SHOW(nice(5));
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(syscall(SYS_getpriority, PRIO_PROCESS, getpid()));
	SHOW(getpriority(PRIO_PGRP, 0));
	SHOW(syscall(SYS_getpriority, 3, 0));
	SHOW(syscall(SYS_setpriority, 3, 0, 0));
	SHOW(getpriority(PRIO_PROCESS, 30000));
	SHOW(setpriority(PRIO_PROCESS, 30000, 10));
	SHOW(getpriority(PRIO_PGRP, 30000));
	attributes(0, 48);
	attributes(0, 47);
	attributes(30000, 48);
	attributes(-1, 48);
	pipe(ready);
	pipe(go);
	other = fork();
	if (!other)
		child(ready[1], go[0]);
	read(ready[0], &byte, 1);
	SHOW(getpriority(PRIO_PROCESS, 0));
	SHOW(getpriority(PRIO_PROCESS, other));
	told(other);
	attributes(other, 48);
	SHOW(setpriority(PRIO_PGRP, other, 15));
	SHOW(setpriority(PRIO_PROCESS, other, 1000));
	write(go[1], "x", 1);
	waitpid(other, NULL, 0);
	SHOW(syscall(SYS_sched_rr_get_interval, 0, &turn));
	printf("a turn: %d\n", !turn.tv_sec && turn.tv_nsec >= 0);
	SHOW(syscall(SYS_sched_rr_get_interval, 30000, &turn));
	SHOW(syscall(SYS_sched_rr_get_interval, -1, &turn));
	return 0;
}
