/* The bar of the first screen: the time by causes, the largest first; what has no room in it is named below. */
#ifndef CULPRIT_REPORT_RUN_BAR_H
#define CULPRIT_REPORT_RUN_BAR_H

#include "report/run/report.h"

/* Returns the lines: one or two. */
unsigned run_report_bar(const struct run_report *r, const struct report_view *view, FILE *out);

#endif
