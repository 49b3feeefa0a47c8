/* See the header. cache_read is one function for every level; levels below call themselves. */
#include "machine/cache.h"

#include "machine/stray_line.h"

#include <stdlib.h>
#include <string.h>

static bool check_size(const struct cache_parameters *p, struct error *err)
{
	if (!p->line || p->line & (p->line - 1))
		return error_set(err, ERROR_INPUT, "%s.line: %u is not a power of two", p->name, p->line);
	if (!p->size || p->size % p->line)
		return error_set(err, ERROR_INPUT, "%s.size: %u is not a whole number of %u-byte lines", p->name,
				 p->size, p->line);
	return true;
}

static bool aliases_init(struct cache *c, const struct cache_parameters *p, struct error *err)
{
	if (!p->miss_alias)
		return true;
	c->alias_mask = p->miss_alias / p->line - 1;
	c->aliases = calloc(c->alias_mask + 1, sizeof *c->aliases);
	return c->aliases || error_set(err, ERROR_SYSTEM, "out of memory for %s.miss_alias", p->name);
}

bool cache_init(struct cache *c, const struct cache_parameters *p, uint8_t level, struct error *err)
{
	TRY(check_size(p, err));
	c->shift = (uint32_t)__builtin_ctz(p->line);
	c->offset_mask = p->line - 1;
	c->latency = p->latency;
	c->in_flight = p->in_flight;
	c->level = level;
	port_init(&c->port, p->interval);
	c->prefetches = p->prefetch_degree;
	prefetch_init(&c->prefetch, p->prefetcher, p->prefetch_degree + !c->prefetches, p->prefetch_distance, c->shift,
		      prefetch_pages(p->page, p->prefetch_pages));
	c->prefetch.misses_only = p->prefetch_misses_only;
	c->prefetch_below = p->prefetch_below;
	const struct culprit_plugin_cache shape = {p->name, p->size, p->ways, p->line, p->page};
	TRY(plugged_prefetcher_create(&c->plugged, p->plugin, &shape, err));
	c->page_mask = ~(uint64_t)(p->page - 1);
	c->trains = c->plugged.calls || p->prefetcher != prefetcher_none;
	TRY(aliases_init(c, p, err));
	TRY(mshrs_init(&c->mshrs, p->mshrs, err));
	TRY(mshrs_init(&c->prefetch_mshrs, p->mshrs, err));
	return cache_sets_init(&c->sets, p->name, p->size / p->line, p->ways, p->replacement, err);
}

void cache_free(struct cache *c)
{
	plugged_prefetcher_destroy(&c->plugged);
	cache_sets_free(&c->sets);
	mshrs_free(&c->mshrs);
	mshrs_free(&c->prefetch_mshrs);
	free(c->aliases);
	c->aliases = NULL;
}

void cache_settle(struct cache *c)
{
	cache_sets_settle(&c->sets);
	mshrs_settle(&c->mshrs);
	mshrs_settle(&c->prefetch_mshrs);
	port_init(&c->port, c->port.interval);
	if (c->aliases)
		memset(c->aliases, 0, (c->alias_mask + 1) * sizeof *c->aliases);
}

bool cache_has(const struct cache *c, uint64_t addr)
{
	return cache_sets_search(&c->sets, addr >> c->shift) != CACHE_NO_INDEX;
}

uint8_t cache_free_from(const struct cache *c, const uint8_t *free_by_level, uint64_t addr)
{
	if (!free_by_level)
		return CACHE_NOTHING_FREE;
	for (; c; c = c->next)
		if (cache_sets_find(&c->sets, addr >> c->shift) != CACHE_NO_INDEX)
			return free_by_level[c->level];
	return free_by_level[CULPRIT_LEVEL_MEMORY];
}

static bool is_free(const struct cache *c, const struct cache_request *r)
{
	return c->level >= r->free_from;
}

static uint64_t read_below(struct cache *c, struct cache_request *r, uint64_t cycle)
{
	if (c->next)
		return cache_read(c->next, r, cycle);
	if (CULPRIT_LEVEL_MEMORY >= r->free_from)
		return cycle;
	r->level = CULPRIT_LEVEL_MEMORY;
	return memory_bus_read(c->memory, cycle, &r->bandwidth_wait);
}

