/* From a machine file to the graph's parameters. */
#ifndef CULPRIT_ANALYSIS_GRAPH_MACHINE_H
#define CULPRIT_ANALYSIS_GRAPH_MACHINE_H

#include "culprit/graph.h"
#include "machine/machine.h"

/* With the eight base classes. */
void graph_params_from_machine(struct culprit_graph_params *p, const struct machine *m);

#endif
