/* Memory calls: what may be seen of mappings, and the errors. Run in a writable directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ul

static void *anonymous(size_t pages, int prot)
{
	return mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Can the kernel read the byte? write() tells without a signal. */
static int readable(const void *address)
{
	int ends[2], result;

	if (pipe(ends))
		return -1;
	result = write(ends[1], address, 1) == 1;
	close(ends[0]);
	close(ends[1]);
	return result;
}

static void protections(void)
{
	char *p = anonymous(4, PROT_READ | PROT_WRITE);

	memset(p, 7, 4 * PAGE);
	printf("unmap middle: %d: %d %d %d %d\n", munmap(p + PAGE, PAGE), readable(p), readable(p + PAGE),
	       readable(p + 2 * PAGE), readable(p + 3 * PAGE));
	printf("protect none: %d: %d %d\n", mprotect(p + 2 * PAGE, PAGE, PROT_NONE), readable(p + 2 * PAGE),
	       readable(p + 3 * PAGE));
	mprotect(p + 2 * PAGE, PAGE, PROT_READ);
	printf("protect read: %d, still %d\n", readable(p + 2 * PAGE), p[2 * PAGE]);
	errno = 0;
	printf("protect hole: %d ENOMEM %d\n", mprotect(p, 4 * PAGE, PROT_READ), errno == ENOMEM);
	errno = 0;
	printf("unmap unaligned: %d EINVAL %d\n", munmap(p + 1, PAGE), errno == EINVAL);
	munmap(p, 4 * PAGE);
	printf("unmap twice: %d\n", munmap(p, 4 * PAGE));
}

static void fixed(void)
{
	char *p = anonymous(4, PROT_READ | PROT_WRITE), *q;

	p[PAGE] = 5;
	q = mmap(p + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	printf("fixed: %d, fresh %d\n", q == p + PAGE, p[PAGE]);
	p[PAGE] = 9;
	printf("dontneed: %d, %d\n", madvise(p + PAGE, PAGE, MADV_DONTNEED), p[PAGE]);
	errno = 0;
	q = mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("empty: %d EINVAL %d\n", q == MAP_FAILED, errno == EINVAL);
	errno = 0;
	q = mmap(NULL, 1ul << 50, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("huge: %d ENOMEM %d\n", q == MAP_FAILED, errno == ENOMEM);
	errno = 0;
	q = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 99, 0);
	printf("bad descriptor: %d EBADF %d\n", q == MAP_FAILED, errno == EBADF);
}

static void remap(void)
{
	char *p = anonymous(2, PROT_READ | PROT_WRITE), *q, *r;

	strcpy(p, "first");
	strcpy(p + PAGE, "second");
	q = mremap(p, 2 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	printf("grow: %s %s %d\n", q, q + PAGE, q[63 * PAGE]);
	q = mremap(q, 64 * PAGE, PAGE, 0);
	printf("shrink: %s %d %d\n", q, readable(q), readable(q + PAGE));
	r = anonymous(1, PROT_READ | PROT_WRITE);
	q = mremap(q, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, r);
	printf("move: %d %s\n", q == r, r);
	errno = 0;
	printf("bad: %d EINVAL %d\n", mremap(q + 1, PAGE, PAGE, 0) == MAP_FAILED, errno == EINVAL);
}

static void files(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char text[PAGE + 100], *p, back[8] = "";

	memset(text, 'a', sizeof(text));
	memcpy(text + PAGE, "page two", 8);
	if (write(fd, text, sizeof(text)) != sizeof(text))
		printf("write failed\n");
	p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	p[0] = 'b';
	printf("private: %c %.8s zero %d\n", p[0], p + PAGE, p[PAGE + 100]);
	munmap(p, 2 * PAGE);
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE);
	memcpy(p, "PAGE", 4);
	msync(p, PAGE, MS_SYNC);
	munmap(p, PAGE);
	printf("shared: %zd %.8s", pread(fd, back, 8, PAGE), back);
	printf(" first %zd %c\n", pread(fd, back, 1, 0), back[0]);
	close(fd);
	fd = open("mapped", O_RDONLY);
	errno = 0;
	p = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, 0);
	printf("shared write of a read-only file: %d EACCES %d\n", p == MAP_FAILED, errno == EACCES);
	close(fd);
	unlink("mapped");
}

static void heap(void)
{
	char *start = sbrk(0), *more;

	more = sbrk(100000);
	memset(more, 1, 100000);
	printf("brk: %d", more == start);
	brk(start);
	more = sbrk(100000);
	printf(", fresh after shrinking %d\n", more[99999]);
}

static long (*volatile made)(long);

static void code(void)
{
	static const uint32_t add_one[] = {0x00150513, 0x00008067}; /* addi a0, a0, 1; ret */
	static const uint32_t add_two[] = {0x00250513, 0x00008067};
	uint32_t *p = anonymous(1, PROT_READ | PROT_WRITE);

	memcpy(p, add_one, sizeof(add_one));
	mprotect(p, PAGE, PROT_READ | PROT_EXEC);
	made = (long (*)(long))p;
	printf("made code: %ld", made(41));
	mprotect(p, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(p, add_two, sizeof(add_two));
	__builtin___clear_cache((char *)p, (char *)p + PAGE);
	printf(" and again: %ld\n", made(41));
}

int main(void)
{
	protections();
	fixed();
	remap();
	files();
	heap();
	code();
	return 0;
}
