/* The causes of the user's choice: a part of the graph's report. */
#ifndef CULPRIT_REPORT_GRAPH_CAUSES_H
#define CULPRIT_REPORT_GRAPH_CAUSES_H

#include "culprit/graph.h"

#include <jansson.h>
#include <stdio.h>

enum { GRAPH_CAUSES_MOST = 16 };

struct graph_causes_row {
	char name[CULPRIT_GRAPH_NAME];
	int64_t cost;	    /* with nothing else idealised */
	double share, half; /* cycles; half of the share's interval, 0 = exact */
};

struct graph_causes_pair {
	int64_t icost;	    /* with nothing else idealised */
	double interaction; /* averaged over what else is; exact only */
};

struct graph_causes {
	uint32_t count, graphs, samples; /* samples 0 = exact */
	uint64_t cycles, rest, apart;	 /* apart: of two graphs in one set, at most */
	struct graph_causes_row rows[GRAPH_CAUSES_MOST];
	struct graph_causes_pair pairs[GRAPH_CAUSES_MOST][GRAPH_CAUSES_MOST];
	const uint64_t *times; /* by set; NULL where sampled */
};

void graph_causes_text(const struct graph_causes *x, FILE *out);
json_t *graph_causes_json(const struct graph_causes *x); /* NULL: out of memory */

#endif
