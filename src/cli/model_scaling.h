/* culprit model --scaling: the tables of section 4 of the 2009 paper for one program. */
#ifndef CULPRIT_CLI_MODEL_SCALING_H
#define CULPRIT_CLI_MODEL_SCALING_H

#include "interval/model/model.h"

/* Everything as CSV into the file; the optimum depths as text to stdout. `base` is the machine that is scaled. */
bool model_scaling(const struct model *model, const struct machine *base, const char *path, struct error *err);

#endif
