/* The common case inlined: an access within one line that hits a line already here (and a page likewise). Everything
 * else goes to hierarchy_access, which gives the same results for the common case too, only slower. The functions of
 * hierarchy.h are these, not inlined. */
#ifndef CULPRIT_MACHINE_HIERARCHY_INLINE_H
#define CULPRIT_MACHINE_HIERARCHY_INLINE_H

#include "machine/hierarchy_state.h"

/* True if the page's translation is here at this cycle, which is then a use of it. */
static inline bool hierarchy_tlb_hit(struct tlb *t, uint64_t page, uint64_t cycle, bool wrong_path)
{
	uint32_t i = cache_sets_guess(&t->sets, page);
	if (t->sets.tags[i] != page || t->sets.lines[i].arrival > cycle)
		return false;
	t->sets.lines[i].stamp = ++t->sets.clock; /* TLBs are LRU */
	t->stats->accesses[wrong_path]++;
	return true;
}

/* True if it was the common case, which is then done. Nothing is changed otherwise. `translates`: the translation is a
 * part of the access. */
static inline bool hierarchy_line_hit(struct hierarchy_side *s, uint64_t cycle, uint64_t addr, uint32_t size,
				      bool wrong_path, bool store, bool translates, struct memory_access *out)
{
	struct cache *c = &s->l1;
	uint64_t line = addr >> c->shift;
	if ((addr & c->offset_mask) + size > s->short_reach)
		return false;
	uint32_t i = cache_sets_guess(&c->sets, line);
	struct cache_line *l = &c->sets.lines[i];
	uint64_t done = cycle + c->latency;
	if (c->sets.tags[i] != line || l->arrival > done || (l->prefetched | l->stray))
		return false;
	if (translates && !s->tlb.perfect && !hierarchy_tlb_hit(&s->tlb, hierarchy_page(s, addr), cycle, wrong_path))
		return false;
	cache_sets_touch(&c->sets, i);
	if (store)
		l->dirty = true;
	c->stats->accesses[wrong_path]++;
	*out = (struct memory_access){
		.done = done, .hit_cycles = c->latency, .level = CULPRIT_LEVEL_L1, .tlb_level = CULPRIT_LEVEL_L1};
	return true;
}

static inline bool hierarchy_hit(struct hierarchy_side *s, uint64_t cycle, uint64_t addr, uint32_t size,
				 bool wrong_path, bool store, struct memory_access *out)
{
	return hierarchy_line_hit(s, cycle, addr, size, wrong_path, store, true, out);
}

/* Loads and fetches that may change nothing but what hierarchy_hit changes, for who asks only for their time: false,
 * and the caller goes on with the functions of hierarchy.h. */
static inline bool hierarchy_load_hits(struct hierarchy *h, uint64_t cycle, uint64_t addr, uint32_t size,
				       bool wrong_path)
{
	struct memory_access unused;
	return hierarchy_hit(&h->data, cycle, addr, size, wrong_path, false, &unused);
}

static inline bool hierarchy_fetch_hits(struct hierarchy *h, uint64_t cycle, uint64_t addr, bool wrong_path)
{
	struct memory_access unused;
	return hierarchy_hit(&h->instructions, cycle, addr, 1, wrong_path, false, &unused);
}

/* True if a store's translation takes no time. Otherwise nothing is changed. */
static inline bool hierarchy_translates_at_once(struct hierarchy *h, uint64_t cycle, uint64_t addr, uint32_t size,
						bool wrong_path)
{
	struct hierarchy_side *s = &h->data;
	if (s->all_hit | s->tlb.perfect)
		return true;
	return !((addr ^ (addr + size - 1)) >> s->page_shift) &&
	       hierarchy_tlb_hit(&s->tlb, hierarchy_page(s, addr), cycle, wrong_path);
}

/* What is not the common case. Functions of their own, so that the common case saves no registers for them. */
__attribute__((noinline)) void hierarchy_load_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc,
						     uint64_t addr, uint32_t size, bool wrong_path,
						     struct memory_access *out);
__attribute__((noinline)) void hierarchy_store_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc,
						      uint64_t addr, uint32_t size, struct memory_access *out);
__attribute__((noinline)) void hierarchy_write_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc,
						      uint64_t addr, uint32_t size, struct memory_access *out);
__attribute__((noinline)) void hierarchy_fetch_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr,
						      bool wrong_path, struct memory_access *out);

static inline void hierarchy_load_inline(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
					 uint32_t size, bool wrong_path, struct memory_access *out)
{
	if (__builtin_expect(!hierarchy_hit(&h->data, cycle, addr, size, wrong_path, false, out), 0))
		hierarchy_load_slowly(h, cycle, seq, pc, addr, size, wrong_path, out);
}

static inline void hierarchy_store_inline(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
					  uint32_t size, struct memory_access *out)
{
	if (__builtin_expect(!hierarchy_hit(&h->data, cycle, addr, size, false, true, out), 0))
		hierarchy_store_slowly(h, cycle, seq, pc, addr, size, out);
}

static inline void hierarchy_fetch_inline(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr,
					  bool wrong_path, struct memory_access *out)
{
	if (__builtin_expect(!hierarchy_hit(&h->instructions, cycle, addr, 1, wrong_path, false, out), 0))
		hierarchy_fetch_slowly(h, cycle, seq, addr, wrong_path, out);
}

#endif
