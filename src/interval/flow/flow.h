/* The flow of a sampled stretch through a window: one pass over the instructions in program order, without cycles. Each
 * gets the earliest times that its dependences and the machine's widths, window, units and latencies allow:
 *
 *   fetch     after the group before it, the line's arrival, a redirect, or room in the front end
 *   dispatch  fetch + c_fe, D a cycle, when the instruction W before it has committed
 *   issue     when its producers are done, at the first cycle with a free unit: since older ones book first, this is
 *             oldest-first issue for pipelined units
 *   commit    in order, R a cycle
 *
 * Wrong paths are followed for the lines and pages that they bring and push out (stray.c); speculation of memory order
 * is taken as perfect. Every part (part.def) can be left out by itself; the model's penalties are differences between
 * two flows.
 *
 * This replaces the paper's K(W) where its section 3.5 names the errors of averages: a chain through a misprediction,
 * misses on the critical path, front-end misses under long ones. Genbrugge, Eyerman and Eeckhout's interval simulation
 * (HPCA 2010) goes the same way. */
#ifndef CULPRIT_INTERVAL_FLOW_FLOW_H
#define CULPRIT_INTERVAL_FLOW_FLOW_H

#include "base/error.h"
#include "interval/flow/types.h"
#include "machine/machine.h"

/* What one flow measures. Counts are of parts switched on. */
struct flow_result {
	uint64_t cycles, instructions;
	uint64_t resolution; /* cycles from dispatch to completion, summed over mispredicted branches */
	uint64_t mispredictions;
};

struct flow;

/* The workspace for one machine; reused by any number of runs. */
struct flow *flow_create(const struct machine *m, struct error *err);
void flow_destroy(struct flow *f);
/* Cycles of the stream with `parts` (bits of enum flow_part) taken into account. */
void flow_run(struct flow *f, const struct flow_stream *stream, uint32_t parts, struct flow_result *result);

/* Where the wrong paths' loads and fetches are served and which of their branches are mispredicted, judged by what
 * the right path of the stream does, on a machine with m's lines and pages. `strays` are those that stream->wrong is
 * of. */
bool flow_judge_strays(const struct flow_stream *stream, const struct machine *m, struct interval_sample *strays,
		       struct error *err);

bool flow_part_is_event(enum flow_part part);

#endif