/* A dirty line leaves c for the first level below that has it. */
static void write_below(const struct cache *c, uint64_t addr, uint64_t cycle, uint8_t free_from)
{
	struct memory_bus *memory = c->memory;
	for (struct cache *to = c->next; to; to = to->next) {
		if (to->level < free_from)
			cycle = port_take(&to->port, cycle) + to->latency;
		uint32_t i = cache_sets_find(&to->sets, addr >> to->shift);
		if (i != CACHE_NO_INDEX) {
			to->sets.lines[i].dirty = true;
			return;
		}
	}
	if (CULPRIT_LEVEL_MEMORY < free_from)
		memory_bus_write(memory, cycle);
}

/* Make way for a line whose miss goes out at `sent`; the index it gets. */
static uint32_t evict(struct cache *c, const struct cache_request *r, uint64_t line, uint64_t sent)
{
	uint32_t i = cache_sets_victim(&c->sets, line);
	const struct cache_line *old = &c->sets.lines[i];
	if (c->sets.tags[i] != CACHE_NO_LINE && old->dirty) {
		c->stats->writebacks++;
		write_below(c, c->sets.tags[i] << c->shift, old->arrival > sent ? old->arrival : sent, r->free_from);
	}
	return i;
}

/* Before the line takes the place of index i. */
static void tell_fill(const struct cache *c, const struct cache_request *r, uint32_t i, uint64_t arrival)
{
	const uint64_t old = c->sets.tags[i];
	const struct culprit_plugin_fill fill = {.cycle = arrival,
						 .addr = r->addr >> c->shift << c->shift,
						 .evicts = old != CACHE_NO_LINE,
						 .evicted = old != CACHE_NO_LINE ? old << c->shift : 0,
						 .prefetch = r->prefetcher == c->level};
	if (c->plugged.calls->fill)
		c->plugged.calls->fill(c->plugged.self, &fill);
}

/* Get the line from below, asking at `sent`. */
static uint64_t bring(struct cache *c, struct cache_request *r, uint64_t sent)
{
	uint64_t line = r->addr >> c->shift;
	uint64_t arrival = read_below(c, r, sent);
	uint32_t i = evict(c, r, line, sent);
	if (c->plugged.calls)
		tell_fill(c, r, i, arrival);
	if (c->fills && arrival > sent)
		cache_fills_line(c->fills, arrival, c->sets.tags[i] != CACHE_NO_LINE);
	struct cache_line *l = cache_sets_fill(&c->sets, i, line);
	l->arrival = arrival;
	c->sets.timed |= arrival != 0;
	l->primary_miss = r->seq;
	l->level = r->level;
	l->dirty = r->store && c->level == CULPRIT_LEVEL_L1;
	l->prefetched = 0;
	l->below = c->level == CULPRIT_LEVEL_L1 ? r->prefetch_below : 0;
	if (r->prefetcher == c->level) {
		l->prefetched = CACHE_UNUSED | (r->at_once ? 0 : CACHE_UNTOLD);
		if (c->level > CULPRIT_LEVEL_L1 && !r->at_once)
			l->below = r->level;
	}
	l->trigger = r->prefetch_trigger;
	l->stray = r->wrong_path ? r->level : CULPRIT_LEVEL_NONE;
	l->used_late = false;
	return arrival;
}

static void count_miss(struct cache *c, const struct cache_request *r, bool merged)
{
	c->stats->misses[r->wrong_path]++;
	c->stats->merged[r->wrong_path] += merged;
	if (c->side_misses[r->instruction])
		c->side_misses[r->instruction][r->wrong_path]++;
}

/* miss_alias: from when on no other line is on its way that the request takes for its own. */
static uint64_t unaliased(const struct cache *c, struct cache_request *r, uint64_t ready)
{
	const uint64_t until = c->aliases[r->addr >> c->shift & c->alias_mask];
	if (until <= ready)
		return ready;
	r->bandwidth_wait += (uint32_t)(until - ready);
	return until;
}

static uint64_t miss(struct cache *c, struct cache_request *r, uint64_t ready)
{
	uint32_t which = 0;
	if (!r->prefetcher)
		count_miss(c, r, false);
	if (c->level + 1 >= r->free_from || r->at_once)
		return bring(c, r, ready); /* the line comes in no time: no MSHR waits for it */
	struct mshrs *pool = !r->prefetcher ? &c->mshrs : &c->prefetch_mshrs;
	if (c->aliases)
		ready = unaliased(c, r, ready);
	uint64_t sent = mshrs_take(pool, ready, &which);
	r->mshr_wait += (uint32_t)(sent - ready);
	if (c->level == CULPRIT_LEVEL_L1)
		r->first_wait = (uint32_t)(sent - ready);
	uint64_t arrival = bring(c, r, sent);
	if (c->aliases)
		c->aliases[r->addr >> c->shift & c->alias_mask] = arrival;
	mshrs_hold(pool, which, arrival);
	return arrival;
}

