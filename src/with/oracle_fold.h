/* From the oracle's rows to the report's tables. */
#ifndef CULPRIT_WITH_ORACLE_FOLD_H
#define CULPRIT_WITH_ORACLE_FOLD_H

#include "analysis/oracle/oracle.h"
#include "report/oracle/report.h"
#include "with/analyses.h"

/* List the `listed` foremost instructions, functions and lines. The oracle is finished. */
bool oracle_fold(struct oracle_report *report, const struct oracle *o, const struct analysis_totals *totals,
		 size_t listed, struct error *err);

#endif
