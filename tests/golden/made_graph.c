/* Interaction costs: of the graph, and with intervals of the shotgun profiler. Costs and interaction costs do not follow from the
 * times here, so that none can stand for another. */
#include "made.h"
#include "report/graph/report.h"
#include "report/shotgun/report.h"

#include <string.h>

enum { CLASSES = 3 };

/* Singles up to a third of the time, pairs some percent up or down. */
static void fill_results(struct culprit_graph_results *x, struct figures *f)
{
	static const char *const names[CLASSES] = {"dl1", "win", "a<b"};
	memset(x, 0, sizeof *x);
	x->class_count = CLASSES;
	x->kernel = "portable";
	x->instructions = figure(f);
	x->recorded_cycles = figure(f);
	for (unsigned set = 0; set < 1u << CLASSES; set++) {
		bool pair = set & (set - 1);
		x->time[set] = figure(f);
		x->cost[set] = (int64_t)figure(f);
		x->icost[set] = (int64_t)figure(f) / (pair ? 7 : 1) * (set == 3 ? -1 : 1);
	}
	x->time[0] = 3000017;
	for (unsigned c = 0; c < CLASSES; c++) {
		snprintf(x->names[c], sizeof x->names[c], "%s", names[c]);
		x->shapley[c] = fraction(f) * 700;
	}
}

void made_graph(void)
{
	struct figures f = {0};
	struct culprit_graph_results x;
	fill_results(&x, &f);
	struct graph_report r = {.results = &x, .focus = UINT32_MAX};
	r.base = (struct graph_base){.method = (double)x.time[0], .simulated = 3100009};
	FILE *out = made_open("out.report");
	graph_text(&r, out);
	made_close(out);
	out = made_open("out.svg");
	graph_svg(&r, out);
	made_close(out);
	made_json(graph_json(&r), "out.json");
	/* one run and one pair have learnt nothing of their own */
	struct culprit_graph_results recorded = x;
	for (unsigned set = 1; set < 1u << CLASSES; set++) {
		recorded.time[set] += set != 2 && set != 5 ? 41003u * set : 0;
	}
	r.recorded = &recorded;
	out = made_open("out.recorded");
	graph_text(&r, out);
	made_close(out);
	made_json(graph_json(&r), "out.recorded-json");
}

/* --- shotgun --- */

static struct culprit_shotgun_interval interval(struct figures *f)
{
	struct culprit_shotgun_interval i;
	double *const parts[] = {&i.fragments, &i.details, &i.bias, &i.unseen, &i.all};
	for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
		*parts[p] = fraction(f) / 100;
	return i;
}

static void fill_shotgun(struct culprit_shotgun_results *x, struct figures *f)
{
	memset(x, 0, sizeof *x);
	fill_results(&x->graph, f);
	uint64_t *const counts[] = {&x->built,		 &x->aborted,	       &x->shortened,
				    &x->instructions,	 &x->borrowed,	       &x->missing,
				    &x->compared,	 &x->agreed,	       &x->targets_sampled,
				    &x->targets_stack,	 &x->stores_missed,    &x->primary_misses_missed,
				    &x->stores_inferred, &x->targets_signature};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = figure(f);
	for (unsigned i = 0; i < CULPRIT_ABORT_COUNT; i++)
		x->aborts[i] = i == 1 ? 0 : figure(f);
	for (unsigned i = 0; i < CULPRIT_BRANCH_COUNT; i++)
		x->guessed[i] = figure(f);
	for (unsigned i = 0; i < CULPRIT_GRAPH_SETS; i++) {
		x->cost_interval[i] = interval(f);
		x->icost_interval[i] = interval(f);
	}
	for (unsigned c = 0; c < CLASSES; c++) {
		x->single[c] = fraction(f) / 100;
		x->has_single[c] = c != 1;
		x->single_used[c] = fraction(f) / 100;
		x->unlike[c] = fraction(f) / 1000;
	}
	x->cpi = fraction(f) / 100;
	x->cpi_error = fraction(f) / 100;
	x->cpi_fragments = fraction(f) / 1000;
	x->cpi_details = fraction(f) / 1000;
	x->cpi_unlike = fraction(f) / 1000;
}

static void fill_report(struct shotgun_report *r, struct figures *f)
{
	uint64_t *const counts[] = {
		&r->instructions,	&r->cycles,	     &r->signatures,   &r->details, &r->cut,
		&r->signature_interval, &r->detail_interval, &r->buffer_bytes, &r->places,  &r->places_missing};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = figure(f);
	r->length = 1013;
	r->context = 11;
	r->fragment_length = 907;
	r->warmup = 103;
	r->signature_bits = 2113;
	r->detail_bits = 241;
	r->object_count = 2;
	for (size_t i = 0; i < r->object_count; i++) {
		struct shotgun_object_row *o = &r->objects[i];
		snprintf(o->name, sizeof o->name, "object%zu", i);
		o->visits = figure(f);
		o->missing = figure(f) / 10;
		o->aborts = figure(f);
	}
}

void made_shotgun(void)
{
	struct figures f = {0};
	struct culprit_shotgun_results x;
	struct shotgun_report r = {.results = &x};
	fill_shotgun(&x, &f);
	fill_report(&r, &f);
	r.graph = (struct graph_report){.results = &x.graph, .focus = UINT32_MAX};
	r.graph.base = (struct graph_base){.method = 1.37, .simulated = 1.21, .interval = 2.83};
	r.row_count = graph_rows(&r.graph, r.rows);
	for (size_t i = 0; i < r.row_count; i++)
		r.row_interval[i] = interval(&f);
	FILE *out = made_open("out.report");
	shotgun_text(&r, out);
	made_close(out);
	out = made_open("out.csv");
	shotgun_csv(&r, out);
	made_close(out);
	made_json(shotgun_json(&r), "out.json");
}
