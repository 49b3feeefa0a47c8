/* How far a method of attribution is from idealised re-simulation. Both say of the same quantities
 * (costs, interactions, components of a stack) what percentage of the time they are; errors are differences of these,
 * in percentage points. */
#ifndef CULPRIT_ANALYSIS_TRUTH_SCORE_H
#define CULPRIT_ANALYSIS_TRUTH_SCORE_H

#include <stdbool.h>
#include <stddef.h>

/* A relative error says little about what is nearly nothing: the papers leave out costs below 5 % of the time. */
#define TRUTH_SCORE_LEAST 5.0

struct truth_score_point {
	double truth, method; /* % of the time, by re-simulation and by the method */
	bool counted;	      /* false: shown, but no part of the score */
	bool single;	      /* the cost of one class, or one component: not an interaction */
};

struct truth_score_summary {
	size_t count, singles; /* how many were counted */
	double mean;	       /* absolute error, points; 0 of none */
	double mean_singles;
	size_t worst;	 /* index of the largest absolute error, the first of equals; SIZE_MAX = none */
	double relative; /* mean of |error| / |truth| over singles of at least TRUTH_SCORE_LEAST, percent */
	size_t relative_count;
};

/* 100 * part / whole; 0 of nothing. */
double truth_score_percent(double part, double whole);
struct truth_score_summary truth_score_summarise(const struct truth_score_point *points, size_t count);

#endif
