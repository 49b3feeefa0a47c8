/* What each of several programs had of a run. */
#ifndef CULPRIT_RUN_PROGRAMS_H
#define CULPRIT_RUN_PROGRAMS_H

#include "core/core.h"
#include "report/run/report.h"

/* Into the report, to be freed; nothing where there was one. */
bool programs_fill(struct run_report *r, const struct guest *guest, struct core *core, struct error *err);

#endif
