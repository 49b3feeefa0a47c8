/* System calls with pointers that lead nowhere: each must say EFAULT. One row for each pointer of a call; each is tried
 * with each place that has no memory, or too little. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define LAST_BYTE 4 /* of the places */
#define SIGNALS 8   /* bytes of a set */

static int zero, file, folder, ends[2], pair[2], epoll, timer;
static _Alignas(PAGE) char room[PAGE];
static int four = 4;
static struct timespec soon = {.tv_nsec = 1};

/* p: the pointer under test */
#define ROWS(ROW)                                               \
	ROW(readv, zero, p, 2)                                  \
	ROW(writev, ends[1], p, 2)                              \
	ROW(preadv, file, p, 2, 0)                              \
	ROW(pwritev, file, p, 2, 0)                             \
	ROW(fstat, file, p)                                     \
	ROW(newfstatat, AT_FDCWD, p, room, 0)                   \
	ROW(newfstatat, AT_FDCWD, ".", p, 0)                    \
	ROW(statx, AT_FDCWD, p, 0, 0x7ff, room)                 \
	ROW(statx, AT_FDCWD, ".", 0, 0x7ff, p)                  \
	ROW(statfs, p, room)                                    \
	ROW(statfs, ".", p)                                     \
	ROW(fstatfs, file, p)                                   \
	ROW(openat, AT_FDCWD, p, O_RDONLY, 0)                   \
	ROW(openat, AT_FDCWD, p, O_CREAT | O_WRONLY, 0600)      \
	ROW(readlinkat, AT_FDCWD, p, room, 100)                 \
	ROW(mkdirat, AT_FDCWD, p, 0700)                         \
	ROW(unlinkat, AT_FDCWD, p, 0)                           \
	ROW(symlinkat, p, AT_FDCWD, "new")                      \
	ROW(symlinkat, "new", AT_FDCWD, p)                      \
	ROW(linkat, AT_FDCWD, p, AT_FDCWD, "new", 0)            \
	ROW(linkat, AT_FDCWD, "file", AT_FDCWD, p, 0)           \
	ROW(renameat2, AT_FDCWD, p, AT_FDCWD, "new", 0)         \
	ROW(renameat2, AT_FDCWD, "file", AT_FDCWD, p, 0)        \
	ROW(faccessat, AT_FDCWD, p, 0)                          \
	ROW(fchmodat, AT_FDCWD, p, 0600)                        \
	ROW(utimensat, AT_FDCWD, "file", p, 0)                  \
	ROW(truncate, p, 0)                                     \
	ROW(chdir, p)                                           \
	ROW(pipe2, p, 0)                                        \
	ROW(ppoll, p, 1, &soon, NULL, 0)                        \
	ROW(ppoll, NULL, 0, p, NULL, 0)                         \
	ROW(pselect6, 1, p, NULL, NULL, &soon, NULL)            \
	ROW(pselect6, 1, NULL, p, NULL, &soon, NULL)            \
	ROW(pselect6, 0, NULL, NULL, NULL, p, NULL)             \
	ROW(epoll_ctl, epoll, EPOLL_CTL_ADD, ends[0], p)        \
	ROW(epoll_pwait, epoll, p, 1, 0, NULL, 0)               \
	ROW(signalfd4, -1, p, SIGNALS, 0)                       \
	ROW(timerfd_settime, timer, 0, p, NULL)                 \
	ROW(timerfd_gettime, timer, p)                          \
	ROW(clock_gettime, CLOCK_MONOTONIC, p)                  \
	ROW(clock_nanosleep, CLOCK_MONOTONIC, 0, p, NULL)       \
	ROW(getitimer, ITIMER_REAL, p)                          \
	ROW(setitimer, ITIMER_REAL, p, NULL)                    \
	ROW(timer_create, CLOCK_MONOTONIC, NULL, p)             \
	ROW(rt_sigaction, SIGUSR1, p, NULL, SIGNALS)            \
	ROW(rt_sigaction, SIGUSR1, NULL, p, SIGNALS)            \
	ROW(rt_sigprocmask, SIG_BLOCK, p, NULL, SIGNALS)        \
	ROW(rt_sigprocmask, SIG_BLOCK, NULL, p, SIGNALS)        \
	ROW(rt_sigpending, p, SIGNALS)                          \
	ROW(rt_sigtimedwait, p, NULL, &soon, SIGNALS)           \
	ROW(rt_sigsuspend, p, SIGNALS)                          \
	ROW(sigaltstack, p, NULL)                               \
	ROW(sigaltstack, NULL, p)                               \
	ROW(uname, p)                                           \
	ROW(sysinfo, p)                                         \
	ROW(getrusage, RUSAGE_SELF, p)                          \
	ROW(times, p)                                           \
	ROW(prlimit64, 0, RLIMIT_NOFILE, p, NULL)               \
	ROW(prlimit64, 0, RLIMIT_NOFILE, NULL, p)               \
	ROW(getresuid, p, room, room)                           \
	ROW(getcpu, p, NULL, NULL)                              \
	ROW(sched_getparam, 0, p)                               \
	ROW(memfd_create, p, 0)                                 \
	ROW(bind, pair[0], p, 16)                               \
	ROW(connect, pair[0], p, 16)                            \
	ROW(getsockname, pair[0], room, p)                      \
	ROW(setsockopt, pair[0], SOL_SOCKET, SO_SNDBUF, p, 4)   \
	ROW(getsockopt, pair[0], SOL_SOCKET, SO_TYPE, p, &four) \
	ROW(getsockopt, pair[0], SOL_SOCKET, SO_TYPE, room, p)  \
	ROW(sendmsg, pair[0], p, 0)                             \
	ROW(recvmsg, pair[1], p, MSG_DONTWAIT)                  \
	ROW(socketpair, AF_UNIX, SOCK_STREAM, 0, p)             \
	ROW(execve, p, NULL, NULL)                              \
	ROW(sendfile, ends[1], file, p, 1)                      \
	ROW(copy_file_range, file, p, file, NULL, 1, 0)

