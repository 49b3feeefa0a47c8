/* --with graph: interaction costs of the eight base classes. */
#include "analysis/graph_machine.h"
#include "analysis/relay.h"
#include "base/output.h"
#include "cli/analyses.h"
#include "report/graph_report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct with_graph {
	struct culprit_graph *graph; /* the relay's, until it is drained */
	struct relay *relay;	     /* NULL = in line */
	struct culprit_graph_results results;
	struct graph_report report;
	const char *svg; /* file for the picture; NULL = none */
};

static unsigned terminal_width(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* "on", "off", or `otherwise`. */
static bool parse_switch(const char *option, const char *text, bool otherwise, bool *on, struct error *err)
{
	*on = text ? !strcmp(text, "on") : otherwise;
	if (text && !*on && strcmp(text, "off"))
		return error_set(err, ERROR_USAGE, "--%s %s: on or off", option, text);
	return true;
}

static void receive(void *context, const struct culprit_record *r, size_t count)
{
	struct with_graph *w = context;
	culprit_graph_push(w->graph, r, count); /* keeps its error until the end */
}

static bool start(struct with_graph *w, const struct analysis_context *context, struct error *err)
{
	const struct options *o = context->options;
	struct culprit_graph_params params;
	bool thread;
	graph_params_from_machine(&params, context->machine);
	TRY(parse_switch("graph-slots", o->graph_slots, true, &params.issue_slots, err));
	TRY(parse_switch("graph-thread", o->graph_thread, relay_processors() > 1, &thread, err));
	const char *why;
	w->graph = culprit_graph_create(&params, &why);
	if (!w->graph)
		return error_set(err, ERROR_USAGE, "--with graph: %s", why);
	if (thread)
		w->relay = relay_create((struct culprit_record_sink){w, receive});
	return true; /* without a thread, in line */
}

static void destroy(void *self)
{
	struct with_graph *w = self;
	relay_destroy(w->relay);
	culprit_graph_destroy(w->graph);
	free(w);
}

static void *create(const struct analysis_context *context, struct error *err)
{
	struct with_graph *w = calloc(1, sizeof *w);
	if (!w) {
		error_set(err, ERROR_SYSTEM, "--with graph: out of memory");
		return NULL;
	}
	w->svg = context->options->graph_svg;
	w->report = (struct graph_report){.results = &w->results, .width = terminal_width()};
	if (start(w, context, err))
		return w;
	destroy(w);
	return NULL;
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_graph *w = self;
	if (w->relay)
		relay_push(w->relay, r, count);
	else
		receive(w, r, count);
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
	if (w->relay)
		relay_drain(w->relay);
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
