/* One access the long way: translate, then ask the L1, which asks what is below it. An access across lines is one
 * request for each line, all starting at once; it takes the parts of the latest. */
#include "machine/hierarchy.h"
#include "machine/hierarchy_inline.h"

static uint64_t translate(struct hierarchy_side *s, const struct hierarchy_demand *d, uint64_t addr, uint8_t *level)
{
	struct tlb_request r = {.page = hierarchy_page(s, addr),
				.seq = d->seq,
				.wrong_path = d->wrong_path,
				.timeless = d->timeless || d->at_once};
	return tlb_translate(&s->tlb, &r, d->cycle, level);
}

static struct cache_request request(struct hierarchy_side *s, const struct hierarchy_demand *d, uint64_t addr)
{
	struct cache_request r = {.addr = addr,
				  .seq = d->seq,
				  .pc = d->pc,
				  .wrong_path = d->wrong_path,
				  .instruction = d->instruction,
				  .store = d->store,
				  .at_once = d->at_once,
				  .filled = d->filled,
				  .free_by_level = s->some_free ? s->free_by_level : NULL,
				  .free_from = CACHE_NOTHING_FREE,
				  .level = CULPRIT_LEVEL_L1};
	if (d->timeless)
		r.free_from = CULPRIT_LEVEL_L1;
	else if (d->at_once)
		r.free_from = CULPRIT_LEVEL_L2;
	else if (s->some_free && !cache_has(&s->l1, addr))
		r.free_from = cache_free_from(s->l1.next, s->free_by_level, addr);
	return r;
}

static void access_line(struct hierarchy_side *s, const struct hierarchy_demand *d, uint64_t addr,
			struct memory_access *out)
{
	uint8_t tlb_level;
	uint64_t translated = d->cycle;
	if (d->translated)
		tlb_level = CULPRIT_LEVEL_L1;
	else
		translated = translate(s, d, addr, &tlb_level);
	struct cache_request r = request(s, d, addr);
	uint64_t done = cache_read(&s->l1, &r, translated);
	uint32_t hit = d->timeless ? 0 : s->l1.latency;
	*out = (struct memory_access){
		.done = done,
		.tlb_cycles = (uint32_t)(translated - d->cycle),
		.hit_cycles = hit,
		.miss_cycles = (uint32_t)(done - translated - hit),
		.mshr_wait = r.mshr_wait,
		.first_wait = r.first_wait,
		.bandwidth_wait = r.bandwidth_wait,
		.primary_miss = r.primary_miss,
		.level = r.level,
		.tlb_level = d->at_once ? CULPRIT_LEVEL_L1 : tlb_level,
		.merged = r.merged,
		.prefetched = r.prefetched,
		.prefetch_level = r.prefetch_level,
		.prefetch_trigger = r.prefetch_trigger ? r.prefetch_trigger + (int32_t)(addr - d->addr) : 0,
		.prefetch_slack = r.prefetch_slack,
		.prefetch_below = r.prefetch_below,
		.stray = r.stray,
	};
}

static void access_ideal(struct hierarchy_side *s, const struct hierarchy_demand *d, struct memory_access *out)
{
	uint32_t hit = d->timeless ? 0 : s->l1.latency;
	s->l1.stats->accesses[d->wrong_path]++;
	*out = (struct memory_access){
		.done = d->cycle + hit, .hit_cycles = hit, .level = CULPRIT_LEVEL_L1, .tlb_level = CULPRIT_LEVEL_L1};
}

void hierarchy_access(struct hierarchy *h, const struct hierarchy_demand *d, struct memory_access *out)
{
	struct hierarchy_side *s = d->instruction ? &h->instructions : &h->data;
	uint32_t shift = s->l1.shift;
	if (s->all_hit) {
		access_ideal(s, d, out);
		return;
	}
	access_line(s, d, d->addr, out);
	uint64_t last = d->addr + (d->size ? d->size - 1 : 0);
	for (uint64_t line = (d->addr >> shift) + 1; line <= last >> shift; line++) {
		struct memory_access other;
		access_line(s, d, line << shift, &other);
		if (other.done > out->done)
			*out = other;
	}
}

/* An access to two pages needs both. */
uint64_t hierarchy_translate(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, uint32_t size,
			     bool wrong_path, bool at_once, uint8_t *level)
{
	struct hierarchy_side *s = &h->data;
	const struct hierarchy_demand d = {.cycle = cycle, .seq = seq, .wrong_path = wrong_path, .at_once = at_once};
	const uint64_t last = addr + (size ? size - 1 : 0);
	uint8_t other_level;
	*level = CULPRIT_LEVEL_L1;
	if (s->all_hit)
		return cycle;
	uint64_t done = translate(s, &d, addr, level);
	if (hierarchy_page(s, addr) != hierarchy_page(s, last)) {
		const uint64_t other = translate(s, &d, last, &other_level);
		*level = other > done ? other_level : *level;
		done = other > done ? other : done;
	}
	if (at_once)
		*level = CULPRIT_LEVEL_L1;
	return done;
}

