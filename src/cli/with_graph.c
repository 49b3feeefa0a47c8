/* --with graph: interaction costs of the eight base classes. */
#include "analysis/graph_machine.h"
#include "base/output.h"
#include "cli/analyses.h"
#include "report/graph_report.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct with_graph {
	struct culprit_graph *graph;
	struct culprit_graph_results results;
	struct graph_report report;
	const char *svg; /* file for the picture; NULL = none */
};

static unsigned terminal_width(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void *create(const struct analysis_context *context, struct error *err)
{
	struct with_graph *w = calloc(1, sizeof *w);
	struct culprit_graph_params params;
	graph_params_from_machine(&params, context->machine);
	const char *why = "out of memory";
	if (w)
		w->graph = culprit_graph_create(&params, &why);
	if (!w || !w->graph) {
		error_set(err, ERROR_USAGE, "--with graph: %s", why);
		free(w);
		return NULL;
	}
	w->svg = context->options->graph_svg;
	w->report = (struct graph_report){.results = &w->results, .width = terminal_width()};
	return w;
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_graph *w = self;
	culprit_graph_push(w->graph, r, count); /* keeps its error until the end */
}

static bool write_svg(const struct with_graph *w, struct error *err)
{
	struct output o;
	TRY(output_open(&o, w->svg, err));
	graph_svg(&w->report, o.file);
	return output_commit(&o, err);
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_graph *w = self;
	if (!culprit_graph_finish(w->graph, &w->results))
		return error_set(err, ERROR_INTERNAL, "--with graph: %s", culprit_graph_error(w->graph));
	w->report.simulated_cycles = totals->cycles;
	return !w->svg || write_svg(w, err);
}

static void text(void *self, FILE *out)
{
	struct with_graph *w = self;
	graph_text(&w->report, out);
}

static void json(void *self, json_t *root)
{
	struct with_graph *w = self;
	json_object_set_new(root, "graph", graph_json(&w->report));
}

static void destroy(void *self)
{
	struct with_graph *w = self;
	culprit_graph_destroy(w->graph);
	free(w);
}

const struct analysis analysis_graph = {
	.name = "graph",
	.help = "interaction costs: which event classes overlap, which are in series",
	.create = create,
	.records = records,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
