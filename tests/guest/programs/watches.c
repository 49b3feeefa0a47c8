/* inotify: what is told of changes to files, in memory and in the folder that it may write. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd;
static uint32_t cookie;
static int special; /* named pipes and sockets can be made */

static const char *error(long result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

static void show(const struct inotify_event *e)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {{IN_ACCESS, "access"},	      {IN_MODIFY, "modify"},	       {IN_ATTRIB, "attrib"},
		     {IN_CLOSE_WRITE, "close-write"}, {IN_CLOSE_NOWRITE, "close"},     {IN_OPEN, "open"},
		     {IN_MOVED_FROM, "moved-from"},   {IN_MOVED_TO, "moved-to"},       {IN_CREATE, "create"},
		     {IN_DELETE, "delete"},	      {IN_DELETE_SELF, "delete-self"}, {IN_MOVE_SELF, "move-self"},
		     {IN_Q_OVERFLOW, "overflow"},     {IN_IGNORED, "ignored"},	       {IN_ISDIR, "+directory"}};

	printf("  %d", e->wd);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (e->mask & names[i].bit)
			printf(" %s", names[i].name);
	if (e->mask & IN_MOVED_FROM)
		cookie = e->cookie;
	if (e->cookie)
		printf(" %s cookie", e->cookie == cookie ? "same" : "new");
	if (e->len)
		printf(" \"%s\" %u", e->name, e->len);
	printf("\n");
}

static void tell(const char *what)
{
	char buffer[65536] __attribute__((aligned(8)));
	ssize_t got;
	int there = 0;
	long told = 0;

	ioctl(fd, FIONREAD, &there);
	printf("%s:\n", what);
	while ((got = read(fd, buffer, sizeof buffer)) > 0) {
		told += got;
		for (char *at = buffer; at < buffer + got;) {
			struct inotify_event *e = (struct inotify_event *)at;

			show(e);
			at += sizeof *e + e->len;
		}
	}
	if (there != told)
		printf("  %d bytes there, %ld told\n", there, told);
}

static void make(const char *name, const char *text)
{
	int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	write(file, text, strlen(text));
	close(file);
}

static void in_directory(void)
{
	char text[100];
	int file, wd = inotify_add_watch(fd, ".", IN_ALL_EVENTS);
	struct sockaddr_un name = {AF_UNIX, "socket"};
	DIR *dir;

	printf("watch %d\n", wd);
	make("a", "text");
	tell("made and written");
	make("a", "new");
	tell("written again");
	file = open("a", O_RDONLY);
	read(file, text, sizeof text);
	read(file, text, sizeof text);
	close(file);
	tell("read");
	file = open("a", O_RDWR | O_APPEND);
	write(file, "x", 1);
	write(file, "y", 1);
	ftruncate(file, 1);
	fchmod(file, 0640);
	tell("changed");
	close(file);
	tell("closed");
	mkdir("d", 0700);
	symlink("a", "link");
	if (special)
		mkfifo("fifo", 0600);
	link("a", "hard");
	file = socket(AF_UNIX, SOCK_STREAM, 0);
	if (special)
		bind(file, (struct sockaddr *)&name, sizeof name);
	close(file);
	tell("made");
	dir = opendir("d");
	while (readdir(dir))
		;
	closedir(dir);
	tell("listed");
	rename("a", "b");
	rename("b", "d/c");
	rename("d/c", "back");
	rename("d", "e");
	rename("back", "hard");
	rename("link", "other");
	tell("renamed");
	chmod("e", 0500);
	truncate("hard", 0);
	utimensat(AT_FDCWD, "hard", NULL, 0);
	utimensat(AT_FDCWD, "hard", (struct timespec[2]){{1, 0}, {0, UTIME_OMIT}}, 0);
	utimensat(AT_FDCWD, "hard", (struct timespec[2]){{0, UTIME_OMIT}, {1, 0}}, 0);
	chown("hard", getuid(), getgid());
	tell("attributes");
	unlink("hard");
	unlink("back");
	unlink("other");
	unlink("fifo");
	unlink("socket");
	rmdir("e");
	tell("removed");
	printf("fails %s", error(open("missing", O_RDONLY)));
	printf(" %s", error(unlink("missing")));
	printf(" %s\n", error(mkdir("/tmp", 0700)));
	tell("nothing");
	printf("remove %s", error(inotify_rm_watch(fd, wd)));
	printf(", again %s\n", error(inotify_rm_watch(fd, wd)));
	make("a", "unseen");
	tell("removed");
}

