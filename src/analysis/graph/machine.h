/* From a machine file to the graph's parameters. */
#ifndef CULPRIT_ANALYSIS_GRAPH_MACHINE_H
#define CULPRIT_ANALYSIS_GRAPH_MACHINE_H

#include "analysis/graph/beyond.h"
#include "machine/machine.h"

/* What this machine has and the graph does not model ("key: why"), at most `most` of it; how many. */
size_t graph_gaps(const struct machine *m, const char **gaps, size_t most);
/* With the eight base classes. */
void graph_params_from_machine(struct culprit_graph_params *p, const struct machine *m);

#endif
