/* See address_space.h. Both ranges are reserved at once: the guest's memory without access, the permission bytes
 * readable and writable (untouched ones are the kernel's zero page). The first mapping of a guest page opens its host
 * page for good: the permission byte alone decides afterwards, so that unmapping is one madvise and the host's list of
 * mappings stays short. */
#include "riscv/address_space.h"

#include <errno.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PERM_BYTES (ADDRESS_SPACE_LIMIT >> GUEST_PAGE_BITS)
#define HOST_BITS 47 /* of a process's addresses */
#define RESERVED (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* Where the host finds no room by itself: valgrind looks for it in a small part of its address space only, and gives
 * the rest to who asks for a place there. */
static uint8_t *reserve_guest(void)
{
	uint8_t *base = mmap(NULL, ADDRESS_SPACE_LIMIT, PROT_NONE, RESERVED, -1, 0);
	for (uint64_t at = ADDRESS_SPACE_LIMIT; base == MAP_FAILED && at >> HOST_BITS == 0; at += ADDRESS_SPACE_LIMIT)
		base = mmap((void *)(uintptr_t)at, ADDRESS_SPACE_LIMIT, PROT_NONE, RESERVED, -1, 0);
	return base;
}

bool address_space_create(struct address_space *as, struct error *err)
{
	as->perm = mmap(NULL, PERM_BYTES, PROT_READ | PROT_WRITE, RESERVED, -1, 0);
	if (as->perm == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "cannot reserve the guest's page permissions: %s", strerror(errno));
	as->base = reserve_guest();
	if (as->base == MAP_FAILED) {
		munmap(as->perm, PERM_BYTES);
		return error_set(
			err, ERROR_SYSTEM,
			"cannot reserve %llu GiB of address space for the guest (is there a limit, ulimit -v?): %s",
			ADDRESS_SPACE_LIMIT >> 30, strerror(errno));
	}
	return true;
}

void address_space_destroy(struct address_space *as)
{
	munmap(as->base, ADDRESS_SPACE_LIMIT);
	munmap(as->perm, PERM_BYTES);
	as->base = as->perm = NULL;
}

static bool is_whole_pages(uint64_t addr, uint64_t length)
{
	return ((addr | length) & (GUEST_PAGE_SIZE - 1)) == 0 && addr <= ADDRESS_SPACE_LIMIT &&
	       length <= ADDRESS_SPACE_LIMIT - addr;
}

void address_space_small_pages(struct address_space *as)
{
	madvise(as->base, ADDRESS_SPACE_LIMIT, MADV_NOHUGEPAGE);
}

/* The host's list of mappings is full: one for all that is not shared. */
static bool open_all(struct address_space *as)
{
	if (errno != ENOMEM)
		return false;
	address_space_small_pages(as);
	if (mprotect(as->base, ADDRESS_SPACE_LIMIT, PROT_READ | PROT_WRITE))
		return false;
	errno = 0;
	return true;
}

static bool open_pages(struct address_space *as, uint64_t addr, uint64_t length)
{
	return !mprotect(as->base + addr, length, PROT_READ | PROT_WRITE) || open_all(as);
}

bool address_space_map(struct address_space *as, uint64_t addr, uint64_t length, unsigned perm, bool fresh,
		       struct error *err)
{
	if (!is_whole_pages(addr, length))
		return error_set(err, ERROR_INTERNAL, "guest range %#llx+%#llx is not whole pages below the limit",
				 (unsigned long long)addr, (unsigned long long)length);
	if (length == 0)
		return true;
	if (perm && !open_pages(as, addr, length))
		return error_set(err, ERROR_SYSTEM, "no host memory for guest range %#llx+%#llx: %s",
				 (unsigned long long)addr, (unsigned long long)length, strerror(errno));
	if ((fresh || !perm) && madvise(as->base + addr, length, MADV_DONTNEED))
		return error_set(err, ERROR_SYSTEM, "cannot clear guest range %#llx+%#llx: %s",
				 (unsigned long long)addr, (unsigned long long)length, strerror(errno));
	memset(as->perm + (addr >> GUEST_PAGE_BITS), perm ? (int)(perm | PAGE_MAPPED) : 0, length >> GUEST_PAGE_BITS);
	return true;
}

bool address_space_allows(const struct address_space *as, uint64_t addr, uint64_t size, unsigned perm)
{
	if (size == 0)
		return true;
	if (addr >= ADDRESS_SPACE_LIMIT || size > ADDRESS_SPACE_LIMIT - addr)
		return false;
	for (uint64_t page = addr >> GUEST_PAGE_BITS; page <= (addr + size - 1) >> GUEST_PAGE_BITS; page++) {
		if ((as->perm[page] & perm) != perm)
			return false;
	}
	return true;
}

bool address_space_read(const struct address_space *as, void *to, uint64_t addr, uint64_t size)
{
	if (!address_space_allows(as, addr, size, PAGE_READ))
		return false;
	memcpy(to, as->base + addr, size);
	return true;
}

bool address_space_write(struct address_space *as, uint64_t addr, const void *from, uint64_t size)
{
	if (!address_space_allows(as, addr, size, PAGE_WRITE))
		return false;
	memcpy(as->base + addr, from, size);
	return true;
}

bool address_space_share(struct address_space *as, uint64_t addr, uint64_t length, int host, uint64_t offset)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
	uint8_t *at = as->base + addr;

	return mmap(at, length, prot, flags, host, (off_t)offset) != MAP_FAILED ||
	       (open_all(as) && mmap(at, length, prot, flags, host, (off_t)offset) != MAP_FAILED);
}

void address_space_unshare(struct address_space *as, uint64_t addr, uint64_t length)
{
	/* in place of a mapping that is there: the host needs nothing more for it */
	(void)mmap(as->base + addr, length, PROT_NONE, RESERVED | MAP_FIXED, -1, 0);
}

/* Which pages the host holds, by its own account: 8 bytes for each, of which two bits say so. */
static bool touched(int pagemap, const uint8_t *first, uint64_t *entries, uint64_t count)
{
	off_t at = (off_t)((uintptr_t)first / GUEST_PAGE_SIZE * sizeof *entries);

	return pagemap >= 0 &&
	       pread(pagemap, entries, count * sizeof *entries, at) == (ssize_t)(count * sizeof *entries);
}

void address_space_copy(struct address_space *to, const struct address_space *from, uint64_t addr, uint64_t length)
{
	enum { AT_ONCE = 512 };
	uint64_t entries[AT_ONCE], pages = length >> GUEST_PAGE_BITS;
	int pagemap = sysconf(_SC_PAGESIZE) == GUEST_PAGE_SIZE ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;

	for (uint64_t done = 0; done < pages; done += AT_ONCE) {
		uint64_t count = pages - done < AT_ONCE ? pages - done : AT_ONCE;
		uint64_t at = addr + (done << GUEST_PAGE_BITS);
		bool known = touched(pagemap, from->base + at, entries, count);

		for (uint64_t i = 0; i < count; i++, at += GUEST_PAGE_SIZE)
			if (!known || entries[i] >> 62)
				memcpy(to->base + at, from->base + at, GUEST_PAGE_SIZE);
	}
	if (pagemap >= 0)
		close(pagemap);
}
