/* Looks into the graph and the critical path. */
#ifndef TESTS_CORE_BLAME_H
#define TESTS_CORE_BLAME_H

#include "culprit/critical.h"

enum blame_node { BLAME_FETCH, BLAME_DISPATCH, BLAME_WAKE, BLAME_COMMIT, BLAME_NODES };

/* When the nodes of the instruction pushed last are: with the classes of `set` idealised, or nothing. */
void blame_graph_times(struct culprit_graph *g, unsigned set, uint64_t time[BLAME_NODES]);
void blame_critical_times(const struct culprit_critical *c, uint64_t time[BLAME_NODES]);

/* How often the path took an edge of this kind that is the row's: into it, of redirects out of it. */
uint64_t blame_critical_hops(const struct culprit_critical *c, size_t row, enum culprit_critical_kind kind);

#endif
