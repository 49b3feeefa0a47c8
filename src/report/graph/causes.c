/* The causes of the user's choice as a table, their pairs, and as JSON. */
#include "base/interaction.h"
#include "report/format.h"
#include "report/graph/causes.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS_SHOWN = 20, SETS_IN_JSON = 4096 };

struct pair {
	unsigned a, b;
	double percent;
};

static double percent(const struct graph_causes *x, double cycles)
{
	return x->cycles ? 100 * cycles / (double)x->cycles : 0;
}

/* Largest first, of either sign; of equals the first. */
static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (fabs(x->percent) != fabs(y->percent))
		return fabs(x->percent) > fabs(y->percent) ? -1 : 1;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b < y->b ? -1 : 1;
}

static size_t find_pairs(const struct graph_causes *x, struct pair pairs[GRAPH_CAUSES_MOST * GRAPH_CAUSES_MOST])
{
	size_t n = 0;
	for (unsigned a = 0; a < x->count; a++)
		for (unsigned b = a + 1; b < x->count; b++) {
			double value = percent(x, (double)x->pairs[a][b].icost);
			if (fabs(value) >= 0.5)
				pairs[n++] = (struct pair){a, b, value};
		}
	qsort(pairs, n, sizeof *pairs, compare_pairs);
	return n;
}

static void print_pairs(const struct graph_causes *x, FILE *out)
{
	struct pair pairs[GRAPH_CAUSES_MOST * GRAPH_CAUSES_MOST];
	char label[2 * CULPRIT_GRAPH_NAME + 2];
	size_t n = find_pairs(x, pairs);
	if (!n)
		return;
	fprintf(out, "\n  %-26s %8s\n", "interaction of two", "% time");
	for (size_t i = 0; i < n && i < PAIRS_SHOWN; i++) {
		snprintf(label, sizeof label, "%s & %s", x->rows[pairs[i].a].name, x->rows[pairs[i].b].name);
		fprintf(out, "  %-26s %8.1f  %s\n", label, pairs[i].percent,
			interaction_advice(interaction_of(pairs[i].percent)));
	}
	if (n > PAIRS_SHOWN)
		fprintf(out, "  and %zu more of half a percent: --json has them\n", n - PAIRS_SHOWN);
}

static void print_method(const struct graph_causes *x, FILE *out)
{
	char sets[32];
	if (x->samples)
		fprintf(out,
			"  share: a cause's cost averaged over %u samples of the orders (Shapley).\n"
			"  +-: its 95%% interval. Alone and interactions of two are exact. %u graphs\n",
			x->samples, x->graphs);
	else
		fprintf(out,
			"  share: a cause's cost averaged over all orders of idealising them (Shapley).\n"
			"  Exact: all %s sets, by %u graph%s\n",
			format_grouped((int64_t)1 << x->count, sets), x->graphs, x->graphs > 1 ? "s" : "");
}

static void print_row(const struct graph_causes *x, const char *name, double alone, double share, double half,
		      FILE *out)
{
	fprintf(out, "  %-20s", name);
	if (isnan(alone))
		fprintf(out, " %8s", "");
	else
		fprintf(out, " %8.1f", format_tenths(percent(x, alone)));
	fprintf(out, " %8.1f", format_tenths(percent(x, share)));
	if (half > 0)
		fprintf(out, " %6.2f", percent(x, half));
	fputc('\n', out);
}

void graph_causes_text(const struct graph_causes *x, FILE *out)
{
	fprintf(out, "\nCauses of your choice (dependence graph)\n");
	print_method(x, out);
	fprintf(out, "  %-20s %8s %8s%s\n", "% of the time", "alone", "share", x->samples ? "     +-" : "");
	for (uint32_t i = 0; i < x->count; i++)
		print_row(x, x->rows[i].name, (double)x->rows[i].cost, x->rows[i].share, x->rows[i].half, out);
	print_row(x, "none of these", NAN, (double)x->rest, 0, out);
	print_row(x, "total", NAN, (double)x->cycles, 0, out);
	if (percent(x, (double)x->apart) >= 0.05)
		fprintf(out, "  Graphs differ in the time of a set by up to %.1f%% of the time.\n",
			percent(x, (double)x->apart));
	print_pairs(x, out);
}

static json_t *causes_list(const struct graph_causes *x)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < x->count; i++)
		json_array_append_new(all, json_pack("{s:s, s:I, s:f, s:f}", "cause", x->rows[i].name, "cost",
						     (json_int_t)x->rows[i].cost, "shapley", x->rows[i].share,
						     "half_interval", x->rows[i].half));
	return all;
}

static json_t *pair_list(const struct graph_causes *x)
{
	json_t *all = json_array();
	for (unsigned a = 0; a < x->count; a++)
		for (unsigned b = a + 1; b < x->count; b++)
			json_array_append_new(
				all, json_pack("{s:[s, s], s:I, s:o}", "causes", x->rows[a].name, x->rows[b].name,
					       "icost", (json_int_t)x->pairs[a][b].icost, "shapley_interaction",
					       x->samples ? json_null() : json_real(x->pairs[a][b].interaction)));
	return all;
}

static json_t *times(const struct graph_causes *x)
{
	const unsigned sets = 1u << x->count;
	if (!x->times || sets > SETS_IN_JSON)
		return json_null();
	json_t *all = json_array();
	for (unsigned set = 0; set < sets; set++)
		json_array_append_new(all, json_integer((json_int_t)x->times[set]));
	return all;
}

json_t *graph_causes_json(const struct graph_causes *x)
{
	return json_pack("{s:i, s:i, s:I, s:I, s:I, s:o, s:o, s:o}", "graphs", (int)x->graphs, "samples",
			 (int)x->samples, "cycles", (json_int_t)x->cycles, "rest", (json_int_t)x->rest, "apart",
			 (json_int_t)x->apart, "causes", causes_list(x), "pairs", pair_list(x), "times", times(x));
}
