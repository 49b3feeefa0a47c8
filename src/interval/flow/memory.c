/* Data and instruction accesses of the flow. The level of each access is known (functional caches); what is found
 * out here is when: lines on their way are waited for, MSHRs and the memory bus may have to be, each if its part is
 * on.
 *
 * Latencies add up on the way down, as in the machine: L1 + L2 (+ L3) (+ memory). Requests are seen in program
 * order, not in the order of time: an access that waits for its address may take the bus before one that is earlier
 * in time. */
#include "interval/flow/state.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct flow_line *find_line(struct flow_cache *c, uint64_t line)
{
	return &c->lines[(line * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - FLOW_LINES_LOG2)];
}

/* When does a line arrive that is on its way? 0 = it is not. Requests come in program order, so the one that fetches
 * the line may be later in time than this one, which then fetches it itself. */
static uint64_t in_flight(struct flow_cache *c, uint64_t address, uint64_t now)
{
	uint64_t line = address >> c->shift;
	const struct flow_line *l = find_line(c, line);
	if (l->tag != line + 1 || l->arrives <= now)
		return 0;
	return l->arrives < now + l->took ? l->arrives : now + l->took;
}

static void set_out(struct flow_cache *c, uint64_t address, uint64_t now, uint64_t arrives)
{
	uint64_t line = address >> c->shift;
	*find_line(c, line) = (struct flow_line){.tag = line + 1, .arrives = arrives, .took = arrives - now};
}

/* The MSHR that is free first. */
static uint64_t *first_mshr(struct flow_cache *c)
{
	uint64_t *first = &c->busy_until[0];
	for (uint32_t i = 1; i < c->mshrs; i++)
		if (c->busy_until[i] < *first)
			first = &c->busy_until[i];
	return first;
}

static uint64_t *take_mshr(const struct flow *f, struct flow_cache *c, uint64_t *start)
{
	if (!c->mshrs || !flow_has(f, FLOW_mshr))
		return NULL;
	uint64_t *mshr = first_mshr(c);
	if (*mshr > *start)
		*start = *mshr;
	return mshr;
}

static uint64_t from_memory(struct flow *f, uint64_t at)
{
	if (f->m.memory_interval && flow_has(f, FLOW_bus)) {
		if (f->bus_free > at)
			at = f->bus_free;
		f->bus_free = at + f->m.memory_interval;
	}
	return at + f->m.memory_latency;
}

/* Has a prefetcher asked for the line before its time? Where it has to come from, and so when it arrives, is known
 * only when it is used: the request goes out in the cycle in which the prefetcher asked, *at. After a while the line
 * is taken to be gone again, unless it is `known` that it stayed. */
static bool is_early(struct flow_cache *c, uint64_t address, uint64_t index, bool known, uint64_t *at)
{
	uint64_t line = address >> c->shift;
	const struct flow_line *l = find_line(c, line);
	if (l->tag != line + 1 || !l->early || (index >= l->early && !known))
		return false;
	*at = l->asked;
	return true;
}

/* A prefetcher sees an access to its cache, which knows at `now` what it has of the line. Lines that are here
 * already cost nothing to ask for again: their levels in the sample say so. */
static void train(struct flow *f, struct flow_cache *c, const struct interval_sample *s, bool miss, bool first_use,
		  uint64_t now)
{
	if (c->prefetch.kind == prefetcher_none || !flow_has(f, FLOW_prefetch))
		return;
	uint64_t asked[PREFETCH_MAX];
	struct flow_line *l = find_line(c, s->address >> c->shift);
	struct prefetch_event e = {.pc = (uint64_t)s->pc << 1, .addr = (uint64_t)s->address << 3, .miss = miss};
	bool asked_here = l->tag == (s->address >> c->shift) + 1 && l->first_use;
	e.first_use = first_use || asked_here;
	l->first_use &= !asked_here;
	uint32_t count = prefetch_train(&c->prefetch, &e, asked);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t address = asked[i] >> 3, line = address >> c->shift, before;
		if (in_flight(c, address, now) || is_early(c, address, f->index, false, &before))
			continue;
		*find_line(c, line) = (struct flow_line){
			.tag = line + 1, .asked = now, .early = f->index + FLOW_PREFETCH_LIFE, .first_use = true};
	}
}

