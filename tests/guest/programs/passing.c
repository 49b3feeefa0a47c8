/* What goes beside a message's bytes: open files and who sent it; several messages at once; writes whose reader goes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static long send_files(int to, const char *text, size_t size, const int *fds, int count)
{
	union {
		char bytes[CMSG_SPACE(300 * sizeof(int))];
		struct cmsghdr header;
	} control = {0};
	struct iovec piece = {(void *)text, size};
	struct msghdr m = {.msg_iov = &piece,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = CMSG_SPACE(count * sizeof(int))};

	control.header = (struct cmsghdr){CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	return sendmsg(to, &m, MSG_NOSIGNAL);
}

/* How many files came, how many bytes; closes all but *keep, the first. */
static long receive_files(int from, size_t room, size_t size, int flags, int *keep)
{
	union {
		char bytes[2048];
		struct cmsghdr header;
	} control = {0};
	char text[64] = "";
	struct iovec piece = {text, size};
	struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = room};
	long got = recvmsg(from, &m, flags);
	int files = 0, fds[64];

	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_type == SCM_CREDENTIALS)
			printf("  sender known: %d\n", ((struct ucred *)CMSG_DATA(c))->pid > 1);
		if (c->cmsg_type != SCM_RIGHTS)
			continue;
		files = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), files * sizeof(int));
	}
	printf("  %ld bytes \"%s\", %d files, %zu of control, flags %x\n", got, text, files, m.msg_controllen,
	       m.msg_flags);
	for (int i = 0; i < files; i++) {
		if (!i && keep)
			*keep = fds[0];
		else
			close(fds[i]);
	}
	return got;
}

/* A file that a child sends outlives it and the socket that it was sent through. */
static void between_processes(void)
{
	int s[2], fd = -1, p[2];
	char text[16] = "";

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	if (!fork()) {
		pipe(p);
		write(p[1], "from a child", 12);
		close(p[1]);
		send_files(s[1], "x", 1, p, 1);
		_exit(0);
	}
	wait(NULL);
	close(s[1]);
	receive_files(s[0], CMSG_SPACE(sizeof(int)), 10, MSG_CMSG_CLOEXEC, &fd);
	say("close on exec", fcntl(fd, F_GETFD));
	say("read", read(fd, text, sizeof text));
	say("its end", read(fd, text + 12, 1));
	puts(text);
	close(fd);
	say("nothing left", receive_files(s[0], 100, 10, 0, NULL));
	close(s[0]);
}

/* Where a stream's reads end; what does not fit; what nobody takes is closed. */
static void streams(int type)
{
	int s[2], p[2], many[3];
	char text[32];

	socketpair(AF_UNIX, type, 0, s);
	pipe(p);
	many[0] = many[1] = many[2] = p[1];
	write(s[0], "before", 6);
	send_files(s[0], "with", 4, many, 3);
	write(s[0], "after", 5);
	receive_files(s[1], 200, 20, MSG_PEEK, NULL);
	receive_files(s[1], 200, 20, 0, NULL);
	receive_files(s[1], 200, 20, 0, NULL);
	if (type == SOCK_DGRAM)
		receive_files(s[1], 200, 20, 0, NULL);
	send_files(s[0], "abcd", 4, many, 3);
	receive_files(s[1], CMSG_LEN(2 * sizeof(int)), 2, 0, NULL);
	receive_files(s[1], 200, 20, MSG_DONTWAIT, NULL);
	send_files(s[0], "none", 4, many, 1);
	receive_files(s[1], 0, 20, 0, NULL);
	send_files(s[0], "read", 4, many, 1);
	close(p[1]);
	say("by read", read(s[1], text, sizeof text));
	say("all are closed", read(p[0], text, 1));
	close(p[0]);
	close(s[0]);
	close(s[1]);
}

static void refusals(void)
{
	int s[2], many[300], bad = 99;
	struct {
		struct cmsghdr header;
		int fd, more;
	} control = {{100, SOL_SOCKET, SCM_RIGHTS}, 0, 0};
	struct iovec piece = {"x", 1};
	struct msghdr m = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	say("no such file", send_files(s[0], "x", 1, &bad, 1));
	for (int i = 0; i < 300; i++)
		many[i] = s[0];
	say("253 files", send_files(s[0], "x", 1, many, 253));
	say("254 files", send_files(s[0], "x", 1, many, 254));
	say("too long an item", sendmsg(s[0], &m, 0));
	control.header.cmsg_len = 3;
	say("too short an item", sendmsg(s[0], &m, 0));
	control.header = (struct cmsghdr){CMSG_LEN(4), SOL_SOCKET, 77};
	say("unknown", sendmsg(s[0], &m, 0));
	control.header = (struct cmsghdr){CMSG_LEN(4), 6, 77};
	say("of another level", sendmsg(s[0], &m, 0));
	m.msg_control = (void *)8;
	say("bad address", sendmsg(s[0], &m, 0));
	close(s[0]);
	close(s[1]);
}

