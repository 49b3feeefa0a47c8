/* Reference CPI stacks by simulation: start with a perfect branch predictor and perfect caches and TLBs, make the real
 * ones real one at a time, and charge each the cycles it adds. Two orders, because overlapping misses can be charged to
 * either of the overlapping causes. On a machine with an L3 the step l1d has accesses to L3 and
 * memory still free, and l2d brings both. */
#ifndef CULPRIT_ANALYSIS_TRUTH_REFERENCE_H
#define CULPRIT_ANALYSIS_TRUTH_REFERENCE_H

#include "culprit/types.h"

enum truth_reference_row {
#define REFERENCE(name, events, inverse, meaning) TRUTH_REFERENCE_##name,
#include "analysis/truth/reference.def"
	TRUTH_REFERENCE_ROWS
};

enum truth_order { TRUTH_ORDER_PAPER, TRUTH_ORDER_INVERSE, TRUTH_ORDERS };

const char *truth_reference_name(enum truth_reference_row row);
const char *truth_reference_meaning(enum truth_reference_row row);

/* The component that step 1..TRUTH_REFERENCE_ROWS makes real. */
enum truth_reference_row truth_reference_step(enum truth_order order, uint32_t step);
/* What is still idealised after so many steps; the last is nothing. */
culprit_event_set truth_reference_ideal(enum truth_order order, uint32_t steps);

/* The stack from the times after 0..TRUTH_REFERENCE_ROWS steps: base and one row for each component. Rows may be
 * negative; base and rows sum to the last time exactly. */
struct truth_stack {
	uint64_t base;
	int64_t cycles[TRUTH_REFERENCE_ROWS];
};
void truth_reference_stack(enum truth_order order, const uint64_t time[TRUTH_REFERENCE_ROWS + 1],
			   struct truth_stack *out);

#endif
