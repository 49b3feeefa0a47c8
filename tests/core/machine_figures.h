/* What a run and its analyses found, to the last digit, for a golden file: a fault that leaves every sum right still moves a figure
 * from one row to another. Lists too long to read are told by their sum and a checksum that knows the order. */
#ifndef TESTS_CORE_MACHINE_FIGURES_H
#define TESTS_CORE_MACHINE_FIGURES_H

#include "analysis/commit_stack.h"
#include "analysis/stacks/stacks.h"
#include "core/core.h"
#include "culprit/critical.h"
#include "culprit/stalls.h"

#include <stdio.h>

void figures_run(FILE *out, const struct core *core);
void figures_records(FILE *out, const struct culprit_record *records, size_t count);
void figures_commit(FILE *out, const struct commit_stack *s);
void figures_stacks(FILE *out, const struct stacks *s);
void figures_stalls(FILE *out, const struct culprit_stall_results *results);
void figures_graph(FILE *out, const char *name, const struct culprit_graph_results *results);
void figures_critical(FILE *out, const struct culprit_critical *c, const struct culprit_critical_totals *t);

#endif
