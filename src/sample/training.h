/* Where predictors learn (--sample-predictors N): in the start, and from N instructions before each sample to its
 * end. In between they keep what they know: they are stale, not empty. What that costs is measured: now and then a
 * second set of predictors, the reference, learns without gaps through some distances between samples, and both are
 * counted in the same samples. The mean difference corrects the estimates, with its own interval. */
#ifndef CULPRIT_SAMPLE_TRAINING_H
#define CULPRIT_SAMPLE_TRAINING_H

#include "sample/sample.h"

#define TRAINED_ALWAYS UINT64_MAX

/* The next sample begins at `next`. Have the core learn or not from here on; the stop up to which that holds. */
uint64_t training_choose(struct sample *s, uint64_t next);
/* The parent has come to a bound of a sample that is `which`: its first instruction, or the first behind. */
bool training_bound(struct sample *s, unsigned which, struct error *err);

/* How many cycles' worth of an event a sample meets more than with the reference, on average, and half of the interval;
 * infinite where too few were compared. 0 where predictors learn always. */
struct training_excess {
	double mean, half;
};
struct training_excess training_excess(const struct sample *s, enum sample_event event);
void training_report(const struct sample *s, struct sample_report *r);

#endif
