/* Bytes from one file to another without passing through memory, where one or both are pipes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static void show(const char *what, int fd)
{
	char text[64] = "";
	long got = read(fd, text, sizeof text - 1);

	printf("%s: %ld \"%s\"\n", what, got, text);
}

static int available(int fd)
{
	int size = -1;

	ioctl(fd, FIONREAD, &size);
	return size;
}

static void files(int file)
{
	int p[2], q[2];
	loff_t at = 2;

	pipe(p);
	pipe2(q, O_NONBLOCK);
	pwrite(file, "0123456789", 10, 0);
	lseek(file, 4, SEEK_SET);
	say("from a file", splice(file, NULL, p[1], NULL, 3, 0));
	say("its position", lseek(file, 0, SEEK_CUR));
	say("from an offset", splice(file, &at, p[1], NULL, 5, 0));
	say("the offset", at);
	printf("available: %d\n", available(p[0]));
	say("tee", tee(p[0], q[1], 6, 0));
	show("copied", q[0]);
	say("to a pipe", splice(p[0], NULL, q[1], NULL, 4, 0));
	show("moved", q[0]);
	at = 20;
	say("to an offset", splice(p[0], NULL, file, &at, 100, 0));
	lseek(file, 20, SEEK_SET);
	show("there", file);
	say("nothing there", splice(p[0], NULL, file, NULL, 100, SPLICE_F_NONBLOCK));
	say("end of the file", splice(file, NULL, p[1], NULL, 100, 0));
	close(p[1]);
	say("end of the pipe", splice(p[0], NULL, file, NULL, 100, 0));
	close(p[0]);
	close(q[0]);
	close(q[1]);
}

static void refusals(int file)
{
	int p[2], q[2];
	loff_t at = 0;

	pipe(p);
	pipe(q);
	write(p[1], "x", 1);
	say("two files", splice(file, NULL, file, NULL, 1, 0));
	say("one pipe", splice(p[0], NULL, p[1], NULL, 1, 0));
	say("an offset of a pipe", splice(p[0], &at, q[1], NULL, 1, 0));
	say("wrong end", splice(p[1], NULL, q[1], NULL, 1, 0));
	say("unknown flag", splice(p[0], NULL, q[1], NULL, 1, 64));
	say("no bytes", splice(99, NULL, 98, NULL, 0, 0));
	say("no file", splice(99, NULL, q[1], NULL, 1, 0));
	say("tee to a file", tee(p[0], file, 1, 0));
	say("bad address", splice(file, (loff_t *)8, p[1], NULL, 1, 0));
	close(q[0]);
	signal(SIGPIPE, SIG_IGN);
	say("no reader", splice(p[0], NULL, q[1], NULL, 1, 0));
	signal(SIGPIPE, SIG_DFL);
	close(p[0]);
	close(p[1]);
	close(q[1]);
}

/* A child feeds a pipe, another empties a socket; the parent moves what comes. */
static void between_processes(void)
{
	static char big[300000];
	int p[2], s[2];
	long total = 0, got;

	pipe(p);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	if (!fork()) {
		close(p[0]);
		memset(big, 'a', sizeof big);
		write(p[1], big, sizeof big);
		_exit(0);
	}
	if (!fork()) {
		close(s[0]);
		close(p[1]);
		while ((got = read(s[1], big, sizeof big)) > 0)
			total += got;
		_exit(total == sizeof big ? 7 : 8);
	}
	close(p[1]);
	close(s[1]);
	while ((got = splice(p[0], NULL, s[0], NULL, sizeof big, 0)) > 0)
		total += got;
	say("last", got);
	printf("moved: %ld\n", total);
	close(s[0]);
	close(p[0]);
	for (int i = 0, status; i < 2; i++)
		if (wait(&status) > 0 && WEXITSTATUS(status))
			printf("the reader says %d\n", WEXITSTATUS(status));
}

static void gifts(void)
{
	char in[8] = "";
	struct iovec pieces[2] = {{"abc", 3}, {"de", 2}}, to = {in, 7};
	int p[2], s[2];

	pipe(p);
	say("vmsplice", vmsplice(p[1], pieces, 2, 0));
	say("back", vmsplice(p[0], &to, 1, 0));
	puts(in);
	say("no pipe", vmsplice(0, &to, 1, 0));
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	write(s[0], "four", 4);
	write(s[0], "sixsix", 6);
	printf("first datagram: %d\n", available(s[1]));
	close(p[0]);
	close(p[1]);
	close(s[0]);
	close(s[1]);
}

int main(void)
{
	int file = open("spliced", O_CREAT | O_TRUNC | O_RDWR, 0600);

	setvbuf(stdout, NULL, _IONBF, 0);
	files(file);
	refusals(file);
	between_processes();
	gifts();
	unlink("spliced");
	return 0;
}
