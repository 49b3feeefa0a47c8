/* Can a graph's figures be trusted? Its own time, with nothing idealised, is the simulation's where the graph has
 * every edge that the core has. Everything that is printed from a graph asks here, and says so when they differ. */
#ifndef CULPRIT_REPORT_GRAPH_BASE_H
#define CULPRIT_REPORT_GRAPH_BASE_H

#include "report/graph/records.h"

/* Percent. Base times of all programs on all machines of machines/ are within 0.3. */
enum { GRAPH_BASE_MOST = 1, GRAPH_INTERVAL_MOST = 50, GRAPH_GAPS_MOST = 8 };

struct graph_base {
	double method, simulated; /* time, of the same instructions */
	double interval;	  /* percent: what sampling leaves open anyway */
	/* cycles: a path ends as the last instruction commits, and the simulation counts that cycle as well */
	double fewer;
	const char *gaps[GRAPH_GAPS_MOST]; /* what this machine has and the graph does not model: "key: why" */
	size_t gap_count;
	bool as_recorded; /* waits for issue are, with --graph-slots off: that alone can make the time another */
	bool told_less;	  /* records of another source, which do not tell all that the graph needs */
	const struct graph_records *records; /* of another core: how they fit; NULL = they are our own core's */
};

/* Percent by which the graph's time is longer. Without a simulated time there is nothing to compare: 0. */
double graph_base_error(const struct graph_base *b);
/* By more than GRAPH_BASE_MOST, and than sampling leaves open; or sampling leaves so much open (GRAPH_INTERVAL_MOST)
 * that nothing could be told. */
bool graph_base_off(const struct graph_base *b);
bool graph_base_vague(const struct graph_base *b);
/* It is not off, and the records fit. */
bool graph_base_trusted(const struct graph_base *b);

/* Nothing when it is not off. For the report's head: a line that names the analysis. */
void graph_base_head(const struct graph_base *b, const char *analysis, FILE *out);
/* The first lines of the analysis's own part. What is not modelled is said in any case: costs may be wrong where the
 * base time is right. */
void graph_base_text(const struct graph_base *b, FILE *out);
/* The keys that are not modelled, a list; empty = none. */
void graph_base_keys(const struct graph_base *b, char *text, size_t size);
/* {"error_percent", "trusted", "not_modelled"}, of another core's records "records" as well */
json_t *graph_base_json(const struct graph_base *b);

#endif
