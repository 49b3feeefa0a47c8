/* Files that stand for events, and waiting for many: epoll, eventfd, timerfd, signalfd, inotify, pidfd. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static int epoll;

static long watch(int operation, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};

	return epoll_ctl(epoll, operation, fd, &e);
}

static void wait_for(const char *what, int timeout)
{
	struct epoll_event e[8];
	int count = epoll_wait(epoll, e, 8, timeout);

	printf("%s: %d", what, count);
	for (int i = 0; i < count; i++)
		printf(" %x", e[i].events);
	printf("\n");
}

static void counters(void)
{
	int fd = eventfd(3, EFD_NONBLOCK), semaphore = eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE);
	uint64_t value = 4;

	say("write", write(fd, &value, 8));
	say("read", read(fd, &value, 8));
	say("value", (long)value);
	say("empty", read(fd, &value, 8));
	say("one", read(semaphore, &value, 8));
	say("value", (long)value);
	value = UINT64_MAX;
	say("too large", write(fd, &value, 8));
	close(fd);
	close(semaphore);
}

static void levels_and_edges(void)
{
	int ends[2], other[2], file = open("/proc/self/exe", O_RDONLY);
	char c[8];

	epoll = epoll_create1(EPOLL_CLOEXEC);
	pipe2(ends, O_NONBLOCK);
	pipe2(other, O_NONBLOCK);
	say("regular file", watch(EPOLL_CTL_ADD, file, EPOLLIN));
	say("itself", watch(EPOLL_CTL_ADD, epoll, EPOLLIN));
	say("add", watch(EPOLL_CTL_ADD, ends[0], EPOLLIN));
	say("again", watch(EPOLL_CTL_ADD, ends[0], EPOLLIN));
	say("unknown", watch(EPOLL_CTL_MOD, other[0], EPOLLIN));
	say("closed", watch(EPOLL_CTL_ADD, 77, EPOLLIN));
	wait_for("nothing", 0);
	write(ends[1], "ab", 2);
	wait_for("level", 0);
	wait_for("level still", 0);
	say("to edge", watch(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET));
	wait_for("edge", 0);
	wait_for("no edge", 0);
	write(ends[1], "c", 1);
	wait_for("new edge", 0);
	read(ends[0], c, 8);
	wait_for("empty", 0);
	watch(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT);
	write(ends[1], "d", 1);
	wait_for("once", 0);
	wait_for("disarmed", 0);
	watch(EPOLL_CTL_MOD, ends[0], EPOLLIN);
	wait_for("armed again", 0);
	say("writing end", watch(EPOLL_CTL_ADD, other[1], EPOLLOUT));
	wait_for("two", 0);
	say("delete", watch(EPOLL_CTL_DEL, other[1], 0));
	say("delete again", watch(EPOLL_CTL_DEL, other[1], 0));
	read(ends[0], c, 8);
	close(ends[1]);
	wait_for("hung up", 0);
	close(ends[0]);
	wait_for("closed files are forgotten", 0);
	wait_for("timeout", 5);
	say("no events wanted", epoll_wait(epoll, NULL, 0, 0));
	close(other[0]);
	close(other[1]);
	close(file);
	close(epoll);
}

static void *writer(void *arg)
{
	uint64_t one = 1;

	usleep(20000);
	write(*(int *)arg, &one, 8);
	return NULL;
}

static void across_threads(void)
{
	int fd = eventfd(0, 0);
	pthread_t thread;
	uint64_t value = 0;

	epoll = epoll_create1(0);
	watch(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET);
	pthread_create(&thread, NULL, writer, &fd);
	wait_for("from a thread", -1);
	pthread_join(thread, NULL);
	read(fd, &value, 8);
	pthread_create(&thread, NULL, writer, &fd);
	say("blocking read", read(fd, &value, 8));
	pthread_join(thread, NULL);
	close(fd);
	close(epoll);
}

static void timers(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), outer;
	struct itimerspec set = {{0, 0}, {0, 20000000}}, left;
	uint64_t times = 0;

	epoll = epoll_create1(0);
	outer = epoll_create1(0);
	watch(EPOLL_CTL_ADD, fd, EPOLLIN);
	say("set", timerfd_settime(fd, 0, &set, NULL));
	timerfd_gettime(fd, &left);
	say("some is left", left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 20000000);
	say("not yet", read(fd, &times, 8));
	wait_for("timer", -1);
	say("read", read(fd, &times, 8));
	say("times", (long)times);
	wait_for("read off", 0);
	set.it_interval.tv_nsec = 10000000;
	timerfd_settime(fd, 0, &set, NULL);
	usleep(75000);
	read(fd, &times, 8);
	say("several", times >= 5);
	int inner = epoll, events = 0;
	struct epoll_event e = {.events = EPOLLIN};
	epoll_ctl(outer, EPOLL_CTL_ADD, inner, &e);
	events = epoll_wait(outer, &e, 1, 1000);
	say("by way of another", events);
	set = (struct itimerspec){{0, 0}, {0, 0}};
	timerfd_settime(fd, 0, &set, &left);
	say("interval was", left.it_interval.tv_nsec);
	say("bad clock", timerfd_create(99, 0));
	say("no timer", timerfd_gettime(epoll, &left));
	close(fd);
	close(epoll);
	close(outer);
}

static void signals(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	say("none", read(fd, &info, sizeof info));
	epoll = epoll_create1(0);
	watch(EPOLL_CTL_ADD, fd, EPOLLIN);
	kill(getpid(), SIGUSR2);
	wait_for("signal", -1);
	say("read", read(fd, &info, sizeof info));
	say("signal", (long)info.ssi_signo == SIGUSR2);
	say("from here", (int)info.ssi_pid == getpid());
	say("again", read(fd, &info, sizeof info));
	close(fd);
	close(epoll);
}

static void descriptors(void)
{
	int fd = inotify_init1(IN_NONBLOCK), found = 0;
	DIR *dir;
	struct dirent *d;
	char text[64];

	say("watch", inotify_add_watch(fd, ".", IN_CREATE) > 0);
	say("watch nothing", inotify_add_watch(fd, "/no/such", IN_CREATE));
	say("inotify is quiet", read(fd, text, sizeof text));
	dir = opendir("/proc/self/fd");
	while ((d = readdir(dir)))
		found |= d->d_name[0] == '.' ? 0 : 1 << atoi(d->d_name);
	printf("descriptors: %x\n", found & 15);
	closedir(dir);
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	text[0] = 0;
	sprintf(text, "/proc/self/fd/%d", fd);
	say("link", readlink(text, text, sizeof text));
}

int main(void)
{
	counters();
	levels_and_edges();
	across_threads();
	timers();
	signals();
	descriptors();
	return 0;
}
