/* CPI stacks from counters, all in one run (methods, section 4): five counter architectures, the stacks of three
 * pipeline stages, and the top-down slots tree, driven by cycle-level events. Nothing feeds back into timing.
 *
 * An architecture charges whole cycles to the eight components and calls the rest base, so base and components sum to
 * the cycles always; a naive one may charge more than there are, and its base is then negative by as much.
 * Stage stacks and the slots tree charge every slot once. stacks_finish checks all of it. */
#ifndef CULPRIT_ANALYSIS_STACKS_STACKS_H
#define CULPRIT_ANALYSIS_STACKS_STACKS_H

#include "base/error.h"
#include "culprit/observer.h"

struct machine;

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
	bool unlimited;	    /* bandwidth is idealised: there are no slots to lose */
	uint32_t
		front_pipeline; /* instructions in the front-end pipeline behind the stage that fetch feeds; more wait in its buffer */
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

struct stacks;

void stacks_params_from_machine(struct stacks_params *p, const struct machine *m);

struct stacks *stacks_create(const struct stacks_params *params, struct error *err);
void stacks_destroy(struct stacks *s);
/* Valid as long as s. */
const struct culprit_observer *stacks_observer(const struct stacks *s);
/* After the last event. The run's totals as the simulator counted them: every stack is checked against them. */
bool stacks_finish(struct stacks *s, uint64_t cycles, uint64_t instructions, struct error *err);

/* --- results, valid after stacks_finish --- */

/* Cycles of base and the eight components; they sum to the run's cycles. */
void stacks_components(const struct stacks *s, enum stack_method method, int64_t cycles[STACK_COMPONENTS]);
/* State beside the nine global cycle counters that every architecture has. */
uint64_t stacks_storage_bits(const struct stacks *s, enum stack_method method);
/* Slots of a stage, and how many there are in a cycle: the least of the stages' widths. */
const uint64_t *stacks_stage(const struct stacks *s, enum stack_stage stage);
uint32_t stacks_stage_width(const struct stacks *s);
/* Instructions that a stage wider than that moved and that did not find a slot by the end. */
uint64_t stacks_stage_left(const struct stacks *s, enum stack_stage stage);
/* False: bandwidth is idealised, there is no tree. */
bool stacks_slots(const struct stacks *s, uint64_t slots[SLOTS_ROWS]);
/* Cycles by set of claims (a mask of enum stack_claim). */
const uint64_t *stacks_claims(const struct stacks *s);
const struct stacks_penalties *stacks_penalties(const struct stacks *s);
const struct stacks_params *stacks_parameters(const struct stacks *s);

const char *stack_component_name(enum stack_component c);
const char *stack_component_meaning(enum stack_component c);
const char *stack_method_name(enum stack_method m);
const char *stack_method_label(enum stack_method m);
const char *stack_method_meaning(enum stack_method m);
/* FMT_RULES = no such rule */
enum fmt_rule fmt_rule_find(const char *name, size_t length);
const char *fmt_rule_name(enum fmt_rule rule);
const char *fmt_rule_meaning(enum fmt_rule rule);
const char *stack_stage_name(enum stack_stage stage);
const char *stage_row_name(enum stage_row row);
const char *stage_row_meaning(enum stage_row row);
const char *slots_row_name(enum slots_row row);
const char *slots_row_meaning(enum slots_row row);
enum slots_row slots_row_parent(enum slots_row row);

#endif
