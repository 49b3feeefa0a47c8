/* The reference machine's caches and TLBs, run functionally in program order (src/machine's own, every access done
 * before the next begins, no prefetchers): fills in what they say of each event. Last levels of other sizes run beside
 * it, fed by the same misses. */
#ifndef CULPRIT_INTERVAL_PROFILE_REFERENCE_H
#define CULPRIT_INTERVAL_PROFILE_REFERENCE_H

#include "interval/profile/stream.h"

struct interval_reference_run;

struct interval_reference_run *interval_reference_create(const struct machine *m, struct error *err);
void interval_reference_destroy(struct interval_reference_run *r);
/* The batch's fills and walks; dlevel, dtlb, ilevel, itlb and chains of its events, where there are any. */
void interval_reference_judge(struct interval_reference_run *r, struct interval_batch *b);
void interval_reference_restart(struct interval_reference_run *r);
/* Loads so far in the region that were a long event of the chain. */
uint64_t interval_reference_chain(const struct interval_reference_run *r, enum interval_chain chain);
/* level[], instruction_pages, data_pages, data_level and so on. */
void interval_reference_finish(const struct interval_reference_run *r, struct interval_profile *to);

/* Bytes that one long miss of the chain brings. */
uint32_t interval_chain_line(const struct machine *m, enum interval_chain chain);
/* The parameters as the profile keeps them. */
void interval_reference_describe(const struct machine *m, struct interval_reference *to);

#endif
