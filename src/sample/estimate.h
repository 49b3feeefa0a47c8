/* Estimates from samples of a run, with confidence intervals. Samples: Wunderlich et al., "SMARTS", ISCA 2003, section
 * 3; ratio estimator: Cochran, "Sampling Techniques", 1977, chapter 6. What is counted everywhere helps: the difference
 * (regression) estimator, Särndal, Swensson and Wretman, "Model Assisted Survey Sampling", 1992, chapter 6. What is
 * rare: the range term of Maurer and Pontil, "Empirical Bernstein Bounds and Sample Variance Penalization", COLT 2009.
 */
#ifndef CULPRIT_SAMPLE_ESTIMATE_H
#define CULPRIT_SAMPLE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* The confidence interval is `low` to `high`; `half` is its wider side. Infinite where one sample is all there is. */
struct estimate {
	double value, half, low, high;
};

/* An event that is counted everywhere, not in samples alone. */
struct estimate_event {
	const double *z;     /* in each sample */
	double start_z, all; /* in the start; in all of the rest */
	/* made by estimate_share: x for each; how wrong that may be for events unlike those in samples; squares of z
	 * about its mean; did few samples meet it? */
	double share, doubt, spread, most; /* most: that share may be */
	bool few;
	bool guessed;  /* `all` is no count, but from the same samples: it explains nothing of how they differ, */
	double unsure; /* and may be wrong by so much */
	double in_x;   /* how much of that x is a part of estimate_samples.x: 0 to 1 */
	bool in_c;     /* is it a part of c? */
};

/* What x is of c. */
enum estimate_kind {
	ESTIMATE_RATIO, /* anything */
	ESTIMATE_PART,	/* a part: X / C is from 0 to 1, and so is its interval */
	/* the part of a place in the program (a function, a line): whole stretches may have nothing of it, and whose
	 * the cycles of an event are that samples lack nobody knows */
	ESTIMATE_PLACE
};

/* What is asked: X / C over the whole run. Its start is known (it was simulated in full), the rest by samples.
 * Sums over one sample each: */
struct estimate_samples {
	const double *x, *c;	    /* e.g. cycles lost, and cycles; cycles, and instructions */
	const double *instructions; /* of each sample */
	size_t count;
	double start_x, start_c, start_instructions; /* of the start */
	double rest;				     /* instructions behind the start */
	const struct estimate_event *events;
	size_t event_count;
	enum estimate_kind kind;
	double burst; /* of x in one sample, where fewer than ESTIMATE_FEW have it: as much may have been missed */
};

/* How sure an interval is to be. */
struct estimate_sureness {
	double t; /* standard errors: estimate_quantile */
	/* for which t stands: of what comes in bursts the variance is known less well, and t is larger. 0: it is not */
	double confidence;
	double rare; /* how many samples' worth of the largest deviation the samples may have missed: estimate_rare */
};

/* Nothing is uncertain where nothing was left out. */
struct estimate estimate_ratio(const struct estimate_samples *s, const struct estimate_sureness *sure);

/* Of which no interval is known. */
struct estimate estimate_unsure(double value);

/* Fewer samples with an event than this say little of it. */
enum { ESTIMATE_FEW = 5 };
/* Fill share, doubt and spread of an event from s->x, which it alone explains; its z, start_z and all are there. From
 * the samples, drawn towards the start's share, or towards half of 1 where the start has none, the more the fewer met
 * it. */
void estimate_share(struct estimate_event *e, const struct estimate_samples *s);

/* How many samples have it? */
size_t estimate_met(const struct estimate_samples *s);
/* How many standard errors on either side hold with probability `confidence` (0 to 1, both exclusive): Student's t with
 * so many degrees of freedom (1 at least), to five digits. */
double estimate_quantile(double confidence, double freedom);
/* ln(2 / (1 - confidence)) */
double estimate_rare(double confidence);

#endif
