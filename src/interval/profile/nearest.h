/* What a profile says of a structure that it does not hold: the counts of the nearest one that it does.
 *
 * Nearest: the capacity's ratio is least; of those, the associativity's. Lines have the nearest size that is swept,
 * first of all; pages the reference machine's. How far that may be off is measured on what the profile holds: for each
 * of lines, capacity and ways, the change of the count by the next factor of two on the other side of the structure
 * taken, times how many factors of two that one is from the one asked for. */
#ifndef CULPRIT_INTERVAL_PROFILE_NEAREST_H
#define CULPRIT_INTERVAL_PROFILE_NEAREST_H

#include "interval/profile/profile.h"

struct interval_estimate {
	double count, off;	     /* off 0: it is held as it is */
	struct interval_cache taken; /* TLBs and BTBs: entries for bytes, and no lines */
};

/* Misses of a cache of size bytes (ways 0 = fully associative). */
struct interval_estimate interval_estimate_misses(const struct interval_sweep *s, enum interval_kind kind,
						  const struct interval_cache *wanted);
/* What half of the ways would change: how far LRU may be from another policy. */
double interval_half_the_ways(const struct interval_sweep *s, enum interval_kind kind, const struct interval_cache *c);
struct interval_estimate interval_estimate_pages(const struct interval_pages *s, uint64_t entries, uint64_t ways);
/* [0]: redirects of taken direct branches, [1]: indirect branches without the right target. */
void interval_estimate_btb(const struct interval_btb *b, uint64_t entries, uint64_t ways,
			   struct interval_estimate estimate[2]);
/* Returns mispredicted by a stack of so many entries (0 = unlimited). */
struct interval_estimate interval_estimate_returns(const struct interval_returns *r, uint64_t entries);

/* Mispredicted directions. `taken` is the predictor that they are of; NULL when none was run (then they are 0). */
struct interval_direction_estimate {
	double count, off;
	const struct interval_predictor *taken;
};
/* Nearest: the kind in the order bimodal, gshare, combined, tage_sc_l; then the tables' capacity with the history's
 * length. Of a TAGE where none was run is known only that it is not below zero: `off` is all of the count. For kinds
 * without tables `off` reaches to what always the same answer would get wrong. */
struct interval_direction_estimate interval_estimate_directions(const struct interval_profile *p,
								const struct machine *m);
/* Mispredicted indirect targets of an ITTAGE; likewise. */
struct interval_direction_estimate interval_estimate_targets(const struct interval_profile *p, const struct machine *m);

#endif
