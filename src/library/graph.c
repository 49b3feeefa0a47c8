/* "graph": as `--with graph`, of the eight base classes. */
#include "analysis/graph/machine.h"
#include "library/analysis.h"
#include "report/graph/report.h"
#include "with/records_fill.h"

struct library_graph {
	struct culprit_graph *graph;
	struct culprit_graph_results results;
	struct graph_records_check fit; /* its records are another core's */
	struct graph_report report;
};

static bool create(void *self, const struct machine *m, const struct culprit_graph_params *graph, struct error *err)
{
	struct library_graph *g = self;
	const char *why;
	g->report.results = &g->results;
	g->report.base.gap_count = graph_gaps(m, g->report.base.gaps, GRAPH_GAPS_MOST);
	TRY(graph_records_create(&g->fit, graph, err));
	g->graph = culprit_graph_create(graph, &why);
	return g->graph || error_set(err, ERROR_USAGE, "graph: %s", why);
}

static bool push(void *self, const struct culprit_record *records, size_t count, struct error *err)
{
	struct library_graph *g = self;
	graph_records_push(&g->fit, records, count);
	return culprit_graph_push(g->graph, records, count) ||
	       error_set(err, ERROR_INPUT, "graph: %s", culprit_graph_error(g->graph));
}

static bool finish(void *self, const struct library_totals *totals, struct error *err)
{
	struct library_graph *g = self;
	if (!culprit_graph_finish(g->graph, &g->results))
		return error_set(err, ERROR_INPUT, "graph: %s", culprit_graph_error(g->graph));
	TRY(graph_records_finish(&g->fit, totals->unknown, &g->report.base.records, err));
	g->report.base.method = (double)g->results.time[0];
	g->report.base.simulated = (double)totals->cycles;
	g->report.withheld = culprit_fields_lose(totals->unknown) & ((1u << CULPRIT_BASE_EVENTS) - 1);
	return true;
}

static json_t *json(void *self)
{
	struct library_graph *g = self;
	return graph_json(&g->report);
}

static void destroy(void *self)
{
	struct library_graph *g = self;
	culprit_graph_destroy(g->graph);
	graph_records_destroy(&g->fit);
}

const struct culprit_graph_results *library_graph_results(const void *self)
{
	const struct library_graph *g = self;
	return &g->results;
}

const struct library_analysis library_graph = {"graph", sizeof(struct library_graph), create, push, NULL, finish, json,
					       destroy};
