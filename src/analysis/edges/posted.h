/* Posted writes (params.posted_writes) by the times of the records: when each asks the L1D, and what it waits from then
 * on until it has its MSHR. Writes go in order, so one asks when those in front are served:
 *
 *     accepted(i) = max(commit(i), served(i - write_buffer))
 *     asked(i)    = max(accepted(i) + hit + translation, served(i - 1))
 *     served(i)   = asked(i) + what it waits for its MSHR */
#ifndef CULPRIT_ANALYSIS_EDGES_POSTED_H
#define CULPRIT_ANALYSIS_EDGES_POSTED_H

#include "culprit/graph.h"

struct posted_writes {
	uint64_t *served; /* of the last write_buffer writes */
	uint32_t buffer;  /* how many; 0 = there is no buffer */
	uint64_t count, last;
};

struct posted_write {
	uint64_t asked;
	uint32_t waited;
};

bool posted_writes_create(struct posted_writes *w, const struct culprit_graph_params *p);
void posted_writes_destroy(struct posted_writes *w);
void posted_writes_reset(struct posted_writes *w);
/* The next store's. */
struct posted_write posted_writes_next(struct posted_writes *w, const struct culprit_graph_params *p,
				       const struct culprit_record *r);

#endif
