/* Simulation points: intervals of a program that stand for all of it, and how much each counts. SimPoint's two files,
 * a line a point: of .simpoints "INTERVAL CLUSTER", of .weights "WEIGHT CLUSTER". Intervals count from 0. */
#ifndef CULPRIT_SIMPOINT_POINTS_H
#define CULPRIT_SIMPOINT_POINTS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct simpoint {
	uint64_t interval, cluster;
	double weight; /* above 0 */
};

/* All zero: none. */
struct simpoints {
	struct simpoint *points;
	size_t count;
	double covered; /* what the weights that were read sum to: the part of the program that has points, 0 to 1 */
};

void simpoints_destroy(struct simpoints *p);
bool simpoints_add(struct simpoints *p, const struct simpoint *point, struct error *err);
void simpoints_write(const struct simpoints *p, FILE *out);
void simpoints_write_weights(const struct simpoints *p, FILE *out);
/* Both files, in whatever order; the result is in order of intervals, and its weights sum to 1. Errors name the files,
 * `points` and `weights`. */
bool simpoints_read(struct simpoints *p, FILE *points, const char *points_place, FILE *weights,
		    const char *weights_place, struct error *err);
/* From files of these names. */
bool simpoints_load(struct simpoints *p, const char *points, const char *weights, struct error *err);

#endif
