/* Which accesses go to which sweep. See the header. */
#include "interval/profile/sweep.h"

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
	struct lru_full full;
	uint64_t last; /* the page accessed before: at depth 0 everywhere */
};

/* Bytes fetched one behind the other, not all in the line fetched before. */
struct visit {
	uint64_t first, last;
};

struct interval_sweeps {
	struct lru_sweep l1i[INTERVAL_LINES], l1d[INTERVAL_LINES], l2[INTERVAL_LINES], l3[INTERVAL_LINES];
	struct page_sweep itlb, dtlb, tlb2;
	uint32_t page_shift;
	lru_use data_list[INTERVAL_LINES][2 * EVENT_BATCH], rest_list[4 * EVENT_BATCH]; /* of the two halves */
	struct visit visits[EVENT_BATCH];
};

static bool init_lines(struct lru_sweep *s, uint32_t first, uint32_t sets, struct error *err)
{
	for (size_t l = 0; l < INTERVAL_LINES; l++)
		TRY(lru_sweep_init(&s[l], first, sets, err));
	return true;
}

static bool init_pages(struct page_sweep *s, struct error *err)
{
	lru_full_init(&s->full);
	s->last = UINT64_MAX;
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
	struct interval_sweeps *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63); /* lru_full's order */
	if (!s) {
		error_set(err, ERROR_SYSTEM, "out of memory for the cache sweep");
		return NULL;
	}
	memset(s, 0, sizeof *s);
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

static inline size_t list_page(struct page_sweep *s, uint64_t page, lru_use *list, size_t count)
{
	s->sets.accesses[INTERVAL_FETCH]++;
	if (page == s->last) {
		s->full.hits[0]++;
		return count;
	}
	s->last = page;
	lru_full_access(&s->full, (uint32_t)page);
	return lru_sweep_list(&s->sets, list, count, page, INTERVAL_FETCH);
}

/* --- data --- */

/* The second line of an access. */
static size_t list_other_line(struct lru_sweep *s, lru_use *list, size_t count, uint64_t line, enum interval_kind kind)
{
	s->accesses[kind]++;
	return lru_sweep_list(s, list, count, line, kind);
}

static void data_lines(struct interval_sweeps *s, const struct interval_batch *b)
{
	size_t count[INTERVAL_LINES] = {0}, kinds[INTERVAL_KINDS] = {0};
	for (size_t i = 0; i < b->access_count; i++) {
		const struct interval_access *a = &b->accesses[i];
		enum interval_kind kind = interval_kind_of(a->flags);
		uint64_t first = a->address >> LEAST_LINE, last = access_last_byte(a) >> LEAST_LINE;
		kinds[kind]++;
		for (uint32_t l = 0; l < INTERVAL_LINES; l++)
			count[l] = lru_sweep_list(&s->l1d[l], s->data_list[l], count[l], first >> l, kind);
		for (uint32_t l = 0; __builtin_expect(first >> l != last >> l, 0) && l < INTERVAL_LINES; l++)
			count[l] = list_other_line(&s->l1d[l], s->data_list[l], count[l], last >> l, kind);
	}
	for (uint32_t l = 0; l < INTERVAL_LINES; l++) {
		for (enum interval_kind k = 0; k < INTERVAL_KINDS; k++)
			s->l1d[l].accesses[k] += kinds[k];
		lru_sweep_run(&s->l1d[l], s->data_list[l], count[l]);
	}
}

static void data_pages(struct interval_sweeps *s, const struct interval_batch *b)
{
	size_t count = 0;
	for (size_t i = 0; i < b->access_count; i++) {
		const struct interval_access *a = &b->accesses[i];
		uint64_t last = access_last_byte(a) >> s->page_shift;
		for (uint64_t page = a->address >> s->page_shift; page <= last; page++)
			count = list_page(&s->dtlb, page, s->data_list[0], count);
	}
	lru_sweep_run(&s->dtlb.sets, s->data_list[0], count);
}

