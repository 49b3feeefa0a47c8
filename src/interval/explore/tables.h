/* The explorer's tables: what explore.h promises, computed once. All entries are cycles for each instruction; a vector
 * is the start (no part switched on) and what each part adds. Made in this order: plan.c says which axis does what,
 * counts.c how often events happen, flows.c what they cost. */
#ifndef CULPRIT_INTERVAL_EXPLORE_TABLES_H
#define CULPRIT_INTERVAL_EXPLORE_TABLES_H

#include "interval/explore/explore.h"

#include <pthread.h>

enum { EXPLORE_VECTOR = FLOW_PARTS + 1 };

/* Structures whose geometry decides how often a part's event happens. */
enum explore_group { EXPLORE_L1I, EXPLORE_L1D, EXPLORE_L2, EXPLORE_TLB, EXPLORE_BRANCH, EXPLORE_GROUPS };

/* The structure that decides how often a part's event happens; EXPLORE_GROUPS: none. */
static const uint8_t explore_group_of_part[FLOW_PARTS] = {
	[FLOW_units] = EXPLORE_GROUPS,	   [FLOW_order] = EXPLORE_GROUPS,    [FLOW_fetch] = EXPLORE_GROUPS,
	[FLOW_stray] = EXPLORE_GROUPS,	   [FLOW_prefetch] = EXPLORE_GROUPS, [FLOW_serial] = EXPLORE_GROUPS,
	[FLOW_l1d] = EXPLORE_L1D,	   [FLOW_bmisp] = EXPLORE_BRANCH,    [FLOW_l1i] = EXPLORE_L1I,
	[FLOW_l2i] = EXPLORE_L2,	   [FLOW_itlb] = EXPLORE_TLB,	     [FLOW_l2d] = EXPLORE_L2,
	[FLOW_dtlb] = EXPLORE_TLB,	   [FLOW_mshr] = EXPLORE_GROUPS,     [FLOW_bus] = EXPLORE_GROUPS,
	[FLOW_violation] = EXPLORE_GROUPS, [FLOW_store] = EXPLORE_L2,
};

struct explore_vector {
	double v[EXPLORE_VECTOR];
};

/* Where a value lies between two knots of its axis. */
struct explore_place {
	uint32_t low, high;
	double part;
};

struct explore_plan {
	bool core;	 /* varied together with all other core axes */
	bool effect;	 /* changes the flow by itself */
	uint32_t groups; /* bits of enum explore_group */
	uint32_t knot_count;
	uint32_t knots[EXPLORE_VALUES]; /* values timed */
	struct explore_place *places;	/* of every value */
	double *cost;			/* of every value, beyond the base's */
	uint32_t core_stride, core_knot_stride;
	uint32_t group_stride[EXPLORE_GROUPS];
	uint32_t effect_at; /* first effect column of its values; of its knots */
	uint32_t effect_knot_at;
};

struct explore_term {
	double factor;
	const struct explore_axis *axis; /* NULL: the factor alone */
	uint32_t digit;
};

struct explore_tables {
	const struct explore_space *space;
	const struct model *model;
	struct flow_stream stream;
	struct interval_wrong_path *wrong; /* of the shorter sample */
	struct model sampled;		   /* the model with the shorter sample */
	struct explore_plan axes[EXPLORE_AXES];
	uint32_t core_count, core_knots;     /* combinations */
	uint32_t effect_count, effect_knots; /* columns: values, and knots, of all axes with effects */
	struct explore_vector *core;	     /* [core] */
	struct explore_vector *effects;	     /* [core][effect column] */
	double *core_cost;		     /* [core] */
	uint32_t group_count[EXPLORE_GROUPS];
	struct explore_vector *scales
		[EXPLORE_GROUPS]; /* [combination of the group's axes]; v[0] = cycles of events that the sample lacks */
	struct explore_term left[EXPLORE_CONSTRAINTS], right[EXPLORE_CONSTRAINTS];
	/* while being made */
	struct explore_vector *core_at_knots, *effects_at_knots;
	uint32_t threads;
	struct error error;
	pthread_mutex_t lock;
};

bool explore_plan_axes(struct explore_tables *t, struct error *err);
/* The scales of the structures in one group. */
bool explore_fill_group(const struct explore_tables *t, enum explore_group g, struct error *err);
/* The first part of each of the sample's stretches, so that all phases are in it: whole stretches, every so many-th. */
void explore_shorten(struct explore_tables *t);
/* Every flow that the plan needs, by t->threads. */
bool explore_time_all(struct explore_tables *t, struct error *err);
/* From the knots timed to all values. */
bool explore_fill_core(const struct explore_tables *t, struct error *err);

#endif
