/* One machine file, as its outline: what may stand where, and what it says put over a machine. */
#ifndef CULPRIT_MACHINE_MACHINE_READ_H
#define CULPRIT_MACHINE_MACHINE_READ_H

#include "machine/machine.h"
#include "machine/machine_outline.h"

/* The machine that an empty file describes. */
void machine_defaults(struct machine *m);
/* Everything that can be checked in one file: keys, types, words, ranges. */
bool machine_read_check(const struct outline *o, struct error *err);
/* Put what a checked file gives over *m, which holds the machine that it extends (or the defaults). */
bool machine_read_apply(const struct outline *o, struct machine *m, struct error *err);

#endif
