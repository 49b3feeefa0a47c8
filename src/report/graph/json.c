/* Everything the graph found, every subset included. docs/explanation/graph.md lists the keys. */
#include "report/graph/report.h"

#include <math.h>

static json_t *names_of(const struct culprit_graph_results *x, unsigned set)
{
	json_t *names = json_array();
	for (uint32_t c = 0; c < x->class_count; c++)
		if (set & (1u << c))
			json_array_append_new(names, json_string(x->names[c]));
	return names;
}

/* Null where a class of the set is withheld. */
static json_t *told(const struct graph_report *r, unsigned set, int64_t cycles)
{
	return graph_withholds(r, set) ? json_null() : json_integer(cycles);
}

static json_t *sets(const struct graph_report *r)
{
	const struct culprit_graph_results *x = r->results;
	json_t *all = json_array();
	for (unsigned set = 0; set < 1u << x->class_count; set++)
		json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o}", "classes", names_of(x, set), "cycles",
						     told(r, set, (int64_t)x->time[set]), "cost",
						     told(r, set, x->cost[set]), "icost", told(r, set, x->icost[set])));
	return all;
}

static json_t *graph_number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *breakdown(const struct graph_report *r)
{
	struct graph_row rows[GRAPH_ROWS_MAX];
	size_t n = graph_rows(r, rows);
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *row = json_pack("{s:s, s:o, s:s}", "term", rows[i].label, "percent",
					graph_number(rows[i].percent), "kind", graph_row_kind(&rows[i]));
		if ((r->recorded || r->open) && rows[i].set) {
			json_object_set_new(row, "low", graph_number(rows[i].low));
			json_object_set_new(row, "high", graph_number(rows[i].high));
		}
		json_array_append_new(all, row);
	}
	return all;
}

json_t *graph_json(const struct graph_report *r)
{
	const struct culprit_graph_results *x = r->results;
	json_t *shapley = json_object();
	for (uint32_t c = 0; c < x->class_count; c++)
		json_object_set_new(shapley, x->names[c],
				    graph_withholds(r, 1u << c) ? json_null() : json_real(x->shapley[c]));
	return json_pack("{s:I, s:I, s:I, s:o, s:s, s:b, s:o, s:o, s:o}", "graph_cycles", (json_int_t)x->time[0],
			 "recorded_cycles", (json_int_t)x->recorded_cycles, "simulated_cycles",
			 (json_int_t)r->base.simulated, "base", graph_base_json(&r->base), "kernel", x->kernel, "wide",
			 x->wide, "breakdown", breakdown(r), "shapley", shapley, "sets", sets(r));
}
