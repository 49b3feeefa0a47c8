/* The predictors that a profile runs, as machines: the rows of predictor.def put into a copy of the reference. */
#ifndef CULPRIT_INTERVAL_PROFILE_PREDICTORS_H
#define CULPRIT_INTERVAL_PROFILE_PREDICTORS_H

#include "interval/profile/profile.h"

/* Predictor `index` (0 = the reference machine's own) and its name. */
void interval_predictor_machine(size_t index, const struct machine *reference, struct machine *m,
				char name[INTERVAL_NAME]);

#endif
