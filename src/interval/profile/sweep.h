/* Caches, TLBs and BTBs of every size and associativity in one pass (Mattson et al. 1970): for each number of sets, the
 * LRU order of each set; an access that finds its line as the d-th most recently used hits in every cache with more
 * than d ways.
 *
 * Numbers of sets are powers of two, so that a set of the larger ones is a part of a set of the smaller. What is most
 * recently used in its set is so with more sets too: only what is not goes on to the next number of sets. Accesses come
 * in lists, and each number of sets goes through the whole list before the next: nothing the host would have to foresee
 * depends on an access, and the orders in use stay near its core. */
#ifndef CULPRIT_INTERVAL_PROFILE_SWEEP_H
#define CULPRIT_INTERVAL_PROFILE_SWEEP_H

#include "interval/profile/stream.h"

/* An access: 32 bits of tag, which tells the lines of a set of the smallest number of sets apart; 26 of the line, from
 * the lowest, so that they are an offset in orders of 64 bytes; 6 of kind. */
typedef uint64_t lru_use;
enum { LRU_FIRST_MOST = 64, LRU_TAG_SHIFT = 32, LRU_LINE_SHIFT = 6, LRU_LINE_MASK = (1 << 26) - 1, LRU_KIND_MASK = 3 };

/* By kind and depth; [INTERVAL_WAYS] = not there. */
typedef uint64_t lru_depths[INTERVAL_KINDS][INTERVAL_WAYS + 1];

/* The orders of one number of sets: `mask` of a use says which, in bytes. Counts, and leaves in the list what was not
 * at depth 0; how many those are. */
typedef size_t lru_sweep_step(uint32_t *orders, uint32_t mask, lru_use *list, size_t count, lru_depths depths);

/* The orders of one stream at one line size. */
struct lru_sweep {
	lru_sweep_step *step;
	uint32_t *tags[INTERVAL_SETS]; /* [sets][set * ways + depth] */
	uint32_t first, sets;	       /* log2 of the least number of sets; how many numbers */
	uint64_t last;		       /* the line accessed before, where that is not counted again */
	uint64_t newest
		[LRU_FIRST_MOST]; /* by set of the least number: at depth 0 everywhere, so that it is in no list */
	uint64_t accesses[INTERVAL_KINDS];
	lru_depths depths[INTERVAL_SETS]; /* [][][0] means nothing: see lru_sweep_hits() */
};

bool lru_sweep_init(struct lru_sweep *s, uint32_t first, uint32_t sets, struct error *err);
void lru_sweep_free(struct lru_sweep *s);

/* Put an access in the list, if it has to be looked for; returns how many the list has then. `accesses` is the caller's
 * business. */
static inline size_t lru_sweep_list_tag(struct lru_sweep *s, lru_use *list, size_t count, uint64_t line, uint32_t tag,
					enum interval_kind kind)
{
	uint64_t *newest = &s->newest[line & ((1ull << s->first) - 1)];
	list[count] = (uint64_t)tag << LRU_TAG_SHIFT | (line & LRU_LINE_MASK) << LRU_LINE_SHIFT | kind;
	count += *newest != line;
	*newest = line;
	return count;
}
static inline size_t lru_sweep_list(struct lru_sweep *s, lru_use *list, size_t count, uint64_t line,
				    enum interval_kind kind)
{
	return lru_sweep_list_tag(s, list, count, line, (uint32_t)(line >> s->first), kind);
}
/* What was put in a list since the last time. It is used up. */
void lru_sweep_run(struct lru_sweep *s, lru_use *list, size_t count);
/* One access. */
void lru_sweep_access(struct lru_sweep *s, uint64_t line, enum interval_kind kind);
/* Without the host's vectors, as on a host that has none, or with the shorter ones of two: for tests. */
void lru_sweep_use_portable(struct lru_sweep *s);
bool lru_sweep_use_avx2(struct lru_sweep *s); /* false: there are none */
/* Counts only. */
void lru_sweep_restart(struct lru_sweep *s);
uint64_t lru_sweep_hits(const struct lru_sweep *s, enum interval_kind kind, uint32_t sets, uint32_t depth);

/* One set of up to INTERVAL_PAGES_FULL ways. */
struct lru_full;
typedef uint32_t lru_full_step(uint32_t *order, uint32_t tag);
struct lru_full {
	lru_full_step *step;
	_Alignas(64) uint32_t order[INTERVAL_PAGES_FULL];
	uint64_t hits[INTERVAL_PAGES_FULL]; /* by depth */
};
void lru_full_init(struct lru_full *f);
/* `tag` tells the lines apart. */
void lru_full_access(struct lru_full *f, uint32_t tag);
void lru_full_use_portable(struct lru_full *f); /* for tests */

/* All sweeps of a profile. */
struct interval_sweeps;
struct interval_sweeps *interval_sweeps_create(const struct machine *reference, struct error *err);
void interval_sweeps_destroy(struct interval_sweeps *s);
/* The two halves are independent of each other (two threads may run them). */
void interval_sweeps_push_data(struct interval_sweeps *s, const struct interval_batch *b);
void interval_sweeps_push_rest(struct interval_sweeps *s, const struct interval_batch *b);
void interval_sweeps_restart(struct interval_sweeps *s);
void interval_sweeps_finish(const struct interval_sweeps *s, struct interval_profile *to);

#endif
