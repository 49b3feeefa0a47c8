/* Another command of this program, in a process of its own. */
#ifndef CULPRIT_RUN_CHILD_H
#define CULPRIT_RUN_CHILD_H

#include "base/error.h"

#include <sys/types.h>

/* Run it to its end, with the standard streams of this process; words[0] is this program. *status: what the shell
 * would show. Ctrl-C reaches it, too. */
bool child_run(char *const *words, int *status, struct error *err);
/* Wait for the end of a process, and pass Ctrl-C on. *ended: as waitpid says. False when interrupted. */
bool child_wait(pid_t child, int *ended, struct error *err);

#endif
