/* Keeps stretches of the instruction stream, spread evenly over a region whose length is not known: every stretch at
 * first; when there is no more room, every other stretch kept so far is dropped, and from then on half as many are
 * taken. If the region is as long as expected, the same are kept from the beginning, or nearly: what is dropped later
 * has been work for nothing. */
#ifndef CULPRIT_INTERVAL_PROFILE_SAMPLER_H
#define CULPRIT_INTERVAL_PROFILE_SAMPLER_H

#include "interval/profile/profile.h"

enum { INTERVAL_STRETCH = 4096, INTERVAL_STRETCHES = 128 };

struct interval_sampler {
	struct interval_samples samples;
	uint64_t first_every;
	uint64_t seen; /* instructions of the region so far */
};

/* Stretches to begin with: one in so many, if so many instructions are expected (0: unknown). A quarter as far apart as
 * they will be, so that a region that ends sooner still has some. */
uint64_t interval_sampler_first_every(uint64_t expected);
bool interval_sampler_create(struct interval_sampler *s, uint64_t every, struct error *err);
/* The region begins. */
void interval_sampler_restart(struct interval_sampler *s);
/* Where the next instruction's sample goes; NULL when it is not wanted. Must be called for every instruction of the
 * region, and a non-NULL answer be filled before the next call. */
struct interval_sample *interval_sampler_next(struct interval_sampler *s);
/* Instructions of the region from the next one on that are not wanted: 0 = it is. */
uint64_t interval_sampler_gap(const struct interval_sampler *s);
/* When the next one is: instructions to the end of its stretch. */
uint64_t interval_sampler_left(const struct interval_sampler *s);
/* Pass over `count` <= interval_sampler_gap() instructions at once. */
void interval_sampler_pass(struct interval_sampler *s, uint64_t count);
/* Hand the stretches over; an unfinished one is dropped unless it is the only one or all were kept. */
void interval_sampler_finish(struct interval_sampler *s, struct interval_samples *samples);
void interval_sampler_destroy(struct interval_sampler *s);

#endif
