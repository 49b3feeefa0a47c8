/* Branch predictors over the stream: the reference machine's own, whose answers go into the batch, and those of
 * predictor.def, which are counted. */
#ifndef CULPRIT_INTERVAL_PROFILE_BRANCHES_H
#define CULPRIT_INTERVAL_PROFILE_BRANCHES_H

#include "interval/profile/stream.h"

struct interval_branches;

/* `tage`: run the predictors with structures of their own for indirect targets, and TAGE, too. */
struct interval_branches *interval_branches_create(const struct machine *reference, bool tage, struct error *err);
void interval_branches_destroy(struct interval_branches *p);
/* The reference and whatever differs from it in tables of counters only; EVENT_MISPREDICTED and EVENT_REDIRECT in the
 * batch's transfers and events. */
void interval_branches_judge(struct interval_branches *p, struct interval_batch *b);
/* The others, if they run: independent of judge (another thread may run it). */
void interval_branches_push_whole(struct interval_branches *p, const struct interval_batch *b);
/* The region begins with instruction number `at` of the stream. */
void interval_branches_restart(struct interval_branches *p, uint64_t at);
/* predictor[] */
void interval_branches_finish(const struct interval_branches *p, struct interval_profile *to);

#endif
