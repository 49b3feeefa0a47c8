/* What a process may ask about itself; only what also holds under other kernels is printed. */
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long since(const struct timespec *from, const struct timespec *to)
{
	return (to->tv_sec - from->tv_sec) * 1000000000 + (to->tv_nsec - from->tv_nsec);
}

static void times_pass(void)
{
	struct timespec a, b, length = {0, 3000000}, fine;

	clock_gettime(CLOCK_MONOTONIC, &a);
	nanosleep(&length, NULL);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("slept enough: %d, not far too long: %d\n", since(&a, &b) >= 3000000, since(&a, &b) < 3000000000);
	clock_gettime(CLOCK_REALTIME, &a);
	printf("after 2020: %d, same as time: %d\n", a.tv_sec > 1577836800, time(NULL) - a.tv_sec <= 1);
	printf("resolution: %d %ld\n", clock_getres(CLOCK_MONOTONIC, &fine), fine.tv_nsec);
	errno = 0;
	printf("no such clock: %d EINVAL %d\n", clock_gettime(77, &a), errno == EINVAL);
	clock_gettime(CLOCK_MONOTONIC, &a);
	a.tv_sec -= 5;
	printf("absolute sleep in the past: %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &a, NULL));
}

static void vector(int argc, char **argv)
{
	const unsigned char *random = (const unsigned char *)getauxval(AT_RANDOM);
	const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
	int loads = 0;

	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		loads += headers[i].p_type == PT_LOAD;
	printf("page %lu, headers of %lu, loads %d, ticks %lu, secure %lu\n", getauxval(AT_PAGESZ), getauxval(AT_PHENT),
	       loads > 0, getauxval(AT_CLKTCK), getauxval(AT_SECURE));
	printf("RV64GC: %d, random there %d, stack aligned %d\n", (getauxval(AT_HWCAP) & 0x112d) == 0x112d,
	       random != NULL, ((unsigned long)__builtin_frame_address(0) & 15) == 0);
	printf("argc %d, argv ends %d, environment %s\n", argc, argv[argc] == NULL,
	       getenv("PATH") ? "has PATH" : "lacks PATH");
}

static void limits(void)
{
	struct rlimit limit;

	printf("stack limit: %d %d\n", getrlimit(RLIMIT_STACK, &limit), limit.rlim_cur >= 65536);
	errno = 0;
	printf("no such limit: %d EINVAL %d\n", getrlimit(99, &limit), errno == EINVAL);
}

static void identity(void)
{
	struct utsname name;
	unsigned long first = 0, second = 0;
	char thread_name[16];

	uname(&name);
	printf("%s %s\n", name.sysname, name.machine);
	printf("pid is tid: %d, kill 0: %d, group: %d\n", getpid() == syscall(SYS_gettid), kill(getpid(), 0),
	       getpgid(0) > 0);
	errno = 0;
	printf("no such process: %d ESRCH %d\n", kill(999999, 0), errno == ESRCH);
	prctl(PR_SET_NAME, "a-rather-long-thread-name");
	prctl(PR_GET_NAME, thread_name);
	printf("name: %s\n", thread_name);
	printf("random: %ld %ld, differ %d\n", (long)getrandom(&first, 8, 0), (long)getrandom(&second, 8, 0),
	       first != second);
	errno = 0;
	printf("children: %d ECHILD %d\n", (int)wait(NULL), errno == ECHILD);
	errno = 0;
	printf("no such call: %ld ENOSYS %d\n", syscall(511), errno == ENOSYS);
}

static void deep(volatile char *above, int levels)
{
	volatile char frame[4096];

	frame[0] = above ? above[0] : 1;
	if (levels)
		deep(frame, levels - 1);
	else
		printf("deep stack: %d\n", frame[0]);
}

static void main_stack(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;
	char here;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &start, &size);
	printf("stack known: %d\n", &here > (char *)start && &here < (char *)start + size);
}

int main(int argc, char **argv)
{
	times_pass();
	vector(argc, argv);
	limits();
	identity();
	deep(NULL, 1000);
	main_stack();
	return 42;
}
