/* A guest that wants all the processes there are: it gets errors, not the host's memory or time. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int reap(void)
{
	int count = 0;

	while (wait(NULL) > 0)
		count++;
	return count;
}

/* Zombies: more processes that have ended than can live at a time. */
static void zombies(void)
{
	int count = 0;

	while (count < 300) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		if (child < 0)
			break;
		count++;
	}
	printf("%d zombies, %d waited for\n", count, reap());
}

/* All alive. */
static void swarm(void)
{
	int count = 0, failure = 0;

	while (count < 5000 && !failure) {
		pid_t child = fork();

		if (!child)
			for (;;)
				pause();
		failure = child < 0 ? errno : 0;
		count += child > 0;
	}
	printf("%d alive, then %s\n", count, strerror(failure));
	printf("kill all: %d\n", kill(-1, SIGKILL));
	printf("%d dead\n", reap());
	printf("kill nobody: %s\n", kill(-1, SIGKILL) ? strerror(errno) : "done");
}

/* Each child counts against one limit. */
static void memory(void)
{
	size_t size = 1ul << 30;
	char *big = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int count = 0, failure = 0;

	memset(big, 1, 4096);
	while (count < 100 && !failure) {
		pid_t child = fork();

		if (!child)
			for (;;)
				pause();
		failure = child < 0 ? errno : 0;
		count += child > 0;
	}
	printf("%d with 1 GiB each, then %s\n", count, strerror(failure));
	kill(-1, SIGKILL);
	reap();
}

/* Every child does what its parent does. */
static void bomb(void)
{
	pid_t first = getpid();

	if (!fork()) {
		for (;;)
			if (fork() < 0 && getppid() == first)
				_exit(0);
	}
	wait(NULL);
	printf("the bomb's first is gone\n");
}

/* Programs that do not run, over and over: nothing is left of any. */
static void garbage(void)
{
	char *const words[] = {"x", NULL};
	static unsigned seed = 1, failed, i; /* vfork may spoil registers */

	for (; i < 200; i++) {
		unsigned char bytes[2048];
		FILE *self = fopen("/proc/self/exe", "r"), *out = fopen("/tmp/x", "w");
		size_t size = fread(bytes, 1, sizeof(bytes), self);

		for (int k = 0; k < 1 + i % 20; k++) {
			seed = seed * 1103515245 + 12345;
			bytes[(seed >> 16) % 600] = (unsigned char)(seed >> 8);
		}
		fwrite(bytes, 1, i % 7 ? size : seed % size, out);
		fclose(self);
		fclose(out);
		chmod("/tmp/x", 0755);
		if (!vfork()) {
			execv("/tmp/x", words);
			_exit(100);
		}
		int status;
		wait(&status);
		failed += !WIFEXITED(status) || WEXITSTATUS(status) == 100;
	}
	printf("garbage: %u failed\n", failed);
}

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 0;
	char number[12];

	if (left) {
		snprintf(number, sizeof(number), "%d", left - 1);
		if (left > 1)
			execl("/proc/self/exe", "swarm", number, NULL);
		return 17;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	zombies();
	swarm();
	memory();
	garbage();
	if (!fork())
		execl("/proc/self/exe", "swarm", "500", NULL);
	int status;
	wait(&status);
	printf("500 times another program: %d\n", WEXITSTATUS(status));
	bomb();
	return 0;
}
