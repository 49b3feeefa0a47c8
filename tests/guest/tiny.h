/* The smallest programs: one ELF header, two program headers (the second PT_NULL), a few instructions, in one segment
 * that covers the file, readable, writable and executable. Built byte by byte, so that every field's place is known. */
#ifndef CULPRIT_TESTS_GUEST_TINY_H
#define CULPRIT_TESTS_GUEST_TINY_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TINY_HEADER = 64, TINY_PHDR = 56, TINY_CODE = TINY_HEADER + 2 * TINY_PHDR };
#define TINY_BASE 0x10000ull

static inline void tiny_put(uint8_t *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size);
}

/* Returns the file's size: TINY_CODE and the instructions. */
static inline size_t tiny_build(uint8_t *f, const uint32_t *code, size_t count)
{
	size_t size = TINY_CODE + 4 * count;
	uint8_t *p = f + TINY_HEADER;

	memset(f, 0, size);
	memcpy(f, "\177ELF\2\1\1", 7);
	tiny_put(f + 16, 2, 2);
	tiny_put(f + 18, 243, 2);
	tiny_put(f + 20, 1, 4);
	tiny_put(f + 24, TINY_BASE + TINY_CODE, 8);
	tiny_put(f + 32, TINY_HEADER, 8);
	tiny_put(f + 48, 5, 4);
	tiny_put(f + 52, TINY_HEADER, 2);
	tiny_put(f + 54, TINY_PHDR, 2);
	tiny_put(f + 56, 2, 2);
	tiny_put(p, 1, 4);
	tiny_put(p + 4, 7, 4);
	tiny_put(p + 16, TINY_BASE, 8);
	tiny_put(p + 32, size, 8);
	tiny_put(p + 40, size, 8);
	tiny_put(p + 48, 4096, 8);
	memcpy(f + TINY_CODE, code, 4 * count);
	return size;
}

static inline bool tiny_write(const char *path, const void *bytes, size_t size, mode_t mode)
{
	int fd;
	bool done;

	unlink(path);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0700);
	done = fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !fchmod(fd, mode);
	if (fd >= 0)
		close(fd);
	return done;
}

#endif
