/* culprit model --explore: the command's second half. */
#ifndef CULPRIT_CLI_MODEL_EXPLORE_H
#define CULPRIT_CLI_MODEL_EXPLORE_H

#include "cli/options.h"
#include "interval/explore/explore.h"

/* Read the design space, evaluate it, write what the options ask for. */
bool model_explore(const struct options *o, const struct model *model, struct error *err);

#endif