/* Must this request wait for a line on its way? Not when that comes from a level idealised for the request. */
static bool waits(const struct cache *c, const struct cache_request *r, const struct cache_line *l, uint64_t ready)
{
	if (l->arrival <= ready || is_free(c, r) || r->at_once)
		return false;
	return !r->free_by_level || r->free_by_level[l->level] == CACHE_NOTHING_FREE;
}

/* What made a prefetcher ask for the line, and since when it is here. */
static void tell_prefetch(const struct cache *c, struct cache_request *r, const struct cache_line *l, uint64_t ready)
{
	const uint64_t line = r->addr >> c->shift << c->shift;
	r->prefetch_trigger = l->trigger ? l->trigger - (int32_t)(r->addr - line) : 0;
	r->prefetch_slack = ready > l->arrival ? ready - l->arrival : 0;
}

/* The first use of a line that the prefetcher brought. A wrong path's is one for the prefetcher alone. */
static void use_prefetched(struct cache *c, struct cache_request *r, struct cache_line *l, bool merged, uint64_t ready)
{
	const bool unused = l->prefetched & CACHE_UNUSED, untold = l->prefetched & CACHE_UNTOLD;
	c->stats->prefetches_used += unused;
	c->stats->prefetches_late += unused && merged;
	if (r->wrong_path) {
		l->prefetched &= CACHE_UNTOLD;
		return;
	}
	l->prefetched = 0;
	r->prefetched = true;
	if (c->level > CULPRIT_LEVEL_L1 || r->at_once || !untold)
		return; /* the first level asks for the line itself; nobody waits for it; the prefetch took no time */
	r->prefetch_level = l->level;
	r->prefetch_below = l->below;
	tell_prefetch(c, r, l, ready);
}

/* A level below the first has the line by its prefetcher. On its way it says from where by its level. */
static void use_below(const struct cache *c, struct cache_request *r, struct cache_line *l, bool merged, uint64_t ready)
{
	if (!merged && !r->at_once) {
		r->prefetch_below = l->below;
		if (!r->prefetcher)
			tell_prefetch(c, r, l, ready);
	}
	l->below = CULPRIT_LEVEL_NONE;
}

static uint64_t hit(struct cache *c, struct cache_request *r, uint32_t i, uint64_t ready)
{
	struct cache_line *l = &c->sets.lines[i];
	bool merged = waits(c, r, l, ready);
	if (r->at_once && l->arrival > ready)
		l->arrival = ready;
	cache_sets_touch(&c->sets, i);
	if (!r->prefetcher && merged)
		count_miss(c, r, true);
	if (!r->prefetcher && l->prefetched)
		use_prefetched(c, r, l, merged, ready);
	if (l->below && c->level > CULPRIT_LEVEL_L1 && !r->wrong_path)
		use_below(c, r, l, merged, ready);
	if (l->stray && !r->wrong_path && !r->prefetcher) {
		const uint8_t stray = stray_line_use(l, r->seq, c->in_flight);
		r->stray = stray > r->stray ? stray : r->stray;
	}
	l->dirty |= r->store && c->level == CULPRIT_LEVEL_L1;
	if (!merged)
		return ready;
	r->merged = true;
	r->primary_miss = l->primary_miss;
	r->level = l->level;
	return l->arrival;
}

/* Every level on the way down has an MSHR left for one prefetch. */
static bool has_room(const struct cache *c, uint64_t addr, uint64_t cycle)
{
	for (; c; c = c->next) {
		if (cache_sets_find(&c->sets, addr >> c->shift) != CACHE_NO_INDEX)
			return true;
		if (c->mshrs.count &&
		    mshrs_busy(&c->mshrs, cycle) + mshrs_busy(&c->prefetch_mshrs, cycle) >= c->mshrs.count)
			return false;
	}
	return true;
}

enum { CACHE_TRIGGER_MOST = 1 << 30 }; /* further away than that nobody asks */

