/* For who rewrites records from what the graph sees: analysis/order_learnt.h. */
#ifndef CULPRIT_ANALYSIS_GRAPH_ORDER_H
#define CULPRIT_ANALYSIS_GRAPH_ORDER_H

#include "culprit/graph.h"

/* Did the last record pushed go ahead of its store in some lane? With `watch_order` only. */
bool graph_order_went_ahead(const struct culprit_graph *g);

#endif
