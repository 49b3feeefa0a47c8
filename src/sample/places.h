/* What each sample saw at each instruction: from it the first screen is made, with intervals. */
#ifndef CULPRIT_SAMPLE_PLACES_H
#define CULPRIT_SAMPLE_PLACES_H

#include "sample/sample.h"

/* The estimates are there: the first screen from them. `command`, `words`: as places_command and places_words say. */
bool sample_screen(struct sample *s, struct error *err);

#endif
