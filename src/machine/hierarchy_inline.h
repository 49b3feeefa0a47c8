/* The common case inlined: an access within one line that hits a line already here (and a page likewise). Everything
 * else goes to hierarchy_access, which gives the same results for the common case too, only slower. The functions of
 * hierarchy.h are these, not inlined. */
#ifndef CULPRIT_MACHINE_HIERARCHY_INLINE_H
#define CULPRIT_MACHINE_HIERARCHY_INLINE_H

#include "machine/hierarchy_state.h"

/* Index of the page's entry, if it is known to be here at this cycle. */
static inline uint32_t hierarchy_tlb_hit(const struct tlb *t, uint64_t page, uint64_t cycle)
{
	uint32_t i = cache_sets_guess(&t->sets, page);
	return t->sets.tags[i] == page && t->sets.lines[i].arrival <= cycle ? i : CACHE_NO_INDEX;
}

/* True if it was the common case, which is then done. Nothing is changed otherwise. */
static inline bool hierarchy_hit(struct hierarchy_side *s, uint64_t cycle, uint64_t addr, uint32_t size,
				 bool wrong_path, bool store, struct memory_access *out)
{
	struct cache *c = &s->l1;
	uint64_t line = addr >> c->shift;
	if (!s->short_path || (addr + size - 1) >> c->shift != line)
		return false;
	uint32_t i = cache_sets_guess(&c->sets, line);
	struct cache_line *l = &c->sets.lines[i];
	uint64_t done = cycle + c->latency;
	if (c->sets.tags[i] != line || l->arrival > done || l->prefetched)
		return false;
	if (!s->tlb.perfect) {
		uint32_t page = hierarchy_tlb_hit(&s->tlb, addr >> s->page_shift, cycle);
		if (page == CACHE_NO_INDEX)
			return false;
		cache_sets_touch(&s->tlb.sets, page);
		s->tlb.stats->accesses[wrong_path]++;
	}
	cache_sets_touch(&c->sets, i);
	if (store)
		l->dirty = true;
	c->stats->accesses[wrong_path]++;
	*out = (struct memory_access){
		.done = done, .hit_cycles = c->latency, .level = CULPRIT_LEVEL_L1, .tlb_level = CULPRIT_LEVEL_L1};
	return true;
}

static inline void hierarchy_load_inline(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
					 uint32_t size, bool wrong_path, struct memory_access *out)
{
	if (__builtin_expect(hierarchy_hit(&h->data, cycle, addr, size, wrong_path, false, out), 1))
		return;
	struct hierarchy_demand d = {
		.cycle = cycle, .seq = seq, .pc = pc, .addr = addr, .size = size, .wrong_path = wrong_path};
	hierarchy_access(h, &d, out);
}

static inline void hierarchy_store_inline(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
					  uint32_t size, struct memory_access *out)
{
	if (__builtin_expect(hierarchy_hit(&h->data, cycle, addr, size, false, true, out), 1))
		return;
	struct hierarchy_demand d = {.cycle = cycle, .seq = seq, .pc = pc, .addr = addr, .size = size, .store = true};
	hierarchy_access(h, &d, out);
}

static inline void hierarchy_fetch_inline(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr,
					  bool wrong_path, struct memory_access *out)
{
	if (__builtin_expect(hierarchy_hit(&h->instructions, cycle, addr, 1, wrong_path, false, out), 1))
		return;
	struct hierarchy_demand d = {
		.cycle = cycle, .seq = seq, .addr = addr, .size = 1, .wrong_path = wrong_path, .instruction = true};
	hierarchy_access(h, &d, out);
}

#endif
