/* What a guest asks for in excess is refused, or done in bounded time and memory. qemu-user has other bounds. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIB (1ull << 30)
#define PAGE 4096ul

static const char *name_of(int error)
{
	return !error ? "0" : strerrorname_np(error);
}

static void say(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? name_of(errno) : "done");
}

/* Reserved space is free, what may be written is not: 4 GiB in all, and again after it has been given back. */
static void memory(void)
{
	unsigned taken = 0;
	void *at[16], *reserved = mmap(0, 64 * GIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	say("reserve 64 GiB", reserved == MAP_FAILED ? -1 : 0);
	say("open 64 GiB", mprotect(reserved, 64 * GIB, PROT_READ | PROT_WRITE));
	say("open 64 MiB", mprotect(reserved, 64 << 20, PROT_READ | PROT_WRITE));
	say("close 64 GiB", munmap(reserved, 64 * GIB));
	while (taken < 16 &&
	       (at[taken] = mmap(0, GIB / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
		taken++;
	printf("pieces of 512 MiB: %u\n", taken);
	/* what was written stays, though it can no longer be */
	if (mprotect(at[0], GIB / 2, PROT_READ))
		say("protect", -1);
	say("one more",
	    mmap(0, GIB / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
	while (taken)
		munmap(at[--taken], GIB / 2);
	at[0] = mmap(0, 3 * GIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("3 GiB", at[0] == MAP_FAILED ? -1 : 0);
	munmap(at[0], 3 * GIB);
}

/* Every second page of a range: as many mappings as there may be, then none. */
static void mappings(void)
{
	char *base = mmap(0, 140000 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned count = 0;

	while (count < 70000 && !mprotect(base + 2 * count * PAGE, PAGE, PROT_READ | PROT_WRITE)) {
		base[2 * count * PAGE] = 1;
		count++;
	}
	printf("mappings: %s, %s\n", count > 32000 && count < 32768 ? "about 65,530" : "another number",
	       name_of(errno));
	say("unmap them", munmap(base, 140000 * PAGE));
	for (count = 0; count < 100000; count++) {
		char *page = mmap(0, PAGE, count & 1 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		if (page == MAP_FAILED)
			break;
	}
	printf("mappings by mmap: %s, %s\n", count > 65000 && count < 65531 ? "about 65,530" : "another number",
	       name_of(errno));
}

static void probe(void)
{
	uint64_t *pairs = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	say("hwprobe of 2^60 pairs", syscall(258, pairs, 1ul << 60, 0, 0, 0));
}

static void objects(void)
{
	struct iovec pieces[64];
	char *large = mmap(0, GIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd, count = 0, last = 0, zero = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 64; i++)
		pieces[i] = (struct iovec){large, GIB};
	printf("writev of 64 GiB: %ld\n", (long)writev(zero, pieces, 64));
	while ((fd = memfd_create("x", 0)) >= 0 && !ftruncate(fd, GIB))
		count++;
	printf("files of 1 GiB in memory: %d, %s\n", count, name_of(errno));
	for (int i = 3; i < 1024; i++)
		close(i);
	errno = 0;
	for (count = 0; (fd = open("/proc/self/exe", O_RDONLY)) >= 0; count++)
		last = fd;
	printf("files open: %d, %s\n", last + 1, name_of(errno));
}

/* Fewer mappings that share memory than others; of one file as of many; those of a process that is forked count, too. */
static void shared_mappings(void)
{
	static void *at[70000];
	unsigned count = 0, again = 0;
	int id = shmget(IPC_PRIVATE, PAGE, 0600 | IPC_CREAT);

	while (count < 70000 &&
	       (at[count] = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
		*(char *)at[count++] = 1;
	printf("shared mappings: %u, %s\n", count, name_of(errno));
	say("shmat", (long)shmat(id, 0, 0) == -1 ? -1 : 0);
	say("fork", fork());
	for (unsigned i = 0; i < count; i++)
		munmap(at[i], PAGE);
	while (again < 70000 && (at[again] = shmat(id, 0, 0)) != (void *)-1)
		again++;
	printf("by shmat: %u, %s\n", again, name_of(errno));
	for (unsigned i = 0; i < again; i++)
		shmdt(at[i]);
}

static void system_v_objects(void)
{
	static struct msgbuf empty = {.mtype = 1};
	unsigned sets = 0, queues = 0, messages = 0;
	int id, first = -1;

	while (sets < 70000 && (id = semget(IPC_PRIVATE, 1, 0600)) >= 0)
		sets++;
	printf("semaphore sets: %u, %s\n", sets, name_of(errno));
	for (unsigned i = 0; i <= sets; i++)
		semctl((int)i, 0, IPC_RMID);
	while (queues < 70000 && (id = msgget(IPC_PRIVATE, 0600)) >= 0)
		first = queues++ ? first : id;
	printf("message queues: %u, %s\n", queues, name_of(errno));
	while (messages < 70000 && !msgsnd(first, &empty, 0, IPC_NOWAIT))
		messages++;
	printf("messages: %u, %s\n", messages, name_of(errno));
	for (unsigned i = 0; i < queues; i++)
		msgctl(first + (int)i, IPC_RMID, NULL);
}

static int waited_for;

static void *wait_long(void *nothing)
{
	struct sembuf operations[500];

	for (unsigned short i = 0; i < 500; i++)
		operations[i] = (struct sembuf){i < 499 ? i + 1 : 0, i < 499 ? 0 : -1, 0};
	return semop(waited_for, operations, 500) ? nothing : NULL;
}

/* As many as there may be that wait, each with as much as one may ask for; then all can go on. */
static void many_waiters(void)
{
	enum { WAITERS = 1000 };
	static pthread_t threads[WAITERS];
	pthread_attr_t attributes;
	unsigned done = 0;

	waited_for = semget(IPC_PRIVATE, 500, 0600);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (int i = 0; i < WAITERS; i++)
		pthread_create(&threads[i], &attributes, wait_long, &waited_for);
	while (semctl(waited_for, 0, GETNCNT) != WAITERS)
		usleep(1000);
	semctl(waited_for, 0, SETVAL, WAITERS);
	for (int i = 0; i < WAITERS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		done += !failed;
	}
	printf("waiters: %u, left %d\n", done, semctl(waited_for, 0, GETVAL));
	semctl(waited_for, 0, IPC_RMID);
}

/* In no order, so that no list could be lucky; in quadratic time check_program would not wait for it. */
static void many_files(void)
{
	enum { FILES = 150000 };
	unsigned made = 0, gone = 0;
	char name[32];

	for (unsigned i = 0; i < FILES; i++) {
		snprintf(name, sizeof name, "/tmp/%u", i * 7919 % FILES);
		int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
		made += fd >= 0;
		close(fd);
	}
	for (unsigned i = 0; i < FILES; i++) {
		snprintf(name, sizeof name, "/tmp/%u", i);
		gone += !unlink(name);
	}
	printf("files in memory: %u made, %u removed\n", made, gone);
}

/* Files in the queues of sockets: as many as a process may have open. */
static void files_on_their_way(void)
{
	struct {
		struct cmsghdr header;
		int fds[64];
	} control = {{CMSG_LEN(sizeof control.fds), SOL_SOCKET, SCM_RIGHTS}, {0}};
	struct iovec piece = {"x", 1};
	struct msghdr m = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	unsigned count = 0;
	int s[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	for (int i = 0; i < 64; i++)
		control.fds[i] = s[i % 2];
	while (count < 100 && sendmsg(s[0], &m, 0) == 1)
		count++;
	printf("messages of 64 files: %u, then %s\n", count, name_of(errno));
	close(s[0]);
	close(s[1]);
}

/* Terminals, and what they hold: bytes typed at one that nobody reads, a line without an end, a signal for each byte. */
static void terminals(void)
{
	enum { MUCH = 64 << 20 };
	char *bytes = malloc(MUCH);
	unsigned count = 0;
	int fd, first = -1, slave;

	while ((fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)) >= 0)
		first = count++ ? first : fd;
	printf("terminals: %u, %s\n", count, name_of(errno));
	memset(bytes, 3, MUCH);
	printf("interrupts: %ld\n", (long)write(first, bytes, MUCH));
	memset(bytes, 'x', MUCH);
	printf("a long line: %ld\n", (long)write(first, bytes, MUCH));
	memset(bytes, '\n', MUCH);
	printf("many lines: %s\n", write(first, bytes, MUCH) < 20000 ? "less" : "all");
	unlockpt(first);
	slave = ioctl(first, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK);
	memset(bytes, '\t', MUCH);
	printf("much output: %s\n", write(slave, bytes, MUCH) < 20000 ? "less" : "all");
	free(bytes);
	close(slave);
	for (fd = first; count--; fd++)
		close(fd);
	say("one more", open("/dev/ptmx", O_RDWR | O_NOCTTY));
}

/* Who watches files, what is watched, and what is told of it. */
static void watches(void)
{
	unsigned instances = 0, watches = 0;
	int fds[200], fd;
	char name[32];

	while (instances < 200 && (fds[instances] = inotify_init1(IN_NONBLOCK)) >= 0)
		instances++;
	printf("inotify instances: %u, %s\n", instances, name_of(errno));
	for (unsigned i = 0; i < instances; i++)
		inotify_add_watch(fds[i], "/tmp", IN_ALL_EVENTS);
	for (fd = open("/tmp/told", O_CREAT | O_RDWR, 0600); watches < 20000; watches++)
		fchmod(fd, 0600 | watches % 2), ftruncate(fd, watches);
	unlink("/tmp/told");
	close(fd);
	while (instances-- > 1)
		close(fds[instances]);
	for (watches = 1; watches < 100000; watches++) {
		snprintf(name, sizeof name, "/tmp/watched%u", watches);
		close(open(name, O_CREAT | O_WRONLY, 0600));
		if (inotify_add_watch(fds[0], name, IN_ALL_EVENTS) < 0)
			break;
	}
	printf("watches: %u, %s\n", watches, name_of(errno));
	for (unsigned i = 1; i <= watches; i++) {
		snprintf(name, sizeof name, "/tmp/watched%u", i);
		unlink(name);
	}
	close(fds[0]);
}

int main(int argc, char **argv)
{
	files_on_their_way();
	terminals();
	watches();
	many_files();
	probe();
	memory();
	objects();
	for (int i = 3; i < 1024; i++)
		close(i);
	system_v_objects();
	fflush(stdout);
	if (!fork()) { /* whose stacks are no mappings of this one */
		many_waiters();
		exit(0);
	}
	wait(NULL);
	shared_mappings();
	mappings();
	return 0;
}
