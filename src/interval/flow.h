/* The flow of a sampled stretch through a window: one pass over the instructions in program order, without cycles. Each gets the
 * earliest times that its dependences and the machine's widths, window, units and latencies allow:
 *
 *   fetch     after the group before it, the line's arrival, a redirect, or room in the front end
 *   dispatch  fetch + c_fe, D a cycle, when the instruction W before it has committed
 *   issue     when its producers are done, at the first cycle with a free unit: since older ones book first, this is
 *             oldest-first issue for pipelined units
 *   commit    in order, R a cycle
 *
 * What a recurrence cannot know is left out: the wrong path, its effect on caches, speculative memory order. Every part (flow_part.def)
 * can be left out by itself; the model's penalties are differences between two flows.
 *
 * This replaces the paper's K(W) where its section 3.5 names the errors of averages: a chain through a misprediction, misses on the
 * critical path, front-end misses under long ones. Genbrugge, Eyerman and Eeckhout's interval simulation (HPCA 2010) goes the same way. */
#ifndef CULPRIT_INTERVAL_FLOW_H
#define CULPRIT_INTERVAL_FLOW_H

#include "base/error.h"
#include "interval/interval_sample.h"
#include "machine/machine.h"

enum flow_part {
#define FLOW_PART(name, kind, meaning) FLOW_##name,
#include "interval/flow_part.def"
	FLOW_PARTS
};
#define FLOW_BIT(name) (1u << FLOW_##name)
#define FLOW_ALL ((1u << FLOW_PARTS) - 1)

/* Where the wrong path behind a mispredicted branch runs into the right one: after so many instructions of each; 0 = not known. The
 * branch at index `other` went the wrong way. */
struct flow_join {
	uint32_t other;
	uint8_t right, wrong;
};

struct flow_stream {
	const struct interval_sample *samples;
	const struct flow_join *joins; /* one for each sample, or NULL: none is known */
	size_t count;
	uint32_t stretch; /* instructions in each stretch; no dependence reaches across. 0 = one stretch */
};

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

/* Find the joins: the wrong path is taken to be what followed when the same conditional branch last (or, failing that, next) went the
 * other way. *joins is malloc'd. */
bool flow_find_joins(const struct flow_stream *stream, struct flow_join **joins, struct error *err);

const char *flow_part_name(enum flow_part part);
const char *flow_part_meaning(enum flow_part part);
bool flow_part_is_event(enum flow_part part);

#endif
