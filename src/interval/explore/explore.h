/* Design-space exploration with the refined model: every machine of a grid of axes, at millions a second.
 *
 * The model's terms of a machine are a sum over parts of flow cycles x how often the event happens. So all that is slow
 * is done once:
 *   counts  depend on caches, TLBs and predictor only: a table for each of these structures;
 *   flow    for every combination of the core's axes (widths, windows, units) at the values of the file, or at seven
 *   spread over a
 *           longer list and linear in the logarithm between; every other axis (latencies, stages, MSHRs) by its effect
 *           at each of these combinations when it alone moves from the base. Effects of two such axes at once are
 *           added.
 * A machine is then a few dozen additions. Only that last addition, the interpolation and the shorter sample make an
 * estimate differ from model_refined(); what is printed of the best machines is checked against it. */
#ifndef CULPRIT_INTERVAL_EXPLORE_EXPLORE_H
#define CULPRIT_INTERVAL_EXPLORE_EXPLORE_H

#include "interval/model/model.h"

enum {
	EXPLORE_AXES = 16,
	EXPLORE_VALUES = 1024, /* of one axis */
	EXPLORE_SETS = 16,     /* assignments of one value */
	EXPLORE_TEXT = 64,
	EXPLORE_CONSTRAINTS = 16,
	EXPLORE_COSTS = 16,
	EXPLORE_SAMPLE = 65536,
};

/* One value of an axis: the assignments that make it, "key=value". */
struct explore_value {
	char name[EXPLORE_TEXT];
	uint32_t set_count;
	char sets[EXPLORE_SETS][EXPLORE_TEXT];
	double number; /* of an axis with a key; else its index */
};

struct explore_axis {
	char name[EXPLORE_TEXT];
	char key[EXPLORE_TEXT]; /* "" = choices */
	uint32_t line;		/* in the file */
	uint32_t value_count;
	struct explore_value *values;
};

/* left OP factor x right */
struct explore_operand {
	double factor;
	char key[EXPLORE_TEXT]; /* "" = the factor alone */
};
struct explore_constraint {
	struct explore_operand left, right;
	char op[3]; /* < <= > >= == != */
	uint32_t line;
	char text[EXPLORE_TEXT * 2];
};

/* The design space as a file describes it. */
struct explore_space {
	struct machine base;
	uint32_t axis_count;
	struct explore_axis axes[EXPLORE_AXES];
	uint32_t constraint_count;
	struct explore_constraint constraints[EXPLORE_CONSTRAINTS];
	double max_cost; /* 0 = any */
	double weights[EXPLORE_COSTS];
	uint32_t sample; /* instructions timed for each table entry */
};

/* Errors: "PLACE:LINE: key PATH: reason". */
bool explore_read(struct explore_space *s, const char *path, struct error *err);
bool explore_parse(struct explore_space *s, const char *text, size_t length, const char *place, struct error *err);
void explore_destroy(struct explore_space *s);
/* The number of machines in the grid, before constraints. */
uint64_t explore_size(const struct explore_space *s);
/* Machine number `index`: the last axis changes first. */
bool explore_machine(const struct explore_space *s, uint64_t index, struct machine *m, struct error *err);
/* The digits of an index. */
void explore_digits(const struct explore_space *s, uint64_t index, uint32_t digits[EXPLORE_AXES]);

struct explore_point {
	uint64_t index;
	double cpi, cost;
	bool knee;
	double checked; /* CPI by model_refined(); 0 = not checked */
	bool nearest;	/* ... with other structures than the machine's: model.h */
	double off;	/* ... and the part of the time that they may be off */
};

struct explore_result {
	uint64_t evaluated, rejected; /* rejected: by a constraint or the cost limit */
	struct explore_point *front;  /* Pareto-optimal: no machine is both cheaper and faster. Cheapest first */
	size_t front_count;
	struct explore_point *cloud; /* every so many-th machine, for pictures */
	size_t cloud_count;
	double table_seconds, seconds; /* host time for the tables, and for the evaluation */
};

/* `threads` 0: as many as there are processors. The result does not depend on it. */
bool explore_run(const struct explore_space *s, const struct model *model, uint32_t threads, struct explore_result *r,
		 struct error *err);
void explore_result_destroy(struct explore_result *r);

/* The tables for one space and profile, and single evaluations out of them. */
struct explore_tables;
struct explore_tables *explore_tables_create(const struct explore_space *s, const struct model *model, uint32_t threads,
					     struct error *err);
void explore_tables_destroy(struct explore_tables *t);
double explore_cpi(const struct explore_tables *t, const uint32_t digits[EXPLORE_AXES]);
double explore_cost_of(const struct explore_tables *t, const uint32_t digits[EXPLORE_AXES]);
bool explore_allowed(const struct explore_tables *t, const uint32_t digits[EXPLORE_AXES], double cost);

/* The cost of a machine, and its parts. */
double explore_cost(const struct machine *m, const double weights[EXPLORE_COSTS]);
double explore_predictor_bytes(const struct machine *m);
double explore_unit_count(const struct machine *m);
uint32_t explore_cost_count(void);
const char *explore_cost_name(uint32_t row);
double explore_cost_weight(uint32_t row);

/* The front of points in any order, in place: returns how many remain, cheapest first. Of equals the lowest index
 * stays. */
size_t explore_front(struct explore_point *points, size_t count);
/* Mark up to `most` knees: where the front, drawn over the logarithm of cost, bends most. */
void explore_knees(struct explore_point *front, size_t count, size_t most);

#endif
