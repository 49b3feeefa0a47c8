/* Who calls whom, and what that costs: a stack of calls rebuilt from committed branches that set or use the link
 * register. A call's cost is all that is charged (as in insn_cycles.h) from behind the call to its return, that one
 * included. A return leads behind the call that it belongs to: calls above that one have been left by a jump and end
 * there, too. A return that leads elsewhere is none. A call of what runs already (recursion) counts, and costs
 * nothing: its cost is part of the outer one's. Calls that are open at the end end there. There is one stack: where
 * several threads take turns, calls of one may end with those of another. */
#ifndef CULPRIT_ANALYSIS_CALLS_H
#define CULPRIT_ANALYSIS_CALLS_H

#include "analysis/commit_cause.h"
#include "base/error.h"
#include "base/map.h"
#include "culprit/record.h"

struct calls_costs {
	uint64_t executions, mispredictions, l1d_misses, l2_misses, memory;
	uint64_t causes[COMMIT_CAUSES]; /* cycles; those with commits are CAUSE_commit */
};

struct calls_edge {
	uint64_t site, target;
	uint64_t count;
	struct calls_costs costs;
	uint32_t next; /* of the same site: index + 1 */
};

struct calls_frame {
	uint64_t back; /* address behind the call */
	uint32_t edge;
	bool recursive;
	struct calls_costs before;
};

enum { CALLS_DEEPEST = 1 << 14, CALLS_SEARCHED = 256 };

struct calls {
	struct commit_stack_params params;
	struct calls_costs sum;
	uint64_t next_cycle;
	struct culprit_record last;
	bool wanted, out_of_memory; /* not wanted: nothing is counted */
	struct calls_edge *edges;
	size_t edge_count, edge_room;
	struct map sites;   /* to the first edge's index + 1 */
	struct map running; /* targets: how many calls of it are open, + 1 */
	struct calls_frame *frames;
	size_t depth, frame_room;
	uint64_t deeper; /* open calls that the stack has no room for */
};

void calls_create(struct calls *c, const struct commit_stack_params *params);
void calls_destroy(struct calls *c);
void calls_push(struct calls *c, const struct culprit_record *records, size_t count);
/* Ends what is open, and sorts the edges by site and target. Nothing may be pushed after it. */
bool calls_finish(struct calls *c, struct error *err);

#endif
