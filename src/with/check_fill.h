/* From the checker to its report: for `culprit check` and for the library. */
#ifndef CULPRIT_WITH_CHECK_FILL_H
#define CULPRIT_WITH_CHECK_FILL_H

#include "analysis/check/check.h"
#include "machine/machine.h"
#include "report/check/report.h"

void check_fill(struct check_report *r, struct check *c, uint64_t cycles, culprit_field_set unknown);
/* Then: what the machine itself explains needs no other records. */
void check_fill_machine(struct check_report *r, const struct machine *m);

#endif
