/* Files and directories. Run in a writable directory; leaves nothing behind. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#define SHOW(call) (errno = 0, printf("%s: %ld %s\n", #call, (long)(call), errno ? strerror(errno) : ""))

static char buffer[256];

static void reading_and_writing(void)
{
	struct iovec pieces[3] = {{"one ", 4}, {"two ", 4}, {"three", 5}};
	struct stat st;
	int fd = open("a", O_RDWR | O_CREAT | O_EXCL, 0640);

	SHOW(open("a", O_RDWR | O_CREAT | O_EXCL, 0640));
	SHOW(writev(fd, pieces, 3));
	SHOW(lseek(fd, -5, SEEK_END));
	SHOW(read(fd, buffer, 100));
	printf("%.5s\n", buffer);
	SHOW(read(fd, buffer, 100));
	SHOW(pread(fd, buffer, 3, 4));
	printf("%.3s\n", buffer);
	SHOW(pwrite(fd, "TWO", 3, 4));
	SHOW(lseek(fd, 0, SEEK_CUR));
	SHOW(lseek(fd, 0, SEEK_SET));
	SHOW(readv(fd, (struct iovec[]){{buffer, 6}, {buffer + 50, 100}}, 2));
	printf("%.6s|%.7s\n", buffer, buffer + 50);
	SHOW(lseek(fd, -1, SEEK_SET));
	SHOW(ftruncate(fd, 20));
	SHOW(fstat(fd, &st));
	printf("mode %o size %ld links %ld\n", st.st_mode, (long)st.st_size, (long)st.st_nlink);
	SHOW(posix_fallocate(fd, 0, 50));
	SHOW(lseek(fd, 0, SEEK_END));
	SHOW(close(fd));
	SHOW(close(fd));
	fd = open("a", O_WRONLY | O_APPEND);
	SHOW(write(fd, "end", 3));
	SHOW(lseek(fd, 0, SEEK_CUR));
	SHOW(read(fd, buffer, 1));
	close(fd);
	fd = open("a", O_RDONLY);
	SHOW(write(fd, "x", 1));
	SHOW(read(fd, NULL, 0));
	close(fd);
}

static void names(void)
{
	struct stat st;

	SHOW(mkdir("d", 0755));
	SHOW(mkdir("d", 0755));
	SHOW(rename("a", "d/b"));
	SHOW(access("a", F_OK));
	SHOW(symlink("d/b", "l"));
	SHOW(symlink("loop", "loop"));
	SHOW(readlink("l", buffer, sizeof(buffer)));
	SHOW(readlink("d", buffer, sizeof(buffer)));
	SHOW(stat("l", &st));
	printf("size %ld regular %d\n", (long)st.st_size, S_ISREG(st.st_mode));
	SHOW(lstat("l", &st));
	printf("link %d\n", S_ISLNK(st.st_mode));
	SHOW(open("loop", O_RDONLY));
	SHOW(open("l", O_RDONLY | O_NOFOLLOW));
	SHOW(open("d/b/c", O_RDONLY));
	SHOW(open("d/none", O_RDONLY));
	SHOW(open("none/none", O_RDONLY | O_CREAT, 0600));
	SHOW(open("d", O_RDWR));
	SHOW(open("l", O_RDONLY | O_DIRECTORY));
	SHOW(link("d/b", "h"));
	SHOW(stat("h", &st));
	printf("links %ld\n", (long)st.st_nlink);
	SHOW(chmod("h", 0600));
	SHOW(stat("d/b", &st));
	printf("mode %o\n", st.st_mode & 07777);
	SHOW(truncate("h", 3));
	SHOW(unlink("h"));
	SHOW(unlink("d"));
	SHOW(rmdir("d"));
	SHOW(access("d/b", R_OK));
	SHOW(access("d/b", X_OK));
}

static void times(void)
{
	struct timespec stamps[2] = {{111, 222}, {1000000001, 500}};
	struct stat st;

	SHOW(utimensat(AT_FDCWD, "d/b", stamps, 0));
	SHOW(stat("d/b", &st));
	printf("modified %ld.%09ld\n", (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void directories(void)
{
	char *found[16], cwd[4096];
	size_t count = 0;
	struct dirent *entry;
	DIR *dir;

	SHOW(mkdir("d/z", 0700));
	SHOW(chdir("d"));
	printf("%s\n", getcwd(cwd, sizeof(cwd)) ? strrchr(cwd, '/') : "?");
	dir = opendir(".");
	while (dir && (entry = readdir(dir)) && count < 16)
		found[count++] = strdup(entry->d_name);
	qsort(found, count, sizeof(*found), by_name);
	for (size_t i = 0; i < count; i++)
		printf("%s ", found[i]);
	printf("\n");
	rewinddir(dir);
	SHOW(readdir(dir) != NULL);
	closedir(dir);
	SHOW(chdir(".."));
	SHOW(chdir("d/b"));
	SHOW(chdir("none"));
	SHOW(rmdir("d/z"));
}

static void descriptors(void)
{
	int fd = open("d/b", O_RDWR), copy = dup(fd), far = fcntl(fd, F_DUPFD, 100), ends[2];
	struct termios termios;
	struct winsize window;
	int available;

	lseek(fd, 2, SEEK_SET);
	printf("shared offset %ld %ld\n", (long)lseek(copy, 0, SEEK_CUR), (long)lseek(far, 0, SEEK_CUR));
	SHOW(far);
	SHOW(dup2(fd, 200));
	SHOW(dup2(999, 5));
	SHOW(fcntl(fd, F_SETFD, FD_CLOEXEC));
	SHOW(fcntl(fd, F_GETFD));
	SHOW(fcntl(copy, F_GETFD));
	SHOW(fcntl(fd, F_GETFL) & O_ACCMODE);
	SHOW(ioctl(fd, FIONREAD, &available));
	printf("available %d\n", available);
	SHOW(tcgetattr(fd, &termios));
	SHOW(ioctl(fd, TIOCGWINSZ, &window));
	SHOW(pipe2(ends, O_NONBLOCK));
	SHOW(read(ends[0], buffer, 1));
	SHOW(lseek(ends[0], 0, SEEK_SET));
	SHOW(write(ends[1], "pipe", 4));
	SHOW(read(ends[0], buffer, 100));
	close(ends[1]);
	SHOW(read(ends[0], buffer, 100));
	close(ends[0]);
	close(copy);
	close(far);
	close(200);
	close(fd);
}

static void waiting(void)
{
	int ends[2], event = eventfd(3, EFD_NONBLOCK);
	struct pollfd polls[3];
	uint64_t value;
	fd_set set;
	struct timeval none = {0, 1000};

	if (pipe(ends))
		return;
	polls[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	polls[1] = (struct pollfd){.fd = ends[1], .events = POLLOUT};
	polls[2] = (struct pollfd){.fd = 77, .events = POLLIN};
	SHOW(poll(polls, 3, 0));
	printf("%x %x %x\n", polls[0].revents, polls[1].revents, polls[2].revents);
	SHOW(poll(polls, 1, 5));
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	SHOW(select(ends[0] + 1, &set, NULL, NULL, &none));
	SHOW(write(ends[1], "x", 1));
	FD_SET(ends[0], &set);
	SHOW(select(ends[0] + 1, &set, NULL, NULL, NULL));
	SHOW(read(event, &value, 8));
	printf("event %lu\n", (unsigned long)value);
	SHOW(read(event, &value, 8));
	value = 4;
	SHOW(write(event, &value, 8));
	SHOW(read(event, &value, 4));
	close(ends[0]);
	close(ends[1]);
	close(event);
}

static void copying(void)
{
	int from = open("d/b", O_RDONLY), to = open("copy", O_RDWR | O_CREAT, 0600), memory = memfd_create("m", 0);
	off_t at = 1;

	SHOW(sendfile(to, from, &at, 100));
	SHOW(at);
	SHOW(pread(to, buffer, 100, 0));
	printf("%.2s\n", buffer);
	SHOW(write(memory, "in memory", 9));
	SHOW(pread(memory, buffer, 100, 3));
	printf("%.6s\n", buffer);
	close(from);
	close(to);
	close(memory);
	unlink("copy");
}

static void bad_pointers(void)
{
	char *bad = (char *)0x123456789000,
	     *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("d/b", O_RDWR);

	munmap(page, 4096);
	SHOW(open(bad, O_RDONLY));
	SHOW(read(fd, page, 2));
	SHOW(read(fd, bad, 2));
	SHOW(write(fd, bad, 2));
	SHOW(write(1, page, 2));
	SHOW(stat("d/b", (struct stat *)bad));
	SHOW(stat(bad, (struct stat *)buffer));
	SHOW(pipe((int *)bad));
	SHOW(readlink(bad, buffer, 1));
	SHOW(readlink("l", bad, 100));
	SHOW(poll((struct pollfd *)bad, 1, 0));
	SHOW(readv(fd, (struct iovec *)bad, 1));
	SHOW(statfs(bad, (struct statfs *)buffer));
	SHOW(chdir(bad));
	SHOW(ioctl(fd, FIONREAD, bad));
	close(fd);
}

static void clean_up(void)
{
	SHOW(unlink("l"));
	SHOW(unlink("loop"));
	SHOW(unlink("d/b"));
	SHOW(unlink("d/b"));
	SHOW(rmdir("d"));
}

int main(void)
{
	reading_and_writing();
	names();
	times();
	directories();
	descriptors();
	waiting();
	copying();
	bad_pointers();
	clean_up();
	return 0;
}
