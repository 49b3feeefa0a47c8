/* Machines with unusual values of many keys, small ones most of all: a queue of three entries is felt by every program, one of 300 by
 * few. A key that does nothing without another brings that along. Over some hundred machines each two keys meet many times. */
#ifndef TESTS_CORE_VARIED_MACHINE_H
#define TESTS_CORE_VARIED_MACHINE_H

#include "any_machine.h"

/* Around one of machines/: its file's name. */
const char *varied_machine(struct machine *m, struct random_source *r);
/* Wide, so that nothing limits it but three to twelve keys of the pipeline. */
const char *varied_machine_wide(struct machine *m, struct random_source *r);
/* With another value of this row of machine.def alone, and of what it is nothing without. */
const char *varied_machine_by_one(struct machine *m, unsigned row, struct random_source *r);

#endif
