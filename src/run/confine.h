/* The simulator gives up what it does not need before its guest runs: should a guest break out of it, the host's kernel
 * still refuses. A seccomp filter, for this process and all that it forks; there is no way back. */
#ifndef CULPRIT_RUN_CONFINE_H
#define CULPRIT_RUN_CONFINE_H

#include <stdbool.h>

/* False: the host has no such filters, or not for us. Nothing has changed then. */
bool confine(void);

#endif
