/* Which terms of the breakdown are shown. */
#include "base/interaction.h"
#include "report/graph/report.h"

#include <math.h>

static bool is_pair(const struct graph_row *row)
{
	return row->set & (row->set - 1);
}

const char *graph_row_kind(const struct graph_row *row)
{
	return !row->set ? "other" : !is_pair(row) ? "single" : interaction_name(interaction_of(row->percent));
}

const char *graph_row_advice(const struct graph_row *row)
{
	return is_pair(row) ? interaction_advice(interaction_of(row->percent)) : "";
}

double graph_row_printed(const struct graph_row *row)
{
	return interaction_of(row->percent) == INTERACTION_INDEPENDENT ? 0 : row->percent;
}

static double percent(const struct culprit_graph_results *x, double cycles)
{
	return x->time[0] ? 100 * cycles / (double)x->time[0] : 0;
}

static struct graph_row row(const struct graph_report *report, unsigned set)
{
	const struct culprit_graph_results *x = report->results;
	struct graph_row r = {.set = set, .percent = percent(x, (double)x->icost[set])};
	if (graph_withholds(report, set))
		r.percent = NAN;
	unsigned first = (unsigned)__builtin_ctz(set), rest = set & (set - 1);
	if (rest)
		snprintf(r.label, sizeof r.label, "%s+%s", x->names[first], x->names[__builtin_ctz(rest)]);
	else
		snprintf(r.label, sizeof r.label, "%s", x->names[first]);
	return r;
}

size_t graph_rows(const struct graph_report *report, struct graph_row rows[GRAPH_ROWS_MAX])
{
	const double least = 0.5;
	const struct culprit_graph_results *x = report->results;
	size_t n = 0;
	double shown = 0;
	for (unsigned a = 0; a < x->class_count; a++)
		rows[n++] = row(report, 1u << a);
	for (unsigned a = 0; a < x->class_count; a++) {
		for (unsigned b = a + 1; b < x->class_count; b++) {
			struct graph_row r = row(report, 1u << a | 1u << b);
			if (isnan(r.percent))
				continue;
			if (fabs(r.percent) >= least || (r.set & report->focus))
				rows[n++] = r;
		}
	}
	for (size_t i = 0; i < n; i++)
		shown += isnan(rows[i].percent) ? 0 : rows[i].percent;
	rows[n++] = (struct graph_row){.label = "other", .percent = (x->time[0] ? 100 : 0) - shown};
	return n;
}
