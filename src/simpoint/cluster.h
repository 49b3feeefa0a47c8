/* Phases of a program from its basic-block vectors, after Sherwood, Perelman, Hamerly and Calder, "Automatically
 * characterizing large scale program behavior" (ASPLOS 2002), as SimPoint 3.2 does it by default:
 *
 * 1. A vector is divided by its sum, and projected to 15 dimensions by a matrix of random numbers from -1 to 1.
 * 2. k-means, from k of the vectors drawn at random, at most 100 rounds; of five seeds the best BIC counts.
 * 3. BIC, after Pelleg and Moore ("X-means", ICML 2000), for k = 1, the most, and between them by bisection; the
 *    smallest k counts whose BIC is at least 90% of the way from the smallest to the largest seen.
 * 4. Of each cluster the vector nearest to its centre stands for it; its weight is the cluster's part of all. */
#ifndef CULPRIT_SIMPOINT_CLUSTER_H
#define CULPRIT_SIMPOINT_CLUSTER_H

#include "simpoint/points.h"
#include "simpoint/vectors.h"

enum { CLUSTER_DIMENSIONS = 15, CLUSTER_SEEDS = 5, CLUSTER_ROUNDS = 100, CLUSTER_MOST = 1000 };
#define CLUSTER_THRESHOLD 0.9

typedef double cluster_point[CLUSTER_DIMENSIONS];

/* Step 1: one point for each vector, to be freed; NULL: out of memory. */
cluster_point *cluster_project(const struct bbv *v, uint64_t seed);

struct clustering {
	size_t k;
	size_t *labels;		/* of each point: 0 to k - 1 */
	cluster_point *centres; /* k; of a cluster without points: where it was */
	size_t *sizes;
	double distortion, bic;
};
void clustering_destroy(struct clustering *c);

/* Step 2, one seed. */
bool cluster_means(struct clustering *c, const cluster_point *points, size_t count, size_t k, uint64_t seed,
		   struct error *err);
/* Steps 2 and 3; `most`: clusters. */
bool cluster_search(struct clustering *c, const cluster_point *points, size_t count, size_t most, uint64_t seed,
		    struct error *err);
/* Step 4. Clusters that are empty have no point. */
bool cluster_choose(const struct clustering *c, const cluster_point *points, size_t count, struct simpoints *to,
		    struct error *err);

#endif
