/* Which accesses go to which sweep. See the header. */
#include "interval/interval_sweep.h"

#include <stdlib.h>
#include <string.h>

enum {
	L1_FIRST = 4,
	L1_SETS = 8,
	L2_FIRST = 6,
	L2_SETS = 10,
	PAGE_FIRST = 1,
	PAGE_SETS = INTERVAL_SETS,
	LEAST_LINE = 5, /* log2 */
};

/* A fully associative TLB of every size beside the set-associative ones. */
struct page_sweep {
	struct lru_sweep sets;
	uint64_t order[INTERVAL_PAGES_FULL];
	uint64_t full[INTERVAL_PAGES_FULL];
};

struct interval_sweeps {
	struct lru_sweep l1i[INTERVAL_LINES], l1d[INTERVAL_LINES], l2[INTERVAL_LINES], l3[INTERVAL_LINES];
	struct page_sweep itlb, dtlb, tlb2;
	uint32_t page_shift;
};

static bool init_lines(struct lru_sweep *s, uint32_t first, uint32_t sets, struct error *err)
{
	for (size_t l = 0; l < INTERVAL_LINES; l++)
		TRY(lru_sweep_init(&s[l], first, sets, err));
	return true;
}

static bool init_pages(struct page_sweep *s, struct error *err)
{
	memset(s->order, 0xff, sizeof s->order);
	return lru_sweep_init(&s->sets, PAGE_FIRST, PAGE_SETS, err);
}

static bool init(struct interval_sweeps *s, struct error *err)
{
	TRY(init_lines(s->l1i, L1_FIRST, L1_SETS, err));
	TRY(init_lines(s->l1d, L1_FIRST, L1_SETS, err));
	TRY(init_lines(s->l2, L2_FIRST, L2_SETS, err));
	TRY(init_lines(s->l3, L2_FIRST, L2_SETS, err));
	TRY(init_pages(&s->itlb, err));
	TRY(init_pages(&s->dtlb, err));
	return init_pages(&s->tlb2, err);
}

struct interval_sweeps *interval_sweeps_create(const struct machine *reference, struct error *err)
{
	struct interval_sweeps *s = calloc(1, sizeof *s);
	if (!s) {
		error_set(err, ERROR_SYSTEM, "no memory for the cache sweep");
		return NULL;
	}
	s->page_shift = (uint32_t)__builtin_ctz(reference->tlb_page);
	if (init(s, err))
		return s;
	interval_sweeps_destroy(s);
	return NULL;
}

static struct page_sweep *page_sweep(struct interval_sweeps *s, size_t i)
{
	struct page_sweep *all[] = {&s->itlb, &s->dtlb, &s->tlb2};
	return all[i];
}
enum { PAGE_SWEEPS = 3 };

void interval_sweeps_destroy(struct interval_sweeps *s)
{
	if (!s)
		return;
	for (size_t l = 0; l < INTERVAL_LINES; l++) {
		lru_sweep_free(&s->l1i[l]);
		lru_sweep_free(&s->l1d[l]);
		lru_sweep_free(&s->l2[l]);
		lru_sweep_free(&s->l3[l]);
	}
	for (size_t i = 0; i < PAGE_SWEEPS; i++)
		lru_sweep_free(&page_sweep(s, i)->sets);
	free(s);
}

static void page_access(struct page_sweep *s, uint64_t page)
{
	if (page == s->order[0]) {
		s->full[0]++;
	} else {
		uint32_t depth = 1;
		while (depth < INTERVAL_PAGES_FULL && s->order[depth] != page)
			depth++;
		uint32_t last = depth < INTERVAL_PAGES_FULL ? depth : INTERVAL_PAGES_FULL - 1;
		for (uint32_t d = last; d > 0; d--) /* few; a call would cost more */
			s->order[d] = s->order[d - 1];
		s->order[0] = page;
		if (depth < INTERVAL_PAGES_FULL)
			s->full[depth]++;
	}
	lru_sweep_access(&s->sets, page, INTERVAL_FETCH);
}

/* Lines touched by [first, last] at the line sizes. */
static void line_accesses(struct lru_sweep *sweeps, uint64_t first, uint64_t last, enum interval_kind kind)
{
	for (uint32_t l = 0; l < INTERVAL_LINES; l++)
		for (uint64_t line = first >> (LEAST_LINE + l); line <= last >> (LEAST_LINE + l); line++)
			lru_sweep_access(&sweeps[l], line, kind);
}

