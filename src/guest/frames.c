/* Frames: which page of memory a page of an address space lies in, as far as it matters to a simulated machine. Most
 * pages are their space's own. Pages of a program or library that were never writable are the same ones in every
 * process that has them at the same address, as Linux's page cache makes them; so are shared mappings. */
#include "guest/memory_map.h"

#include <stdlib.h>

#define TEXT_FRAMES_MAX 4096

/* The pages of a file at an address, and the space that had them first. */
struct text_frame {
	uint64_t start, end, offset, tag;
	char *path;
};

static bool same_text(const struct text_frame *t, const struct region *r)
{
	return t->start == r->start && t->end == r->end && t->offset == r->offset && !strcmp(t->path, r->path);
}

uint64_t frame_of_text(struct guest *g, const struct region *r)
{
	struct text_frame *more, *t;

	if (r->fleeting)
		return g->space->tag | r->start;
	for (size_t i = 0; i < g->text_frame_count; i++)
		if (same_text(&g->text_frames[i], r))
			return g->text_frames[i].tag | r->start;
	if (g->text_frame_count == TEXT_FRAMES_MAX)
		return g->space->tag | r->start;
	more = realloc(g->text_frames, (g->text_frame_count + 1) * sizeof(*more));
	if (!more)
		return g->space->tag | r->start;
	g->text_frames = more;
	t = &more[g->text_frame_count];
	*t = (struct text_frame){r->start, r->end, r->offset, g->space->tag, strdup(r->path)};
	g->text_frame_count += t->path != NULL;
	return g->space->tag | r->start;
}

void frames_destroy(struct guest *g)
{
	for (size_t i = 0; i < g->text_frame_count; i++)
		free(g->text_frames[i].path);
	free(g->text_frames);
}

uint64_t guest_frame(const struct guest *g, uint64_t address)
{
	const struct region *r;

	if (address >= ADDRESS_SPACE_LIMIT || !(g->memory.perm[address >> GUEST_PAGE_BITS] & PAGE_ELSEWHERE))
		return address | g->space->tag;
	r = region_at(g, address);
	return r ? r->frame + (address - r->start) : address | g->space->tag;
}

/* Code's frames have the page's own address, so that its tag is all that is added. */
uint64_t frame_tag(const void *guest, uint64_t pc)
{
	const struct guest *g = guest;
	const struct region *r = region_at(g, pc);

	return r && r->text ? r->frame - r->start : g->space->tag;
}

uint64_t guest_space(const struct guest *g)
{
	return g->space->tag;
}

bool guest_has_spaces(const struct guest *g)
{
	return g->next_space > 1;
}