/* Sockets that lie only in each other's queues: gone, or kept to the end of the run. */
static void circles(void)
{
	int s[2];

	for (int i = 0; i < 3; i++) {
		socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
		send_files(s[0], "x", 1, s, 2);
		send_files(s[1], "x", 1, s, 2);
		close(s[0]);
		close(s[1]);
	}
}

static void owners(void)
{
	int s[2], on = 1;
	struct ucred who = {0};
	socklen_t size = sizeof who;

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	getsockopt(s[0], SOL_SOCKET, SO_PEERCRED, &who, &size);
	printf("peer is I: %d, user %d, group %d\n", who.pid == getpid(), who.uid == getuid(), who.gid == getgid());
	say("ask", setsockopt(s[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
	if (!fork()) {
		write(s[1], "child", 5);
		_exit(0);
	}
	wait(NULL);
	write(s[1], "parent", 6);
	receive_files(s[0], 200, 20, 0, NULL);
	receive_files(s[0], 200, 20, 0, NULL);
	close(s[0]);
	close(s[1]);
	s[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	getsockopt(s[0], SOL_SOCKET, SO_PEERCRED, &who, &size);
	printf("nobody: %d %d\n", who.pid, who.uid);
	close(s[0]);
}

static void several(void)
{
	char in[3][8] = {0};
	struct iovec out_pieces[3] = {{"one", 3}, {"two", 3}, {"three", 5}}, in_pieces[3];
	struct mmsghdr out[3] = {0}, more[3] = {0};
	struct timespec short_time = {0, 1000000};
	int s[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	for (int i = 0; i < 3; i++) {
		in_pieces[i] = (struct iovec){in[i], 7};
		out[i].msg_hdr = (struct msghdr){.msg_iov = &out_pieces[i], .msg_iovlen = 1};
		more[i].msg_hdr = (struct msghdr){.msg_iov = &in_pieces[i], .msg_iovlen = 1};
	}
	say("sendmmsg", sendmmsg(s[0], out, 3, 0));
	printf("%d %d %d\n", out[0].msg_len, out[1].msg_len, out[2].msg_len);
	say("recvmmsg, two", recvmmsg(s[1], more, 2, 0, NULL));
	say("recvmmsg, what is there", recvmmsg(s[1], more + 2, 3, MSG_WAITFORONE, NULL));
	printf("%s %s %s, %d\n", in[0], in[1], in[2], more[2].msg_len);
	say("recvmmsg, nothing", recvmmsg(s[1], more, 2, MSG_DONTWAIT, &short_time));
	if (!fork()) {
		usleep(1000);
		write(s[0], "late", 4);
		usleep(1000);
		write(s[0], "r", 1);
		_exit(0);
	}
	say("recvmmsg, waits for both", recvmmsg(s[1], more, 2, 0, NULL));
	wait(NULL);
	close(s[1]);
	signal(SIGPIPE, SIG_IGN);
	say("sendmmsg, nobody", sendmmsg(s[0], out, 3, 0));
	signal(SIGPIPE, SIG_DFL);
	close(s[0]);
}

static volatile sig_atomic_t broken;

static void note(int number)
{
	broken++;
}

/* The reader takes a little of what waits to be written, and dies. */
static void reader_dies(const char *what, int in, int out, int how)
{
	static char big[1000000];
	struct iovec pieces[2] = {{big, 500}, {big, sizeof big - 500}};
	pid_t child = fork();
	long done;

	if (!child) {
		close(out);
		usleep(20000);
		read(in, big, 100);
		usleep(20000);
		_exit(0);
	}
	close(in);
	broken = 0;
	done = how == 0	  ? write(out, big, sizeof big)
	       : how == 1 ? writev(out, pieces, 2)
			  : send(out, big, sizeof big, 0);
	printf("%s, %d: a part %d, SIGPIPE %d\n", what, how, done > 0 && done < (long)sizeof big, broken);
	broken = 0;
	say("  again", write(out, big, 1));
	printf("  SIGPIPE %d\n", broken);
	close(out);
	waitpid(child, NULL, 0);
}

int main(void)
{
	int p[2];

	setvbuf(stdout, NULL, _IONBF, 0);
	between_processes();
	streams(SOCK_STREAM);
	streams(SOCK_DGRAM);
	refusals();
	circles();
	owners();
	several();
	signal(SIGPIPE, note);
	for (int how = 0; how < 2; how++) {
		pipe(p);
		reader_dies("pipe", p[0], p[1], how);
	}
	for (int how = 0; how < 3; how++) {
		socketpair(AF_UNIX, SOCK_STREAM, 0, p);
		reader_dies("socket", p[0], p[1], how);
	}
	return 0;
}
