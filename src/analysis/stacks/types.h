/* What the stacks are made of: components, architectures, stages, slots; their parameters, and what they count. */
#ifndef CULPRIT_ANALYSIS_STACKS_TYPES_H
#define CULPRIT_ANALYSIS_STACKS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

enum stack_component {
#define STACK_COMPONENT(name, meaning) STACK_##name,
#include "analysis/stacks/component.def"
	STACK_COMPONENTS
};

enum stack_method {
#define STACK_METHOD(name, label, meaning) STACK_METHOD_##name,
#include "analysis/stacks/method.def"
	STACK_METHODS
};

enum fmt_rule {
#define FMT_RULE(name, meaning) FMT_RULE_##name,
#include "analysis/stacks/fmt_rule.def"
	FMT_RULES
};

enum stage_row {
#define STAGE_ROW(name, meaning) STAGE_##name,
#include "analysis/stacks/stage.def"
	STAGE_ROWS
};

enum stack_stage { STAGE_AT_DISPATCH, STAGE_AT_ISSUE, STAGE_AT_COMMIT, STACK_STAGES };

enum slots_row {
#define SLOTS_ROW(name, parent, meaning) SLOTS_##name,
#include "analysis/stacks/slots.def"
	SLOTS_ROWS
};

/* Which events a cycle could be charged to; a cycle with more than one is contested. */
enum stack_claim {
	CLAIM_FETCH = 1,  /* fetch waits for an instruction on the right path */
	CLAIM_BRANCH = 2, /* from a mispredicted branch's dispatch until the right path dispatches */
	CLAIM_LONG = 4,	  /* the oldest waits for memory or a page walk */
	CLAIM_SHORT = 8,  /* the ROB is full and the oldest waits for L2 or a long unit */
	CLAIM_SETS = 16
};

struct stacks_params {
	uint32_t rob, dispatch_width, issue_width, commit_width;
	uint32_t in_flight; /* most instructions between fetch and commit */
	uint32_t stores;    /* entries of the store queue; 0: no limit */
	bool unlimited;	    /* bandwidth is idealised: there are no slots to lose */
	/* instructions that the front-end pipeline holds; more wait in fetch's buffer */
	uint32_t front_pipeline;
	uint32_t fmt_rows;     /* branches that the FMT can follow at once */
	uint32_t counter_bits; /* of a local counter in FMT and sFMT; they saturate */
	uint32_t fmt_rules;    /* bit n: enum fmt_rule n holds */
	/* fixed penalties of the naive architectures */
	uint32_t l2_latency, memory_latency, walk_latency, frontend_latency;
	uint32_t itlb_hit_latency; /* of a second-level TLB: a wait that is no longer was no walk */
};

/* Counts behind the measured penalties. Events are of committed instructions. */
struct stacks_events {
	uint64_t l1i, l2i, itlb, l1d, l2d, dtlb, bmisp;
	uint64_t l2d_isolated; /* part of l2d: began while no other was outstanding */
};

struct stacks_penalties {
	struct stacks_events all;	/* wrong paths and stores included (l1d: not counted) */
	struct stacks_events committed; /* without stores: commit does not wait for them */
	struct stacks_events stores;	/* l2d and dtlb of stores */
	uint64_t tracked;		/* committed mispredicted branches that had an FMT row */
	uint64_t resolution;		/* cycles from their dispatch to their resolution */
	uint64_t refill;		/* cycles from there to the first dispatch of the right path */
	uint64_t untracked;		/* mispredictions resolved without a row */
	uint64_t overflowed;		/* branches that found no row */
	uint32_t rows_used;		/* most at once */
	uint64_t overlap; /* cycles of front-end penalties under long ones, both as section 3 of the paper has them */
	uint64_t filled;  /* cycles in which an ended wrong path would have filled the ROB */
};

#endif
