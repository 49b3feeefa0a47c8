/* Processes: made, replaced, waited for, signalled, and what they share. Numbers of processes are not printed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void say(const char *what, long value)
{
	printf("%s: %ld\n", what, value);
	fflush(stdout);
}

static const char *ended(int status)
{
	static char text[40];

	if (WIFEXITED(status))
		snprintf(text, sizeof(text), "exit %d", WEXITSTATUS(status));
	else
		snprintf(text, sizeof(text), "signal %d", WTERMSIG(status));
	return text;
}

static int wait_for(pid_t child)
{
	int status = -1;

	if (waitpid(child, &status, 0) != child)
		printf("waitpid: %s\n", strerror(errno));
	return status;
}

/* --- fork and wait --- */

static void basic(void)
{
	int value = 1, status;
	pid_t child = fork();

	if (!child) {
		value = 2;
		_exit(value + (getppid() == 1));
	}
	printf("fork: %s, value %d\n", ended(wait_for(child)), value);
	say("no child", wait(&status) == -1 && errno == ECHILD);
	say("not mine", waitpid(getppid(), &status, 0) == -1 && errno == ECHILD);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	say("still there", waitpid(child, &status, WNOHANG));
	kill(child, SIGKILL);
	printf("killed: %s\n", ended(wait_for(child)));
	child = fork();
	if (!child)
		abort();
	printf("aborted: %s\n", ended(wait_for(child)));
	child = fork();
	if (!child)
		*(volatile int *)8 = 1;
	printf("faulted: %s\n", ended(wait_for(child)));
}

static void many(void)
{
	int sum = 0, count = 0, status;

	for (int i = 0; i < 40; i++)
		if (!fork())
			_exit(i);
	while (wait(&status) > 0) {
		sum += WEXITSTATUS(status);
		count++;
	}
	printf("many: %d, sum %d\n", count, sum);
}

static int depth(int left)
{
	pid_t child;
	int status;

	if (!left)
		return 0;
	child = fork();
	if (!child)
		_exit(depth(left - 1) + 1);
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static void with_info(void)
{
	siginfo_t info = {0};
	struct rusage usage;
	pid_t child = fork();

	if (!child)
		_exit(9);
	say("waitid leaves it", waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
	printf("info: %d %d %d %d\n", info.si_signo == SIGCHLD, info.si_code == CLD_EXITED, info.si_status,
	       info.si_pid == child);
	memset(&info, 0, sizeof(info));
	say("waitid takes it", waitid(P_ALL, 0, &info, WEXITED));
	say("gone", waitid(P_ALL, 0, &info, WEXITED) == -1 && errno == ECHILD);
	child = fork();
	if (!child)
		_exit(0);
	say("usage", wait4(child, NULL, 0, &usage) == child);
}

/* The child of an ended child is not ours. */
static void orphan(void)
{
	int fds[2], status;
	char byte;

	pipe(fds);
	pid_t child = fork();
	if (!child) {
		if (!fork()) {
			close(fds[0]);
			usleep(1000);
			write(fds[1], "o", 1);
			_exit(1);
		}
		_exit(0);
	}
	close(fds[1]);
	printf("middle: %s\n", ended(wait_for(child)));
	say("orphan writes", read(fds[0], &byte, 1));
	say("and ends", read(fds[0], &byte, 1));
	say("not waited for", wait(&status) == -1 && errno == ECHILD);
	close(fds[0]);
}

/* --- files --- */

static void offsets(void)
{
	char path[] = "/tmp/offsetsXXXXXX", text[20] = "";
	int fd = mkstemp(path);

	write(fd, "abcdefgh", 8);
	lseek(fd, 2, SEEK_SET);
	if (!fork()) {
		read(fd, text, 3);
		_exit(0);
	}
	wait(NULL);
	read(fd, text, 2);
	printf("shared offset: %s\n", text);
	if (!fork()) {
		close(fd);
		_exit(fcntl(fd, F_GETFD) == -1);
	}
	int status;
	wait(&status);
	printf("closed there: %s, open here: %d\n", ended(status), fcntl(fd, F_GETFD));
	close(fd);
	unlink(path);
}

static void pipeline(void)
{
	int a[2], b[2];
	long sum = 0, n;
	FILE *in;

	pipe(a);
	pipe2(b, O_CLOEXEC);
	if (!fork()) {
		FILE *out = fdopen(a[1], "w");

		close(a[0]);
		for (int i = 0; i < 30000; i++) /* more than a pipe holds */
			fprintf(out, "%d\n", i);
		fclose(out);
		_exit(0);
	}
	close(a[1]);
	if (!fork()) {
		FILE *from = fdopen(a[0], "r"), *to = fdopen(b[1], "w");
		long value;

		while (fscanf(from, "%ld", &value) == 1)
			fprintf(to, "%ld\n", 2 * value);
		fclose(to);
		_exit(0);
	}
	close(a[0]);
	close(b[1]);
	in = fdopen(b[0], "r");
	while (fscanf(in, "%ld", &n) == 1)
		sum += n;
	fclose(in);
	while (wait(NULL) > 0)
		;
	say("through two pipes", sum);
}

static void broken_pipe(void)
{
	int fds[2];
	char buffer[512] = {0};

	pipe(fds);
	pid_t child = fork();
	if (!child) {
		close(fds[0]);
		for (;;)
			write(fds[1], buffer, sizeof(buffer));
	}
	close(fds[1]);
	read(fds[0], buffer, 10);
	close(fds[0]);
	printf("nobody reads: %s\n", ended(wait_for(child)));
}

/* --- signals --- */

static volatile sig_atomic_t children, sender_right, user;

static void on_child(int number, siginfo_t *info, void *context)
{
	children += info->si_code == CLD_EXITED;
}

static void on_user(int number, siginfo_t *info, void *context)
{
	user++;
	sender_right = info->si_pid == getppid();
}

static void signals(void)
{
	struct sigaction action = {.sa_sigaction = on_child, .sa_flags = SA_SIGINFO | SA_RESTART};
	int status;

	sigaction(SIGCHLD, &action, NULL);
	for (int i = 0; i < 3; i++) {
		if (!fork())
			_exit(0);
		wait(NULL);
	}
	say("SIGCHLD", children);
	signal(SIGCHLD, SIG_IGN);
	if (!fork())
		_exit(0);
	say("nothing to wait for", wait(&status) == -1 && errno == ECHILD);
	signal(SIGCHLD, SIG_DFL);

	action.sa_sigaction = on_user;
	sigaction(SIGUSR1, &action, NULL);
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &before);
	pid_t child = fork();
	if (!child) {
		sigsuspend(&before);
		_exit(10 * user + sender_right);
	}
	kill(child, SIGUSR1);
	printf("signal between processes: %s\n", ended(wait_for(child)));
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void groups(void)
{
	int status, count = 0, fds[2];
	pid_t leader = 0;
	char byte;

	pipe(fds);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			setpgid(0, leader);
			write(fds[1], "g", 1);
			for (;;)
				pause();
		}
		leader = leader ? leader : child;
		setpgid(child, leader);
	}
	for (int i = 0; i < 3; i++)
		read(fds[0], &byte, 1);
	say("group", getpgid(leader) == leader);
	say("kill the group", kill(-leader, SIGTERM));
	while (waitpid(-leader, &status, 0) > 0)
		count += WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
	say("all of it", count);
	say("no such group", kill(-leader, 0) == -1 && errno == ESRCH);
	if (!fork())
		_exit(setsid() == getpid() && getsid(0) == getpid() && getpgrp() == getpid() && setsid() == -1);
	wait(&status);
	printf("session: %s\n", ended(status));
	close(fds[0]);
	close(fds[1]);
}

