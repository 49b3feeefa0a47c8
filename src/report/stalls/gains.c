/* What removing a leaf's cause would gain. A tree says what was lost while the cause was there, not what other stalls
 * would have lost in its place; costs of event classes say that. */
#include "report/stalls/report.h"

#include <math.h>

void stalls_report_gains(const struct stalls_report *r, const double costs[CULPRIT_EVENT_COUNT], double *gains)
{
	const struct culprit_stall_results *x = r->results;
	double lost[CULPRIT_EVENT_COUNT + 1] = {0};
	for (uint32_t i = 0; i < x->type_count; i++)
		lost[r->classes[i]] += (double)x->leaf_totals[i];
	for (uint32_t i = 0; i < x->type_count; i++) {
		unsigned class = r->classes[i];
		bool known = class < CULPRIT_EVENT_COUNT && x->leaf_totals[i];
		gains[i] = known ? costs[class] * (double)x->leaf_totals[i] / lost[class] : NAN;
	}
}
