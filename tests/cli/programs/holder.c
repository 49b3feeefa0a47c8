/* Holds many things at once, uses them step by step, and says what it finds: what a checkpoint in between must keep.
 * With an argument it holds an inotify instance, too, which a checkpoint cannot have. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int ends[2], counter;
static volatile int alarms;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long shared;

static void on_alarm(int number)
{
	alarms += number == SIGALRM;
}

static void *producer(void *argument)
{
	for (long i = 0; i < 200; i++) {
		pthread_mutex_lock(&mutex);
		shared += i;
		pthread_mutex_unlock(&mutex);
		uint64_t one = 1;
		if (write(ends[1], &i, sizeof i) != sizeof i || write(counter, &one, sizeof one) != sizeof one)
			return argument;
		for (volatile int k = 0; k < 200; k++)
			;
	}
	close(ends[1]);
	return NULL;
}

static unsigned long list(const char *name)
{
	unsigned long sum = 0;
	DIR *directory = opendir(name);
	for (struct dirent *e; directory && (e = readdir(directory));)
		sum = sum * 31 + strlen(e->d_name);
	if (directory)
		closedir(directory);
	return sum;
}

int main(int argc, char **argv)
{
	struct itimerval often = {{0, 50000}, {0, 50000}};
	char line[64] = "";
	long value, sum = 0;
	uint64_t counted = 0;
	pthread_t thread;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	int nameless = open("/tmp/nameless", O_RDWR | O_CREAT, 0600), again = dup(nameless);
	FILE *named = fopen("/tmp/named", "w+");
	mkdir("/tmp/folder", 0700);
	link("/tmp/named", "/tmp/folder/second");
	symlink("named", "/tmp/link");
	unlink("/tmp/nameless");
	int memory = memfd_create("memory", MFD_ALLOW_SEALING), null = open("/dev/null", O_RDWR);
	char *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pipe(ends) || !named || pages == MAP_FAILED || (counter = eventfd(0, EFD_NONBLOCK)) < 0)
		return 1;
	if (argc > 1)
		inotify_init1(0);
	nice(3);
	fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK);
	pthread_create(&thread, NULL, producer, NULL);
	for (int i = 0; read(ends[0], &value, sizeof value) == sizeof value; i++) {
		sum += value * i;
		pages[(i * 4099L) & 0xfffff] = (char)value;
		dprintf(i % 2 ? nameless : again, "%d ", i);
		fprintf(named, "%ld\n", value);
		if (write(memory, &value, sizeof value) != sizeof value || write(null, &value, 1) != 1)
			return 1;
		if (i % 20)
			continue;
		if (read(counter, &counted, sizeof counted) != sizeof counted || !fgets(line, sizeof line, stdin))
			line[0] = '-';
		printf("%d: sum %ld, counted some %d, %s", i, sum, counted > 0, line[0] == '-' ? "-\n" : line);
	}
	pthread_join(thread, NULL);
	unsigned long hash = 0;
	for (long i = 0; i < 1 << 20; i++)
		hash = hash * 31 + (unsigned char)pages[i];
	fflush(named);
	printf("shared %ld, pages %lx, alarms %d, nameless %ld, named %ld, memory %ld, tmp %lu\n", shared, hash,
	       alarms > 0, (long)lseek(nameless, 0, SEEK_END), ftell(named), (long)lseek(memory, 0, SEEK_CUR),
	       list("/tmp"));
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("nice %d, seals %d\n", getpriority(PRIO_PROCESS, 0), fcntl(memory, F_GET_SEALS));
	printf("random %d, after %ld ns\n", rand(), now.tv_nsec);
	return 0;
}
