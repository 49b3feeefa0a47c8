/* Memory calls. File mappings are copies read at mmap time; a shared writable one of a host's file is written back to
 * it at msync, munmap and exit. Files in memory and anonymous mappings are really shared. Pages past the end of a file
 * read as zero instead of raising SIGBUS. */
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/load.h"
#include "guest/memory_map.h"

#include <stdlib.h>

static unsigned perm_of(uint64_t prot)
{
	unsigned perm = 0;

	if (prot & GUEST_PROT_READ)
		perm |= PAGE_READ;
	if (prot & GUEST_PROT_WRITE)
		perm |= PAGE_READ | PAGE_WRITE; /* as Sv39: no write-only pages */
	if (prot & GUEST_PROT_EXEC)
		perm |= PAGE_EXEC;
	return perm;
}

static bool range_valid(uint64_t start, uint64_t length)
{
	return !(start & (GUEST_PAGE_SIZE - 1)) && length <= ADDRESS_SPACE_LIMIT &&
	       start <= ADDRESS_SPACE_LIMIT - length;
}

int64_t sys_brk(struct guest *g, const uint64_t *args)
{
	struct memory_map *map = &g->space->map;
	uint64_t old_end = page_up(map->brk), new_end;

	if (args[0] < map->brk_start || args[0] > map->brk_limit)
		return (int64_t)map->brk;
	new_end = page_up(args[0]);
	if (new_end > old_end) {
		struct region heap = {.start = old_end, .end = new_end, .perm = PAGE_READ | PAGE_WRITE};

		if (!region_is_free(g, old_end, new_end) || !region_map(g, &heap))
			return (int64_t)map->brk;
	} else if (new_end < old_end) {
		region_unmap(g, new_end, old_end);
	}
	map->brk = args[0];
	return (int64_t)map->brk;
}

/* Where the mapping goes: the address, or a negated errno. */
static int64_t mmap_place(struct guest *g, uint64_t hint, uint64_t length, uint64_t flags)
{
	uint64_t address;

	if (flags & (GUEST_MAP_FIXED | GUEST_MAP_FIXED_NOREPLACE)) {
		if (hint & (GUEST_PAGE_SIZE - 1))
			return -GUEST_EINVAL;
		if (!range_valid(hint, length))
			return -GUEST_ENOMEM;
		if ((flags & GUEST_MAP_FIXED_NOREPLACE) && !region_is_free(g, hint, hint + length))
			return -GUEST_EEXIST;
		return hint < GUEST_LOWEST ? -GUEST_EPERM : (int64_t)hint;
	}
	hint = page_up(hint);
	if (hint >= GUEST_LOWEST && range_valid(hint, length) && hint + length <= g->space->map.top &&
	    region_is_free(g, hint, hint + length))
		return (int64_t)hint;
	address = region_find_free(g, length);
	return address ? (int64_t)address : -GUEST_ENOMEM;
}

static int64_t mmap_check_file(struct open_file *f, uint64_t prot, uint64_t flags)
{
	if (!f || (f->flags & GUEST_O_PATH))
		return -GUEST_EBADF;
	if (!f->ops->seekable || !f->ops->read)
		return -GUEST_ENODEV;
	if (!file_readable(f))
		return -GUEST_EACCES;
	if ((flags & GUEST_MAP_TYPE) == GUEST_MAP_PRIVATE || !(prot & GUEST_PROT_WRITE))
		return 0;
	return !file_writable(f) ? -GUEST_EACCES : memfd_forbids_writing(f) ? -GUEST_EPERM : 0;
}

static void mmap_fill(struct guest *g, struct open_file *f, uint64_t address, uint64_t length, uint64_t offset)
{
	uint8_t *to = address_space_host(&g->memory, address);

	while (length) {
		int64_t got = f->ops->read(g, f, to, length, offset);

		if (got <= 0)
			break;
		to += got;
		offset += (uint64_t)got;
		length -= (uint64_t)got;
	}
}

/* What a shared mapping shares. False: no memory. */
static bool mmap_share(struct guest *g, struct region *r, struct open_file *f)
{
	if (f && f->ops->common) {
		r->common = f->ops->common(g, f);
		r->common_at = r->offset;
	} else if (!f || r->file) {
		r->common = common_create(g, r->end - r->start);
	} else {
		return true;
	}
	return r->common != NULL;
}

