#include "analysis/commit_cause.h"

static const struct commit_cause_row causes_table[] = {
#define COMMIT_CAUSE(name, label, words, event) {#name, label, words, (enum culprit_event_class)(event)},
#include "analysis/commit_cause.def"
};

static const struct {
	enum commit_cause cause;
	culprit_field_set field;
	struct commit_cause_row row; /* without its event, which is the cause's */
} untold[] = {
#define COMMIT_CAUSE_UNTOLD(cause, field, name, label, words) \
	{CAUSE_##cause, CULPRIT_FIELD_BIT(field), {#name, label, words, CULPRIT_EVENT_COUNT}},
#include "analysis/commit_cause.def"
};

static const uint8_t of_row[COMMIT_ROWS] = {
#define COMMIT_ROW_CAUSE(row, cause) [COMMIT_##row] = CAUSE_##cause,
#include "analysis/commit_cause.def"
};

const struct commit_cause_row *commit_cause_row(enum commit_cause cause)
{
	return &causes_table[cause];
}

struct commit_cause_row commit_cause_told(enum commit_cause cause, culprit_field_set unknown)
{
	struct commit_cause_row row = causes_table[cause];
	for (size_t i = 0; i < sizeof untold / sizeof *untold; i++)
		if (untold[i].cause == cause && (untold[i].field & unknown)) {
			row = untold[i].row;
			row.event = causes_table[cause].event;
		}
	return row;
}

enum commit_cause commit_row_cause(enum commit_row row)
{
	return (enum commit_cause)of_row[row];
}

/* Of an instruction that had executed before commit waited for it: what made it late. */
static unsigned late_cause(const struct culprit_record *r, const struct commit_stack_params *params)
{
	const unsigned cause = of_row[commit_stack_executed(r)];
	const bool on_time = r->ready <= r->dispatch + params->dispatch_to_issue;
	return cause == CAUSE_short_op && on_time ? CAUSE_pipeline : cause;
}

void commit_cause_add(const struct culprit_record *r, const struct commit_stack_params *params,
		      const struct commit_wait *wait, uint64_t causes[COMMIT_CAUSES])
{
	uint64_t most = 0, pipeline = 0;
	unsigned largest = CAUSE_pipeline;
	for (unsigned i = 0; i < wait->count; i++) {
		unsigned cause = of_row[wait->parts[i].row];
		uint64_t cycles = wait->parts[i].cycles;
		if (cause == CAUSE_pipeline) {
			pipeline += cycles;
			continue;
		}
		causes[cause] += cycles;
		if (cycles > most) {
			most = cycles;
			largest = cause;
		}
	}
	if (pipeline && !most)
		largest = late_cause(r, params);
	causes[largest] += pipeline;
}
