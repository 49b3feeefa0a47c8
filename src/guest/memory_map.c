/* The mappings: split where a call touches part of one. Placement goes down from map.top, the highest gap that is large
 * enough, so that addresses are the same in every run.
 *
 * What the host may have to hold is counted (`charged`): every mapping that is or was writable, and every one with a
 * file's bytes. Address space that was only reserved costs nothing. */
#include "guest/memory_map.h"

#include "guest/files.h"

#include <stdlib.h>

/* Where the host gives 2 MiB for the first byte touched, a page here and there would take 512 times what is counted:
 * with many mappings, small pages. */
#define SMALL_PAGES_FROM 512

struct region *region_from(const struct guest *g, uint64_t address)
{
	return region_tree_from(g->space->map.regions, address);
}

struct region *region_at(const struct guest *g, uint64_t address)
{
	struct region *r = region_from(g, address);

	return r && r->start <= address ? r : NULL;
}

bool region_is_free(const struct guest *g, uint64_t start, uint64_t end)
{
	const struct region *r = region_from(g, start);

	return !r || r->start >= end;
}

uint64_t region_find_free(const struct guest *g, uint64_t length)
{
	const struct region *tree = g->space->map.regions;
	uint64_t top = g->space->map.top, end = 0;

	if (tree && tree->high < top && top - tree->high >= length)
		return top - length;
	end = region_tree_hole(tree, length, top);
	if (!end) /* below them all */
		end = tree && tree->low < top ? tree->low : top;
	return end > length && end - length >= 16 * GUEST_PAGE_SIZE ? end - length : 0;
}

static uint64_t size_of(const struct region *r)
{
	return r->end - r->start;
}

static void region_free(struct guest *g, struct region *r)
{
	if (r->charged)
		guest_uncharge(g, size_of(r));
	if (r->common) {
		address_space_unshare(&g->memory, r->start, size_of(r));
		g->shared_regions--;
	}
	region_drop(g, r);
	free(r);
	g->space->map.count--;
}

void region_drop(struct guest *g, struct region *r)
{
	free(r->path);
	if (r->file)
		file_release(g, r->file);
	if (r->common)
		common_release(g, r->common);
}

static void tree_free(struct guest *g, struct region *tree)
{
	while (tree) {
		struct region *right = tree->right;

		tree_free(g, tree->left);
		region_free(g, tree);
		tree = right;
	}
}

static void tree_add(struct guest *g, struct region *r)
{
	struct region *low, *high;

	region_tree_alone(r);
	region_tree_cut(g->space->map.regions, r->start, &low, &high);
	g->space->map.regions = region_tree_join(region_tree_join(low, r), high);
}

/* Take one out of the tree, to be changed and added again or freed. */
static void tree_take(struct guest *g, struct region *r)
{
	struct region *low, *high, *own;

	region_tree_cut(g->space->map.regions, r->start, &low, &high);
	region_tree_cut(high, r->start + 1, &own, &high);
	g->space->map.regions = region_tree_join(low, high);
}

/* For one more mapping such as this. */
static bool has_room(const struct guest *g, const struct region *r)
{
	return g->space->map.count < REGIONS_MAX && (!r->common || g->shared_regions < SHARED_REGIONS_MAX);
}

/* Make `address` a boundary. */
static bool region_split(struct guest *g, uint64_t address)
{
	struct region *r = region_at(g, address), *upper;

	if (!r || r->start == address)
		return true;
	upper = has_room(g, r) ? malloc(sizeof(*upper)) : NULL;
	if (!upper)
		return false;
	*upper = *r;
	upper->offset += address - r->start;
	upper->common_at += address - r->start;
	upper->frame += address - r->start;
	upper->start = address;
	if (r->path && !(upper->path = strdup(r->path))) {
		free(upper);
		return false;
	}
	if (upper->file)
		file_retain(upper->file);
	if (upper->common) {
		common_retain(upper->common);
		g->shared_regions++;
	}
	tree_take(g, r);
	r->end = address;
	tree_add(g, r);
	tree_add(g, upper);
	g->space->map.count++;
	return true;
}

static void code_changed(struct guest *g, unsigned perm)
{
	if ((perm & PAGE_EXEC) && g->code)
		riscv_code_flush(g->code);
}

/* Take [start, end) out of the tree; its permissions are the caller's to set. False: too many mappings, no memory. */
static bool region_carve(struct guest *g, uint64_t start, uint64_t end)
{
	struct region *low, *middle, *high;

	regions_write_back(g, start, end);
	if (!region_split(g, start) || !region_split(g, end))
		return false;
	for (const struct region *r = region_from(g, start); r && r->start < end; r = region_from(g, r->end))
		code_changed(g, r->perm);
	region_tree_cut(g->space->map.regions, start, &low, &middle);
	region_tree_cut(middle, end, &middle, &high);
	g->space->map.regions = region_tree_join(low, high);
	tree_free(g, middle);
	return true;
}

bool region_unmap(struct guest *g, uint64_t start, uint64_t end)
{
	if (!region_carve(g, start, end))
		return false;
	address_space_map(&g->memory, start, end - start, 0, true, NULL);
	return true;
}

