/* Branch target buffers and return stacks of every size. */
#ifndef CULPRIT_INTERVAL_PROFILE_TARGETS_H
#define CULPRIT_INTERVAL_PROFILE_TARGETS_H

#include "interval/profile/stream.h"

struct interval_targets;

struct interval_targets *interval_targets_create(const struct machine *reference, struct error *err);
void interval_targets_destroy(struct interval_targets *t);
void interval_targets_push(struct interval_targets *t, const struct interval_batch *b);
void interval_targets_restart(struct interval_targets *t);
/* btb, returns */
void interval_targets_finish(const struct interval_targets *t, struct interval_profile *to);

#endif
