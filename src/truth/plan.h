/* What `culprit truth` simulates: the classes, the sets of classes that are reported, and from these the simulations
 * (a machine, and what is idealised on it), each needed once however many figures it serves. */
#ifndef CULPRIT_TRUTH_PLAN_H
#define CULPRIT_TRUTH_PLAN_H

#include "analysis/truth/truth.h"
#include "analysis/truth/reference.h"
#include "options/options.h"
#include "machine/machine.h"

enum {
	TRUTH_FULL_MAX = 10, /* classes of a power set: 1024 simulations */
	TRUTH_SWEEPS_MAX = 4,
	TRUTH_VALUES_MAX = 64,
	TRUTH_POINTS_MAX = 1024,
};

struct truth_job {
	uint32_t point; /* of the grid; 0 without a sweep */
	culprit_event_set ideal;
};

/* --sweep KEY=V1,V2,... */
struct truth_sweep {
	char key[64];
	uint32_t count;
	char *values[TRUTH_VALUES_MAX];
};

struct truth_plan {
	uint32_t class_count;
	uint8_t classes[TRUTH_CLASSES_MAX]; /* enum culprit_event_class */
	uint32_t *sets;			    /* reported sets of two and more classes, masks of `classes` */
	size_t set_count;
	bool full, reference;

	uint32_t sweep_count;
	struct truth_sweep sweeps[TRUTH_SWEEPS_MAX]; /* the last one is the x axis, the others make curves */
	uint32_t point_count;			     /* 1 without a sweep */

	struct truth_job *jobs; /* [0] is the base: point 0, nothing idealised */
	size_t job_count, job_room;
};

bool truth_plan_create(struct truth_plan *plan, const struct options *o, struct error *err);
void truth_plan_destroy(struct truth_plan *plan);

/* The events of a set of classes. */
culprit_event_set truth_plan_events(const struct truth_plan *plan, uint32_t set);
/* The job that simulates this; SIZE_MAX = none does. */
size_t truth_plan_find(const struct truth_plan *plan, uint32_t point, culprit_event_set ideal);
/* "dl1+win", or "base" */
void truth_set_name(culprit_event_set set, char *text, size_t size);

/* The value of sweep s at a grid point, and the points of one curve: the last sweep's values in a row. */
uint32_t truth_plan_value(const struct truth_plan *plan, uint32_t point, uint32_t s);
/* Set the point's values on the machine. */
bool truth_plan_apply(const struct truth_plan *plan, uint32_t point, struct machine *m, struct error *err);
/* "l1d.latency=4, window.rob=64" */
void truth_point_name(const struct truth_plan *plan, uint32_t point, uint32_t sweeps, char *text, size_t size);

#endif
