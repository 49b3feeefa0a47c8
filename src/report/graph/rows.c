/* Which terms of the breakdown are shown. */
#include "report/graph/report.h"

#include <math.h>

static double percent(const struct culprit_graph_results *x, double cycles)
{
	return x->time[0] ? 100 * cycles / (double)x->time[0] : 0;
}

static struct graph_row row(const struct culprit_graph_results *x, unsigned set)
{
	struct graph_row r = {.set = set, .percent = percent(x, (double)x->icost[set])};
	unsigned first = (unsigned)__builtin_ctz(set), rest = set & (set - 1);
	if (rest)
		snprintf(r.label, sizeof r.label, "%s+%s", x->names[first], x->names[__builtin_ctz(rest)]);
	else
		snprintf(r.label, sizeof r.label, "%s", x->names[first]);
	r.serial = rest && r.percent < 0;
	return r;
}

size_t graph_rows(const struct graph_report *report, struct graph_row rows[GRAPH_ROWS_MAX])
{
	const double least = 0.5;
	const struct culprit_graph_results *x = report->results;
	size_t n = 0;
	double shown = 0;
	for (unsigned a = 0; a < x->class_count; a++)
		rows[n++] = row(x, 1u << a);
	for (unsigned a = 0; a < x->class_count; a++) {
		for (unsigned b = a + 1; b < x->class_count; b++) {
			struct graph_row r = row(x, 1u << a | 1u << b);
			if (fabs(r.percent) >= least || (r.set & report->focus))
				rows[n++] = r;
		}
	}
	for (size_t i = 0; i < n; i++)
		shown += rows[i].percent;
	rows[n++] = (struct graph_row){.label = "other", .percent = (x->time[0] ? 100 : 0) - shown};
	return n;
}