/* --- shared memory --- */

struct shared {
	pthread_mutex_t mutex;
	sem_t turn[2];
	long count, order;
};

static void memory(void)
{
	struct shared *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t across;

	pthread_mutexattr_init(&across);
	pthread_mutexattr_setpshared(&across, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->mutex, &across);
	sem_init(&s->turn[0], 1, 1);
	sem_init(&s->turn[1], 1, 0);
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			for (int k = 0; k < 500; k++) {
				pthread_mutex_lock(&s->mutex);
				s->count++;
				pthread_mutex_unlock(&s->mutex);
				++*own;
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	printf("counted together %ld, alone %d\n", s->count, *own);
	for (int side = 0; side < 2; side++)
		if (!fork()) {
			for (int k = 0; k < 20; k++) {
				sem_wait(&s->turn[side]);
				s->order = s->order * 2 % 1000003 + side;
				sem_post(&s->turn[!side]);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	say("in turns", s->order);
	munmap(s, 4096);
	munmap(own, 4096);
}

/* Both map the file themselves, at other places. */
static void mapped_file(void)
{
	char path[] = "/tmp/mappedXXXXXX", text[6] = "";
	int fd = mkstemp(path), status;

	ftruncate(fd, 8192);
	char *here = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!fork()) {
		int again = open(path, O_RDWR);
		char *there = mmap(here + (1 << 20), 4096, PROT_READ | PROT_WRITE, MAP_SHARED, again, 4096);

		memcpy(there, "hello", 5);
		pwrite(again, "file", 4, 0);
		_exit(there == here);
	}
	wait(&status);
	printf("mapped: %s, %.5s, %.4s\n", ended(status), here + 4096, here);
	memcpy(here, "F", 1);
	pread(fd, text, 4, 0);
	printf("read: %s\n", text);
	munmap(here, 8192);
	close(fd);
	unlink(path);
}

static void futexes(void)
{
	int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), status;
	static int own;
	struct timespec soon = {.tv_nsec = 20000000};

	if (!fork()) {
		while (!*word)
			syscall(SYS_futex, word, 0, 0, NULL, NULL, 0);
		/* the same address, another memory */
		_exit(syscall(SYS_futex, &own, 0, 0, &soon, NULL, 0) == -1 && errno == ETIMEDOUT ? *word : 0);
	}
	usleep(1000);
	*word = 7;
	syscall(SYS_futex, word, 1, 1, NULL, NULL, 0);
	for (int i = 0; i < 5; i++) {
		usleep(2000);
		syscall(SYS_futex, &own, 1, 1, NULL, NULL, 0);
	}
	wait(&status);
	printf("futex: %s\n", ended(status));
	munmap(word, 4096);
}

/* --- the rest --- */

static void descriptors_of_processes(void)
{
	pid_t child = fork();
	siginfo_t info = {0};

	if (!child) {
		usleep(3000);
		_exit(12);
	}
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	say("not yet", poll(&p, 1, 0));
	say("now", poll(&p, 1, 1000));
	say("waitid by descriptor", waitid(P_PIDFD, (id_t)p.fd, &info, WEXITED));
	printf("status %d\n", info.si_status);
	close(p.fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	basic();
	many();
	say("depth", depth(6));
	with_info();
	orphan();
	offsets();
	pipeline();
	broken_pipe();
	signals();
	groups();
	memory();
	mapped_file();
	futexes();
	descriptors_of_processes();
	return 0;
}
