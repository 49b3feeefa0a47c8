/* The guest's address space as the executor sees it: one reserved host range plus one permission byte per page.
 *
 * Guest address a lives at host address base + a, for a < ADDRESS_SPACE_LIMIT (Sv39's user half). The range is
 * reserved without commitment, so untouched pages cost nothing and fork() shares the rest copy-on-write.
 * Every access asks the page's permission byte first: a bad guest pointer is a value, never a host fault. */
#ifndef CULPRIT_RISCV_ADDRESS_SPACE_H
#define CULPRIT_RISCV_ADDRESS_SPACE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define ADDRESS_SPACE_BITS 38
#define ADDRESS_SPACE_LIMIT (1ull << ADDRESS_SPACE_BITS)
#define GUEST_PAGE_BITS 12
#define GUEST_PAGE_SIZE (1ull << GUEST_PAGE_BITS)

/* ELSEWHERE: not in a frame of its own address space's (guest_frame). */
enum page_permission { PAGE_READ = 1, PAGE_WRITE = 2, PAGE_EXEC = 4, PAGE_MAPPED = 8, PAGE_ELSEWHERE = 16 };

struct address_space {
	uint8_t *base; /* host address of guest address 0 */
	uint8_t *perm; /* one byte of enum page_permission bits per page */
};

bool address_space_create(struct address_space *as, struct error *err);
void address_space_destroy(struct address_space *as);

/* Set the permissions of whole pages; address and length are page multiples below the limit.
 * `fresh`: the pages read as zero afterwards (new mapping). perm 0 unmaps. */
bool address_space_map(struct address_space *as, uint64_t addr, uint64_t length, unsigned perm, bool fresh,
		       struct error *err);

/* Let whole pages be those of a host file, which other address spaces may have, too; or private ones again. What
 * they may be used for is not changed. */
bool address_space_share(struct address_space *as, uint64_t addr, uint64_t length, int host, uint64_t offset);
void address_space_unshare(struct address_space *as, uint64_t addr, uint64_t length);

/* Copy what is in these pages: those never touched are left so. Both are mapped. */
void address_space_copy(struct address_space *to, const struct address_space *from, uint64_t addr, uint64_t length);

/* From now on the host is to give single pages, never huge ones. */
void address_space_small_pages(struct address_space *as);

/* May [addr, addr+size) be accessed with every bit of perm? size may be anything, also across pages. */
bool address_space_allows(const struct address_space *as, uint64_t addr, uint64_t size, unsigned perm);

/* Copy in and out with checks; false = EFAULT (nothing or part was copied). */
bool address_space_read(const struct address_space *as, void *to, uint64_t addr, uint64_t size);
bool address_space_write(struct address_space *as, uint64_t addr, const void *from, uint64_t size);

static inline uint8_t *address_space_host(const struct address_space *as, uint64_t addr)
{
	return as->base + addr;
}

#endif
