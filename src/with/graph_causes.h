/* --graph-causes EVENT[+EVENT...],...: costs, interactions and Shapley values of up to 16 causes of the user's
 * choice. */
#ifndef CULPRIT_WITH_GRAPH_CAUSES_H
#define CULPRIT_WITH_GRAPH_CAUSES_H

#include "analysis/causes/causes.h"
#include "base/error.h"
#include "report/graph/causes.h"

/* The causes of a list, by name: their events as they were written. */
bool graph_causes_parse(const char *list, struct causes_params *params, struct error *err);
/* `lost`: base classes of which the records do not tell; a cause of them is an error. With list NULL there are none. */
bool graph_causes_create(struct causes **causes, const char *list, struct causes_params *params, culprit_event_set lost,
			 struct error *err);

/* Is the cause part of the base class? */
bool graph_causes_within(const struct culprit_graph_class *cause, unsigned base);

/* As the report takes them. NULL, or what is wrong with the records. */
const char *graph_causes_finish(struct causes *causes, struct graph_causes *report);

#endif
