/* Shares of functions, lines, branches and loads, with their intervals: of the sections and of the first screen. */
#ifndef CULPRIT_SAMPLE_SHARES_H
#define CULPRIT_SAMPLE_SHARES_H

#include "run/places.h"
#include "sample/sample.h"

/* From the profile of all cycles, s->whole, and the samples. The rest of the report is there; `index`: of the screen's
 * functions and spots. */
bool sample_shares(struct sample *s, const struct places_index *index, struct error *err);

#endif
