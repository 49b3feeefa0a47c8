/* Caches, TLBs and BTBs of every size and associativity in one pass (Mattson et al. 1970): for each number of sets, the
 * LRU order of each set; an access that finds its line as the d-th most recently used hits in every cache with more than d
 * ways.
 *
 * Numbers of sets are powers of two, so that a set of the larger ones is a part of a set of the smaller. What is most
 * recently used in its set is so with more sets too: the search ends at the first depth 0. */
#ifndef CULPRIT_INTERVAL_INTERVAL_SWEEP_H
#define CULPRIT_INTERVAL_INTERVAL_SWEEP_H

#include "interval/interval_stream.h"

struct lru_sweep;
typedef void lru_sweep_finder(struct lru_sweep *s, uint64_t line, uint32_t tag, enum interval_kind kind);

/* The orders of one stream at one line size. */
struct lru_sweep {
	lru_sweep_finder *find;
	uint32_t *tags[INTERVAL_SETS]; /* [sets][set * ways + depth] */
	uint32_t first, sets;	       /* log2 of the least number of sets; how many numbers */
	uint64_t last;		       /* the line accessed before */
	uint64_t accesses[INTERVAL_KINDS];
	uint64_t newest[INTERVAL_KINDS][INTERVAL_SETS + 1]; /* found at depth 0 from this number of sets on */
	/* depths above 0; [INTERVAL_WAYS] = not there */
	uint64_t hits[INTERVAL_KINDS][INTERVAL_SETS][INTERVAL_WAYS + 1];
};

bool lru_sweep_init(struct lru_sweep *s, uint32_t first, uint32_t sets, struct error *err);
void lru_sweep_free(struct lru_sweep *s);
/* `tag` tells the lines of a set of the smallest number of sets apart. */
static inline void lru_sweep_use(struct lru_sweep *s, uint64_t line, uint32_t tag, enum interval_kind kind)
{
	s->accesses[kind]++;
	if (line == s->last) {
		s->newest[kind][0]++;
		return;
	}
	s->last = line;
	s->find(s, line, tag, kind);
}
static inline void lru_sweep_access(struct lru_sweep *s, uint64_t line, enum interval_kind kind)
{
	lru_sweep_use(s, line, (uint32_t)(line >> s->first), kind);
}
/* Without the host's vectors, as on a host that has none: for tests. */
void lru_sweep_use_portable(struct lru_sweep *s);
/* Counts only. */
void lru_sweep_restart(struct lru_sweep *s);
uint64_t lru_sweep_hits(const struct lru_sweep *s, enum interval_kind kind, uint32_t sets, uint32_t depth);

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