int64_t guest_mmap(struct guest *g, uint64_t hint, uint64_t length, uint64_t prot, uint64_t flags, struct open_file *f,
		   uint64_t offset)
{
	struct region region = {
		.perm = perm_of(prot), .shared = (flags & GUEST_MAP_TYPE) != GUEST_MAP_PRIVATE, .offset = offset};
	int64_t address = mmap_place(g, hint, length, flags);

	if (address < 0)
		return address;
	region.fleeting = f && f->ops->common;
	region.sealed = region.fleeting && region.shared && (memfd_forbids_writing(f) || !file_writable(f));
	region.start = (uint64_t)address;
	region.end = region.start + length;
	if (f && f->path && !(region.path = strdup(f->path)))
		return -GUEST_ENOMEM;
	if (f && region.shared && (prot & GUEST_PROT_WRITE)) {
		region.file = f;
		file_retain(f);
	}
	if ((region.shared && !mmap_share(g, &region, f)) || !region_map(g, &region)) {
		region_drop(g, &region);
		return -GUEST_ENOMEM;
	}
	if (f && !(region.common && f->ops->common))
		mmap_fill(g, f, region.start, length, offset);
	return address;
}

/* The guest has not so much left. That is said once, since the user may raise --memory; whether it was is kept where
 * calls that are not known have theirs, in mmap's bit, which none of them has. */
static void note_refusal(struct guest *g, uint64_t length)
{
	enum { SLOT = 222 }; /* mmap */
	uint64_t left = g->memory_limit - g->memory_used;
	uint8_t *said = &g->complained[SLOT / 8];

	if (length <= left || *said >> SLOT % 8 & 1)
		return;
	*said |= (uint8_t)(1 << SLOT % 8);
	guest_complain(g,
		       "a mapping of %lu MiB was refused (ENOMEM): of the %lu MiB that the guest may use %lu are left; "
		       "--memory gives it more",
		       (unsigned long)(length >> 20), (unsigned long)(g->memory_limit >> 20),
		       (unsigned long)(left >> 20));
}

int64_t sys_mmap(struct guest *g, const uint64_t *args)
{
	uint64_t length = page_up(args[1]), prot = args[2], flags = args[3];
	struct open_file *f = NULL;
	int64_t result;

	if (!args[1] || (args[5] & (GUEST_PAGE_SIZE - 1)) || !(flags & GUEST_MAP_TYPE))
		return -GUEST_EINVAL;
	if (!length || length > ADDRESS_SPACE_LIMIT)
		return -GUEST_ENOMEM;
	if (!(flags & GUEST_MAP_ANONYMOUS)) {
		f = descriptor_file(g, args[4]);
		result = mmap_check_file(f, prot, flags);
		if (result)
			return result;
	}
	result = guest_mmap(g, args[0], length, prot, flags, f, args[5]);
	if (result == -GUEST_ENOMEM && (f || (prot & GUEST_PROT_WRITE)))
		note_refusal(g, length);
	if (result >= 0 && f && (prot & GUEST_PROT_EXEC))
		object_note_mapping(g, f, (uint64_t)result, length, args[5]);
	return result;
}

int64_t sys_munmap(struct guest *g, const uint64_t *args)
{
	uint64_t length = page_up(args[1]);

	if (!args[1] || !length || !range_valid(args[0], length))
		return -GUEST_EINVAL;
	return region_unmap(g, args[0], args[0] + length) ? 0 : -GUEST_ENOMEM;
}

static bool any_sealed(const struct guest *g, uint64_t start, uint64_t end)
{
	for (const struct region *r = region_from(g, start); r && r->start < end; r = region_from(g, r->end))
		if (r->sealed)
			return true;
	return false;
}

int64_t sys_mprotect(struct guest *g, const uint64_t *args)
{
	uint64_t length = page_up(args[1]);

	if ((args[0] & (GUEST_PAGE_SIZE - 1)) || (args[2] & ~7ull))
		return -GUEST_EINVAL;
	if (!args[1])
		return 0;
	if (!length || !range_valid(args[0], length))
		return -GUEST_ENOMEM;
	if ((args[2] & GUEST_PROT_WRITE) && any_sealed(g, args[0], args[0] + length))
		return -GUEST_EACCES;
	if (region_protect(g, args[0], args[0] + length, perm_of(args[2])))
		return 0;
	if (args[2] & GUEST_PROT_WRITE)
		note_refusal(g, length);
	return -GUEST_ENOMEM;
}

/* Move the first `length` bytes of a mapping to `to`, which is mapped afresh with `new_length` bytes. */
static int64_t mremap_move(struct guest *g, uint64_t from, uint64_t length, uint64_t to, uint64_t new_length)
{
	struct region *old = region_at(g, from);
	struct region region = *old;

	region.offset += from - old->start;
	region.common_at += from - old->start;
	region.frame = 0;
	region.start = to;
	region.end = to + new_length;
	if (old->path && !(region.path = strdup(old->path)))
		return -GUEST_ENOMEM;
	if (region.file)
		file_retain(region.file);
	if (region.common) {
		common_retain(region.common);
		if (region.common_at + new_length > region.common->size) {
			region_drop(g, &region);
			return -GUEST_ENOMEM;
		}
	}
	if (!region_map(g, &region)) {
		region_drop(g, &region);
		return -GUEST_ENOMEM;
	}
	if (!region.common)
		memcpy(address_space_host(&g->memory, to), address_space_host(&g->memory, from),
		       length < new_length ? length : new_length);
	region_unmap(g, from, from + length);
	return (int64_t)to;
}

