/* What the estimates of the report share: fill.c. */
#ifndef CULPRIT_SAMPLE_FILL_H
#define CULPRIT_SAMPLE_FILL_H

#include "sample/sample.h"

/* Did it measure an instruction? */
bool sample_measured(const struct sample_unit *u);
/* How much a sample counts: those of a schedule all the same. */
double sample_weight(const struct sample *s, size_t unit);
/* Instructions of the region's rest, for each that samples measured (with their weight). */
double sample_scale(const struct sample *s);
/* Half of the interval of x / cycles. `x`: cycles of each sample that measured something, with its weight; `start`: of
 * the start. Negative: no memory. */
double sample_half(const struct sample *s, double *x, size_t count, double start);
/* What the graph's samples tell of costs; nothing where it did not run. */
void sample_costs(const struct sample *s, struct report_costs *costs);

#endif
