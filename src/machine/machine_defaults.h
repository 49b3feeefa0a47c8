/* The machine that an empty file describes. */
#ifndef CULPRIT_MACHINE_MACHINE_DEFAULTS_H
#define CULPRIT_MACHINE_MACHINE_DEFAULTS_H

#include "machine/machine.h"

void machine_defaults(struct machine *m);

#endif
