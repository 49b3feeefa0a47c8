/* The breakdown as a table with a few sentences, in plain columns that can be diffed. */
#include "report/format.h"
#include "report/graph/causes.h"
#include "report/graph/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Not where effects of three and more classes exceed the whole time: then there is no advice on pairs. */
static bool pairs_explain(const struct graph_row *rows, size_t n)
{
	return fabs(rows[n - 1].percent) <= 100;
}

static bool any_open(const struct graph_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (graph_row_open(&rows[i]))
			return true;
	return false;
}

static void print_interval(const struct graph_row *row, bool column, FILE *out)
{
	if (graph_row_open(row))
		fprintf(out, " %7.1f ..%6.1f", row->low, row->high);
	else if (column)
		fprintf(out, " %15s", "");
}

static void print_table(const struct graph_row *rows, size_t n, FILE *out)
{
	int width = 14;
	bool open = any_open(rows, n);
	if (open)
		fprintf(out, "  low .. high: with memory order, lines and prefetches as the graph takes them, "
			     "and otherwise. `culprit truth` decides.\n");
	for (size_t i = 0; i < n; i++)
		width = (int)strlen(rows[i].label) > width ? (int)strlen(rows[i].label) : width;
	fprintf(out, "  %-*s %8s%s\n", width, "", "% time", open ? "     low .. high" : "");
	double total = 0;
	for (size_t i = 0; i < n; i++) {
		if (isnan(rows[i].percent)) {
			fprintf(out, "  %-*s %9s: the records do not tell\n", width, rows[i].label, "not known");
			continue;
		}
		const char *word = pairs_explain(rows, n) ? graph_row_advice(&rows[i]) : "";
		fprintf(out, "  %-*s %8.1f", width, rows[i].label, graph_row_printed(&rows[i]));
		print_interval(&rows[i], open && *word, out);
		fprintf(out, "%s%s\n", *word ? "  " : "", word);
		total += rows[i].percent;
	}
	fprintf(out, "  %-*s %8.1f\n", width, "total", total);
}

void graph_other_text(const struct graph_report *r, FILE *out)
{
	const uint32_t classes = r->results->class_count, all = (1u << classes) - 1;
	if (classes < 3) /* there are no other interactions, and the pair has its row */
		fprintf(out, "  other: the time that none of these classes explains.\n");
	else
		fprintf(out,
			"  other: interactions of three and more classes%s, and the time\n"
			"  that none of these classes explains.\n",
			(r->focus & all) == all ? "" : ", pairs below 0.5%");
}

/* The row that a test picks as the largest; NULL = none is above zero. */
static const struct graph_row *largest(const struct graph_row *rows, size_t n, bool pairs, double sign)
{
	const struct graph_row *best = NULL;
	for (size_t i = 0; i < n; i++) {
		bool pair = rows[i].set & (rows[i].set - 1);
		if (!rows[i].set || isnan(rows[i].percent) || pair != pairs || rows[i].percent * sign < 0.5)
			continue;
		if (!best || rows[i].percent * sign > best->percent * sign)
			best = &rows[i];
	}
	return best;
}

static void print_reading(const struct culprit_graph_results *x, const struct graph_row *rows, size_t n, FILE *out)
{
	char size[GRAPH_SIZE];
	const struct graph_row *most = largest(rows, n, false, 1);
	const struct graph_row *serial = largest(rows, n, true, -1), *parallel = largest(rows, n, true, 1);
	if (most)
		fprintf(out, "  %s costs most: without it the program would take %s%% less time.\n", most->label,
			graph_size(most->percent, most->low, most->high, size));
	if (!pairs_explain(rows, n)) {
		fprintf(out,
			"  Effects of three and more classes (other) exceed the whole time: pairs explain nothing.\n");
		return;
	}
	if (serial) {
		const char *a = x->names[__builtin_ctz(serial->set)];
		const char *b = x->names[__builtin_ctz(serial->set & (serial->set - 1))];
		fprintf(out,
			"  %s and %s are in series: %s%% of the time goes when either is removed, so remove the one "
			"that is cheaper to remove.\n",
			a, b, graph_pair_size(serial->percent, serial->low, serial->high, size));
	}
	if (parallel)
		fprintf(out, "  %s and %s are parallel: %s%% of the time goes only when both are removed.\n",
			x->names[__builtin_ctz(parallel->set)],
			x->names[__builtin_ctz(parallel->set & (parallel->set - 1))],
			graph_pair_size(parallel->percent, parallel->low, parallel->high, size));
}

static void print_shapley(const struct graph_report *r, FILE *out)
{
	const struct culprit_graph_results *x = r->results;
	fprintf(out, "\n  Shares when every interaction is split evenly (Shapley), %% of time:\n ");
	double rest = 100;
	for (uint32_t c = 0; c < x->class_count; c++) {
		if (graph_withholds(r, 1u << c))
			continue;
		double percent = x->time[0] ? 100 * x->shapley[c] / (double)x->time[0] : 0;
		fprintf(out, " %s %.1f", x->names[c], format_tenths(percent));
		rest -= percent;
	}
	fprintf(out, " none of these %.1f\n", format_tenths(rest));
}

void graph_text(const struct graph_report *r, FILE *out)
{
	const struct culprit_graph_results *x = r->results;
	struct graph_row rows[GRAPH_ROWS_MAX];
	size_t n = graph_rows(r, rows);
	fprintf(out, "\nInteraction costs (dependence graph)\n");
	graph_base_text(&r->base, out);
	if (r->base.simulated > 0)
		fprintf(out, "  graph %" PRIu64 " cycles, simulated %.0f: %+.2f%%\n", x->time[0], r->base.simulated,
			graph_base_error(&r->base));
	print_table(rows, n, out);
	graph_other_text(r, out);
	fputc('\n', out);
	print_reading(x, rows, n, out);
	print_shapley(r, out);
	if (r->causes)
		graph_causes_text(r->causes, out);
}
