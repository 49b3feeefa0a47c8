/* --ideal: event classes, everywhere or at a place: "dl1,win,dmiss@find,bmisp+lgalu@list.c:33". */
#ifndef CULPRIT_RUN_IDEAL_H
#define CULPRIT_RUN_IDEAL_H

#include "core/core.h"

/* Those without a place, added to *set; the others are checked as far as that needs no program. `text` may be NULL. */
bool ideal_classes(const char *text, culprit_event_set *set, struct error *err);
/* Those at a place, by what the guest has mapped, for the core. */
bool ideal_places(const char *text, const struct guest *guest, struct core *core, struct error *err);

#endif
