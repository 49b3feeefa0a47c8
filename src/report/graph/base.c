/* See the header. */
#include "report/graph/base.h"

#include <math.h>
#include <string.h>

double graph_base_error(const struct graph_base *b)
{
	bool empty = b->method <= 0 || b->simulated <= 0; /* no instruction, nothing to compare */
	return !empty ? 100 * (b->method / b->simulated - 1) : 0;
}

bool graph_base_off(const struct graph_base *b)
{
	return graph_base_vague(b) ||
	       (fabs(b->simulated - b->method) > b->fewer && fabs(graph_base_error(b)) > GRAPH_BASE_MOST + b->interval);
}

bool graph_base_vague(const struct graph_base *b)
{
	return b->interval > GRAPH_INTERVAL_MOST;
}

bool graph_base_trusted(const struct graph_base *b)
{
	return !graph_base_off(b) && !graph_records_off(b->records);
}

static void print_error(const struct graph_base *b, FILE *out)
{
	double error = graph_base_error(b);
	fprintf(out, "time is %.2f%% %s than the simulation's, more than %d%%", fabs(error),
		error > 0 ? "longer" : "shorter", GRAPH_BASE_MOST);
}

void graph_base_head(const struct graph_base *b, const char *analysis, FILE *out)
{
	if (!graph_base_off(b))
		return;
	fprintf(out, "  *** %s%s: the graph's ", analysis, b->as_recorded ? " with --graph-slots off" : "");
	print_error(b, out);
	fprintf(out, ": do not trust its figures ***\n");
}

static void print_off(const struct graph_base *b, FILE *out)
{
	fprintf(out, "  *** The graph's ");
	print_error(b, out);
	fprintf(out, ": the figures below are not to be trusted. ***\n");
	if (b->as_recorded)
		fprintf(out,
			"  *** --graph-slots off takes waits for issue as recorded: without it the graph's time may "
			"fit. ***\n");
	else if (!b->gap_count && b->told_less)
		fprintf(out, "  *** The records do not tell all that the graph needs: the list above says what. ***\n");
	else if (!b->gap_count)
		fprintf(out, "  *** Nothing of this machine is known to be missing in the graph. Of programs, vector "
			     "operations on groups of 4 or 8 registers are: they keep a unit busy for longer. If yours "
			     "has none, this is a fault; please report it. ***\n");
}

void graph_base_text(const struct graph_base *b, FILE *out)
{
	graph_records_text(b->records, out);
	if (graph_base_off(b))
		print_off(b, out);
	for (size_t i = 0; i < b->gap_count; i++)
		fprintf(out, "  *** The graph does not model all that this machine has: %s ***\n", b->gaps[i]);
}

void graph_base_keys(const struct graph_base *b, char *text, size_t size)
{
	size_t used = 0;
	text[0] = 0;
	for (size_t i = 0; i < b->gap_count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.*s", i ? ", " : "",
					 (int)strcspn(b->gaps[i], ":"), b->gaps[i]);
}

json_t *graph_base_json(const struct graph_base *b)
{
	json_t *gaps = json_array();
	for (size_t i = 0; i < b->gap_count; i++)
		json_array_append_new(gaps, json_string(b->gaps[i]));
	json_t *base = json_pack("{s:f, s:b, s:o}", "error_percent", graph_base_error(b), "trusted",
				 graph_base_trusted(b), "not_modelled", gaps);
	if (b->records)
		json_object_set_new(base, "records", graph_records_json(b->records));
	return base;
}
