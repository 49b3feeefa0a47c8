/* What the estimates of the report share: fill.c. */
#ifndef CULPRIT_SAMPLE_FILL_H
#define CULPRIT_SAMPLE_FILL_H

#include "sample/estimate.h"
#include "sample/sample.h"

/* Instructions of the region's rest, for each that samples measured (with their weight). */
double sample_scale(const struct sample *s);
/* Half of the interval of x / cycles. `x`: cycles of each sample that measured something, with its weight; `start`: of
 * the start. Negative: no memory. */
double sample_half(const struct sample *s, double *x, size_t count, double start);
/* The estimate of a component, e.g. "commit_stack", "imem", in cycles of the whole region. */
struct estimate sample_cycles(const struct sample *s, const char *section, const char *name);
/* Functions and lines from the profile of all cycles, of which `measured` has the sums (sample_measure_places): the
 * intervals are those of the samples. */
void sample_fill_places(struct sample *s, const json_t *measured);
/* What the graph's samples tell of costs; nothing where it did not run. */
void sample_costs(const struct sample *s, struct report_costs *costs);

#endif
