/* Costs and interaction costs from idealised re-simulation: the times of simulations of one region, each with another
 * set of event classes idealised.
 *
 *     cost(S) = time({}) - time(S)
 *     icost(U) = cost(U) - sum of icost(V) over U's proper, non-empty subsets V
 *
 * Sets are bit masks of the classes chosen: bit n = class n. Not every set need have been simulated: what follows from
 * those that were is known, the rest is not. All arithmetic is in whole cycles, so identities hold exactly. */
#ifndef CULPRIT_ANALYSIS_TRUTH_TRUTH_H
#define CULPRIT_ANALYSIS_TRUTH_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

enum { TRUTH_CLASSES_MAX = 16 };
#define TRUTH_UNKNOWN UINT64_MAX

struct truth_times {
	uint32_t classes;
	uint64_t *time; /* 1 << classes entries, TRUTH_UNKNOWN where not simulated; the caller's */
};

/* False: a simulation that it needs is missing. */
bool truth_cost(const struct truth_times *t, uint32_t set, int64_t *cycles);
bool truth_icost(const struct truth_times *t, uint32_t set, int64_t *cycles);

/* The icosts of all non-empty sets, and the time that remains with everything idealised: together the base time. */
struct truth_identity {
	bool known;	    /* every set was simulated */
	int64_t sum;	    /* of all icosts */
	uint64_t remainder; /* time with all classes idealised */
	uint64_t base;
	bool holds; /* sum + remainder == base */
};
struct truth_identity truth_identity(const struct truth_times *t);

#endif
