/* --with graph: interaction costs of the eight base classes, or of the user's own. */
#include "analysis/graph/machine.h"
#include "base/output.h"
#include "with/analyses.h"
#include "with/graph_class.h"
#include "report/graph/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct with_graph {
	const struct options *options;
	struct culprit_graph_params params; /* with the base classes */
	struct culprit_graph *graph;
	struct culprit_graph_results results;
	struct graph_report report;
};

static unsigned terminal_width(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* With the user's classes: first without their places, which need the program. */
static bool build(struct with_graph *w, const struct guest *guest, struct error *err)
{
	const struct text_list *own = &w->options->graph_classes;
	struct culprit_graph_params params = w->params;
	bool good = !own->count || graph_classes_apply(own->items, own->count, guest, &params, err);
	if (good) {
		const char *why;
		culprit_graph_destroy(w->graph);
		w->graph = culprit_graph_create(&params, &why);
		good = w->graph || error_set(err, ERROR_USAGE, "--with graph: %s", why);
	}
	if (own->count)
		graph_classes_release(&params);
	return good;
}

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_graph *w = self;
	const struct options *o = w->options = context->options;
	w->report = (struct graph_report){.results = &w->results, .width = terminal_width()};
	w->report.focus = o->graph_classes.count ? UINT32_MAX : 0; /* every pair of the user's own */
	graph_params_from_machine(&w->params, context->machine);
	w->report.base.gap_count = graph_gaps(context->machine, w->report.base.gaps, GRAPH_GAPS_MOST);
	TRY(options_switch("graph-slots", o->graph_slots, true, &w->params.issue_slots, err));
	return build(w, NULL, err);
}

static bool start(void *self, struct guest *guest, struct error *err)
{
	struct with_graph *w = self;
	return !w->options->graph_classes.count || build(w, guest, err);
}

static void destroy(void *self)
{
	struct with_graph *w = self;
	culprit_graph_destroy(w->graph);
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_graph *w = self;
	culprit_graph_push(w->graph, r, count); /* keeps its error until the end */
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_graph *w = self;
	if (!culprit_graph_finish(w->graph, &w->results))
		return error_set(err, ERROR_INTERNAL, "--with graph: %s", culprit_graph_error(w->graph));
	w->report.base.method = (double)w->results.time[0];
	w->report.base.simulated = (double)totals->cycles;
	return OUTPUT_WRITE(w->options->graph_svg, NULL, graph_svg, &w->report, err);
}

static void warn(void *self, FILE *out)
{
	struct with_graph *w = self;
	graph_base_head(&w->report.base, "graph", out);
}

static void text(void *self, FILE *out)
{
	struct with_graph *w = self;
	graph_text(&w->report, out);
}

static json_t *json(void *self)
{
	struct with_graph *w = self;
	return graph_json(&w->report);
}

const struct analysis analysis_graph = {
	.name = "graph",
	.takes_long = true,
	.help = "interaction costs: which event classes overlap, which are in series",
	.size = sizeof(struct with_graph),
	.create = create,
	.start = start,
	.records = records,
	.finish = finish,
	.warn = warn,
	.text = text,
	.json = json,
	.destroy = destroy,
};
