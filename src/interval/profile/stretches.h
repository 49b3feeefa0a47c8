/* Fills the samples of the stream (sampler.h) from events: who produced each operand, register and memory. */
#ifndef CULPRIT_INTERVAL_PROFILE_STRETCHES_H
#define CULPRIT_INTERVAL_PROFILE_STRETCHES_H

#include "interval/profile/sampler.h"
#include "interval/profile/stream.h"

struct interval_stretches;

/* `every` to begin with: interval_sampler_first_every(). */
struct interval_stretches *interval_stretches_create(uint64_t every, struct error *err);
void interval_stretches_destroy(struct interval_stretches *s);
/* For how many instructions from here on the events are wanted (DETAIL_FLOW), or are not. */
uint64_t interval_stretches_change(const struct interval_stretches *s, bool *wanted);
void interval_stretches_push(struct interval_stretches *s, const struct interval_batch *b);
/* The region begins: nothing has been kept, and nothing before is anybody's producer. */
void interval_stretches_restart(struct interval_stretches *s);
/* Hands the samples over; nothing may be pushed afterwards. */
void interval_stretches_finish(struct interval_stretches *s, struct interval_profile *to);

#endif
