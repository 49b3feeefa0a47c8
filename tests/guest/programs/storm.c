/* Random system calls with random arguments, for the simulated kernel alone: whatever they do, the guest goes on. Not for a
 * real one: it ends at once there. The status is 7. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CALLS 60000
#define POOL (256 * 4096ul)

static uint64_t state;

static unsigned pick(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

/* What ends the program, loses its output or its alarm, or leaves its memory: not called. */
static int spared(long number)
{
	static const short calls[] = {93,  94,	98,  103, 107, 110, 129, 130, 131, 133, 134, 135, 137, 138,
				      139, 214, 220, 221, 240, 261, 281, 424, 435, 436, 132, 99,  96,  293};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i] == number)
			return 1;
	return 0;
}

static long number(void)
{
	long n;

	do
		n = pick(8) ? pick(300) : 424 + pick(40);
	while (spared(n));
	return n;
}

static const char *const paths[] = {"/tmp/a",	  "/tmp/d", "/tmp/d/b",	 "/tmp/d/c", "/proc/self/fd", "/proc/self/maps",
				    "/var/tmp/x", ".",	    "..",	 "",	     "/dev/zero",     "/tmp/link",
				    "/dev/shm",	  "/tmp",   "/dev/null", "relative"};

static char *pool;

static long argument(void)
{
	static const long values[] = {0,     1,	      2,  8,	16,	  64,	   512,	 4096,
				      65536, 1 << 24, -1, -100, 1L << 62, 0x80000, 0x800};

	switch (pick(8)) {
	case 0:
	case 1:
		return 3 + pick(40);
	case 2:
		return (long)paths[pick(sizeof paths / sizeof *paths)];
	case 3:
	case 4:
		return (long)(pool + pick(POOL) / 8 * 8);
	case 5:
		return pick(64);
	default:
		return values[pick(sizeof values / sizeof *values)];
	}
}

/* Memory comes and goes in the pool only. */
static int is_memory_call(long n)
{
	return (n >= 215 && n <= 216) || (n >= 222 && n <= 233 && n != 223);
}

static int waits_with_mask(long n)
{
	return n == 22 || n == 72 || n == 73 || n == 441;
}

static const uint64_t no_time[2];

static void one(void)
{
	long n = number(), a[6];

	for (int i = 0; i < 6; i++)
		a[i] = argument();
	if (is_memory_call(n)) {
		a[0] = (long)(pool + pick(POOL / 4096) * 4096ul);
		a[1] = 4096 * (1 + (long)pick(4));
		if (n == 222)
			a[3] = (a[3] & 0x23) | 0x10;
		if (n == 216)
			a[2] = 4096, a[3] = 0;
		if ((unsigned long)a[0] + (unsigned long)a[1] > (unsigned long)pool + POOL)
			return;
	}
	if (waits_with_mask(n))
		a[3] = a[4] = a[5] = 0;
	if (n == 72)
		a[4] = (long)&no_time;
	if (n == 25 && a[0] < 3)
		a[0] = 3;
	syscall(n, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (!pick(16))
		mmap(pool, POOL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void nothing(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = nothing};
	struct itimerval often = {{0, 100}, {0, 100}};
	struct utsname name;

	uname(&name);
	if (strcmp(name.nodename, "culprit")) /* no real kernel */
		return 1;
	state = argc > 1 ? strtoull(argv[1], 0, 0) : 1;
	for (int fd = 0; fd < 3; fd++)
		dup2(open("/dev/null", O_RDWR), fd);
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &often, 0);
	pool = mmap(0, POOL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < CALLS; i++)
		one();
	_exit(7); /* all calls were made; what could be printed is lost */
}
