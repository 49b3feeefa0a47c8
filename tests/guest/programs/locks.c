/* Locks on files between processes and between open files of one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static int open_again(void)
{
	return open("locked", O_CREAT | O_RDWR, 0600);
}

static long record(int fd, int call, int type, long start, long length)
{
	struct flock l = {.l_type = type, .l_start = start, .l_len = length};

	return fcntl(fd, call, &l);
}

static void who(const char *what, int fd, int call, int type, long start, long length)
{
	struct flock l = {.l_type = type, .l_start = start, .l_len = length};
	long result = fcntl(fd, call, &l);

	printf("%s: %ld, %s %ld+%ld, %s\n", what, result,
	       l.l_type == F_UNLCK   ? "free"
	       : l.l_type == F_RDLCK ? "read"
				     : "write",
	       (long)l.l_start, (long)l.l_len,
	       l.l_pid == getppid() ? "parent"
	       : l.l_pid == -1	    ? "open file"
				    : "other");
}

static void in_child(void (*work)(int), int fd)
{
	if (!fork()) {
		work(fd);
		_exit(0);
	}
	wait(NULL);
}

/* --- flock --- */

static void try_both(int inherited)
{
	int own = open_again();

	say("  shared", flock(own, LOCK_SH | LOCK_NB));
	flock(own, LOCK_UN);
	say("  exclusive", flock(own, LOCK_EX | LOCK_NB));
	say("  by fcntl", record(own, F_SETLK, F_WRLCK, 0, 0));
	say("  inherited", flock(inherited, LOCK_EX | LOCK_NB));
}

static void unlock(int inherited)
{
	say("  unlock what the parent locked", flock(inherited, LOCK_UN));
}

static void whole(void)
{
	int fd = open_again(), copy = dup(fd), other = open_again();

	say("exclusive", flock(fd, LOCK_EX));
	in_child(try_both, fd);
	say("to shared", flock(fd, LOCK_SH));
	in_child(try_both, fd);
	flock(fd, LOCK_EX);
	close(fd);
	say("a copy keeps it", flock(other, LOCK_SH | LOCK_NB));
	in_child(unlock, copy);
	say("gone", flock(other, LOCK_EX | LOCK_NB));
	say("nonsense", flock(other, 77));
	say("no file", flock(99, LOCK_EX));
	close(copy);
	close(other);
}

/* --- fcntl --- */

static void try_ranges(int inherited)
{
	who("  0+20", inherited, F_GETLK, F_WRLCK, 0, 20);
	who("  6+1, to read", inherited, F_GETLK, F_RDLCK, 6, 1);
	say("  5+10", record(inherited, F_SETLK, F_WRLCK, 5, 10));
	say("  10+10", record(inherited, F_SETLK, F_WRLCK, 10, 10));
	say("  read 0+3", record(inherited, F_SETLK, F_RDLCK, 0, 3));
}

static void look(int inherited)
{
	who("  all", inherited, F_GETLK, F_WRLCK, 0, 0);
	who("  from 5", inherited, F_GETLK, F_WRLCK, 5, 0);
}

static void ranges(void)
{
	int fd = open_again(), reader = open("locked", O_RDONLY), other;

	say("0+10", record(fd, F_SETLK, F_WRLCK, 0, 10));
	in_child(try_ranges, fd);
	say("free 3+2", record(fd, F_SETLK, F_UNLCK, 3, 2));
	in_child(look, fd);
	say("read 0+2", record(fd, F_SETLK, F_RDLCK, 0, 2));
	in_child(try_ranges, fd);
	say("before 100", record(fd, F_SETLK, F_WRLCK, 100, -10));
	who("mine", fd, F_GETLK, F_WRLCK, 0, 0);
	other = open_again();
	close(other);
	in_child(look, fd);
	say("write by a reader", record(reader, F_SETLK, F_WRLCK, 0, 1));
	say("before the beginning", record(fd, F_SETLK, F_WRLCK, 2, -10));
	say("type", record(fd, F_SETLK, 7, 0, 0));
	say("ask for none", record(fd, F_GETLK, F_UNLCK, 0, 0));
	close(fd);
	close(reader);
}

static void open_files(void)
{
	int a = open_again(), b = open_again();

	say("OFD 0+10", record(a, F_OFD_SETLK, F_WRLCK, 0, 10));
	say("another 5+1", record(b, F_OFD_SETLK, F_WRLCK, 5, 1));
	who("of whom", b, F_OFD_GETLK, F_WRLCK, 5, 1);
	say("of the process", record(b, F_SETLK, F_RDLCK, 9, 1));
	close(a);
	say("now", record(b, F_OFD_SETLK, F_WRLCK, 5, 1));
	close(b);
}

/* --- waiting: four processes count together --- */

static void count(int by_record)
{
	int fd = open_again(), value;

	for (int i = 0; i < 20; i++) {
		if (by_record)
			record(fd, F_SETLKW, F_WRLCK, 0, 4);
		else
			flock(fd, LOCK_EX);
		pread(fd, &value, sizeof value, 0);
		usleep(100);
		value++;
		pwrite(fd, &value, sizeof value, 0);
		if (by_record)
			record(fd, F_SETLK, F_UNLCK, 0, 4);
		else
			flock(fd, LOCK_UN);
	}
}

static void waiting(int by_record)
{
	int fd = open_again(), value = 0;

	pwrite(fd, &value, sizeof value, 0);
	for (int i = 0; i < 4; i++) {
		if (!fork()) {
			count(by_record);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	pread(fd, &value, sizeof value, 0);
	printf("counted: %d\n", value);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	whole();
	ranges();
	open_files();
	waiting(0);
	waiting(1);
	unlink("locked");
	return 0;
}
