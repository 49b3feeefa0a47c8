/* What goes into a flow: the parts that can be switched on, and a stream of sampled instructions. */
#ifndef CULPRIT_INTERVAL_FLOW_TYPES_H
#define CULPRIT_INTERVAL_FLOW_TYPES_H

#include "interval/profile/sample.h"

#include <stddef.h>

enum flow_part {
#define FLOW_PART(name, kind, meaning) FLOW_##name,
#include "interval/flow/part.def"
	FLOW_PARTS
};
#define FLOW_BIT(name) (1u << FLOW_##name)
#define FLOW_ALL ((1u << FLOW_PARTS) - 1)

struct flow_stream {
	const struct interval_sample *samples;
	size_t count;
	uint32_t stretch; /* instructions in each stretch; no dependence reaches across. 0 = one stretch */
	const struct interval_wrong_path *wrong; /* by place */
	size_t wrong_count;
	const struct interval_sample *strays; /* judged: flow_judge_strays() */
	bool prefetched;		      /* the samples' marks are of this machine's L1D prefetcher */
};

#endif
