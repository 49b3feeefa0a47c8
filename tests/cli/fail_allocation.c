/* Preloaded into a program, makes its allocation number FAIL_AT fail; the number there were goes to the file COUNT_IN.
 *
 * libdw's own allocations neither fail nor count: dwarf_getsrclines of elfutils 0.188 calls dwarf_attr on what it could
 * not allocate, and crashes. No caller can do anything about that. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, which programs may call: these need no look-up, which would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count, fail_at; /* what is preloaded has nothing else to keep them in */

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT");
	count = 0;
	fail_at = at ? atol(at) : 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("COUNT_IN");
	long total = count;
	FILE *out = path ? fopen(path, "w") : NULL;
	if (out) {
		fprintf(out, "%ld\n", total);
		fclose(out);
	}
}

static bool is_libdw(const void *caller)
{
	Dl_info from;
	return dladdr(caller, &from) && strstr(from.dli_fname, "/libdw");
}

static bool fails(const void *caller)
{
	if (is_libdw(caller))
		return false;
	if (atomic_fetch_add(&count, 1) + 1 != fail_at)
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
