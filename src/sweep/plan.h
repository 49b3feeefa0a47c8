/* A plan of a sweep: machines x programs x values x regions. It comes from a YAML file
 * (docs/reference/sweep-plan.md), or from `culprit run -m A,B,C`. Whatever stands in it becomes an option of
 * `culprit run`: so that each point of the sweep is one command, which somebody else could start as well. */
#ifndef CULPRIT_SWEEP_PLAN_H
#define CULPRIT_SWEEP_PLAN_H

#include "options/options.h"

#include <stddef.h>
#include <stdint.h>

enum { SWEEP_AXES = 6, SWEEP_POINTS = 100000 };

/* Texts of its own. NULL-terminated when not empty. */
struct sweep_words {
	char **items;
	uint32_t count;
};

struct sweep_program {
	char *name;
	struct sweep_words command, options; /* command: none where a checkpoint among the options has it */
	char *input;			     /* its standard input; NULL: empty */
	uint32_t line;
};

struct sweep_region {
	char *name, *program; /* of which program; NULL: of all */
	struct sweep_words options;
	uint32_t line;
};

struct sweep_value {
	char *name;
	struct sweep_words sets; /* KEY=VALUE */
};

struct sweep_axis {
	char *name, *key; /* key NULL: every value has sets of its own */
	char *marked;	  /* the default value's name; NULL: the machine's own, or else the first */
	struct sweep_value *values;
	uint32_t count, line;
	bool listed; /* values, not choices */
};

struct sweep_plan {
	const char *place; /* names it in errors */
	char *title;
	struct sweep_words machines, sets, options;
	char *marked; /* the default machine; NULL: the first */
	struct sweep_program *programs;
	uint32_t program_count;
	struct sweep_region *regions;
	uint32_t region_count;
	struct sweep_axis axes[SWEEP_AXES];
	uint32_t axis_count;
};

/* *plan is to be destroyed in any case. */
bool sweep_plan_parse(struct sweep_plan *plan, const char *text, size_t length, const char *place, struct error *err);
bool sweep_plan_read(struct sweep_plan *plan, const char *path, struct error *err);
/* `run -m A,B,C`: one program, one region, and the options of the command line. */
bool sweep_plan_of_run(struct sweep_plan *plan, const struct options *o, struct error *err);
void sweep_plan_destroy(struct sweep_plan *plan);
/* Names are there and differ; completes what may be left out. */
bool sweep_plan_check(struct sweep_plan *plan, struct error *err);
/* Where the program comes from: its own file, or its checkpoint's; NULL: neither was given. */
const char *sweep_program_file(const struct sweep_program *p);

/* One more word, printed. */
bool sweep_add(struct sweep_words *w, struct error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sweep_words_free(struct sweep_words *w);

#endif
