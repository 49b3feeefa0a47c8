/* A design space while it is read: keys.c fills drafts, key by key; axes.c makes axes of them. */
#ifndef CULPRIT_INTERVAL_EXPLORE_READER_H
#define CULPRIT_INTERVAL_EXPLORE_READER_H

#include "interval/explore/explore.h"
#include "machine/machine_outline.h"

/* An axis while it is read. */
struct explore_draft {
	double min, max, step;
	bool has_min, has_max, has_step, has_values, has_choices;
	uint32_t follow_count;
	struct {
		char key[EXPLORE_TEXT];
		double times;
	} follow[EXPLORE_SETS];
};

struct explore_reader {
	struct explore_space *space;
	const struct outline *outline;
	const struct outline_node *node;
	struct explore_draft drafts[EXPLORE_AXES];
	unsigned index[3]; /* the numbers in the path */
	bool sets;	   /* the base was changed already */
	struct error *err;
};

/* Read r->node; a key in no row of the table is refused. */
bool explore_read_node(struct explore_reader *r);
/* Room for value number `at`; NULL: too many, or out of memory. */
struct explore_value *explore_value_at(const struct explore_reader *r, struct explore_axis *a, uint32_t at);
/* Every node has been read: values of axes, checked. */
bool explore_finish(struct explore_reader *r);
/* The value's assignments. */
bool explore_apply(struct machine *m, const struct explore_value *v, struct error *err);

#endif
