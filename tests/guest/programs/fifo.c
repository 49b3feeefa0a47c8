/* Named pipes between processes: data, ends, ENXIO and EPIPE, poll, unlink, a job server like make's. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];

static const char *error(long result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

static void say(int fd)
{
	char text[64];
	ssize_t got;

	while ((got = read(fd, text, sizeof(text))) > 0)
		printf("read %.*s\n", (int)got, text);
	printf("end: %ld\n", (long)got);
}

static void wait_all(void)
{
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	struct stat st;
	struct pollfd p = {.events = POLLIN};
	int fd, other;

	setvbuf(stdout, NULL, _IONBF, 0);
	signal(SIGPIPE, SIG_IGN);
	snprintf(path, sizeof(path), "/tmp/fifo-%d", (int)getpid());
	printf("mkfifo %s\n", error(mkfifo(path, 0600)));
	printf("again %s\n", error(mkfifo(path, 0600)));
	printf("stat %d %o\n", stat(path, &st), (unsigned)st.st_mode);
	printf("write end without a reader %s\n", error(open(path, O_WRONLY | O_NONBLOCK)));

	fd = open(path, O_RDONLY | O_NONBLOCK);
	printf("nobody has written: %ld\n", (long)read(fd, path, 0));
	p.fd = fd;
	printf("poll %d\n", poll(&p, 1, 0));
	other = open(path, O_WRONLY);
	printf("write %ld\n", (long)write(other, "abc", 3));
	printf("poll %d %d\n", poll(&p, 1, 0), p.revents);
	close(other);
	p.revents = 0;
	printf("poll %d %d\n", poll(&p, 1, 0), p.revents);
	say(fd);
	other = open(path, O_WRONLY);
	close(fd);
	printf("broken %ld ", (long)write(other, "abc", 3));
	printf("%s\n", strerrorname_np(errno));
	close(other);

	/* the writer comes first, and is gone when the reader comes, as far as it can be */
	if (!fork()) {
		fd = open(path, O_WRONLY);
		dprintf(fd, "from a child");
		_exit(0);
	}
	usleep(20000);
	fd = open(path, O_RDONLY);
	say(fd);
	close(fd);
	wait_all();

	/* the reader comes first */
	if (!fork()) {
		fd = open(path, O_RDONLY);
		say(fd);
		_exit(0);
	}
	usleep(20000);
	fd = open(path, O_WRONLY);
	write(fd, "to a child", 10);
	close(fd);
	wait_all();

	/* one token, three workers */
	fd = open(path, O_RDWR);
	write(fd, "+", 1);
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			int own = open(path, O_RDWR);
			char token;

			if (read(own, &token, 1) == 1 && write(own, &token, 1) == 1)
				_exit(0);
			_exit(1);
		}
	for (int i = 0, status; i < 3; i++)
		if (wait(&status) > 0)
			printf("worker %d\n", status);
	printf("unlink %s\n", error(unlink(path)));
	printf("write after unlink %ld\n", (long)write(fd, "x", 1));
	close(fd);
	printf("gone %s\n", error(open(path, O_RDONLY | O_NONBLOCK)));
	return 0;
}
