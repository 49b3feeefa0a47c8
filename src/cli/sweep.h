/* `culprit run` with several machines is a sweep. */
#ifndef CULPRIT_CLI_SWEEP_H
#define CULPRIT_CLI_SWEEP_H

#include "options/options.h"

bool sweep_run_machines(const struct options *o, int *status, struct error *err);

#endif