static bool mremap_grow(struct guest *g, uint64_t start, uint64_t length, uint64_t new_length)
{
	struct region *old = region_at(g, start);
	struct region more = {.start = start + length, .end = start + new_length, .perm = old->perm};

	if (old->end != start + length || old->path || old->file || old->common || more.end > ADDRESS_SPACE_LIMIT ||
	    !region_is_free(g, more.start, more.end))
		return false;
	more.shared = old->shared;
	return region_map(g, &more);
}

int64_t sys_mremap(struct guest *g, const uint64_t *args)
{
	enum { MAYMOVE = 1, FIXED = 2 };
	uint64_t start = args[0], length = page_up(args[1]), new_length = page_up(args[2]), to = args[4];
	struct region *old;

	if ((args[3] & ~3ull) || !args[2] || !new_length || !range_valid(start, length) ||
	    ((args[3] & FIXED) && (!(args[3] & MAYMOVE) || !range_valid(to, new_length))))
		return -GUEST_EINVAL;
	if (!length || new_length > ADDRESS_SPACE_LIMIT)
		return -GUEST_EINVAL;
	old = region_at(g, start);
	if (!old || old->end < start + length)
		return -GUEST_EFAULT;
	if (args[3] & FIXED) {
		if (to < start + length && start < to + new_length)
			return -GUEST_EINVAL;
		return mremap_move(g, start, length, to, new_length);
	}
	if (new_length <= length) {
		if (new_length < length)
			region_unmap(g, start + new_length, start + length);
		return (int64_t)start;
	}
	if (mremap_grow(g, start, length, new_length))
		return (int64_t)start;
	if (!(args[3] & MAYMOVE))
		return -GUEST_ENOMEM;
	to = region_find_free(g, new_length);
	return to ? mremap_move(g, start, length, to, new_length) : -GUEST_ENOMEM;
}

static int64_t madvise_discard(struct guest *g, uint64_t start, uint64_t end)
{
	while (start < end) {
		struct region *r = region_at(g, start);
		uint64_t stop;

		if (!r)
			return -GUEST_ENOMEM;
		stop = r->end < end ? r->end : end;
		if (!r->path && !r->file && !r->common &&
		    !address_space_map(&g->memory, start, stop - start, region_page_permission(g, r), true, NULL))
			return -GUEST_ENOMEM;
		start = stop;
	}
	return 0;
}

int64_t sys_madvise(struct guest *g, const uint64_t *args)
{
	enum { DONTNEED = 4 };
	uint64_t length = page_up(args[1]);

	if (!range_valid(args[0], length))
		return -GUEST_EINVAL;
	return args[2] == DONTNEED ? madvise_discard(g, args[0], args[0] + length) : 0;
}

int64_t sys_msync(struct guest *g, const uint64_t *args)
{
	uint64_t length = page_up(args[1]);

	if (!range_valid(args[0], length))
		return -GUEST_EINVAL;
	if (length && !region_at(g, args[0]))
		return -GUEST_ENOMEM;
	regions_write_back(g, args[0], args[0] + length);
	return 0;
}

int64_t sys_mlock(struct guest *g, const uint64_t *args)
{
	return 0;
}

int64_t sys_mincore(struct guest *g, const uint64_t *args)
{
	uint64_t pages = page_up(args[1]) / GUEST_PAGE_SIZE;

	if (!range_valid(args[0], page_up(args[1])))
		return -GUEST_EINVAL;
	for (uint64_t done = 0; done < pages;) {
		uint64_t at = args[0] + done * GUEST_PAGE_SIZE, step;
		const struct region *r = region_at(g, at);

		if (!r)
			return -GUEST_ENOMEM;
		step = (r->end - at) / GUEST_PAGE_SIZE;
		if (step > pages - done)
			step = pages - done;
		if (user_span(g, args[2] + done, step, PAGE_WRITE) != step)
			return -GUEST_EFAULT;
		memset(address_space_host(&g->memory, args[2] + done), 1, step);
		done += step;
	}
	return 0;
}

int64_t sys_riscv_flush_icache(struct guest *g, const uint64_t *args)
{
	riscv_code_flush(g->code);
	return 0;
}
