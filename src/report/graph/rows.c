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

/* One idealised run, as the two graphs see it, and its sign in a sum of costs. */
struct bound {
	double time, more; /* percent; what its cost is more with memory order as recorded */
	int sign;
};

/* Adds a run; one that is as long as another one in both graphs has learnt what that one has. */
static size_t add_bound(struct bound *all, size_t n, struct bound b)
{
	const double same = 0.1;
	for (size_t i = 0; i < n; i++)
		if (fabs(all[i].time - b.time) < same && fabs(all[i].more - b.more) < same) {
			all[i].sign += b.sign;
			return n;
		}
	all[n] = b;
	return n + 1;
}

/* cost(set) with memory order as each run learns it, and as recorded. An interaction is a sum of such costs, each
 * somewhere between its two, with a sign. */
static void find_bounds(const struct graph_report *report, struct graph_row *r)
{
	const struct culprit_graph_results *x = report->results, *recorded = report->recorded;
	struct bound all[4]; /* a row has at most two classes */
	size_t n = 0;
	r->low = r->high = r->percent;
	if (isnan(r->percent))
		return;
	double net = 0; /* what all sets have in common cancels */
	for (unsigned part = r->set; part; part = (part - 1) & r->set) {
		int sign = __builtin_popcount(r->set ^ part) % 2 ? -1 : 1;
		net -= report->open ? sign * percent(x, report->open[part]) : 0;
		if (!recorded)
			continue;
		double more = percent(x, (double)x->time[part] - (double)recorded->time[part]);
		n = add_bound(all, n, (struct bound){percent(x, (double)x->time[part]), more, sign});
	}
	*(net < 0 ? &r->low : &r->high) += net;
	for (size_t i = 0; i < n; i++) {
		double more = all[i].sign * all[i].more;
		*(more < 0 ? &r->low : &r->high) += more;
	}
}

bool graph_row_open(const struct graph_row *row)
{
	return row->high - row->low >= GRAPH_INTERVAL_LEAST;
}

char *graph_size(double percent, double low, double high, char text[GRAPH_SIZE])
{
	if (high - low < GRAPH_INTERVAL_LEAST)
		snprintf(text, GRAPH_SIZE, "%.1f", percent);
	else
		snprintf(text, GRAPH_SIZE, "%.1f to %.1f", low, high);
	return text;
}

char *graph_pair_size(double percent, double low, double high, char text[GRAPH_SIZE])
{
	if (percent < 0)
		return graph_size(-percent, fmax(-high, 0), -low, text);
	return graph_size(percent, fmax(low, 0), high, text);
}

struct graph_row graph_row_of(const struct graph_report *report, unsigned set)
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
	find_bounds(report, &r);
	return r;
}

size_t graph_rows(const struct graph_report *report, struct graph_row rows[GRAPH_ROWS_MAX])
{
	const double least = 0.5;
	const struct culprit_graph_results *x = report->results;
	size_t n = 0;
	double shown = 0;
	for (unsigned a = 0; a < x->class_count; a++)
		rows[n++] = graph_row_of(report, 1u << a);
	for (unsigned a = 0; a < x->class_count; a++) {
		for (unsigned b = a + 1; b < x->class_count; b++) {
			struct graph_row r = graph_row_of(report, 1u << a | 1u << b);
			if (isnan(r.percent))
				continue;
			if (fabs(r.percent) >= least || graph_row_open(&r) || (r.set & report->focus))
				rows[n++] = r;
		}
	}
	for (size_t i = 0; i < n; i++)
		shown += isnan(rows[i].percent) ? 0 : rows[i].percent;
	double other = (x->time[0] ? 100 : 0) - shown;
	rows[n++] = (struct graph_row){.label = "other", .percent = other, .low = other, .high = other};
	return n;
}
