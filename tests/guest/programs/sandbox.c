/* What a hostile guest tries. Arguments: a folder it may read, one it may write, one with a file `key` that it may not see:
 * none is above the program or the others, since those are there. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRY(call) (errno = 0, printf("%s: %s\n", #call, (long)(call) < 0 ? strerrorname_np(errno) : "allowed"))

static char buffer[64];

static const char *in(const char *folder, const char *name)
{
	static char names[4][4096];
	static unsigned turn;
	char *text = names[turn++ % 4];

	snprintf(text, sizeof(names[0]), "%s/%s", folder, name);
	return text;
}

/* A text that the simulator makes where there is none. */
static void spare(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, buffer, sizeof(buffer) - 1);

	printf("%s:\n%.*s\n", path, (int)(got > 0 ? got : 0), buffer);
	close(fd);
	TRY(open(path, O_WRONLY));
	TRY(unlink(path));
}

static void outside(const char *hidden, const char *own)
{
	char secret[4096];

	snprintf(secret, sizeof(secret), "%s/key", hidden);
	TRY(open(secret, O_RDONLY));
	TRY(open(secret, O_WRONLY));
	TRY(access(secret, F_OK));
	TRY(chdir(hidden));
	TRY(open("/proc/1/environ", O_RDONLY));
	TRY(open("/proc/self/mem", O_RDWR));
	TRY(open("/dev/mem", O_RDONLY));
	TRY(open("/dev/sda", O_RDONLY));
	TRY(open("/dev/tty", O_RDWR));
	TRY(open("/dev/pts/0", O_RDWR));
	TRY(open("/dev/pts/N", O_RDWR));
	TRY(open("/dev/console", O_RDWR));
	TRY(ioctl(open("/dev/ptmx", O_RDWR), TIOCSTI, "x"));
	TRY(close(open("/dev/ptmx", O_PATH)));
	TRY(symlink(secret, in(own, "link")));
	TRY(open(in(own, "link"), O_RDONLY));
	TRY(open(in(own, "link"), O_WRONLY | O_CREAT, 0600));
	TRY(chmod(in(own, "link"), 0777));
	TRY(truncate(in(own, "link"), 0));
	TRY(unlink(in(own, "link")));
	TRY(symlink("/", in(own, "root")));
	TRY(open(in(own, "root/etc/shadow"), O_RDONLY));
	TRY(mkdir(in(own, "root/made"), 0700));
	TRY(unlink(in(own, "root")));
	TRY(symlink("../../../../../../../../..", in(own, "up")));
	TRY(open(in(own, "up/etc/shadow"), O_RDONLY));
	TRY(unlink(in(own, "up")));
}

static void read_only(const char *shared, const char *own)
{
	TRY(open(in(shared, "text"), O_RDONLY));
	TRY(open(in(shared, "text"), O_RDWR));
	TRY(open(in(shared, "text"), O_RDONLY | O_TRUNC));
	TRY(open(in(shared, "new"), O_CREAT | O_WRONLY, 0600));
	TRY(access(in(shared, "text"), W_OK));
	TRY(unlink(in(shared, "text")));
	TRY(chmod(in(shared, "text"), 0777));
	TRY(fchmod(open(in(shared, "text"), O_RDONLY), 0777));
	TRY(ftruncate(open(in(shared, "text"), O_RDONLY), 0));
	TRY(utimensat(AT_FDCWD, in(shared, "text"), NULL, 0));
	TRY(link(in(shared, "text"), in(own, "hard")));
	TRY(rename(in(shared, "text"), in(own, "moved")));
	TRY(rename(in(own, "mine"), in(shared, "moved")));
	TRY(mkdir(in(shared, "folder"), 0700));
	TRY(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, open(in(shared, "text"), O_RDONLY), 0));
	TRY(syscall(SYS_openat2, AT_FDCWD, in(shared, "text"), (long[3]){O_RDWR}, 24));
	TRY(open(own, O_TMPFILE | O_RDWR, 0600));
	TRY(open(shared, O_TMPFILE | O_RDWR, 0600));
	TRY(rmdir(own));
	TRY(mknod(in(own, "device"), S_IFCHR | 0600, 0x101));
	TRY(open(in(own, "pipe"), O_RDWR));
	TRY(open(in(own, "mine"), O_RDWR));
	TRY(chmod(in(own, "mine"), 04755));
	struct stat st;
	stat(in(own, "mine"), &st);
	printf("set-user-id stays off: %d\n", !(st.st_mode & S_ISUID));
}

