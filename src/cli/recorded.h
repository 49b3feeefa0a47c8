/* How a run ended and what its programs had: from a run to a record file, and from there to a report. And the code. */
#ifndef CULPRIT_CLI_RECORDED_H
#define CULPRIT_CLI_RECORDED_H

#include "core/core.h"
#include "record/record_file.h"
#include "report/run/report.h"

struct symbols;
struct lines;

/* Says of a program that was killed that it was. */
bool recorded_ending(struct record_about *a, const struct guest *guest, struct core *core, struct error *err);
/* r->programs is to be freed. */
bool recorded_report(struct run_report *r, const struct record_about *a, const struct symbols *symbols,
		     const struct lines *lines, struct error *err);

/* Two bytes of the code in a record file, which is the context. A second half of an instruction lies two bytes behind
 * its address. */
bool recorded_code(void *context, uint64_t pc, uint16_t *parcel);

#endif
