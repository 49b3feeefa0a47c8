/* Preloaded into a program, makes its allocation number FAIL_AT fail. Without, it tells of the allocations: the file
 * PLACES_IN gets a line for each with its number and its place, the last CALLERS return addresses (file and offset).
 *
 * libdw's own allocations neither fail nor count: dwarf_getsrclines of elfutils 0.188 calls dwarf_attr on what it could
 * not allocate, and crashes. No caller can do anything about that. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own, which programs may call: these need no look-up, which would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { CALLERS = 2, OURS = 3 }; /* OURS: this file's own frames above them */

static atomic_long count, fail_at; /* what is preloaded has nothing else to keep these in */
static int places = -1;
static _Thread_local bool telling;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT"), *path = getenv("PLACES_IN");
	void *frame;
	backtrace(&frame, 1); /* its first call allocates */
	count = 0;
	fail_at = at ? atol(at) : 0;
	places = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600) : -1;
}

static void tell(long number)
{
	void *frames[OURS + CALLERS];
	char line[1024];
	int count_of = backtrace(frames, OURS + CALLERS);
	int length = snprintf(line, sizeof line, "%ld", number);
	for (int i = OURS; i < count_of; i++) {
		Dl_info from;
		if (dladdr(frames[i], &from))
			length += snprintf(line + length, sizeof line - (size_t)length, " %.200s+%tx",
					   strrchr(from.dli_fname, '/') + 1,
					   (const char *)frames[i] - (const char *)from.dli_fbase);
	}
	line[length++] = '\n';
	if (write(places, line, (size_t)length) < length)
		_exit(99);
}

static bool is_libdw(const void *caller)
{
	Dl_info from;
	return dladdr(caller, &from) && strstr(from.dli_fname, "/libdw");
}

static __attribute__((noinline)) bool fails(const void *caller)
{
	if (is_libdw(caller))
		return false;
	long number = atomic_fetch_add(&count, 1) + 1;
	if (places >= 0 && !telling) {
		telling = true;
		tell(number);
		telling = false;
	}
	if (number != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
