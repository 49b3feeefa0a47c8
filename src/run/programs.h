/* What each of several programs had of a run. */
#ifndef CULPRIT_RUN_PROGRAMS_H
#define CULPRIT_RUN_PROGRAMS_H

#include "core/core.h"
#include "report/run/report.h"

/* Those with most cycles first, to be freed; none where there was one. */
bool programs_fill(struct report_program **list, size_t *count, const struct guest *guest, struct core *core,
		   struct error *err);

#endif
