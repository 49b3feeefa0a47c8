/* Parameters of a core that a machine file cannot say: as in culprit/graph.h. All 0: it is as the machine says. */
#ifndef CULPRIT_ANALYSIS_GRAPH_BEYOND_H
#define CULPRIT_ANALYSIS_GRAPH_BEYOND_H

#include "culprit/graph.h"

struct graph_beyond {
#define BEYOND(name, most) uint32_t name;
#include "analysis/graph/beyond.def"
};
void graph_params_beyond(struct culprit_graph_params *p, const struct graph_beyond *b);
struct graph_beyond graph_beyond_of(const struct culprit_graph_params *p);
/* The first that is above its most, and that; NULL: they can be. */
const char *graph_beyond_wrong(const struct graph_beyond *b, uint32_t *most);

#endif
