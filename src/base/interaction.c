#include "base/interaction.h"

static const struct {
	const char *name, *advice, *meaning;
} rows[INTERACTIONS] = {
	[INTERACTION_INDEPENDENT] = {"independent", "independent", "no interaction"},
	[INTERACTION_PARALLEL] = {"parallel", "parallel: remove both", "only together"},
	[INTERACTION_SERIAL] = {"serial", "serial: remove either", "one is enough"},
};

enum interaction interaction_of(double percent)
{
	const double printed = 0.05; /* and more is not 0.0 */
	if (percent > -printed && percent < printed)
		return INTERACTION_INDEPENDENT;
	return percent > 0 ? INTERACTION_PARALLEL : INTERACTION_SERIAL;
}

const char *interaction_name(enum interaction i)
{
	return rows[i].name;
}

const char *interaction_advice(enum interaction i)
{
	return rows[i].advice;
}

const char *interaction_meaning(enum interaction i)
{
	return rows[i].meaning;
}
