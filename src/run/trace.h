/* --trace: see trace.c. */
#ifndef CULPRIT_RUN_TRACE_H
#define CULPRIT_RUN_TRACE_H

#include "import/steps.h"
#include "options/options.h"
#include "report/run/report.h"

struct guest;

struct run_trace {
	struct import_steps steps;
	struct riscv_follow follow;
};

/* The program whose process it is; NULL: none. */
const char *trace_program(const struct options *o);
bool trace_check(const struct options *o, struct error *err);
/* NULL: *err says why. */
struct run_trace *trace_open(struct guest *guest, const struct options *o, struct error *err);
bool trace_skip(struct run_trace *t, struct guest *guest, uint64_t count, struct error *err);
/* What it left out, for the report, after the run; t may be NULL. */
void trace_report(const struct run_trace *t, const struct options *o, struct report_trace *to);
void trace_destroy(struct run_trace *t);

#endif