static void of_files(void)
{
	int file, wd = inotify_add_watch(fd, "a", IN_ALL_EVENTS), other, peer[2];
	char text[100];

	printf("watch %d, the same %d\n", wd, inotify_add_watch(fd, "./a", IN_ALL_EVENTS));
	file = open("a", O_RDWR);
	write(file, "abc", 3);
	pread(file, text, 3, 0);
	rename("a", "b");
	link("b", "c");
	tell("changed");
	unlink("c");
	unlink("b");
	tell("its names removed");
	write(file, "x", 1);
	close(file);
	tell("closed");
	make("a", "one");
	make("b", "two");
	inotify_add_watch(fd, "a", IN_ALL_EVENTS);
	inotify_add_watch(fd, "b", IN_ALL_EVENTS);
	rename("b", "a");
	tell("one in the other's place");
	wd = inotify_add_watch(fd, "a", IN_CLOSE_WRITE);
	printf("other mask %d\n", wd);
	make("a", "quiet");
	tell("closed only");
	inotify_add_watch(fd, "a", IN_MODIFY | IN_MASK_ADD);
	make("a", "quiet");
	tell("and modified");
	printf("make %s\n", error(inotify_add_watch(fd, "a", IN_MODIFY | IN_MASK_CREATE)));
	inotify_rm_watch(fd, wd);
	inotify_add_watch(fd, "a", IN_OPEN | IN_ONESHOT);
	make("a", "once");
	make("a", "twice");
	tell("once");
	/* bytes that calls without a buffer move */
	file = open("a", O_RDONLY);
	other = open("to", O_CREAT | O_WRONLY, 0600);
	pipe(peer);
	inotify_add_watch(fd, "a", IN_ACCESS | IN_MODIFY);
	inotify_add_watch(fd, "to", IN_ACCESS | IN_MODIFY);
	sendfile(other, file, NULL, 100);
	tell("sent");
	lseek(file, 0, SEEK_SET);
	splice(file, NULL, peer[1], NULL, 2, 0);
	splice(peer[0], NULL, other, NULL, 2, 0);
	tell("spliced");
	fallocate(other, 0, 0, 1000);
	tell("allocated");
	close(other);
	close(file);
	unlink("to");
	unlink("a");
	tell("removed");
	mkdir("d", 0700);
	inotify_add_watch(fd, "d", IN_ALL_EVENTS);
	rename("d", "e");
	rmdir("e");
	tell("a directory");
}

/* The order in which a directory and its files are told. */
static void both(void)
{
	int file, wd;

	make("a", "one");
	make("b", "two");
	mkdir("d", 0700);
	wd = inotify_add_watch(fd, ".", IN_ALL_EVENTS);
	inotify_add_watch(fd, "a", IN_ALL_EVENTS);
	inotify_add_watch(fd, "b", IN_ALL_EVENTS);
	inotify_add_watch(fd, "d", IN_ALL_EVENTS);
	chmod("a", 0640);
	rename("a", "b");
	tell("replaced");
	link("b", "c");
	unlink("b");
	unlink("c");
	tell("removed");
	rmdir("d");
	tell("a directory");
	make("a", "open");
	inotify_add_watch(fd, "a", IN_ALL_EVENTS);
	file = open("a", O_RDONLY);
	tell("open");
	unlink("a");
	tell("removed");
	inotify_rm_watch(fd, wd);
	close(file);
	tell("closed");
}

/* Files that stay open while they, or what is above them, get other names. */
static void renamed(void)
{
	int file, below, wd = inotify_add_watch(fd, ".", IN_ALL_EVENTS), other;

	mkdir("d", 0700);
	other = inotify_add_watch(fd, "d", IN_MODIFY | IN_CLOSE);
	file = open("log", O_CREAT | O_WRONLY, 0600);
	below = open("d/below", O_CREAT | O_WRONLY, 0600);
	tell("open");
	write(file, "x", 1);
	rename("log", "log.1");
	write(file, "y", 1);
	make("log", "new");
	write(file, "z", 1);
	tell("rotated");
	rename("d", "e");
	write(below, "x", 1);
	tell("a directory renamed");
	rename("log.1", "e/old");
	write(file, "w", 1);
	close(file);
	close(below);
	tell("moved");
	inotify_rm_watch(fd, wd);
	inotify_rm_watch(fd, other);
	unlink("e/old");
	unlink("e/below");
	rmdir("e");
	unlink("log");
	tell("removed");
}

