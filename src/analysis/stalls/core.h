/* The core's sensors for stall trees: instruction records in, lost completion opportunities with their causes out.
 *
 * Nothing is asked of the core cycle by cycle. When an instruction commits, its record has the times of all its
 * steps and what each waited for, so its stalls of every cycle follow, as runs; and the opportunities lost since the
 * commit before it were lost to it. docs/explanation/stalls.md has the rules, tests/analysis/stalls_reference.c the
 * same cycle by cycle. */
#ifndef CULPRIT_ANALYSIS_STALLS_CORE_H
#define CULPRIT_ANALYSIS_STALLS_CORE_H

#include "analysis/stalls/core_params.h"
#include "base/error.h"
#include "culprit/record.h"

struct machine;

struct stalls_core;

void stalls_core_params_from_machine(struct stalls_core_params *p, const struct machine *m);

struct stalls_core *stalls_core_create(const struct stalls_core_params *params, struct error *err);
void stalls_core_destroy(struct stalls_core *s);
void stalls_core_push(struct stalls_core *s, const struct culprit_record *records, size_t count);

/* No more records; the region took `cycles` cycles and committed `instructions`. Fails when the tree's total is not the
 * opportunities lost, which are counted apart. */
bool stalls_core_finish(struct stalls_core *s, uint64_t cycles, uint64_t instructions, struct error *err);
/* Opportunities: commit width x cycles - slots that commits took. After stalls_core_finish. */
uint64_t stalls_core_lost(const struct stalls_core *s);
/* Names in it are those of `s`, which must live as long. */
bool stalls_core_results(const struct stalls_core *s, struct culprit_stall_results *out);
/* The base class of events without which a leaf of this type is gone; CULPRIT_EVENT_COUNT: none. */
enum culprit_event_class stalls_core_class(const struct stalls_core *s, uint32_t type);

#endif
