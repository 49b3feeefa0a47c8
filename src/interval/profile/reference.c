/* See the header. Time: an access begins when everything is there that earlier ones asked for, so that nothing
 * merges and no MSHR or bus is ever waited for.
 *
 * A batch's fetches run ahead of its loads and stores as long as they hit: a hit in L1I and ITLB changes nothing
 * that data accesses see, and no level takes lines from another. Before a fetch that misses, the accesses of older
 * instructions are made. */
#include "interval/profile/reference.h"

#include "interval/profile/misses.h"
#include "interval/profile/prefetched.h"
#include "interval/profile/scaled.h"
#include "machine/hierarchy.h"
#include "machine/hierarchy_inline.h"

#include <stdlib.h>
#include <string.h>

struct interval_reference_run {
	struct hierarchy *hierarchy;
	struct interval_scaled scaled;
	struct interval_prefetched prefetched;
	uint32_t i_shift, d_shift;
	bool has_l3;
	uint64_t now;
	uint64_t fetch_line;
	uint64_t executed;		    /* in the region */
	struct hierarchy_statistics before; /* the region */
	struct interval_misses misses[CULPRIT_LEVEL_COUNT];
	struct interval_level level[CULPRIT_LEVEL_COUNT];
	struct interval_translations instruction_pages, data_pages;
	uint64_t data_level[CULPRIT_LEVEL_COUNT][2], data_translation[CULPRIT_LEVEL_COUNT][2];
	uint64_t fetch_level[CULPRIT_LEVEL_COUNT], fetch_translation[CULPRIT_LEVEL_COUNT];
	uint64_t chain[INTERVAL_CHAINS];
	uint64_t hits[INTERVAL_KINDS]; /* in the first levels, not counted in the above yet */
};

static struct machine plain(const struct machine *m)
{
	struct machine p = *m;
	p.ideal = 0;
	p.l1i_prefetcher = p.l1d_prefetcher = p.l2_prefetcher = p.l3_prefetcher = prefetcher_none;
	return p;
}

static bool create(struct interval_reference_run *r, const struct machine *machine, struct error *err)
{
	struct machine m = plain(machine);
	TRY(r->hierarchy = hierarchy_create(&m, err));
	TRY(interval_prefetched_init(&r->prefetched, machine, err));
	TRY(interval_scaled_init(&r->scaled, &m, err));
	r->has_l3 = m.l3_size != 0;
	r->i_shift = (uint32_t)__builtin_ctz(m.l1i_line);
	r->d_shift = (uint32_t)__builtin_ctz(m.l1d_line);
	r->fetch_line = UINT64_MAX;
	const uint32_t lines[] = {m.l1d_line, m.l2_line, m.l3_size ? m.l3_line : m.l2_line};
	for (uint32_t l = CULPRIT_LEVEL_L1; l <= CULPRIT_LEVEL_L3; l++)
		interval_misses_init(&r->misses[l], (uint32_t)__builtin_ctz(lines[l - CULPRIT_LEVEL_L1]));
	return true;
}

struct interval_reference_run *interval_reference_create(const struct machine *m, struct error *err)
{
	struct interval_reference_run *r = calloc(1, sizeof *r);
	if (!r) {
		error_set(err, ERROR_SYSTEM, "out of memory for the reference machine");
		return NULL;
	}
	if (create(r, m, err))
		return r;
	interval_reference_destroy(r);
	return NULL;
}

void interval_reference_destroy(struct interval_reference_run *r)
{
	if (!r)
		return;
	hierarchy_destroy(r->hierarchy);
	interval_prefetched_free(&r->prefetched);
	interval_scaled_free(&r->scaled);
	free(r);
}

/* --- below L1 --- */

/* An access on its way through the hierarchy. */
struct demand {
	uint64_t pc, address;
	uint64_t at; /* instruction in the region */
	enum interval_kind kind;
};

static void note_misses(struct interval_reference_run *r, const struct demand *d, uint8_t level)
{
	for (uint32_t l = CULPRIT_LEVEL_L1; l < level && l <= CULPRIT_LEVEL_L3; l++) {
		r->level[l].misses[d->kind]++;
		if (d->kind != INTERVAL_FETCH)
			interval_misses_note(&r->misses[l], d->pc, d->address, d->at, &r->level[l]);
	}
}