static void with_processes(void)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct epoll_event event = {.events = EPOLLIN | EPOLLET}, got;
	int epoll = epoll_create1(0);
	char text[10];

	inotify_add_watch(fd, ".", IN_CREATE | IN_CLOSE_WRITE | IN_DELETE);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	printf("quiet %d %d\n", poll(&p, 1, 0), epoll_wait(epoll, &got, 1, 0));
	fflush(stdout);
	if (!fork()) {
		usleep(30000);
		make("a", "by a child");
		_exit(0);
	}
	printf("waits %d\n", epoll_wait(epoll, &got, 1, 5000));
	wait(NULL);
	printf("ready %d\n", poll(&p, 1, 1000));
	printf("too small %s\n", error(read(fd, text, sizeof text)));
	tell("a child's");
	if (!fork()) {
		usleep(30000);
		unlink("a");
		_exit(0);
	}
	fcntl(fd, F_SETFL, 0);
	char buffer[300] __attribute__((aligned(8)));
	printf("read %ld\n", (long)read(fd, buffer, sizeof buffer));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	wait(NULL);
	close(epoll);
}

static void in_excess(void)
{
	char *buffer = malloc(1 << 21), name[20];
	unsigned events = 0, overflows = 0, last = 0;
	ssize_t got;
	int file;

	file = open("a", O_CREAT | O_RDWR, 0600);
	make("b", "");
	inotify_add_watch(fd, ".", IN_ATTRIB);
	for (int i = 0; i < 20000; i++)
		chmod(i % 2 ? "a" : "b", 0600);
	while ((got = read(fd, buffer, 1 << 21)) > 0)
		for (char *at = buffer; at < buffer + got;) {
			struct inotify_event *e = (struct inotify_event *)at;

			events++;
			last = e->mask & IN_Q_OVERFLOW ? 1 : 0;
			overflows += last;
			if (last && (e->wd != -1 || e->cookie || e->len))
				printf("odd overflow\n");
			at += sizeof *e + e->len;
		}
	printf("overflows %u, the last %u, events %s\n", overflows, last, events == 16385 ? "16385" : "another number");
	chmod("a", 0600);
	tell("and goes on");
	for (int i = 0; i < 300; i++)
		fchmod(file, 0600);
	tell("the same once");
	close(file);
	unlink("a");
	unlink("b");
	(void)name;
	free(buffer);
}

static void refusals(void)
{
	char text[100];
	int null = open("/dev/null", O_RDONLY);

	printf("no file %s\n", error(inotify_add_watch(fd, "missing", IN_CREATE)));
	printf("no mask %s\n", error(inotify_add_watch(fd, ".", 0)));
	printf("both %s\n", error(inotify_add_watch(fd, ".", IN_CREATE | IN_MASK_ADD | IN_MASK_CREATE)));
	printf("other file %s\n", error(inotify_add_watch(null, ".", IN_CREATE)));
	printf("no descriptor %s\n", error(inotify_add_watch(999, ".", IN_CREATE)));
	printf("no watch %s\n", error(inotify_rm_watch(fd, 12345)));
	printf("bad flags %s\n", error(inotify_init1(1)));
	make("a", "");
	printf("no directory %s\n", error(inotify_add_watch(fd, "a", IN_CREATE | IN_ONLYDIR)));
	symlink("a", "link");
	inotify_add_watch(fd, "link", IN_ATTRIB | IN_DELETE_SELF | IN_DONT_FOLLOW);
	chmod("link", 0600);
	tell("a link's file");
	unlink("link");
	tell("the link");
	unlink("a");
	tell("the rest");
	printf("empty %s\n", error(read(fd, text, sizeof text)));
	printf("write %s\n", error(write(fd, text, sizeof text)));
	close(null);
}

static void in(const char *folder)
{
	char text[100];

	fd = inotify_init1(IN_NONBLOCK);
	if (mkdir(folder, 0700) || chdir(folder))
		printf("no folder %s\n", error(-1));

	in_directory();
	of_files();
	both();
	renamed();
	with_processes();
	refusals();
	close(fd);
	fd = inotify_init1(IN_NONBLOCK);
	in_excess();
	close(fd);
}

int main(void)
{
	char folder[100];

	in("watched");
	chdir("..");
	rmdir("watched");
	snprintf(folder, sizeof folder, "/tmp/watched-%d", (int)getpid());
	special = 1;
	in(folder);
	rmdir(folder);
	return 0;
}
