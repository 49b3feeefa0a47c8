/* Branch prediction for a profile: the predictors of interval_predictor.def run in program order, each branch predicted,
 * then trained at once; BTBs of every size; return stacks of several. */
#ifndef CULPRIT_INTERVAL_INTERVAL_BRANCHES_H
#define CULPRIT_INTERVAL_INTERVAL_BRANCHES_H

#include "interval/interval_stream.h"

struct interval_branches;

/* `tage`: the predictors that run whole too; without, they have no name and no counts in the profile. */
struct interval_branches *interval_branches_create(const struct machine *reference, bool tage, struct error *err);
void interval_branches_destroy(struct interval_branches *p);
/* The reference (read off the events' flags) and the predictors that differ only in the direction; those that run whole;
 * BTBs and return stacks of every size. The three are independent of each other. */
void interval_branches_push(struct interval_branches *p, const struct interval_batch *b);
void interval_branches_push_whole(struct interval_branches *p, const struct interval_batch *b);
void interval_branches_push_targets(struct interval_branches *p, const struct interval_batch *b);
void interval_branches_restart(struct interval_branches *p, uint64_t at);
void interval_branches_finish(const struct interval_branches *p, struct interval_profile *to);

/* Predict, then train: false = mispredicted. */
bool interval_predict(struct predictor *p, const struct interval_event *e, bool *redirect);

#endif