static void data_access(struct interval_sweeps *s, const struct interval_event *e)
{
	uint64_t last = e->address + (e->size ? e->size - 1 : 0);
	line_accesses(s->l1d, e->address, last, event_kind(e));
	for (uint64_t page = e->address >> s->page_shift; page <= last >> s->page_shift; page++)
		page_access(&s->dtlb, page);
}

void interval_sweeps_push_data(struct interval_sweeps *s, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->events[i].flags & (EVENT_LOAD | EVENT_STORE))
			data_access(s, &b->events[i]);
}

/* The lines of an instruction; nothing when it lies in the line fetched before. */
static void fetch_access(struct interval_sweeps *s, const struct interval_event *e)
{
	uint64_t last = e->pc + e->length - 1;
	if (last >> LEAST_LINE == s->l1i[0].last) /* then it is in the last larger line and page, too */
		return;
	for (uint32_t l = 0; l < INTERVAL_LINES; l++) {
		struct lru_sweep *sweep = &s->l1i[l];
		uint64_t line = last >> (LEAST_LINE + l);
		if (line == sweep->last)
			continue;
		if (e->pc >> (LEAST_LINE + l) != line && e->pc >> (LEAST_LINE + l) != sweep->last)
			lru_sweep_access(sweep, e->pc >> (LEAST_LINE + l), INTERVAL_FETCH);
		lru_sweep_access(sweep, line, INTERVAL_FETCH);
	}
	for (uint64_t page = e->pc >> s->page_shift; page <= last >> s->page_shift; page++)
		if (page != s->itlb.order[0])
			page_access(&s->itlb, page);
}

void interval_sweeps_push_rest(struct interval_sweeps *s, const struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++)
		fetch_access(s, &b->events[i]);
	for (size_t i = 0; i < b->fill_count; i++) {
		const struct interval_fill *f = &b->fills[i];
		line_accesses(s->l2, f->address, f->address, f->kind);
		if (f->level > CULPRIT_LEVEL_L2)
			line_accesses(s->l3, f->address, f->address, f->kind);
	}
	for (size_t i = 0; i < b->walk_count; i++)
		page_access(&s->tlb2, b->walks[i].address >> s->page_shift);
}

void interval_sweeps_restart(struct interval_sweeps *s)
{
	for (size_t l = 0; l < INTERVAL_LINES; l++) {
		lru_sweep_restart(&s->l1i[l]);
		lru_sweep_restart(&s->l1d[l]);
		lru_sweep_restart(&s->l2[l]);
		lru_sweep_restart(&s->l3[l]);
	}
	for (size_t i = 0; i < PAGE_SWEEPS; i++) {
		lru_sweep_restart(&page_sweep(s, i)->sets);
		memset(page_sweep(s, i)->full, 0, sizeof s->itlb.full);
	}
}

static void finish_lines(const struct lru_sweep *sweeps, struct interval_sweep *to)
{
	to->first_sets = sweeps[0].first;
	to->sets = sweeps[0].sets;
	for (uint32_t l = 0; l < INTERVAL_LINES; l++)
		for (uint32_t k = 0; k < INTERVAL_KINDS; k++) {
			to->accesses[l][k] = sweeps[l].accesses[k];
			for (uint32_t n = 0; n < sweeps[l].sets; n++)
				for (uint32_t d = 0; d < INTERVAL_WAYS; d++)
					to->hits[l][k][n][d] = lru_sweep_hits(&sweeps[l], k, n, d);
		}
}

static void finish_pages(const struct page_sweep *s, struct interval_pages *to)
{
	to->accesses = s->sets.accesses[INTERVAL_FETCH];
	memcpy(to->full, s->full, sizeof to->full);
	for (uint32_t n = 0; n < PAGE_SETS; n++)
		for (uint32_t d = 0; d < INTERVAL_WAYS; d++)
			to->hits[n][d] = lru_sweep_hits(&s->sets, INTERVAL_FETCH, n, d);
}

void interval_sweeps_finish(const struct interval_sweeps *s, struct interval_profile *to)
{
	finish_lines(s->l1i, &to->l1i);
	finish_lines(s->l1d, &to->l1d);
	finish_lines(s->l2, &to->l2);
	finish_lines(s->l3, &to->l3);
	finish_pages(&s->itlb, &to->itlb);
	finish_pages(&s->dtlb, &to->dtlb);
	finish_pages(&s->tlb2, &to->tlb2);
}
