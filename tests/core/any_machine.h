/* Machines anywhere in the space that the machine tables span: every key that a machine file may have is drawn from its own
 * range, so that a new row of a table is drawn as well. */
#ifndef TESTS_CORE_ANY_MACHINE_H
#define TESTS_CORE_ANY_MACHINE_H

#include "kernel_rig.h"
#include "random_program.h"

/* From a machine of the kernels' tests; a few of its keys are drawn, or many, or all. */
void any_machine(struct machine *m, struct random_source *r);

/* The keys in which two machines differ, to take them back one by one: rows of machine.def, latency.OP, interval.OP, each class
 * of `ideal`, and the lists of queues and units as one key. */
unsigned any_machine_keys(void);
bool any_machine_draws(unsigned key); /* false: it is never another than the base machine's */
bool any_machine_differs(const struct machine *a, const struct machine *b, unsigned key);
void any_machine_copy(struct machine *to, const struct machine *from, unsigned key);
/* "key=value" of the machine */
void any_machine_print(const struct machine *m, unsigned key, FILE *out);

#endif
