/* Where machine files are looked for, in this order: the directories of $CULPRIT_MACHINES (separated by ':'; all must
 * be there), ./machines, share/culprit/machines under the prefix of the executable or libculprit.so, the
 * installation's. */
#ifndef CULPRIT_MACHINE_MACHINE_FIND_H
#define CULPRIT_MACHINE_MACHINE_FIND_H

#include "base/error.h"

#include <stddef.h>

/* The path of NAME.yaml into `path`: in `first` (may be NULL) or else in the machine directories. */
bool machine_find(const char *name, const char *first, char *path, size_t size, struct error *err);

#endif
