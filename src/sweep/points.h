/* The points of a plan: every combination of machine, program, region and values, as one command of `culprit run`
 * each. */
#ifndef CULPRIT_SWEEP_POINTS_H
#define CULPRIT_SWEEP_POINTS_H

#include "sweep/identity.h"

#include <stdio.h>

struct sweep_point {
	uint32_t machine, program, region, values[SWEEP_AXES];
	uint32_t reference;   /* that of the same program and region with the default machine and values */
	uint32_t same;	      /* the first point with this id: itself, unless two are one simulation */
	bool own[SWEEP_AXES]; /* the value is what the machine has anyway */
	/* Made of all that its figures follow from: the machine in full, the command, the program's and the input's
	 * bytes, this version. */
	char id[SWEEP_ID];
	struct sweep_words words; /* of `culprit run`: words[0] is "run" */
	/* What it skips, if that is long: the command that makes a checkpoint behind it, and an id that all points have
	 * which skip the same. "": none. */
	struct sweep_words ahead;
	char ahead_id[SWEEP_ID];
};

/* Instructions that are worth a checkpoint: they take longer than to write it and read it back. */
enum { SWEEP_AHEAD_LEAST = 5000000 };

struct sweep_points {
	struct sweep_point *all;
	uint32_t count;
};

/* A machine of the plan, with what it sets for all, before an axis changes it. */
bool sweep_machine(struct machine *m, const char *name, const struct sweep_words *sets, struct error *err);
/* Whatever is wrong with a machine, a value or an option shows here, before anything runs. */
bool sweep_points_create(struct sweep_points *points, const struct sweep_plan *plan, struct error *err);
void sweep_points_destroy(struct sweep_points *points);
/* Is the region one of the program? */
bool sweep_region_is_of(const struct sweep_region *region, const struct sweep_program *program);

/* A word as a shell takes it. */
void sweep_print_word(const char *word, FILE *out);
/* The point's command as a shell takes it, to be freed; NULL: no memory. */
char *sweep_command(const struct sweep_point *point);

#endif
