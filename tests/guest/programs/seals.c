/* Seals of files in memory: what each forbids, and who may add which. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW(call) (errno = 0, say(#call, (long)(call)))
#define PAGE 4096

static char bytes[3 * PAGE];

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static long mapped(int fd, int protection, int kind)
{
	void *at = mmap(NULL, PAGE, protection, kind, fd, 0);

	return at == MAP_FAILED ? -1 : munmap(at, PAGE);
}

static int made(unsigned seals)
{
	int fd = memfd_create("sealed", MFD_ALLOW_SEALING);

	ftruncate(fd, PAGE + 5);
	if (seals)
		SHOW(fcntl(fd, F_ADD_SEALS, seals));
	return fd;
}

static void flags(void)
{
	SHOW(fcntl(memfd_create("plain", 0), F_GET_SEALS));
	SHOW(fcntl(memfd_create("plain", MFD_CLOEXEC), F_ADD_SEALS, F_SEAL_GROW));
	SHOW(fcntl(memfd_create("sealed", MFD_ALLOW_SEALING), F_GET_SEALS));
	SHOW(fcntl(memfd_create("sealed", MFD_ALLOW_SEALING | MFD_CLOEXEC), F_GETFD));
	SHOW(memfd_create("x", 1u << 31));
	SHOW(memfd_create("x", 0x40));
	SHOW(fcntl(0, F_GET_SEALS));
	SHOW(fcntl(-1, F_GET_SEALS));
	SHOW(fcntl(made(0), F_ADD_SEALS, 0x100));
	SHOW(fcntl(made(0), F_ADD_SEALS, 0));
}

static void sizes(void)
{
	int fd = made(F_SEAL_SHRINK);

	SHOW(ftruncate(fd, PAGE));
	SHOW(ftruncate(fd, PAGE + 5));
	SHOW(ftruncate(fd, PAGE + 6));
	SHOW(pwrite(fd, bytes, 8, 2 * PAGE));
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL));
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW));
	SHOW(fcntl(fd, F_GET_SEALS));
	fd = made(F_SEAL_GROW);
	SHOW(ftruncate(fd, PAGE + 6));
	SHOW(pwrite(fd, bytes, 5, PAGE));
	SHOW(pwrite(fd, bytes, 6, PAGE));
	SHOW(pwrite(fd, bytes, 1, 3 * PAGE));
	SHOW(posix_fallocate(fd, 0, PAGE));
	SHOW(posix_fallocate(fd, 0, 2 * PAGE) == EPERM);
	SHOW(ftruncate(fd, 3));
	SHOW(ftruncate(fd, 4));
}

static void writing(void)
{
	int fd = made(F_SEAL_WRITE);

	SHOW(write(fd, "x", 1));
	SHOW(write(fd, "x", 0));
	SHOW(pread(fd, bytes, 5, PAGE));
	SHOW(mapped(fd, PROT_READ | PROT_WRITE, MAP_SHARED));
	SHOW(mapped(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE));
	SHOW(ftruncate(fd, 2 * PAGE));
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
}

static void mappings(void)
{
	int fd = made(0);
	char *first = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *later;

	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	SHOW(fcntl(fd, F_GET_SEALS));
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
	SHOW(write(fd, "x", 1));
	SHOW(mapped(fd, PROT_READ | PROT_WRITE, MAP_SHARED));
	later = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	SHOW(mprotect(later, PAGE, PROT_READ | PROT_WRITE));
	SHOW(mprotect(later, PAGE, PROT_NONE));
	SHOW(mprotect(later, PAGE, PROT_READ));
	*first = 'y';
	printf("seen: %c\n", *later);
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	munmap(first, PAGE);
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	SHOW(fcntl(fd, F_GET_SEALS));
}

/* A mapping of another process counts, too. */
static void processes(void)
{
	int fd = made(0), ends[2];
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), byte;
	pid_t child;

	pipe(ends);
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit((int)read(ends[0], &byte, 1));
	}
	munmap(at, PAGE);
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	close(ends[1]);
	waitpid(child, NULL, 0);
	SHOW(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	flags();
	sizes();
	writing();
	mappings();
	processes();
	return 0;
}
