/* Estimates from samples of a run, with confidence intervals (Wunderlich et al., "SMARTS", ISCA 2003, section 3; ratio
 * estimator: Cochran, "Sampling Techniques", chapter 6). */
#ifndef CULPRIT_SAMPLE_ESTIMATE_H
#define CULPRIT_SAMPLE_ESTIMATE_H

#include <stddef.h>

/* value, and half the width of its confidence interval: infinite where one sample is all there is */
struct estimate {
	double value, half;
};

/* What is asked: X / C over the whole run. Its start is known (it was simulated in full), the rest by samples.
 * Sums over one sample each: */
struct estimate_samples {
	const double *x, *c;	    /* e.g. cycles lost, and cycles; cycles, and instructions */
	const double *instructions; /* of each sample */
	size_t count;
	double start_x, start_c; /* of the start */
	double rest;		 /* instructions behind the start */
};

/* `t`: estimate_quantile. Nothing is uncertain where nothing was left out. */
struct estimate estimate_ratio(const struct estimate_samples *s, double t);

/* How many standard errors on either side hold with probability `confidence` (0 to 1, both exclusive): Student's t for
 * `count` samples. */
double estimate_quantile(double confidence, size_t count);

#endif