/* --- wrong paths: what of a cache they change --- */

/* Where an access finds its line, if it has been measured in `level` and misses this cache, `above`, from there on. */
static unsigned level_seen(const struct flow *f, struct flow_sets *sets, uint64_t line, unsigned level, unsigned above,
			   bool stray)
{
	if (!flow_has(f, FLOW_stray))
		return level;
	if (stray)
		return !flow_sets_stray(sets, line, level > above) ? above : level > above ? level : above + 1;
	switch (flow_sets_use(sets, line)) {
	case FLOW_BROUGHT:
		return above;
	case FLOW_LOST:
		return level > above ? level : above + 1;
	default:
		return level;
	}
}

/* A request to L2 at `at`, for a line that is found at `level`. */
static uint64_t from_l2(struct flow *f, uint64_t address, unsigned level, uint64_t at, bool stray)
{
	uint64_t hit = at + f->m.l2_latency, coming = in_flight(&f->l2, address, hit), asked = hit;
	level = level_seen(f, &f->l2.sets, address >> f->l2.shift, level, CULPRIT_LEVEL_L2, stray);
	if (coming)
		return coming;
	if (level <= CULPRIT_LEVEL_L2)
		return hit;
	bool early = is_early(&f->l2, address, f->index, false, &asked);
	uint64_t sent = asked, *mshr = early ? NULL : take_mshr(f, &f->l2, &sent);
	uint64_t done = sent + (f->m.l3_size ? f->m.l3_latency : 0);
	if (level == CULPRIT_LEVEL_MEMORY || !f->m.l3_size)
		done = from_memory(f, done);
	if (mshr)
		*mshr = done;
	set_out(&f->l2, address, asked, done);
	return later(done, hit);
}

/* --- translations --- */

static uint64_t walk(const struct flow *f, unsigned level)
{
	if (level == CULPRIT_LEVEL_L2 && f->m.tlb_l2_entries)
		return f->m.tlb_l2_latency;
	return level == CULPRIT_LEVEL_MEMORY ? f->m.tlb_walk_latency + (f->m.tlb_l2_entries ? f->m.tlb_l2_latency : 0)
					     : 0;
}

/* Cycles until the translation is there, or has come that is on its way. */
static uint64_t translate(struct flow *f, struct flow_sets *tlb, uint64_t page, unsigned level, uint64_t now,
			  bool stray)
{
	struct flow_line *p = &f->pages[page * UINT64_C(0x9E3779B97F4A7C15) >> 54];
	bool second = f->m.tlb_l2_entries;
	unsigned seen = level_seen(f, tlb, page, level, CULPRIT_LEVEL_L1, stray);
	if (p->tag == page + 1 && p->arrives > now)
		return p->arrives - now < p->took ? p->arrives - now : p->took;
	if (seen == CULPRIT_LEVEL_L2 && !second) /* lost to a wrong path */
		seen = CULPRIT_LEVEL_MEMORY;
	uint64_t cycles = walk(f, seen);
	if (cycles)
		*p = (struct flow_line){.tag = page + 1, .arrives = now + cycles, .took = cycles};
	return cycles;
}

_Static_assert(FLOW_PAGES == 1 << (64 - 54), "the hash gives ten bits");

/* The level that counts when misses of one kind are left out. */
static unsigned level_with(const struct flow *f, unsigned level, enum flow_part near, enum flow_part far)
{
	if (level > CULPRIT_LEVEL_L2 && !flow_has(f, far))
		level = CULPRIT_LEVEL_L2;
	if (level == CULPRIT_LEVEL_L2 && !flow_has(f, near))
		level = CULPRIT_LEVEL_L1;
	return level;
}

/* lsq.store_translation: the store has its translation before its write. (A vector's, too: samples do not tell.) */
static bool translates_early(const struct flow *f, const struct interval_sample *s)
{
	return f->m.lsq_store_translation == store_translation_issue &&
	       (s->flags & (SAMPLE_LOAD | SAMPLE_STORE)) == SAMPLE_STORE;
}

