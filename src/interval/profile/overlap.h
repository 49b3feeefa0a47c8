/* m*(W): non-overlapping long misses, for many windows in one scan (section 3.3.3), with dependence tracked, with
 * limited MSHRs, and with mispredictions that wait for a miss. profile.h defines the quantity.
 *
 * Only values that come from a long miss of the last 1024 instructions can be late: they are tainted, and carry the
 * time at which they are there, one lane for each machine (window, MSHRs, mispredictions). Everything else costs a test
 * of a mask. */
#ifndef CULPRIT_INTERVAL_PROFILE_OVERLAP_H
#define CULPRIT_INTERVAL_PROFILE_OVERLAP_H

#include "interval/profile/stream.h"

struct interval_overlap_pass;

/* `line`: bytes brought by one miss of this chain (of a page, for walks). NULL: no memory. */
struct interval_overlap_pass *interval_overlap_create(enum interval_chain chain, uint32_t line);
void interval_overlap_destroy(struct interval_overlap_pass *o);
/* Stretches of DETAIL_SAMPLED are measured, each with a lead before it or from the end of another. */
void interval_overlap_push(struct interval_overlap_pass *o, const struct interval_batch *b);
/* Count from here on: warm-up is over. Nothing is in flight any more. */
void interval_overlap_restart(struct interval_overlap_pass *o);
void interval_overlap_finish(const struct interval_overlap_pass *o, struct interval_overlap *to);

#endif
