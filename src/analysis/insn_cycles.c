#include "analysis/insn_cycles.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 10 };
#define NO_PAGE UINT64_MAX

bool insn_cycles_create(struct insn_cycles *p, const struct commit_stack_params *params, uint64_t watched,
			struct error *err)
{
	memset(p, 0, sizeof *p);
	p->params = *params;
	p->watched = watched;
	p->room = FIRST_ROOM;
	p->pages = calloc(p->room, sizeof *p->pages);
	p->page = p->rest = calloc(1, sizeof *p->rest);
	if (!p->pages || !p->rest)
		return error_set(err, ERROR_SYSTEM, "out of memory for the cycles of instructions");
	p->rest->number = NO_PAGE;
	return true;
}

static void free_page(struct insn_cycles_page *page)
{
	for (size_t i = 0; page && i < INSN_CYCLES_PLACES; i++)
		free(page->places[i].site);
	free(page);
}

void insn_cycles_destroy(struct insn_cycles *p)
{
	for (size_t i = 0; i < p->used; i++)
		free_page(p->pages[i]);
	free(p->pages);
	map_destroy(&p->numbers);
	free_page(p->rest);
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

struct insn_cycles_page *insn_cycles_page(struct insn_cycles *p, uint64_t number)
{
	struct insn_cycles_page *page = find_page(p, number);
	return page == p->rest ? NULL : page;
}

static inline bool is_call(uint8_t branch)
{
	return branch == CULPRIT_BRANCH_CALL || branch == CULPRIT_BRANCH_INDIRECT_CALL;
}

/* --- what an instruction met --- */

/* NULL: no memory. */
static struct insn_cycles_site *site_of(struct insn_cycles *p, struct insn_cycles_place *place)
{
	if (!place->site)
		place->site = calloc(1, sizeof *place->site);
	p->out_of_memory |= !place->site;
	return place->site;
}

static __attribute__((noinline)) void note_events(struct insn_cycles *p, struct insn_cycles_place *place,
						  const struct culprit_record *r)
{
	struct insn_cycles_site *s = site_of(p, place);
	if (!s)
		return;
	unsigned level = r->dlevel > r->write_level ? r->dlevel : r->write_level;
	s->l1d_misses += level > CULPRIT_LEVEL_L1;
	s->l2_misses += level > CULPRIT_LEVEL_L2;
	s->memory += level == CULPRIT_LEVEL_MEMORY;
	if (r->flags & CULPRIT_MISPREDICTED) {
		s->mispredictions++;
		p->mispredicted = s;
	}
}

/* The wait before r, up to its commit. */
static __attribute__((noinline)) void note_wait(struct insn_cycles *p, struct insn_cycles_place *place,
						const struct culprit_record *r, unsigned before, uint64_t from)
{
	struct insn_cycles_site *s = site_of(p, place);
	struct commit_wait wait;
	if (!s)
		return;
	commit_stack_wait(&p->params, r, before, from, &wait);
	for (unsigned i = 0; i < wait.count; i++)
		s->rows[wait.parts[i].row] += wait.parts[i].cycles;
	uint64_t refill = s->causes[CAUSE_mispredict];
	commit_cause_add(r, &p->params, &wait, s->causes);
	if ((before & CULPRIT_MISPREDICTED) && p->mispredicted)
		p->mispredicted->refill += s->causes[CAUSE_mispredict] - refill;
}

static inline bool met_something(const struct culprit_record *r)
{
	return r->dlevel > CULPRIT_LEVEL_L1 || r->write_level > CULPRIT_LEVEL_L1 || (r->flags & CULPRIT_MISPREDICTED);
}

static void note_entry(struct insn_cycles *p, struct insn_cycles_page *page, const struct culprit_record *r)
{
	page->entries[r->pc / 2 % INSN_CYCLES_PLACES] = true;
	if (r->pc == p->watched && !p->watched_from)
		p->watched_from = r->commit + 1;
}

void insn_cycles_push(struct insn_cycles *p, const struct culprit_record *records, size_t count)
{
	struct insn_cycles_page *page = p->page;
	uint64_t next = p->next_cycle;
	bool after_call = p->after_call;
	unsigned before = p->previous_flags;
	for (const struct culprit_record *r = records, *end = records + count; r != end; before = r->flags, r++) {
		if (r->pc >> INSN_CYCLES_PAGE_BITS != page->number)
			page = find_page(p, r->pc >> INSN_CYCLES_PAGE_BITS);
		struct insn_cycles_place *place = &page->places[r->pc / 2 % INSN_CYCLES_PLACES];
		place->count++;
		if (after_call)
			note_entry(p, page, r);
		after_call = r->branch && is_call(r->branch);
		if (r->commit >= next) {
			if (r->commit > next)
				note_wait(p, place, r, before, next);
			place->commit_cycles++;
			next = r->commit + 1;
		}
		if (met_something(r))
			note_events(p, place, r);
	}
	p->page = page;
	p->next_cycle = next;
	p->after_call = after_call;
	p->previous_flags = (uint16_t)before;
}

/* --- at the end --- */

static int by_pc(const void *a, const void *b)
{
	uint64_t x = ((const struct insn_cycles_entry *)a)->pc, y = ((const struct insn_cycles_entry *)b)->pc;
	return x < y ? -1 : x > y;
}

static uint64_t waited(const struct insn_cycles_site *s)
{
	uint64_t cycles = 0;
	for (unsigned i = 0; s && i < COMMIT_ROWS; i++)
		cycles += s->rows[i];
	return cycles;
}

static const struct insn_cycles_site nothing; /* all zero */

/* The page's instructions, from `to` on if that is given. Returns their number. */
static size_t take(const struct insn_cycles_page *page, struct insn_cycles_entry *to)
{
	size_t n = 0;
	for (size_t i = 0; i < INSN_CYCLES_PLACES; i++) {
		const struct insn_cycles_place *place = &page->places[i];
		if (!place->count)
			continue;
		if (to)
			to[n] = (struct insn_cycles_entry){.pc = (page->number << INSN_CYCLES_PAGE_BITS) + i * 2,
							   .cycles = place->commit_cycles + waited(place->site),
							   .commit_cycles = place->commit_cycles,
							   .count = place->count,
							   .entry = page->entries[i],
							   .site = place->site ? place->site : &nothing};
		n++;
	}
	return n;
}

bool insn_cycles_whole(const struct insn_cycles *p, struct error *err)
{
	return !p->out_of_memory ||
	       error_set(err, ERROR_SYSTEM, "out of memory for the cycles of %zu pages of code", p->used);
}

bool insn_cycles_finish(struct insn_cycles *p, size_t *entries, struct error *err)
{
	size_t most = 0, n = 0;
	TRY(insn_cycles_whole(p, err));
	for (size_t i = 0; i < p->used; i++)
		most += take(p->pages[i], NULL);
	free(p->entries);
	p->entries = calloc(most + 1, sizeof *p->entries);
	if (!p->entries)
		return error_set(err, ERROR_SYSTEM, "out of memory for the cycles of %zu instructions", most);
	for (size_t i = 0; i < p->used; i++)
		n += take(p->pages[i], p->entries + n);
	qsort(p->entries, n, sizeof *p->entries, by_pc);
	*entries = p->entry_count = n;
	return true;
}

static void add_page(const struct insn_cycles_page *page, uint64_t cycles[COMMIT_ROWS])
{
	for (size_t i = 0; i < INSN_CYCLES_PLACES; i++) {
		const struct insn_cycles_place *place = &page->places[i];
		cycles[COMMIT_commit] += place->commit_cycles;
		for (unsigned row = 0; place->site && row < COMMIT_ROWS; row++)
			cycles[row] += place->site->rows[row];
	}
}

void insn_cycles_stack(const struct insn_cycles *p, uint64_t total, uint64_t cycles[COMMIT_ROWS])
{
	memset(cycles, 0, COMMIT_ROWS * sizeof *cycles);
	for (size_t i = 0; i < p->used; i++)
		add_page(p->pages[i], cycles);
	add_page(p->rest, cycles);
	if (total > p->next_cycle)
		cycles[COMMIT_end] += total - p->next_cycle;
}
