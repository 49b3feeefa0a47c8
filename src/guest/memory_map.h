/* The process's mappings, beside the page permissions that the executor asks. */
#ifndef CULPRIT_GUEST_MEMORY_MAP_H
#define CULPRIT_GUEST_MEMORY_MAP_H

#include "guest/process.h"

struct region {
	uint64_t start, end;
	unsigned perm; /* enum page_permission */
	bool shared;
	uint64_t offset;	/* of `start` in the file */
	char *path;		/* guest path, "[heap]", ... or NULL */
	struct open_file *file; /* shared and writable: to be written back; else NULL */
};

static inline uint64_t page_down(uint64_t address)
{
	return address & ~(GUEST_PAGE_SIZE - 1);
}
static inline uint64_t page_up(uint64_t address)
{
	return page_down(address + GUEST_PAGE_SIZE - 1);
}

/* Map fresh pages over whatever was there. Copies *region, taking over path and file. False: no memory. */
bool region_map(struct guest *g, const struct region *region);
void region_unmap(struct guest *g, uint64_t start, uint64_t end);
/* False when part of the range is not mapped (what was before it has been changed, as Linux does). */
bool region_protect(struct guest *g, uint64_t start, uint64_t end, unsigned perm);
struct region *region_at(struct guest *g, uint64_t address); /* NULL = not mapped */
bool region_is_free(const struct guest *g, uint64_t start, uint64_t end);
uint64_t region_find_free(const struct guest *g, uint64_t length); /* 0 = no room */
void regions_destroy(struct guest *g);

#endif