/* A line or translation was not in the first level; returns the chains of which it is an event. */
static uint8_t missed(struct interval_reference_run *r, struct interval_batch *b, const struct demand *d,
		      const struct memory_access *a)
{
	uint8_t chains = 0;
	r->now = a->done + 1;
	if (a->tlb_level > CULPRIT_LEVEL_L1) {
		b->walks[b->walk_count++] = (struct interval_fill){d->address, d->kind, a->tlb_level};
		if (a->tlb_level == CULPRIT_LEVEL_MEMORY)
			chains |= 1u << INTERVAL_CHAIN_walk;
	}
	if (a->level <= CULPRIT_LEVEL_L1)
		return chains;
	b->fills[b->fill_count++] = (struct interval_fill){d->address, d->kind, a->level};
	if (!r->has_l3 || a->level > CULPRIT_LEVEL_L2)
		chains |= interval_scaled_use(&r->scaled, d->address);
	if (a->level == CULPRIT_LEVEL_MEMORY)
		chains |= 1u << INTERVAL_CHAIN_memory;
	if (a->level == CULPRIT_LEVEL_L3)
		chains |= 1u << INTERVAL_CHAIN_l3_hit;
	note_misses(r, d, a->level);
	return chains;
}

static void count_below(struct interval_reference_run *r, enum interval_kind kind, uint8_t level)
{
	r->level[CULPRIT_LEVEL_L1].accesses[kind]++;
	if (level > CULPRIT_LEVEL_L1)
		r->level[CULPRIT_LEVEL_L2].accesses[kind]++;
	if (level > CULPRIT_LEVEL_L2 && r->has_l3)
		r->level[CULPRIT_LEVEL_L3].accesses[kind]++;
}

static void count_page(struct interval_translations *t, uint8_t level)
{
	t->accesses++;
	t->misses += level > CULPRIT_LEVEL_L1;
	t->walks += level == CULPRIT_LEVEL_MEMORY;
}

/* --- data --- */

static void note_data(struct interval_event *e, uint8_t level, uint8_t tlb_level, uint8_t chains)
{
	e->dlevel = level > e->dlevel ? level : e->dlevel;
	e->dtlb = tlb_level > e->dtlb ? tlb_level : e->dtlb;
	e->chains |= chains;
}

/* Not in the first levels, or not simply so. */
__attribute__((noinline)) static uint8_t data_line_slowly(struct interval_reference_run *r, struct interval_batch *b,
							  const struct interval_access *access, uint64_t address)
{
	struct memory_access a;
	enum interval_kind kind = interval_kind_of(access->flags);
	bool store = kind == INTERVAL_STORE;
	struct hierarchy_demand d = {.cycle = r->now, .pc = access->pc, .addr = address, .size = 1, .store = store};
	struct demand known = {access->pc, address, r->executed + access->at, kind};
	hierarchy_access(r->hierarchy, &d, &a);
	uint8_t chains = missed(r, b, &known, &a);
	chains = access->flags & EVENT_LOAD ? chains : 0;
	count_below(r, kind, a.level);
	count_page(&r->data_pages, a.tlb_level);
	r->data_level[a.level][store]++;
	r->data_translation[a.tlb_level][store]++;
	if (b->detail)
		note_data(&b->events[access->at], a.level, a.tlb_level, chains);
	return chains;
}

/* Would the line be here because the prefetcher has asked for it? */
__attribute__((noinline)) static void look_at_prefetcher(struct interval_reference_run *r, struct interval_batch *b,
							 const struct interval_access *access, uint64_t address)
{
	if (interval_prefetched_use(&r->prefetched, access->pc, address) && b->detail)
		b->events[access->at].flags |= EVENT_PREFETCHED;
}

/* One line of an access; returns the chains of which it is an event. */
static inline uint8_t data_line(struct interval_reference_run *r, struct interval_batch *b,
				const struct interval_access *access, uint64_t address)
{
	struct memory_access unused;
	enum interval_kind kind = interval_kind_of(access->flags);
	if (r->prefetched.prefetch.kind != prefetcher_none)
		look_at_prefetcher(r, b, access, address);
	bool hit = hierarchy_hit(&r->hierarchy->data, ++r->now, address, 1, false, kind == INTERVAL_STORE, &unused);
	r->hits[kind] += hit;
	if (__builtin_expect(!hit, 0))
		return data_line_slowly(r, b, access, address);
	if (b->detail)
		note_data(&b->events[access->at], CULPRIT_LEVEL_L1, CULPRIT_LEVEL_L1, 0);
	return 0;
}