/* p: bytes, of which a call may take those that are there */
#define BYTES(ROW)                                    \
	ROW(mincore, room, PAGE, p)                   \
	ROW(read, zero, p, 100)                       \
	ROW(write, ends[1], p, 100)                   \
	ROW(pread64, file, p, 100, 0)                 \
	ROW(pwrite64, file, p, 100, 0)                \
	ROW(getdents64, folder, p, 4096)              \
	ROW(readlinkat, AT_FDCWD, "link", p, 100)     \
	ROW(getrandom, p, 100, 0)                     \
	ROW(sendto, pair[0], p, 100, 0, NULL, 0)      \
	ROW(recvfrom, pair[1], p, 100, 0, NULL, NULL) \
	ROW(getcwd, p, 4096)

static unsigned calls, wrong;

/* The last byte before memory that has no access: a text without end, the first byte of a structure. */
static void *last_byte(void)
{
	char *at = mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(at, 'x', PAGE);
	mprotect(at + PAGE, PAGE, PROT_NONE);
	return at + PAGE - 1;
}

static void expect_fault(const char *call, unsigned place, long result)
{
	calls++;
	if (result == -1 && errno == EFAULT)
		return;
	wrong++;
	printf("%s, place %u: %s\n", call, place, result < 0 ? strerrorname_np(errno) : "done");
}

static void try_all(unsigned place, void *p)
{
#define ROW(call, ...) expect_fault(#call "(" #__VA_ARGS__ ")", place, syscall(SYS_##call, __VA_ARGS__));
	ROWS(ROW)
	if (place != LAST_BYTE) {
		BYTES(ROW)
	}
#undef ROW
}

int main(void)
{
	void *closed = mmap(0, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *places[] = {(void *)8, (void *)-256, (void *)(1ul << 63), closed, last_byte()};

	zero = open("/dev/zero", O_RDONLY);
	file = open("file", O_CREAT | O_RDWR, 0600);
	folder = open(".", O_RDONLY | O_DIRECTORY);
	if (write(file, room, PAGE) != PAGE || symlink("file", "link") || pipe(ends) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(pair[0], room, 100) != 100)
		return 1;
	epoll = epoll_create1(0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, pair[1], &(struct epoll_event){.events = EPOLLIN});
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
		try_all(i, places[i]);
	expect_fault("write to a pipe", LAST_BYTE, write(ends[1], places[LAST_BYTE], 100));
	expect_fault("writev to a pipe", LAST_BYTE, writev(ends[1], &(struct iovec){places[LAST_BYTE], 100}, 1));
	printf("%u calls, %u without EFAULT\n", calls, wrong);
	printf("the byte: %c\n", *(char *)places[4]);
	return 0;
}
