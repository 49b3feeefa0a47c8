#include "checkpoint/checkpoint.h"
#include "checkpoint/format.h"

#include <stdlib.h>
#include <string.h>

struct point {
	uint64_t executed, warmup;
	uint64_t pages_before;	   /* of all points before it, */
	size_t contents_before;	   /* and bytes of those that differ */
	struct bytes state, pages; /* pages: as in the file */
};

struct checkpoint_writer {
	char *const *argv;
	struct point *points;
	size_t count, room;
	struct bytes contents; /* pages that differ */
	uint32_t *slots;       /* hash table of contents by content, number + 1; a power of two, at most half full */
	size_t slot_count;
	uint64_t pages;
	bool failed; /* out of memory */
};

static bool out_of_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the checkpoint");
}

struct checkpoint_writer *checkpoint_writer_create(char *const *argv, struct error *err)
{
	struct checkpoint_writer *w = calloc(1, sizeof *w);
	if (w)
		w->argv = argv;
	else
		out_of_memory(err);
	return w;
}

void checkpoint_writer_destroy(struct checkpoint_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->count; i++) {
		free(w->points[i].state.at);
		free(w->points[i].pages.at);
	}
	free(w->points);
	free(w->contents.at);
	free(w->slots);
	free(w);
}

/* --- pages, each content once --- */

static uint64_t hash(const uint8_t *page)
{
	uint64_t sum = 0, word;
	for (size_t i = 0; i < GUEST_PAGE_SIZE; i += sizeof word) {
		memcpy(&word, page + i, sizeof word);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
	}
	return sum;
}

static const uint8_t *content(const struct checkpoint_writer *w, uint32_t number)
{
	return w->contents.at + (size_t)number * GUEST_PAGE_SIZE;
}

static uint32_t *find(uint32_t *slots, size_t count, const struct checkpoint_writer *w, const uint8_t *page)
{
	size_t i = hash(page) & (count - 1);
	while (slots[i] && memcmp(content(w, slots[i] - 1), page, GUEST_PAGE_SIZE) != 0)
		i = (i + 1) & (count - 1);
	return &slots[i];
}

static bool grow(struct checkpoint_writer *w, uint32_t contents)
{
	size_t count = w->slot_count ? 2 * w->slot_count : 4096;
	uint32_t *slots = calloc(count, sizeof *slots);
	if (!slots)
		return false;
	for (uint32_t i = 0; i < contents; i++)
		*find(slots, count, w, content(w, i)) = i + 1;
	free(w->slots);
	w->slots = slots;
	w->slot_count = count;
	return true;
}

/* Its number, from 1; 0: out of memory. */
static uint32_t number_of(struct checkpoint_writer *w, const uint8_t *page)
{
	uint32_t contents = (uint32_t)(w->contents.size / GUEST_PAGE_SIZE);
	if (2 * (size_t)(contents + 1) > w->slot_count && !grow(w, contents))
		return 0;
	uint32_t *slot = find(w->slots, w->slot_count, w, page);
	if (*slot)
		return *slot;
	bytes_put_raw(&w->contents, page, GUEST_PAGE_SIZE);
	return w->contents.failed ? 0 : (*slot = contents + 1);
}

static void add_page(void *context, uint64_t page, const uint8_t *bytes)
{
	struct checkpoint_writer *w = context;
	struct point *p = &w->points[w->count - 1];
	uint32_t number = number_of(w, bytes);
	if (!number)
		w->failed = true;
	bytes_put(&p->pages, page, 8);
	bytes_put(&p->pages, number ? number - 1 : 0, 4);
	w->pages++;
}

/* --- checkpoints --- */

bool checkpoint_writer_add(struct checkpoint_writer *w, struct guest *guest, uint64_t executed, uint64_t warmup,
			   struct error *err)
{
	if (w->count == w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		struct point *points = realloc(w->points, room * sizeof *points);
		if (!points)
			return out_of_memory(err);
		w->points = points;
		w->room = room;
	}
	struct point *p = &w->points[w->count++];
	*p = (struct point){executed, warmup, w->pages, w->contents.size, {.at = NULL}, {.at = NULL}};
	TRY(guest_save(guest, &p->state, err) ||
	    error_context(err, "after %llu instructions", (unsigned long long)executed));
	guest_visit_pages(guest, add_page, w);
	return !(w->failed || p->state.failed || p->pages.failed) || out_of_memory(err);
}

void checkpoint_writer_keep(struct checkpoint_writer *w, size_t count)
{
	while (w->count > count) {
		struct point *p = &w->points[--w->count];
		w->pages = p->pages_before;
		w->contents.size = p->contents_before;
		free(p->state.at);
		free(p->pages.at);
	}
}

void checkpoint_writer_size(const struct checkpoint_writer *w, uint64_t *pages, uint64_t *different)
{
	*pages = w->pages;
	*different = w->contents.size / GUEST_PAGE_SIZE;
}

static void put_head(const struct checkpoint_writer *w, struct bytes *to)
{
	uint64_t arguments = 0;
	while (w->argv[arguments])
		arguments++;
	bytes_put(to, arguments, 8);
	for (size_t i = 0; i < arguments; i++)
		bytes_put_text(to, w->argv[i]);
	bytes_put(to, w->count, 8);
	for (size_t i = 0; i < w->count; i++) {
		bytes_put(to, w->points[i].executed, 8);
		bytes_put(to, w->points[i].warmup, 8);
		bytes_put(to, w->points[i].state.size, 8);
		bytes_put(to, w->points[i].pages.size / PAGE_ENTRY, 8);
	}
}

bool checkpoint_writer_finish(const struct checkpoint_writer *w, FILE *out, struct error *err)
{
	struct bytes all = {.at = NULL};
	put_head(w, &all);
	for (size_t i = 0; i < w->count; i++) {
		bytes_put_raw(&all, w->points[i].state.at, w->points[i].state.size);
		bytes_put_raw(&all, w->points[i].pages.at, w->points[i].pages.size);
	}
	bytes_put(&all, w->contents.size / GUEST_PAGE_SIZE, 8);
	bytes_put_raw(&all, w->contents.at, w->contents.size);
	bool good = codec_write(&checkpoint_codec, GUEST_PAGE_SIZE, &all, out, err);
	free(all.at);
	return good;
}
