/* Functional warm-up: what is not the common case (hierarchy_warm.h), and what it counts. */
#include "machine/hierarchy_warm.h"

#include <stdlib.h>
#include <string.h>

bool hierarchy_last_init(struct hierarchy_side *s, struct error *err)
{
	const uint64_t sets = s->l1.sets.set_mask + 1;
	s->last.lines = malloc(sets * sizeof *s->last.lines);
	if (!s->last.lines)
		return error_set(err, ERROR_SYSTEM, "out of memory for the cache hierarchy");
	hierarchy_last_forget(s);
	return true;
}

void hierarchy_last_forget(struct hierarchy_side *s)
{
	memset(s->last.lines, 0xff, (s->l1.sets.set_mask + 1) * sizeof *s->last.lines);
	s->last.page = HIERARCHY_NO_LAST;
}

/* Behind an access that went the long way. A prefetcher may have filled any set. */
static void forget_changed(struct hierarchy_side *s, const struct hierarchy_demand *d)
{
	if (s->l1.trains) {
		hierarchy_last_forget(s);
		return;
	}
	const uint64_t last = d->addr + (d->size ? d->size - 1 : 0);
	for (uint64_t line = d->addr >> s->l1.shift; line <= last >> s->l1.shift; line++)
		s->last.lines[line & s->l1.sets.set_mask] = HIERARCHY_NO_LAST;
	s->last.page = HIERARCHY_NO_LAST;
}

/* hierarchy_access without time, of one line; the level that had its page. */
static uint8_t warm_line(struct hierarchy_side *s, const struct hierarchy_demand *d, uint64_t addr)
{
	uint8_t level = CULPRIT_LEVEL_L1;
	const struct tlb_request page = {
		.page = hierarchy_page(s, addr), .wrong_path = d->wrong_path, .timeless = true};
	if (!hierarchy_warm_page(s, page.page))
		tlb_translate(&s->tlb, &page, 0, &level);
	struct cache_request r = {.addr = addr,
				  .pc = d->pc,
				  .wrong_path = d->wrong_path,
				  .instruction = d->instruction,
				  .store = d->store,
				  .free_by_level = s->some_free ? s->free_by_level : NULL,
				  .free_from = CULPRIT_LEVEL_L1,
				  .level = CULPRIT_LEVEL_L1};
	cache_read(&s->l1, &r, 0);
	return level;
}

/* An answer in no time does not tell the level, but each level counts its misses, of either path. */
struct missed {
	uint64_t l1, l2, last;
};
static struct missed missed_so_far(const struct hierarchy *h, const struct hierarchy_side *s, bool wrong_path)
{
	const struct cache_statistics *last = h->has_l3 ? &h->stats.l3 : &h->stats.l2;
	return (struct missed){s->l1.stats->misses[wrong_path], h->stats.l2.misses[wrong_path],
			       last->misses[wrong_path]};
}

static void warm_slowly(struct hierarchy *h, const struct hierarchy_demand *d, enum hierarchy_warmer warmer)
{
	struct hierarchy_side *s = d->instruction ? &h->instructions : &h->data;
	const struct missed before = missed_so_far(h, s, false);
	const uint64_t end = d->addr + (d->size ? d->size - 1 : 0);
	if (s->all_hit)
		return;
	const uint8_t page_level = warm_line(s, d, d->addr);
	for (uint64_t line = (d->addr >> s->l1.shift) + 1; line <= end >> s->l1.shift; line++)
		warm_line(s, d, line << s->l1.shift);
	uint64_t *found = h->warmed.line[warmer];
	const struct missed now = missed_so_far(h, s, false);
	const uint64_t below_l1 = now.l1 - before.l1, below_l2 = now.l2 - before.l2;
	const uint64_t below_all = now.last - before.last;
	found[CULPRIT_LEVEL_L2] += below_l1 - below_l2;
	found[CULPRIT_LEVEL_L3] += below_l2 - below_all;
	found[CULPRIT_LEVEL_MEMORY] += below_all;
	if (page_level > CULPRIT_LEVEL_L1)
		h->warmed.page[warmer][page_level]++;
	forget_changed(s, d);
}

void hierarchy_warm_data_slowly(struct hierarchy *h, uint64_t pc, uint64_t addr, uint32_t size, bool store)
{
	const struct hierarchy_demand d = {.pc = pc, .addr = addr, .size = size, .store = store, .timeless = true};
	warm_slowly(h, &d, store ? HIERARCHY_WARM_STORE : HIERARCHY_WARM_LOAD);
}

void hierarchy_warm_fetch_slowly(struct hierarchy *h, uint64_t addr)
{
	const struct hierarchy_demand d = {.addr = addr, .size = 1, .instruction = true, .timeless = true};
	warm_slowly(h, &d, HIERARCHY_WARM_FETCH);
}

uint64_t hierarchy_warm_stray(struct hierarchy *h, uint64_t addr)
{
	struct hierarchy_side *s = &h->instructions;
	const struct hierarchy_demand d = {
		.addr = addr, .size = 1, .wrong_path = true, .instruction = true, .timeless = true};
	if (s->all_hit || (!s->last.trains && hierarchy_warm_hits(s, addr, 1, false)))
		return 0;
	const struct missed before = missed_so_far(h, s, true);
	const uint8_t page_level = warm_line(s, &d, addr);
	const struct missed now = missed_so_far(h, s, true);
	uint64_t cycles = page_level == CULPRIT_LEVEL_L1   ? 0
			  : page_level == CULPRIT_LEVEL_L2 ? h->tlb2.l2_latency
							   : h->tlb2.walk_latency;
	cycles += now.l1 != before.l1 ? h->l2.latency : 0;
	cycles += h->has_l3 && now.l2 != before.l2 ? h->l3.latency : 0;
	cycles += now.last != before.last ? h->memory.latency : 0;
	forget_changed(s, &d);
	return cycles;
}

uint64_t hierarchy_warm_changes(const struct hierarchy *h)
{
	const struct cache_statistics *lines = &h->stats.l1i;
	const struct tlb_statistics *pages = &h->stats.itlb;
	return lines->misses[0] + lines->misses[1] + lines->prefetches + pages->misses[0] + pages->misses[1];
}

void hierarchy_warm_train(struct hierarchy_side *s, uint64_t pc, uint64_t addr, bool store, bool instruction)
{
	const struct cache_request r = {.addr = addr,
					.pc = pc,
					.store = store,
					.instruction = instruction,
					.free_by_level = s->some_free ? s->free_by_level : NULL,
					.free_from = CULPRIT_LEVEL_L1,
					.level = CULPRIT_LEVEL_L1};
	const uint64_t before = s->l1.stats->prefetches;
	cache_train_hit(&s->l1, &r);
	if (s->l1.stats->prefetches != before)
		hierarchy_last_forget(s);
}

bool hierarchy_warms_by_line(const struct hierarchy *h)
{
	const struct hierarchy_side *s = &h->instructions;
	return !s->last.trains && s->l1.sets.policy != replacement_srrip;
}

void hierarchy_warm_data(struct hierarchy *h, uint64_t pc, uint64_t addr, uint32_t size, bool store)
{
	hierarchy_warm_data_inline(h, pc, addr, size, store);
}

void hierarchy_warm_fetch(struct hierarchy *h, uint64_t addr)
{
	hierarchy_warm_fetch_inline(h, addr);
}
