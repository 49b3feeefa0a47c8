/* See the header. */
#include "machine/tlb.h"

bool tlb_init(struct tlb *t, const char *what, uint32_t entries, uint32_t ways, struct error *err)
{
	t->perfect = !entries;
	return !entries || cache_sets_init(&t->sets, what, entries, ways, replacement_lru, err);
}

bool tlb_shared_init(struct tlb_shared *t, const struct machine *m, struct error *err)
{
	t->l2_latency = m->tlb_l2_latency;
	t->walk_latency = m->tlb_walk_latency;
	TRY(mshrs_init(&t->walkers, m->tlb_walkers, err));
	return !m->tlb_l2_entries ||
	       cache_sets_init(&t->sets, "tlb.l2", m->tlb_l2_entries, m->tlb_l2_ways, replacement_lru, err);
}

void tlb_free(struct tlb *t)
{
	cache_sets_free(&t->sets);
}

void tlb_shared_free(struct tlb_shared *t)
{
	cache_sets_free(&t->sets);
	mshrs_free(&t->walkers);
}

void tlb_settle(struct tlb *t)
{
	if (t->sets.ways)
		cache_sets_settle(&t->sets);
}

void tlb_shared_settle(struct tlb_shared *t)
{
	mshrs_settle(&t->walkers);
	if (t->sets.ways)
		cache_sets_settle(&t->sets);
}

static void fill(struct cache_sets *s, const struct tlb_request *r, uint64_t arrival, uint8_t level)
{
	struct cache_line *l = cache_sets_fill(s, cache_sets_victim(s, r->page), r->page);
	l->arrival = arrival;
	s->timed |= arrival != 0;
	l->primary_miss = r->seq;
	l->level = level;
}

static uint64_t walk(struct tlb_shared *t, const struct tlb_request *r, uint64_t cycle)
{
	uint32_t walker = 0;
	if (r->timeless)
		return cycle;
	uint64_t done = mshrs_take(&t->walkers, cycle, &walker) + t->walk_latency;
	mshrs_hold(&t->walkers, walker, done);
	return done;
}

/* The first level missed at `cycle`. */
static uint64_t translate_shared(struct tlb_shared *t, const struct tlb_request *r, uint64_t cycle, uint8_t *level)
{
	*level = CULPRIT_LEVEL_MEMORY;
	if (!t->sets.ways)
		return walk(t, r, cycle);
	uint64_t ready = r->timeless ? cycle : cycle + t->l2_latency;
	uint32_t i = cache_sets_find(&t->sets, r->page);
	t->stats->accesses[r->wrong_path]++;
	if (i != CACHE_NO_INDEX) {
		cache_sets_touch(&t->sets, i);
		if (r->timeless || t->sets.lines[i].arrival <= ready) {
			*level = CULPRIT_LEVEL_L2;
			return ready;
		}
		t->stats->misses[r->wrong_path]++;
		return t->sets.lines[i].arrival;
	}
	t->stats->misses[r->wrong_path]++;
	ready = walk(t, r, cycle);
	fill(&t->sets, r, ready, CULPRIT_LEVEL_MEMORY);
	return ready;
}

uint64_t tlb_translate(struct tlb *t, const struct tlb_request *r, uint64_t cycle, uint8_t *level)
{
	*level = CULPRIT_LEVEL_L1;
	if (t->perfect)
		return cycle;
	uint32_t i = cache_sets_find(&t->sets, r->page);
	t->stats->accesses[r->wrong_path]++;
	if (i != CACHE_NO_INDEX) {
		cache_sets_touch(&t->sets, i);
		if (r->timeless || t->sets.lines[i].arrival <= cycle)
			return cycle;
		t->stats->misses[r->wrong_path]++;
		*level = t->sets.lines[i].level;
		return t->sets.lines[i].arrival;
	}
	t->stats->misses[r->wrong_path]++;
	uint64_t ready = translate_shared(t->shared, r, cycle, level);
	fill(&t->sets, r, ready, *level);
	return ready;
}
