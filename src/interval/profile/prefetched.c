#include "interval/profile/prefetched.h"

bool interval_prefetched_init(struct interval_prefetched *p, const struct machine *m, struct error *err)
{
	*p = (struct interval_prefetched){.shift = (uint32_t)__builtin_ctz(m->l1d_line)};
	if (m->l1d_prefetcher == prefetcher_none)
		return true;
	prefetch_init(&p->prefetch, m->l1d_prefetcher, m->l1d_prefetch_degree, m->l1d_prefetch_distance, p->shift,
		      prefetch_pages(m->tlb_page, m->l1d_prefetch_pages));
	p->prefetch.misses_only = m->l1d_prefetch_misses_only;
	return cache_sets_init(&p->l1d, "an L1D with its prefetcher", m->l1d_size / m->l1d_line, m->l1d_ways,
			       (enum replacement)m->l1d_replacement, err);
}

void interval_prefetched_free(struct interval_prefetched *p)
{
	if (p->prefetch.kind != prefetcher_none)
		cache_sets_free(&p->l1d);
}

static void bring(struct cache_sets *s, uint64_t line, bool prefetched)
{
	cache_sets_fill(s, cache_sets_victim(s, line), line)->prefetched = prefetched;
}

static void train(struct interval_prefetched *p, const struct prefetch_event *e)
{
	uint64_t asked[PREFETCH_MAX];
	uint32_t count = prefetch_train(&p->prefetch, e, asked);
	for (uint32_t i = 0; i < count; i++)
		if (cache_sets_find(&p->l1d, asked[i] >> p->shift) == CACHE_NO_INDEX)
			bring(&p->l1d, asked[i] >> p->shift, true);
}

bool interval_prefetched_use(struct interval_prefetched *p, uint64_t pc, uint64_t address)
{
	uint64_t line = address >> p->shift;
	uint32_t i = cache_sets_find(&p->l1d, line);
	struct prefetch_event e = {.pc = pc, .addr = address, .miss = i == CACHE_NO_INDEX};
	if (e.miss) {
		bring(&p->l1d, line, false);
	} else {
		e.first_use = p->l1d.lines[i].prefetched;
		p->l1d.lines[i].prefetched = false;
		cache_sets_touch(&p->l1d, i);
	}
	train(p, &e);
	return e.first_use;
}
