/* The mappings, for checkpoints; the content of their pages is the checkpoint's own. */
#include "guest/archive.h"
#include "guest/memory_map.h"

#include <stdlib.h>

static void region_archive(struct archive *a, struct region *r)
{
	ARCHIVE(a, r->start);
	ARCHIVE(a, r->end);
	ARCHIVE(a, r->perm);
	archive_flag(a, &r->shared);
	archive_flag(a, &r->charged);
	archive_flag(a, &r->text);
	archive_flag(a, &r->fleeting);
	ARCHIVE(a, r->offset);
	archive_text(a, &r->path);
}

static void save_regions(struct guest *g, struct archive *a)
{
	bytes_put(a->to, g->space->map.count, 8);
	for (struct region *r = region_from(g, 0); r; r = region_from(g, r->end)) {
		if (r->file)
			archive_fail(a, "the program has a shared mapping of %s, which cannot be saved yet",
				     r->path ? r->path : "a file");
		if (r->common)
			archive_fail(a, "the program has shared memory, which cannot be saved yet");
		region_archive(a, r);
	}
}

static bool is_region(const struct region *r, uint64_t above)
{
	return r->start >= above && r->start < r->end && r->end <= ADDRESS_SPACE_LIMIT &&
	       !((r->start | r->end) & (GUEST_PAGE_SIZE - 1)) &&
	       !(r->perm & ~(unsigned)(PAGE_READ | PAGE_WRITE | PAGE_EXEC | PAGE_MAPPED));
}

static void load_regions(struct guest *g, struct archive *a)
{
	uint64_t count = 0, above = 0;

	archive_count(a, &count, REGIONS_MAX);
	for (uint64_t i = 0; i < count && !a->failed; i++) {
		struct region r = {0};

		region_archive(a, &r);
		r.frame = r.text ? 0 : r.start; /* pages of a file that were ever written are the space's own */
		if (a->from.failed || !is_region(&r, above)) {
			free(r.path);
			archive_fail(a, "it has a mapping that cannot be made");
		} else if (!region_map(g, &r)) {
			free(r.path);
			archive_no_memory(a); /* the guest's (--memory), or the host's */
		}
		above = r.end;
	}
}

void map_archive(struct guest *g, struct archive *a)
{
	struct memory_map *m = &g->space->map;

	if (a->loading)
		load_regions(g, a);
	else
		save_regions(g, a);
	ARCHIVE(a, m->top);
	ARCHIVE(a, m->brk_start);
	ARCHIVE(a, m->brk);
	ARCHIVE(a, m->brk_limit);
	ARCHIVE(a, m->stack_start);
	ARCHIVE(a, m->stack_end);
	if (m->top > ADDRESS_SPACE_LIMIT || m->brk > ADDRESS_SPACE_LIMIT || m->brk_limit > ADDRESS_SPACE_LIMIT ||
	    m->brk < m->brk_start || m->stack_end > ADDRESS_SPACE_LIMIT)
		archive_fail(a, "its heap or stack lies where none can be");
}
