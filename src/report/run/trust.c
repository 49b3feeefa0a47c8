#include "report/run/trust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct trust trusts[] = {
#define TRUST(method, machine, points, programs) {method, machine, points, programs},
#include "report/run/trust.def"
};
enum { TRUSTS = sizeof trusts / sizeof trusts[0] };

const struct trust *trust_of(const struct run_report *r)
{
	if (!r->as_named || r->foreign || r->lacking || r->costs.unscored)
		return NULL;
	for (size_t i = 0; i < TRUSTS; i++)
		if (!strcmp(trusts[i].machine, r->machine) && !strcmp(trusts[i].method, r->costs.method))
			return &trusts[i];
	return NULL;
}

double trust_worst(void)
{
	double worst = 0;
	for (size_t i = 0; i < TRUSTS; i++)
		worst = fmax(worst, strtod(trusts[i].points, NULL));
	return worst;
}
