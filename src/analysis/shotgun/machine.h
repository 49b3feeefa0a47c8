/* The reconstruction's parameters of one of our machines. */
#ifndef CULPRIT_ANALYSIS_SHOTGUN_MACHINE_H
#define CULPRIT_ANALYSIS_SHOTGUN_MACHINE_H

#include "culprit/shotgun.h"
#include "machine/machine.h"

void shotgun_machine_from_machine(struct culprit_shotgun_machine *s, const struct machine *m);

#endif
