/* Do records of another core fit the graph? What the checker (analysis/check) counted of them, in the few words that
 * have to stand above the costs. Of our own core's records nothing is counted, and nothing is said. */
#ifndef CULPRIT_REPORT_GRAPH_RECORDS_H
#define CULPRIT_REPORT_GRAPH_RECORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { GRAPH_RULES_MOST = 16 };

/* A rule that records break otherwise than by their times (analysis/check/value.def). */
struct graph_rule {
	const char *name;
	uint64_t count, asked;
};

struct graph_records {
	uint64_t count, contradicted; /* records; with a time that an edge contradicts */
	const char *step, *kind;      /* of these edges: those with most cycles; NULL = none */
	uint64_t kind_count;	      /* so many of them */
	size_t rule_count;
	struct graph_rule rules[GRAPH_RULES_MOST];
};

/* Percent of the records that contradict edges. Planted faults (tests/record/planted) above it put costs off by up
 * to 10 points, the one below (redirect_more) by less than 0.1. A rule is told only where enough records break it
 * (check/value.def), and few do: 0.1% of the records went with 7 points. */
enum { GRAPH_RECORDS_MOST = 1 };

/* More records than that contradict edges, or a rule is broken. Nothing of NULL is off. */
bool graph_records_off(const struct graph_records *r);
/* Lines of at most 78 columns; nothing if all fits. For the report's head, and above the costs themselves. */
void graph_records_text(const struct graph_records *r, FILE *out);
/* {"count", "contradicted", "most": {"step", "kind", "count"} or null, "rules": [{"name", "count", "of"}],
 * "most_percent", "trusted"} */
json_t *graph_records_json(const struct graph_records *r);

#endif
