/* The process's mappings, beside the page permissions that the executor asks. They are disjoint, and kept in a tree
 * sorted by address, so that neither finding one nor finding room takes time in proportion to their number. */
#ifndef CULPRIT_GUEST_MEMORY_MAP_H
#define CULPRIT_GUEST_MEMORY_MAP_H

#include "guest/process.h"

#define REGIONS_MAX 65530 /* as Linux has it by default */
/* Of those that share memory, in all processes: each is a mapping of the host, which may have one more on either side
 * of it, and the host has 65,530 for the simulator as a whole. */
#define SHARED_REGIONS_MAX 24576

struct region {
	uint64_t start, end;
	unsigned perm; /* enum page_permission */
	bool shared;
	bool text;		/* a file's pages that were never writable: the same ones in every process */
	bool fleeting;		/* the file is the guest's own: one of that name may be another tomorrow */
	bool sealed;		/* shared, of a file that may not be written: memfd.c */
	bool charged;		/* counts against the guest's memory: it has been writable, or holds a file's bytes */
	uint64_t offset;	/* of `start` in the file */
	char *path;		/* guest path, "[heap]", ... or NULL */
	struct open_file *file; /* shared and writable: to be written back; else NULL */
	struct common *common;	/* shared with other mappings; else NULL */
	uint64_t common_at;	/* of `start` in it */
	uint64_t frame;		/* guest_frame(start); 0 in region_map = its own */

	/* region_tree.c: the tree's own */
	struct region *left, *right;
	uint32_t priority;
	uint64_t low, high; /* first and last address of the subtree */
	uint64_t gap;	    /* its widest hole */
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
bool region_unmap(struct guest *g, uint64_t start, uint64_t end); /* false: too many mappings would be left */
/* False when part of the range is not mapped (what was before it has been changed, as Linux does), or no memory. */
bool region_protect(struct guest *g, uint64_t start, uint64_t end, unsigned perm);
struct region *region_at(const struct guest *g, uint64_t address); /* NULL = not mapped */
/* In order of address: the first that ends above `address`; NULL = none. So region_from(g, 0), then (g, r->end). */
struct region *region_from(const struct guest *g, uint64_t address);
bool region_is_free(const struct guest *g, uint64_t start, uint64_t end);
uint64_t region_find_free(const struct guest *g, uint64_t length); /* 0 = no room */
void regions_destroy(struct guest *g);
void region_drop(struct guest *g, struct region *r); /* what a region not mapped holds */
unsigned region_page_permission(const struct guest *g, const struct region *r);

/* region_tree.c: a treap. `region_tree_cut` parts what starts below `address` from the rest. */
void region_tree_alone(struct region *r); /* a tree of one */
struct region *region_tree_join(struct region *low, struct region *high);
void region_tree_cut(struct region *tree, uint64_t address, struct region **low, struct region **high);
struct region *region_tree_from(struct region *tree, uint64_t address);
/* The highest hole of `length` bytes that ends at or below `limit`: its end; 0 = none between two regions or below. */
uint64_t region_tree_hole(const struct region *tree, uint64_t length, uint64_t limit);

/* space.c */
struct space *space_create(struct guest *g, struct error *err);
struct space *space_copy(struct guest *g, struct space *from); /* NULL: no memory, or too many */
void space_enter(struct guest *g, struct space *s);
void space_release(struct guest *g, struct space *s); /* not the one entered, unless another has it */

/* frames.c: where the page at an address lies, for caches, and for futexes between processes */
uint64_t frame_of_text(struct guest *g, const struct region *r);
void frames_destroy(struct guest *g);
uint64_t frame_tag(const void *guest, uint64_t pc);

/* shared_memory.c */
struct common *common_create(struct guest *g, uint64_t size);
struct common *common_retain(struct common *c);
void common_release(struct guest *g, struct common *c);
bool common_save(struct guest *g); /* before and after fork() of the simulator: isolate.c */
bool common_isolate(struct guest *g);

#endif
