/* Machines drawn at random around those of the kernels' tests. */
#ifndef TESTS_CORE_RANDOM_MACHINE_H
#define TESTS_CORE_RANDOM_MACHINE_H

#include "kernel_rig.h"
#include "random_program.h"

void random_machine(struct machine *m, struct random_source *r);
/* And other values of some keys that few machines use, which not every analysis follows. */
void random_machine_rare(struct machine *m, struct random_source *r);

#endif
