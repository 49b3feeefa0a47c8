#include "sample/events.h"

#include "analysis/commit_cause.h"
#include "analysis/commit_stack.h"

#include <string.h>

/* From an L1 miss to the data. */
static uint64_t below_l1(const struct machine *m, enum culprit_level level)
{
	uint64_t cycles = m->l2_latency;
	if (level > CULPRIT_LEVEL_L2 && m->l3_size)
		cycles += m->l3_latency;
	return level > CULPRIT_LEVEL_L3 ? cycles + m->memory_latency : cycles;
}

static uint64_t translations(const struct machine *m, const uint64_t *found)
{
	const uint64_t second = m->tlb_l2_entries ? m->tlb_l2_latency : 0;
	return found[CULPRIT_LEVEL_L2] * second + found[CULPRIT_LEVEL_MEMORY] * (second + m->tlb_walk_latency);
}

void sample_events_count(struct sample_events *to, const struct machine *m, const struct core_warmed *w)
{
	const uint64_t cycles[SAMPLE_EVENTS] = {
#define EVENT(row, counted) [SAMPLE_EVENT_##row] = (counted),
#include "sample/events.def"
	};
	for (size_t i = 0; i < SAMPLE_EVENTS; i++)
		to->cycles[i] = (double)cycles[i];
}

void sample_events_reference(struct sample_events *to, const struct machine *m, const struct core_warmed *w)
{
	struct core_warmed other = *w;
	other.branches = w->reference;
	sample_events_count(to, m, &other);
}

bool sample_event_predicted(enum sample_event event)
{
	return event == SAMPLE_EVENT_bmisp || event == SAMPLE_EVENT_btb;
}

enum commit_row sample_event_commit_row(enum sample_event event)
{
	static const enum commit_row rows[SAMPLE_EVENTS] = {
#define EVENT(row, counted) [SAMPLE_EVENT_##row] = COMMIT_##row,
#include "sample/events.def"
	};
	return rows[event];
}

const char *sample_event_row(enum sample_event event)
{
	return commit_row_name(sample_event_commit_row(event));
}

bool sample_event_of_row(enum sample_event event, const char *row)
{
	return !strcmp(commit_row_name(sample_event_commit_row(event)), row);
}

bool sample_event_of_cause(enum sample_event event, const char *cause)
{
	return !strcmp(commit_cause_row(commit_row_cause(sample_event_commit_row(event)))->name, cause);
}