/* Neighbours that differ in nothing are one mapping, as in Linux: keeps the list short for programs that grow by
 * steps. */
static bool region_joins(const struct region *r, const struct region *next)
{
	return r->end == next->start && r->perm == next->perm && r->shared == next->shared &&
	       r->charged == next->charged && !r->path && !next->path && !r->file && !next->file && !r->common &&
	       !next->common && r->frame + (r->end - r->start) == next->frame;
}

/* With its lower neighbour, if they are alike. */
static void region_join(struct guest *g, uint64_t boundary)
{
	struct region *r = boundary ? region_at(g, boundary - 1) : NULL, *next = region_at(g, boundary);

	if (!r || !next || r == next || !region_joins(r, next))
		return;
	tree_take(g, r);
	tree_take(g, next);
	r->end = next->end;
	next->charged = false; /* both are r's now */
	region_free(g, next);
	tree_add(g, r);
}

static bool needs_charge(const struct region *r, unsigned perm)
{
	return (perm & PAGE_WRITE) || r->path || r->file;
}

#define FRAME_COMMON (1ull << 62) /* frames that belong to no space */

static uint64_t own_frame(const struct guest *g, const struct region *r)
{
	return g->space->tag | r->start;
}

unsigned region_page_permission(const struct guest *g, const struct region *r)
{
	return r->perm | PAGE_MAPPED | (r->frame == own_frame(g, r) ? 0 : PAGE_ELSEWHERE);
}

/* A mapping of something new: where it lies. */
static void region_place(struct guest *g, struct region *r)
{
	r->text = r->path && *r->path == '/' && !(r->perm & PAGE_WRITE) && !r->common;
	r->frame = r->text     ? frame_of_text(g, r)
		   : r->common ? FRAME_COMMON | (r->common->offset + r->common_at)
			       : own_frame(g, r);
}

/* Count it and open its pages. */
static bool region_allow(struct guest *g, const struct region *r)
{
	if (!has_room(g, r) || (r->charged && !guest_charge(g, size_of(r))))
		return false;
	if (address_space_map(&g->memory, r->start, size_of(r), region_page_permission(g, r), true, NULL) &&
	    (!r->common ||
	     address_space_share(&g->memory, r->start, size_of(r), g->shared, r->common->offset + r->common_at)))
		return true;
	if (r->charged)
		guest_uncharge(g, size_of(r));
	return false;
}

bool region_map(struct guest *g, const struct region *region)
{
	struct region *r = malloc(sizeof(*r));

	if (!r)
		return false;
	*r = *region;
	r->charged = region->charged || needs_charge(r, r->perm);
	if (!r->frame)
		region_place(g, r);
	if (!region_carve(g, r->start, r->end)) {
		free(r);
		return false;
	}
	if (!region_allow(g, r)) {
		address_space_map(&g->memory, r->start, size_of(r), 0, true, NULL);
		free(r);
		return false;
	}
	code_changed(g, r->perm);
	tree_add(g, r);
	g->shared_regions += r->common != NULL;
	if (++g->space->map.count == SMALL_PAGES_FROM)
		address_space_small_pages(&g->memory);
	region_join(g, region->end);
	region_join(g, region->start);
	return true;
}

/* One whole region. */
static bool protect_one(struct guest *g, struct region *r, unsigned perm)
{
	if (needs_charge(r, perm) && !r->charged) {
		if (!guest_charge(g, size_of(r)))
			return false;
		r->charged = true;
	}
	code_changed(g, r->perm | perm);
	r->perm = perm;
	if (r->text && (perm & PAGE_WRITE)) {
		r->text = false;
		r->frame = own_frame(g, r);
	}
	return address_space_map(&g->memory, r->start, size_of(r), region_page_permission(g, r), false, NULL);
}

bool region_protect(struct guest *g, uint64_t start, uint64_t end, unsigned perm)
{
	uint64_t first = start;
	struct region *r;

	if (!region_split(g, start) || !region_split(g, end))
		return false;
	while (start < end && (r = region_at(g, start))) {
		if (!protect_one(g, r, perm))
			return false;
		start = r->end;
		region_join(g, r->start);
	}
	region_join(g, start);
	region_join(g, first);
	return start >= end;
}

void regions_write_back(struct guest *g, uint64_t start, uint64_t end)
{
	for (struct region *r = region_from(g, start); r && r->start < end; r = region_from(g, r->end)) {
		uint64_t from = start > r->start ? start : r->start, to = end < r->end ? end : r->end;
		uint64_t offset = r->offset + (from - r->start);
		int64_t size = r->file ? r->file->ops->size(r->file) : 0;

		if (size <= 0 || offset >= (uint64_t)size || r->file->ops->common)
			continue;
		if (to - from > (uint64_t)size - offset)
			to = from + ((uint64_t)size - offset);
		r->file->ops->write(g, r->file, address_space_host(&g->memory, from), to - from, offset);
	}
}

void regions_destroy(struct guest *g)
{
	tree_free(g, g->space->map.regions);
	g->space->map.regions = NULL;
}
