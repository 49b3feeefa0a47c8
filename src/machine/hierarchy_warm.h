/* Functional warm-up, the common case inlined. Most accesses go to the line that was used last in its set of the L1,
 * and to the page that was translated last: neither recency nor anything else changes then, for any replacement
 * policy. Stamps and clocks do not tick then, but their order is what it would be, and nothing else reads them.
 * `last` knows such lines. It is dropped wherever something else may have changed their sets. */
#ifndef CULPRIT_MACHINE_HIERARCHY_WARM_H
#define CULPRIT_MACHINE_HIERARCHY_WARM_H

#include "machine/hierarchy.h"
#include "machine/hierarchy_inline.h"

/* Of a page other than the last one: its translation, if it is here. */
static inline bool hierarchy_warm_page(struct hierarchy_side *s, uint64_t page)
{
	if (s->tlb.perfect || page == s->last.page)
		return true;
	uint32_t i = cache_sets_guess(&s->tlb.sets, page);
	if (s->tlb.sets.tags[i] != page)
		return false;
	cache_sets_touch(&s->tlb.sets, i);
	s->last.page = page;
	return true;
}

/* A line that was not used last, but is here. A prefetched one is the long way's. */
static inline bool hierarchy_warm_line(struct hierarchy_side *s, uint64_t line, bool store)
{
	struct cache_sets *sets = &s->l1.sets;
	const uint32_t i = cache_sets_guess(sets, line);
	struct cache_line *l = &sets->lines[i];
	if (sets->tags[i] != line || l->prefetched | l->stray)
		return false;
	cache_sets_touch(sets, i);
	l->dirty |= store;
	s->last.lines[line & sets->set_mask] = line << 1 | store;
	return true;
}

/* True if it was the common case, which is then done; else no more than the page has been used. */
static inline bool hierarchy_warm_hits(struct hierarchy_side *s, uint64_t addr, uint32_t size, bool store)
{
	const uint64_t line = addr >> s->l1.shift;
	if ((addr & s->l1.offset_mask) + size > s->last.reach)
		return false;
	const uint64_t known = s->last.lines[line & s->l1.sets.set_mask] | !store;
	return hierarchy_warm_page(s, hierarchy_page(s, addr)) &&
	       (known == (line << 1 | 1) || hierarchy_warm_line(s, line, store));
}

void hierarchy_warm_data_slowly(struct hierarchy *h, uint64_t pc, uint64_t addr, uint32_t size, bool store);
void hierarchy_warm_fetch_slowly(struct hierarchy *h, uint64_t addr);
/* The prefetcher's part of a hit. */
void hierarchy_warm_train(struct hierarchy_side *s, uint64_t pc, uint64_t addr, bool store, bool instruction);

static inline void hierarchy_warm_data_inline(struct hierarchy *h, uint64_t pc, uint64_t addr, uint32_t size,
					      bool store)
{
	if (__builtin_expect(!hierarchy_warm_hits(&h->data, addr, size, store), 0))
		hierarchy_warm_data_slowly(h, pc, addr, size, store);
	else if (h->data.last.trains)
		hierarchy_warm_train(&h->data, pc, addr, store, false);
}

static inline void hierarchy_warm_fetch_inline(struct hierarchy *h, uint64_t addr)
{
	if (__builtin_expect(!hierarchy_warm_hits(&h->instructions, addr, 1, false), 0))
		hierarchy_warm_fetch_slowly(h, addr);
	else if (h->instructions.last.trains)
		hierarchy_warm_train(&h->instructions, 0, addr, false, true);
}

#endif