static void count_chains(struct interval_reference_run *r, uint8_t chains)
{
	for (size_t c = 0; c < INTERVAL_CHAINS; c++)
		r->chain[c] += chains >> c & 1;
}

static inline void data_access(struct interval_reference_run *r, struct interval_batch *b,
			       const struct interval_access *a)
{
	uint8_t chains = data_line(r, b, a, a->address);
	uint64_t last = access_last_byte(a) >> r->d_shift;
	for (uint64_t line = (a->address >> r->d_shift) + 1; __builtin_expect(line <= last, 0); line++)
		chains |= data_line(r, b, a, line << r->d_shift);
	if (chains) {
		count_chains(r, chains);
		b->long_events |= chains;
	}
}

/* The accesses, from number `done`, of the batch's instructions before `at`; returns how many are done then. */
static size_t data_accesses(struct interval_reference_run *r, struct interval_batch *b, size_t done, size_t at)
{
	for (; done < b->access_count && b->accesses[done].at < at; done++)
		data_access(r, b, &b->accesses[done]);
	return done;
}

/* --- instructions --- */

static void note_fetch(struct interval_event *e, uint8_t level, uint8_t tlb_level)
{
	e->ilevel = level > e->ilevel ? level : e->ilevel;
	e->itlb = tlb_level > e->itlb ? tlb_level : e->itlb;
}

__attribute__((noinline)) static size_t fetch_line_slowly(struct interval_reference_run *r, struct interval_batch *b,
							  size_t done, uint64_t address, size_t at)
{
	struct memory_access a;
	done = data_accesses(r, b, done, at);
	struct hierarchy_demand d = {.cycle = ++r->now, .addr = address, .size = 1, .instruction = true};
	struct demand known = {0, address, 0, INTERVAL_FETCH};
	hierarchy_access(r->hierarchy, &d, &a);
	missed(r, b, &known, &a);
	count_below(r, INTERVAL_FETCH, a.level);
	count_page(&r->instruction_pages, a.tlb_level);
	r->fetch_level[a.level]++;
	r->fetch_translation[a.tlb_level]++;
	if (b->detail)
		note_fetch(&b->events[at], a.level, a.tlb_level);
	return done;
}

/* A line is fetched for instruction `at`. */
static inline size_t fetch_line(struct interval_reference_run *r, struct interval_batch *b, size_t done,
				uint64_t address, size_t at)
{
	struct memory_access unused;
	bool hit = hierarchy_hit(&r->hierarchy->instructions, ++r->now, address, 1, false, false, &unused);
	r->hits[INTERVAL_FETCH] += hit;
	if (__builtin_expect(!hit, 0))
		return fetch_line_slowly(r, b, done, address, at);
	if (b->detail)
		note_fetch(&b->events[at], CULPRIT_LEVEL_L1, CULPRIT_LEVEL_L1);
	return done;
}

static uint32_t length_in(const struct interval_span *s, uint32_t i)
{
	return s->longs >> i & 1 ? 4 : 2;
}

/* Instruction by instruction: each fetches the line of its last byte, and that of its first before, unless they are
 * in the line fetched before. */
static size_t fetch_span(struct interval_reference_run *r, struct interval_batch *b, const struct interval_span *s,
			 size_t done)
{
	uint64_t pc = s->pc;
	for (uint32_t i = 0; i < s->count; i++) {
		uint64_t first = pc >> r->i_shift, last = (pc + length_in(s, i) - 1) >> r->i_shift;
		if (last != r->fetch_line) {
			if (first != last && first != r->fetch_line)
				done = fetch_line(r, b, done, pc, s->at + i);
			done = fetch_line(r, b, done, first == last ? pc : last << r->i_shift, s->at + i);
			r->fetch_line = last;
		}
		pc += length_in(s, i);
	}
	return done;
}