static uint64_t data_access(struct flow *f, const struct interval_sample *s, uint64_t now, bool stray)
{
	if (flow_has(f, FLOW_dtlb) && !translates_early(f, s))
		now += translate(f, &f->dtlb, s->address >> f->page_shift, s->dtlb, now, stray);
	uint64_t hit = now + f->m.l1d_latency;
	uint64_t coming = in_flight(&f->l1d, s->address, hit);
	unsigned level = level_seen(f, &f->l1d.sets, s->address >> f->l1d.shift, s->dlevel, CULPRIT_LEVEL_L1, stray);
	level = !(s->flags & SAMPLE_LOAD) && !flow_has(f, FLOW_store) ? CULPRIT_LEVEL_L1
								      : level_with(f, level, FLOW_l1d, FLOW_l2d);
	uint64_t asked = hit, unused;
	bool here = f->prefetched && s->prefetched;
	bool early = !coming && level > CULPRIT_LEVEL_L1 && is_early(&f->l1d, s->address, f->index, here, &asked);
	bool miss = !coming && level > CULPRIT_LEVEL_L1 && !early && !here;
	train(f, &f->l1d, s, miss, here, hit);
	if (coming || (!miss && !early))
		return coming ? coming : hit;
	if (miss)
		train(f, &f->l2, s, level > CULPRIT_LEVEL_L2 && !is_early(&f->l2, s->address, f->index, false, &unused),
		      false, hit + f->m.l2_latency);
	uint64_t sent = asked, *mshr = early ? NULL : take_mshr(f, &f->l1d, &sent);
	uint64_t done = from_l2(f, s->address, level, sent, stray);
	if (mshr)
		*mshr = done;
	set_out(&f->l1d, s->address, asked, done);
	return later(done, hit);
}

uint64_t flow_load(struct flow *f, const struct interval_sample *s, uint64_t now)
{
	return data_access(f, s, now + f->d.latency[s->op], false);
}

uint64_t flow_stray_load(struct flow *f, const struct interval_sample *s, uint64_t now)
{
	return data_access(f, s, now + f->d.latency[s->op], true);
}

uint64_t flow_store_translated(struct flow *f, const struct interval_sample *s, uint64_t now)
{
	if (!translates_early(f, s) || !flow_has(f, FLOW_dtlb))
		return now;
	return now + translate(f, &f->dtlb, s->address >> f->page_shift, s->dtlb, now, false);
}

uint64_t flow_store(struct flow *f, const struct interval_sample *s, uint64_t now)
{
	return data_access(f, s, now, false);
}

/* Instructions are kept apart from data in the tables of L2 lines and pages: pc is in halfwords, addresses in eight
 * bytes. */
static uint64_t code_address(const struct interval_sample *s)
{
	return (s->pc >> 2) | UINT64_C(1) << 40;
}

static uint64_t fetch_stall(struct flow *f, const struct interval_sample *s, uint64_t now, bool stray)
{
	uint64_t code = code_address(s);
	uint64_t stall = flow_has(f, FLOW_itlb) ? translate(f, &f->itlb, code >> f->page_shift, s->itlb, now, stray)
						: 0;
	uint64_t start = now + stall, coming = in_flight(&f->l1i, code, start);
	unsigned level = level_seen(f, &f->l1i.sets, code >> f->l1i.shift, s->ilevel, CULPRIT_LEVEL_L1, stray);
	level = level_with(f, level, FLOW_l1i, FLOW_l2i);
	if (coming)
		return coming - now;
	if (level <= CULPRIT_LEVEL_L1)
		return stall;
	uint64_t *mshr = take_mshr(f, &f->l1i, &start);
	uint64_t done = from_l2(f, code, level, start, stray);
	if (mshr)
		*mshr = done;
	set_out(&f->l1i, code, start, done);
	return done - now;
}

uint64_t flow_fetch_stall(struct flow *f, const struct interval_sample *s, uint64_t now)
{
	return fetch_stall(f, s, now, false);
}

uint64_t flow_stray_fetch(struct flow *f, const struct interval_sample *s, uint64_t now)
{
	return fetch_stall(f, s, now, true);
}
