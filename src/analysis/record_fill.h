/* Records whose source does not tell all (culprit/field.h), made good for the analyses: what follows from the rest is
 * put in, and what the source left as zero is not taken for a zero. Where nothing says what fetch waited for, the gap
 * between two fetches stays as long as it was, in a class that is withheld. docs/how-to/feed-records.md has the rules.
 */
#ifndef CULPRIT_ANALYSIS_RECORD_FILL_H
#define CULPRIT_ANALYSIS_RECORD_FILL_H

#include "analysis/edges/renames.h"
#include "analysis/recent.h"
#include "analysis/starts.h"
#include "culprit/field.h"
#include "culprit/graph.h"

/* Takes the records that are ready. */
typedef bool record_fill_sink(void *context, const struct culprit_record *records, size_t count);

struct record_fill_past {
	uint64_t fetch, dispatch, wake;
};

/* A record waits for the next, whose fetch says whether it redirected. */
struct record_fill {
	struct culprit_graph_params params;
	culprit_field_set unknown;
	uint64_t count, last_commit;
	struct record_fill_past *past; /* by number */
	struct starts starts;
	uint64_t mask;
	uint64_t *taken; /* fetch of the last taken branches, taken_limit of them */
	uint64_t taken_count;
	/* late_rename: who has queue entries, and the commits of the last that took a register, as many as there are */
	struct renames renames;
	uint64_t *registers[RECENT_KINDS], register_count[RECENT_KINDS];
	struct culprit_record held;
	bool holds;
};

/* False: out of memory. */
bool record_fill_create(struct record_fill *f, const struct culprit_graph_params *params, culprit_field_set unknown);
void record_fill_destroy(struct record_fill *f);
/* All pass on what the sink says. */
bool record_fill_push(struct record_fill *f, const struct culprit_record *records, size_t count, record_fill_sink *sink,
		      void *context);
bool record_fill_finish(struct record_fill *f, record_fill_sink *sink, void *context);

/* The parameters of a graph of such records. */
void record_fill_params(struct culprit_graph_params *params, culprit_field_set unknown);

#endif
