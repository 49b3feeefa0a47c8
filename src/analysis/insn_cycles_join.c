/* Cycles by instruction of a region's parts, which other processes simulated, made one. */
#include "analysis/insn_cycles.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct insn_cycles_site) % sizeof(uint64_t) == 0, "nothing but counters");
enum { SITE_COUNTERS = sizeof(struct insn_cycles_site) / sizeof(uint64_t) };

void insn_cycles_restart(struct insn_cycles *p)
{
	for (size_t i = 0; i < p->used; i++)
		for (size_t k = 0; k < INSN_CYCLES_PLACES; k++) {
			struct insn_cycles_place *place = &p->pages[i]->places[k];
			place->commit_cycles = place->count = 0;
			if (place->site)
				memset(place->site, 0, sizeof *place->site);
		}
}

static bool is_empty(const struct insn_cycles_place *place, bool entry)
{
	return !place->commit_cycles && !place->count && !place->site && !entry;
}

/* As this process has it in memory: the other one is of the same program. */
static void write_page(const struct insn_cycles_page *page, struct bytes *to)
{
	for (size_t i = 0; i < INSN_CYCLES_PLACES; i++) {
		const struct insn_cycles_place *place = &page->places[i];
		if (is_empty(place, page->entries[i]))
			continue;
		bytes_put(to, 1 + 2 * page->entries[i] + 4 * (place->site != NULL), 1);
		bytes_put(to, i, 2);
		bytes_put(to, place->commit_cycles, 8);
		bytes_put(to, place->count, 8);
		if (place->site)
			bytes_put_raw(to, place->site, sizeof *place->site);
	}
	bytes_put(to, 0, 1);
}

void insn_cycles_write(const struct insn_cycles *p, struct bytes *to)
{
	bytes_put(to, p->used, 8);
	for (size_t i = 0; i < p->used; i++) {
		bytes_put(to, p->pages[i]->number, 8);
		write_page(p->pages[i], to);
	}
}

static bool add_site(struct insn_cycles_place *place, struct cursor *from)
{
	struct insn_cycles_site site;
	uint64_t more[SITE_COUNTERS], sum[SITE_COUNTERS];
	if (!place->site && !(place->site = calloc(1, sizeof *place->site)))
		return false;
	if (!cursor_copy(from, &site, sizeof site))
		return true;
	memcpy(more, &site, sizeof site);
	memcpy(sum, place->site, sizeof site);
	for (size_t i = 0; i < SITE_COUNTERS; i++)
		sum[i] += more[i];
	memcpy(place->site, sum, sizeof sum);
	return true;
}

static bool add_page(struct insn_cycles_page *page, struct cursor *from)
{
	uint64_t what;
	while ((what = cursor_get(from, 1)) && !from->failed) {
		uint64_t i = cursor_get(from, 2);
		if (i >= INSN_CYCLES_PLACES) {
			from->failed = true;
			return true;
		}
		page->entries[i] |= (what & 2) != 0;
		page->places[i].commit_cycles += cursor_get(from, 8);
		page->places[i].count += cursor_get(from, 8);
		if ((what & 4) && !add_site(&page->places[i], from))
			return false;
	}
	return true;
}

bool insn_cycles_add(struct insn_cycles *p, struct cursor *from, struct error *err)
{
	uint64_t pages = cursor_get(from, 8);
	for (uint64_t i = 0; i < pages && !from->failed; i++) {
		struct insn_cycles_page *page = insn_cycles_page(p, cursor_get(from, 8));
		if (!page || !add_page(page, from))
			return error_set(err, ERROR_SYSTEM, "out of memory for the cycles of instructions");
	}
	return !from->failed || error_set(err, ERROR_INTERNAL, "a part's cycles of instructions are not whole");
}