void interval_sweeps_push_data(struct interval_sweeps *s, const struct interval_batch *b)
{
	data_lines(s, b);
	data_pages(s, b);
}

/* --- instructions --- */

/* What is fetched anew. An instruction that reaches from another line back into the line fetched before takes only
 * that. */
static size_t list_visits(struct visit *visits, uint64_t line, const struct interval_batch *b)
{
	size_t count = 0;
	for (size_t i = 0; i < b->span_count; i++) {
		const struct interval_span *s = &b->spans[i];
		uint64_t end = s->pc + s->bytes - 1, head = s->pc + (s->longs & 1 ? 3 : 1);
		visits[count] = (struct visit){.first = head >> LEAST_LINE == line ? head : s->pc, .last = end};
		count += s->pc >> LEAST_LINE != line || end >> LEAST_LINE != line;
		line = end >> LEAST_LINE;
	}
	return count;
}

static void fetched_lines(struct interval_sweeps *s, uint32_t l, size_t visits)
{
	struct lru_sweep *sweep = &s->l1i[l];
	uint32_t shift = LEAST_LINE + l;
	size_t count = 0;
	for (size_t i = 0; i < visits; i++)
		for (uint64_t line = s->visits[i].first >> shift; line <= s->visits[i].last >> shift; line++) {
			sweep->accesses[INTERVAL_FETCH] += line != sweep->last;
			count = lru_sweep_list(sweep, s->rest_list, count, line, INTERVAL_FETCH);
			sweep->last = line;
		}
	lru_sweep_run(sweep, s->rest_list, count);
}

static void fetched_pages(struct interval_sweeps *s, size_t visits)
{
	size_t count = 0;
	for (size_t i = 0; i < visits; i++)
		for (uint64_t page = s->visits[i].first >> s->page_shift; page <= s->visits[i].last >> s->page_shift;
		     page++)
			if (page != s->itlb.last)
				count = list_page(&s->itlb, page, s->rest_list, count);
	lru_sweep_run(&s->itlb.sets, s->rest_list, count);
}

/* --- below the first level --- */

static void filled_lines(struct interval_sweeps *s, struct lru_sweep *sweep, uint32_t shift, uint8_t beyond,
			 const struct interval_batch *b)
{
	size_t count = 0;
	for (size_t i = 0; i < b->fill_count; i++) {
		const struct interval_fill *f = &b->fills[i];
		uint64_t line = f->address >> shift;
		if (f->level <= beyond)
			continue;
		sweep->accesses[f->kind]++;
		count = lru_sweep_list(sweep, s->rest_list, count, line, f->kind);
	}
	lru_sweep_run(sweep, s->rest_list, count);
}

static void walked_pages(struct interval_sweeps *s, const struct interval_batch *b)
{
	size_t count = 0;
	for (size_t i = 0; i < b->walk_count; i++)
		count = list_page(&s->tlb2, b->walks[i].address >> s->page_shift, s->rest_list, count);
	lru_sweep_run(&s->tlb2.sets, s->rest_list, count);
}

void interval_sweeps_push_rest(struct interval_sweeps *s, const struct interval_batch *b)
{
	size_t visits = list_visits(s->visits, s->l1i[0].last, b);
	for (uint32_t l = 0; l < INTERVAL_LINES; l++) {
		fetched_lines(s, l, visits);
		filled_lines(s, &s->l2[l], LEAST_LINE + l, CULPRIT_LEVEL_L1, b);
		filled_lines(s, &s->l3[l], LEAST_LINE + l, CULPRIT_LEVEL_L2, b);
	}
	fetched_pages(s, visits);
	walked_pages(s, b);
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
		memset(page_sweep(s, i)->full.hits, 0, sizeof s->itlb.full.hits);
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
	memcpy(to->full, s->full.hits, sizeof to->full);
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
