#include "analysis/truth/reference.h"

#define EVENT(name) CULPRIT_EVENT_BIT(name)

static const struct {
	const char *name;
	culprit_event_set events;
	uint32_t inverse;
	const char *meaning;
} rows[] = {
#define REFERENCE(name, events, inverse, meaning) {#name, events, inverse, meaning},
#include "analysis/truth/reference.def"
};

const char *truth_reference_name(enum truth_reference_row row)
{
	return rows[row].name;
}

const char *truth_reference_meaning(enum truth_reference_row row)
{
	return rows[row].meaning;
}

enum truth_reference_row truth_reference_step(enum truth_order order, uint32_t step)
{
	uint32_t row = 0;
	if (order == TRUTH_ORDER_PAPER)
		return (enum truth_reference_row)(step - 1);
	while (rows[row].inverse != step - 1)
		row++;
	return (enum truth_reference_row)row;
}

culprit_event_set truth_reference_ideal(enum truth_order order, uint32_t steps)
{
	culprit_event_set set = 0;
	for (uint32_t step = steps + 1; step <= TRUTH_REFERENCE_ROWS; step++)
		set |= rows[truth_reference_step(order, step)].events;
	return set;
}

void truth_reference_stack(enum truth_order order, const uint64_t time[TRUTH_REFERENCE_ROWS + 1],
			   struct truth_stack *out)
{
	out->base = time[0];
	for (uint32_t step = 1; step <= TRUTH_REFERENCE_ROWS; step++)
		out->cycles[truth_reference_step(order, step)] = (int64_t)time[step] - (int64_t)time[step - 1];
}
