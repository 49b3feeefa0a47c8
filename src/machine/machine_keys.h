/* The manual page of every key of a machine file, generated from the tables that the loader itself uses. */
#ifndef CULPRIT_MACHINE_MACHINE_KEYS_H
#define CULPRIT_MACHINE_MACHINE_KEYS_H

#include <stdbool.h>
#include <stdio.h>

/* docs/reference/machine-keys.md; a test fails when the file in the repository differs. */
bool machine_print_keys(FILE *out);

#endif
