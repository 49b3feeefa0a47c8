/* The list of mappings: sorted, disjoint, split where a call touches part of one. Placement goes down from map.top, the
 * highest gap that is large enough, so that addresses are the same in every run. */
#include "guest/memory_map.h"

#include "guest/files.h"

#include <stdlib.h>

static size_t region_index(const struct guest *g, uint64_t address)
{
	size_t low = 0, high = g->map.count;

	while (low < high) { /* the first region that ends above the address */
		size_t middle = (low + high) / 2;

		if (g->map.regions[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct region *region_at(struct guest *g, uint64_t address)
{
	size_t i = region_index(g, address);

	return i < g->map.count && g->map.regions[i].start <= address ? &g->map.regions[i] : NULL;
}

bool region_is_free(const struct guest *g, uint64_t start, uint64_t end)
{
	size_t i = region_index(g, start);

	return i == g->map.count || g->map.regions[i].start >= end;
}

uint64_t region_find_free(const struct guest *g, uint64_t length)
{
	uint64_t end = g->map.top;

	for (size_t i = region_index(g, g->map.top); i-- > 0;) {
		const struct region *r = &g->map.regions[i];

		if (r->end <= end && end - r->end >= length)
			return end - length;
		if (r->start < end)
			end = r->start;
	}
	return end > length && end - length >= 16 * GUEST_PAGE_SIZE ? end - length : 0;
}

static bool region_room(struct guest *g)
{
	size_t room = g->map.room ? g->map.room * 2 : 64;
	struct region *regions;

	if (g->map.count + 2 < g->map.room)
		return true;
	regions = realloc(g->map.regions, room * sizeof(*regions));
	if (!regions)
		return false;
	g->map.regions = regions;
	g->map.room = room;
	return true;
}

static void region_insert(struct guest *g, size_t at, const struct region *region)
{
	struct region *r = g->map.regions + at;

	memmove(r + 1, r, (g->map.count - at) * sizeof(*r));
	*r = *region;
	g->map.count++;
}

static void region_drop(struct guest *g, size_t at)
{
	struct region *r = g->map.regions + at;

	free(r->path);
	if (r->file)
		file_release(g, r->file);
	memmove(r, r + 1, (--g->map.count - at) * sizeof(*r));
}

/* Make `address` a boundary. */
static bool region_split(struct guest *g, uint64_t address)
{
	size_t i = region_index(g, address);
	struct region upper;

	if (i == g->map.count || g->map.regions[i].start >= address)
		return true;
	if (!region_room(g))
		return false;
	upper = g->map.regions[i];
	upper.offset += address - upper.start;
	upper.start = address;
	if (upper.path && !(upper.path = strdup(upper.path)))
		return false;
	if (upper.file)
		file_retain(upper.file);
	g->map.regions[i].end = address;
	region_insert(g, i + 1, &upper);
	return true;
}

static void code_changed(struct guest *g, unsigned perm)
{
	if ((perm & PAGE_EXEC) && g->code)
		riscv_code_flush(g->code);
}

/* Take [start, end) out of the list; its permissions are the caller's to set. False: no memory. */
static bool region_carve(struct guest *g, uint64_t start, uint64_t end)
{
	size_t i;

	regions_write_back(g, start, end);
	if (!region_split(g, start) || !region_split(g, end))
		return false;
	i = region_index(g, start);
	while (i < g->map.count && g->map.regions[i].start < end) {
		code_changed(g, g->map.regions[i].perm);
		region_drop(g, i);
	}
	return true;
}

void region_unmap(struct guest *g, uint64_t start, uint64_t end)
{
	if (region_carve(g, start, end))
		address_space_map(&g->memory, start, end - start, 0, true, NULL);
}

/* Neighbours that differ in nothing are one mapping, as in Linux: keeps the list short for programs that grow by
 * steps. */
static bool region_joins(const struct region *r, const struct region *next)
{
	return r->end == next->start && r->perm == next->perm && !r->path && !next->path && !r->file && !next->file;
}

static void region_join(struct guest *g, size_t i)
{
	if (i + 1 >= g->map.count || !region_joins(&g->map.regions[i], &g->map.regions[i + 1]))
		return;
	g->map.regions[i].end = g->map.regions[i + 1].end;
	region_drop(g, i + 1);
}

bool region_map(struct guest *g, const struct region *region)
{
	size_t i;

	if (!region_carve(g, region->start, region->end) || !region_room(g))
		return false;
	if (!address_space_map(&g->memory, region->start, region->end - region->start, region->perm | PAGE_MAPPED, true,
			       NULL))
		return false;
	code_changed(g, region->perm);
	i = region_index(g, region->start);
	region_insert(g, i, region);
	region_join(g, i);
	if (i)
		region_join(g, i - 1);
	return true;
}

bool region_protect(struct guest *g, uint64_t start, uint64_t end, unsigned perm)
{
	size_t i;

	if (!region_split(g, start) || !region_split(g, end))
		return false;
	i = region_index(g, start);
	while (start < end && i < g->map.count && g->map.regions[i].start == start) {
		struct region *r = &g->map.regions[i++];

		code_changed(g, r->perm | perm);
		r->perm = perm;
		if (!address_space_map(&g->memory, r->start, r->end - r->start, perm | PAGE_MAPPED, false, NULL))
			return false;
		start = r->end;
	}
	return start >= end;
}

void regions_write_back(struct guest *g, uint64_t start, uint64_t end)
{
	for (size_t i = region_index(g, start); i < g->map.count && g->map.regions[i].start < end; i++) {
		struct region *r = &g->map.regions[i];
		uint64_t from = start > r->start ? start : r->start, to = end < r->end ? end : r->end;
		uint64_t offset = r->offset + (from - r->start);
		int64_t size = r->file ? r->file->ops->size(r->file) : 0;

		if (size <= 0 || offset >= (uint64_t)size)
			continue;
		if (to - from > (uint64_t)size - offset)
			to = from + ((uint64_t)size - offset);
		r->file->ops->write(g, r->file, address_space_host(&g->memory, from), to - from, offset);
	}
}

void regions_destroy(struct guest *g)
{
	while (g->map.count)
		region_drop(g, g->map.count - 1);
	free(g->map.regions);
	g->map.regions = NULL;
	g->map.room = 0;
}
