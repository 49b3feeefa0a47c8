/* Records of another core, held against the graph while it takes them: the checker beside the graph, of which only the
 * counts are kept. For `culprit analyse` and for the library. */
#ifndef CULPRIT_WITH_RECORDS_FILL_H
#define CULPRIT_WITH_RECORDS_FILL_H

#include "analysis/check/check.h"
#include "report/graph/records.h"

struct graph_records_check {
	struct check *check; /* NULL = not asked for: the other functions do nothing then */
	struct graph_records found;
};

bool graph_records_create(struct graph_records_check *c, const struct culprit_graph_params *params, struct error *err);
void graph_records_destroy(struct graph_records_check *c);
/* Errors are kept until the end. */
void graph_records_push(struct graph_records_check *c, const struct culprit_record *records, size_t count);
/* Fills c->found, and gives it; NULL = nothing was asked for. */
bool graph_records_finish(struct graph_records_check *c, culprit_field_set unknown, const struct graph_records **found,
			  struct error *err);

#endif