/* What it cannot write is no younger than its clock, however it asks. */
static void times(const char *shared, const char *own)
{
	struct timespec start;
	struct statx x;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &start);
	stat(in(shared, "text"), &st);
	printf("stat: %ld\n", (long)st.st_mtim.tv_sec);
	fstat(open(in(shared, "text"), O_RDONLY), &st);
	printf("fstat: %ld, access %ld, change %ld\n", (long)st.st_mtim.tv_sec, (long)st.st_atim.tv_sec,
	       (long)st.st_ctim.tv_sec);
	statx(AT_FDCWD, in(shared, "text"), 0, STATX_MTIME, &x);
	printf("statx: %ld.%09u\n", (long)x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec);
	stat(in(shared, "old"), &st);
	printf("older: %ld.%09ld\n", (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	stat(in(own, "mine"), &st);
	printf("what it may write: later %d\n", st.st_mtim.tv_sec > start.tv_sec);
	close(open(in(own, "written"), O_CREAT | O_TRUNC | O_WRONLY, 0600));
	stat(in(own, "written"), &st);
	printf("what it wrote: %d\n", st.st_mtim.tv_sec == start.tv_sec && st.st_mtim.tv_nsec > start.tv_nsec);
}

static pid_t fork_and_wait(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	return waitpid(child, NULL, 0) == child ? child : -1;
}

static void elsewhere(void)
{
	char *const argv[] = {"/bin/sh", NULL};
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sockaddr_in outside = {
		.sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(0x08080808)};
	struct sockaddr_in6 outside6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(53), .sin6_addr.s6_addr = {0x20, 1}};
	struct iovec query = {"query", 5};
	struct msghdr message = {
		.msg_name = &outside6, .msg_namelen = sizeof(outside6), .msg_iov = &query, .msg_iovlen = 1};
	struct mmsghdr messages[1] = {{.msg_hdr = message}};
	struct sockaddr_un host = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/notify"};
	pid_t child;

	TRY(socket(AF_INET, SOCK_RAW, 1));
	TRY(socket(AF_NETLINK, SOCK_RAW, 0));
	TRY(socket(AF_PACKET, SOCK_RAW, 0));
	TRY(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&outside, sizeof(outside)));
	TRY(bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&outside, sizeof(outside)));
	TRY(connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&outside, sizeof(outside)));
	TRY(sendto(socket(AF_INET, SOCK_DGRAM, 0), "query", 5, 0, (struct sockaddr *)&outside, sizeof(outside)));
	TRY(sendmsg(socket(AF_INET6, SOCK_DGRAM, 0), &message, 0));
	TRY(sendmmsg(socket(AF_INET6, SOCK_DGRAM, 0), messages, 1, 0));
	TRY(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&host, sizeof(host)));
	TRY(execve("/bin/sh", argv, argv));
	TRY(fork_and_wait());
	TRY(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, argv) ? -1 : 0);
	TRY(kill(1, SIGTERM));
	TRY(kill(getppid(), SIGTERM));
	TRY(ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	TRY(setuid(0));
	TRY(chroot("/"));
	TRY(syscall(SYS_mount, "a", "b", "c", 0, 0));
	TRY(syscall(SYS_bpf, 0, 0, 0));
	TRY(unshare(CLONE_NEWUSER));
	TRY(unshare(CLONE_NEWNS | CLONE_NEWPID));
	TRY(setns(0, 0));
	TRY(setpriority(PRIO_PROCESS, 0, -1));
	TRY(setpriority(PRIO_PROCESS, 0, 7));
	TRY(setpriority(PRIO_PROCESS, 0, 6));
	TRY(setpriority(PRIO_PROCESS, 1, 10));
	TRY(syscall(SYS_sched_setattr, 0, (unsigned[12]){48, 0, 0, 0, 6}, 0));
	TRY(syscall(SYS_sched_setattr, 0, (unsigned[12]){48, SCHED_FIFO, 0, 0, 7, 1}, 0));
	TRY(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	errno = 0;
	printf("no replace: %d %d\n",
	       mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED,
	       errno == EEXIST);
}

/* Every call with every argument a bad pointer, then with small numbers: errors, not crashes. */
static void every_call(void)
{
	static const long bad[] = {-1, 0x4000000000, 8, 0x3ffffff000, 1l << 62, 0};
	int null = open("/dev/null", O_RDWR);

	fflush(stdout);
	for (int fd = 0; fd < 2; fd++)
		dup3(null, fd + 500, 0);
	for (long number = 0; number < 460; number++) {
		if (number == SYS_exit || number == SYS_exit_group || number == SYS_rt_sigreturn ||
		    number == SYS_kill || number == SYS_tkill || number == SYS_munmap || number == SYS_brk ||
		    number == SYS_rt_sigsuspend || number == SYS_clone || number == SYS_mprotect ||
		    number == SYS_mremap || number == SYS_madvise || number == SYS_close_range ||
		    number == SYS_set_robust_list || number == SYS_ppoll || number == SYS_pselect6 ||
		    number == SYS_rt_sigtimedwait || number == SYS_futex || number == SYS_mmap ||
		    number == SYS_rt_sigqueueinfo || number == SYS_close || number == SYS_read || number == SYS_dup3)
			continue;
		for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
			syscall(number, bad[i], bad[i], bad[i], bad[i], bad[i], bad[i]);
			syscall(number, 500, bad[i], bad[i], bad[i], bad[i], bad[i]);
			syscall(number, 500, bad[i], 16, 8, bad[i], 0);
			syscall(number, AT_FDCWD, bad[i], 4096, bad[i], bad[i], bad[i]);
		}
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	outside(argv[3], argv[2]);
	times(argv[1], argv[2]);
	read_only(argv[1], argv[2]);
	elsewhere();
	every_call();
	spare("/etc/passwd");
	spare("/etc/group");
	TRY(open("/etc/shadow", O_RDONLY));
	printf("still here\n");
	return 0;
}
