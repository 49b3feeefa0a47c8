#include "analysis/insn_cycles.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 10 };
#define NO_PAGE UINT64_MAX

bool insn_cycles_create(struct insn_cycles *p, struct error *err)
{
	memset(p, 0, sizeof *p);
	p->room = FIRST_ROOM;
	p->pages = calloc(p->room, sizeof *p->pages);
	p->page = p->rest = calloc(1, sizeof *p->rest);
	if (!p->pages || !p->rest)
		return error_set(err, ERROR_SYSTEM, "out of memory for the cycles of instructions");
	p->rest->number = NO_PAGE;
	return true;
}

void insn_cycles_destroy(struct insn_cycles *p)
{
	for (size_t i = 0; i < p->used; i++)
		free(p->pages[i]);
	free(p->pages);
	map_destroy(&p->numbers);
	free(p->rest);
	free(p->entries);
	memset(p, 0, sizeof *p);
}

/* NULL: no memory. */
static struct insn_cycles_page *make_page(struct insn_cycles *p, uint64_t number)
{
	if (p->used == p->room) {
		struct insn_cycles_page **grown = realloc(p->pages, 2 * p->room * sizeof(struct insn_cycles_page *));
		if (!grown)
			return NULL;
		p->pages = grown;
		p->room *= 2;
	}
	struct insn_cycles_page *page = calloc(1, sizeof *page);
	if (!page || !map_put(&p->numbers, number, (uint32_t)p->used + 1)) {
		free(page);
		return NULL;
	}
	page->number = number;
	return p->pages[p->used++] = page;
}

static __attribute__((noinline)) struct insn_cycles_page *find_page(struct insn_cycles *p, uint64_t number)
{
	uint32_t known = map_get(&p->numbers, number);
	struct insn_cycles_page *page = known ? p->pages[known - 1] : p->out_of_memory ? NULL : make_page(p, number);
	p->out_of_memory |= !page;
	return page ? page : p->rest;
}

static inline bool is_call(uint8_t branch)
{
	return branch == CULPRIT_BRANCH_CALL || branch == CULPRIT_BRANCH_INDIRECT_CALL;
}

void insn_cycles_push(struct insn_cycles *p, const struct culprit_record *records, size_t count)
{
	struct insn_cycles_page *page = p->page;
	uint64_t next = p->next_cycle;
	bool after_call = p->after_call;
	for (const struct culprit_record *r = records, *end = records + count; r != end; r++) {
		if (r->pc >> INSN_CYCLES_PAGE_BITS != page->number)
			page = find_page(p, r->pc >> INSN_CYCLES_PAGE_BITS);
		size_t at = r->pc / 2 % INSN_CYCLES_PLACES;
		struct insn_cycles_place *place = &page->places[at];
		place->count++;
		if (after_call)
			page->entries[at] = true;
		after_call = r->branch && is_call(r->branch);
		if (r->commit < next)
			continue;
		place->cycles += r->commit + 1 - next;
		next = r->commit + 1;
	}
	p->page = page;
	p->next_cycle = next;
	p->after_call = after_call;
}

static int by_pc(const void *a, const void *b)
{
	uint64_t x = ((const struct insn_cycles_entry *)a)->pc, y = ((const struct insn_cycles_entry *)b)->pc;
	return x < y ? -1 : x > y;
}

/* The page's instructions, from `to` on if that is given. Returns their number. */
static size_t take(const struct insn_cycles_page *page, struct insn_cycles_entry *to)
{
	size_t n = 0;
	for (size_t i = 0; i < INSN_CYCLES_PLACES; i++) {
		const struct insn_cycles_place *place = &page->places[i];
		if (!place->count)
			continue;
		if (to)
			to[n] = (struct insn_cycles_entry){(page->number << INSN_CYCLES_PAGE_BITS) + i * 2,
							   place->cycles, place->count, page->entries[i]};
		n++;
	}
	return n;
}

bool insn_cycles_finish(struct insn_cycles *p, size_t *entries, struct error *err)
{
	size_t most = 0, n = 0;
	if (p->out_of_memory)
		return error_set(err, ERROR_SYSTEM, "out of memory for the cycles of %zu pages of code", p->used);
	for (size_t i = 0; i < p->used; i++)
		most += take(p->pages[i], NULL);
	p->entries = calloc(most + 1, sizeof *p->entries);
	if (!p->entries)
		return error_set(err, ERROR_SYSTEM, "out of memory for the cycles of %zu instructions", most);
	for (size_t i = 0; i < p->used; i++)
		n += take(p->pages[i], p->entries + n);
	qsort(p->entries, n, sizeof *p->entries, by_pc);
	*entries = n;
	return true;
}