static void prefetch(struct cache *c, const struct cache_request *trigger, uint64_t addr, uint64_t cycle)
{
	if (cache_sets_find(&c->sets, addr >> c->shift) != CACHE_NO_INDEX)
		return;
	const bool at_once = trigger->at_once && !trigger->filled;
	const bool timeless = trigger->free_from <= CULPRIT_LEVEL_L1 || at_once;
	if (!timeless && !has_room(c, addr, cycle))
		return;
	struct cache_request r = {.addr = addr,
				  .seq = trigger->seq,
				  .pc = trigger->pc,
				  .prefetcher = c->level,
				  .wrong_path = trigger->wrong_path,
				  .instruction = trigger->instruction,
				  .at_once = at_once,
				  .free_by_level = trigger->free_by_level,
				  .free_from = CULPRIT_LEVEL_L1,
				  .level = c->level};
	if (!timeless)
		r.free_from = cache_free_from(c->next, r.free_by_level, addr);
	const int64_t back = (int64_t)(trigger->addr - (addr >> c->shift << c->shift));
	r.prefetch_trigger = back > -CACHE_TRIGGER_MOST && back < CACHE_TRIGGER_MOST ? (int32_t)back : 0;
	c->stats->prefetches++;
	miss(c, &r, cycle);
}

/* The line that is prefetch_below steps ahead; `first` is prefetch_distance ahead. */
static void prefetch_next_level(struct cache *c, const struct cache_request *r, uint64_t first, uint64_t cycle)
{
	int64_t step = (int64_t)(first - r->addr) / (int64_t)c->prefetch.distance;
	uint64_t addr = r->addr + (uint64_t)(step * (int64_t)c->prefetch_below);
	if (!((addr ^ r->addr) >> c->prefetch.page_shift))
		prefetch(c->next, r, addr, cycle);
}

static void train_plugged(struct cache *c, const struct cache_request *r, bool missed, bool first_use, uint64_t cycle)
{
	uint64_t addrs[PREFETCH_MAX];
	const struct culprit_plugin_access a = {.cycle = cycle,
						.pc = r->pc,
						.addr = r->addr,
						.hit = !missed,
						.first_use = first_use,
						.store = r->store,
						.instruction = r->instruction,
						.wrong_path = r->wrong_path};
	uint32_t count = c->plugged.calls->access(c->plugged.self, &a, addrs, PREFETCH_MAX);
	for (uint32_t n = 0; n < count && n < PREFETCH_MAX; n++)
		if (!((addrs[n] ^ r->addr) & c->page_mask))
			prefetch(c, r, addrs[n], cycle);
}

static void train(struct cache *c, const struct cache_request *r, bool missed, bool first_use, uint64_t cycle)
{
	uint64_t addrs[PREFETCH_MAX];
	if (c->plugged.calls) {
		train_plugged(c, r, missed, first_use, cycle);
		return;
	}
	struct prefetch_event e = {.pc = r->pc, .addr = r->addr, .miss = missed, .first_use = first_use};
	uint32_t count = prefetch_train(&c->prefetch, &e, addrs);
	for (uint32_t n = 0; n < count && c->prefetches; n++)
		prefetch(c, r, addrs[n], cycle);
	if (count && c->prefetch_below && c->next)
		prefetch_next_level(c, r, addrs[0], cycle);
}

void cache_train_hit(struct cache *c, const struct cache_request *r)
{
	train(c, r, false, false, 0);
}

static uint64_t start(struct cache *c, struct cache_request *r, uint64_t cycle)
{
	uint64_t at = r->at_once ? cycle : port_take(&c->port, cycle);
	r->bandwidth_wait += (uint32_t)(at - cycle);
	r->level = c->level;
	return at + c->latency;
}

uint64_t cache_read(struct cache *c, struct cache_request *r, uint64_t cycle)
{
	uint64_t ready = is_free(c, r) ? cycle : start(c, r, cycle);
	uint32_t i = cache_sets_find(&c->sets, r->addr >> c->shift);
	if (!r->prefetcher)
		c->stats->accesses[r->wrong_path]++;
	bool first_use = i != CACHE_NO_INDEX && (c->sets.lines[i].prefetched & CACHE_UNUSED);
	uint64_t done = i != CACHE_NO_INDEX ? hit(c, r, i, ready) : miss(c, r, ready);
	if (!r->prefetcher && c->trains)
		train(c, r, i == CACHE_NO_INDEX, first_use, ready);
	return done;
}