/* Likewise for a span within a line. */
static inline size_t fetch(struct interval_reference_run *r, struct interval_batch *b, const struct interval_span *s,
			   size_t done)
{
	uint64_t first = s->pc >> r->i_shift, last = (s->pc + s->bytes - 1) >> r->i_shift;
	if (first != last)
		return fetch_span(r, b, s, done);
	if (first != r->fetch_line)
		done = fetch_line(r, b, done, s->pc, s->at);
	r->fetch_line = first;
	return done;
}

/* Put the hits where everything else is counted. */
static void count_hits(struct interval_reference_run *r)
{
	for (enum interval_kind kind = INTERVAL_LOAD; kind <= INTERVAL_STORE; kind++) {
		r->data_pages.accesses += r->hits[kind];
		r->data_level[CULPRIT_LEVEL_L1][kind == INTERVAL_STORE] += r->hits[kind];
		r->data_translation[CULPRIT_LEVEL_L1][kind == INTERVAL_STORE] += r->hits[kind];
	}
	r->instruction_pages.accesses += r->hits[INTERVAL_FETCH];
	r->fetch_level[CULPRIT_LEVEL_L1] += r->hits[INTERVAL_FETCH];
	r->fetch_translation[CULPRIT_LEVEL_L1] += r->hits[INTERVAL_FETCH];
	for (enum interval_kind kind = 0; kind < INTERVAL_KINDS; kind++)
		r->level[CULPRIT_LEVEL_L1].accesses[kind] += r->hits[kind];
	memset(r->hits, 0, sizeof r->hits);
}

static void clear_events(struct interval_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct interval_event *e = &b->events[i];
		e->dlevel = e->dtlb = e->ilevel = e->itlb = e->chains = 0;
	}
}

void interval_reference_judge(struct interval_reference_run *r, struct interval_batch *b)
{
	size_t done = 0;
	b->fill_count = b->walk_count = 0;
	b->long_events = 0;
	if (b->detail)
		clear_events(b);
	for (size_t i = 0; i < b->span_count; i++)
		done = fetch(r, b, &b->spans[i], done);
	data_accesses(r, b, done, b->count);
	r->executed += b->count;
	count_hits(r);
}

/* --- results --- */

void interval_reference_restart(struct interval_reference_run *r)
{
	r->before = *hierarchy_statistics(r->hierarchy);
	r->executed = 0;
	for (uint32_t l = 0; l < CULPRIT_LEVEL_COUNT; l++)
		interval_misses_restart(&r->misses[l]);
	memset(r->level, 0, sizeof r->level);
	memset(&r->instruction_pages, 0, sizeof r->instruction_pages);
	memset(&r->data_pages, 0, sizeof r->data_pages);
	memset(r->data_level, 0, sizeof r->data_level);
	memset(r->data_translation, 0, sizeof r->data_translation);
	memset(r->fetch_level, 0, sizeof r->fetch_level);
	memset(r->fetch_translation, 0, sizeof r->fetch_translation);
	memset(r->chain, 0, sizeof r->chain);
}

uint64_t interval_reference_chain(const struct interval_reference_run *r, enum interval_chain chain)
{
	return r->chain[chain];
}

void interval_reference_finish(const struct interval_reference_run *r, struct interval_profile *to)
{
	const struct hierarchy_statistics *s = hierarchy_statistics(r->hierarchy);
	for (uint32_t l = CULPRIT_LEVEL_L1; l <= CULPRIT_LEVEL_L3; l++) {
		to->level[l] = r->level[l];
		interval_misses_finish(&r->misses[l], r->executed, &to->level[l]);
	}
	to->level[CULPRIT_LEVEL_L1].writebacks = s->l1d.writebacks - r->before.l1d.writebacks;
	to->level[CULPRIT_LEVEL_L2].writebacks = s->l2.writebacks - r->before.l2.writebacks;
	to->level[CULPRIT_LEVEL_L3].writebacks = s->l3.writebacks - r->before.l3.writebacks;
	to->instruction_pages = r->instruction_pages;
	to->data_pages = r->data_pages;
	memcpy(to->data_level, r->data_level, sizeof to->data_level);
	memcpy(to->data_translation, r->data_translation, sizeof to->data_translation);
	memcpy(to->fetch_level, r->fetch_level, sizeof to->fetch_level);
	memcpy(to->fetch_translation, r->fetch_translation, sizeof to->fetch_translation);
}