/* The line that a load waits for is on its way; NULL: it is here, or nobody has asked for it. */
static const struct cache_line *on_its_way(const struct cache *c, uint64_t addr, uint64_t cycle)
{
	uint32_t i = cache_sets_find(&c->sets, addr >> c->shift);
	return i != CACHE_NO_INDEX && c->sets.lines[i].arrival > cycle ? &c->sets.lines[i] : NULL;
}

/* A load that waits for a line, where only so many may: it starts when there is room. */
static void load_with_entry(struct hierarchy *h, struct hierarchy_demand *d, struct memory_access *out)
{
	struct hierarchy_side *s = &h->data;
	const struct cache_line *line = on_its_way(&s->l1, d->addr, d->cycle + s->l1.latency);
	struct cache_line known = line ? *line : (struct cache_line){0};
	if (s->all_hit || (!line && cache_has(&s->l1, d->addr))) {
		hierarchy_access(h, d, out);
		return;
	}
	uint32_t which = 0;
	uint64_t cycle = d->cycle;
	d->cycle = mshrs_take(&h->waiting, cycle, &which);
	hierarchy_access(h, d, out);
	mshrs_hold(&h->waiting, which, out->done);
	if (d->cycle == cycle)
		return;
	out->miss_cycles += (uint32_t)(d->cycle - cycle);
	out->mshr_wait += (uint32_t)(d->cycle - cycle);
	if (out->level > CULPRIT_LEVEL_L1)
		return;
	out->level = known.level > CULPRIT_LEVEL_L1 ? known.level : CULPRIT_LEVEL_L2;
	out->merged = line != NULL;
	out->primary_miss = known.primary_miss;
}

void hierarchy_load_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
			   bool wrong_path, struct memory_access *out)
{
	struct hierarchy_demand d = {
		.cycle = cycle, .seq = seq, .pc = pc, .addr = addr, .size = size, .wrong_path = wrong_path};
	if (h->waiting.count)
		load_with_entry(h, &d, out);
	else
		hierarchy_access(h, &d, out);
}

void hierarchy_store_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			    uint32_t size, struct memory_access *out)
{
	struct hierarchy_demand d = {.cycle = cycle, .seq = seq, .pc = pc, .addr = addr, .size = size, .store = true};
	hierarchy_access(h, &d, out);
}

void hierarchy_write_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			    uint32_t size, struct memory_access *out)
{
	struct hierarchy_demand d = {
		.cycle = cycle, .seq = seq, .pc = pc, .addr = addr, .size = size, .store = true, .translated = true};
	hierarchy_access(h, &d, out);
}

void hierarchy_fetch_slowly(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, bool wrong_path,
			    struct memory_access *out)
{
	struct hierarchy_demand d = {
		.cycle = cycle, .seq = seq, .addr = addr, .size = 1, .wrong_path = wrong_path, .instruction = true};
	hierarchy_access(h, &d, out);
}

void hierarchy_data_at_once(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			    uint32_t size, bool wrong_path, bool store, struct memory_access *out)
{
	struct hierarchy_demand d = {.cycle = cycle,
				     .seq = seq,
				     .pc = pc,
				     .addr = addr,
				     .size = size,
				     .wrong_path = wrong_path,
				     .store = store,
				     .at_once = true};
	hierarchy_access(h, &d, out);
}

static void store_at_once(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
			  bool translated, bool filled, struct memory_access *out)
{
	struct hierarchy_demand d = {.cycle = cycle,
				     .seq = seq,
				     .pc = pc,
				     .addr = addr,
				     .size = size,
				     .store = true,
				     .translated = translated,
				     .at_once = true,
				     .filled = filled};
	hierarchy_access(h, &d, out);
}

void hierarchy_write_at_once(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			     uint32_t size, struct memory_access *out)
{
	store_at_once(h, cycle, seq, pc, addr, size, true, false, out);
}

void hierarchy_store_filled(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr,
			    uint32_t size, bool translated, struct memory_access *out)
{
	store_at_once(h, cycle, seq, pc, addr, size, translated, true, out);
}

void hierarchy_fetch_at_once(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, bool wrong_path,
			     struct memory_access *out)
{
	struct hierarchy_demand d = {.cycle = cycle,
				     .seq = seq,
				     .addr = addr,
				     .size = 1,
				     .wrong_path = wrong_path,
				     .instruction = true,
				     .at_once = true};
	hierarchy_access(h, &d, out);
}

void hierarchy_load(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		    bool wrong_path, struct memory_access *out)
{
	hierarchy_load_inline(h, cycle, seq, pc, addr, size, wrong_path, out);
}

void hierarchy_store(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		     struct memory_access *out)
{
	hierarchy_store_inline(h, cycle, seq, pc, addr, size, out);
}

void hierarchy_write(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t pc, uint64_t addr, uint32_t size,
		     struct memory_access *out)
{
	if (__builtin_expect(!hierarchy_line_hit(&h->data, cycle, addr, size, false, true, false, out), 0))
		hierarchy_write_slowly(h, cycle, seq, pc, addr, size, out);
}

void hierarchy_fetch(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr, bool wrong_path,
		     struct memory_access *out)
{
	hierarchy_fetch_inline(h, cycle, seq, addr, wrong_path, out);
}
