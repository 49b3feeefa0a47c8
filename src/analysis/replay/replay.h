/* Replay: tells an observer (culprit/observer.h) the cycles that the pipeline log (culprit/log.h) and the records are
 * of. What the oldest instruction in the window waits for, and the oldest that has not issued, a core would have to
 * look up in every cycle. Here it follows from their records, when these have come. */
#ifndef CULPRIT_ANALYSIS_REPLAY_REPLAY_H
#define CULPRIT_ANALYSIS_REPLAY_REPLAY_H

#include "analysis/replay/types.h"
#include "base/error.h"
#include "culprit/log.h"

struct machine;

void replay_params_from_machine(struct replay_params *p, const struct machine *m);

struct replay;
/* `target` must outlive it. */
struct replay *replay_create(const struct replay_params *params, const struct culprit_observer *target,
			     struct error *err);
void replay_destroy(struct replay *r);

/* The next part of the log, and the next records; of cycles that are over before a record commits, the log comes
 * first. */
void replay_log(struct replay *r, const struct culprit_log_part *part);
/* Tells all cycles of which everything is known. */
void replay_records(struct replay *r, const struct culprit_record *records, size_t count);
/* The slots that all records took. False: one each. */
bool replay_weighs(const struct replay *r, struct replay_slots *slots);

/* Nothing more will come. False when log and records do not belong together, or memory ran out. */
bool replay_finish(struct replay *r, struct error *err);

#endif
