/* Machines NAME-without-FEATURE, made from NAME at run time (machine_without.def). */
#ifndef CULPRIT_MACHINE_MACHINE_WITHOUT_H
#define CULPRIT_MACHINE_MACHINE_WITHOUT_H

#include "machine/machine.h"

/* Is `name` such a name? Then the length of NAME is in *length, and what comes behind is returned; else NULL. */
const char *machine_without_feature(const char *name, size_t *length);
/* Take the feature away. False: there is none of that name. */
bool machine_without(struct machine *m, const char *feature, struct error *err);

#endif
