/* What the estimates of the report share: fill.c. */
#ifndef CULPRIT_SAMPLE_FILL_H
#define CULPRIT_SAMPLE_FILL_H

#include "sample/estimate.h"
#include "sample/sample.h"

/* Instructions of the region's rest, for each that samples measured (with their weight). */
double sample_scale(const struct sample *s);
struct estimate sample_estimate(const struct sample *s, const struct estimate_samples *samples);
/* NULL: there is none of this name. */
const struct sample_section *sample_find(const struct sample_report *r, const char *name);
void sample_sort(struct sample_section *section);
/* The estimate of a component, e.g. "commit_stack", "imem", in cycles of the whole region. */
struct estimate sample_cycles(const struct sample *s, const char *section, const char *name);
/* What the graph's samples tell of costs; nothing where it did not run. */
void sample_costs(const struct sample *s, struct report_costs *costs);

#endif
