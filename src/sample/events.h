/* Events that warm-up counts everywhere, samples included: what the estimates of cycles lean on (events.def). */
#ifndef CULPRIT_SAMPLE_EVENTS_H
#define CULPRIT_SAMPLE_EVENTS_H

#include "analysis/commit_stack.h"
#include "core/core.h"
#include "machine/machine.h"

enum sample_event {
#define EVENT(row, counted) SAMPLE_EVENT_##row,
#include "sample/events.def"
	SAMPLE_EVENTS
};

/* Counts so far, in cycles of latency. */
struct sample_events {
	double cycles[SAMPLE_EVENTS];
};
/* The same, but as if branches had met the reference's predictors (core_reference_begin). */
void sample_events_reference(struct sample_events *to, const struct machine *m, const struct core_warmed *w);
/* Does it depend on predictors alone? */
bool sample_event_predicted(enum sample_event event);
void sample_events_count(struct sample_events *to, const struct machine *m, const struct core_warmed *w);
/* The event of a row of the commit stack, or of a cause (of a wait, as in commit_cause.def): is it this one? */
bool sample_event_of_row(enum sample_event event, const char *row);
bool sample_event_of_cause(enum sample_event event, const char *cause);
enum commit_row sample_event_commit_row(enum sample_event event);
const char *sample_event_row(enum sample_event event); /* its name */

#endif
