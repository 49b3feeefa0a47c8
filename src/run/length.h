/* How long a region is, before it is simulated. */
#ifndef CULPRIT_RUN_LENGTH_H
#define CULPRIT_RUN_LENGTH_H

#include "run/session.h"

/* From where the guest is to its end, but at most `most` instructions. A child executes them without a core. After
 * guest_prepare_fork. Ctrl-C ends the count: then the length is not to be
 * relied on. */
bool length_measure(struct session *s, uint64_t most, bool quiet, uint64_t *length, struct error *err);

#endif
