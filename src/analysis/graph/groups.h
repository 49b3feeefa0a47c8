/* Groups that are dispatched as a whole (params.whole_groups). */
#ifndef CULPRIT_ANALYSIS_GRAPH_GROUPS_H
#define CULPRIT_ANALYSIS_GRAPH_GROUPS_H

#include "analysis/graph/plan.h"

bool graph_groups_create(struct culprit_graph *g);
void graph_groups_destroy(struct culprit_graph *g);
/* Records, until their groups are complete. */
bool graph_groups_push(struct culprit_graph *g, const struct culprit_record *records, size_t count);
/* No more come: what is kept is complete. */
bool graph_groups_flush(struct culprit_graph *g);
/* What r, the first of its group, waits for: room for all of it. */
void graph_groups_floor(struct culprit_graph *g, const struct culprit_record *r, struct floor *f);

#endif
