/* --with stalls: the tree of what caused every lost completion. */
#include "analysis/stalls/core.h"
#include "base/output.h"
#include "with/analyses.h"
#include "with/places.h"
#include "report/stalls/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION_MOST = 1 << 22 /* bytes */ };

struct with_stalls {
	struct stalls_core_params params;
	struct stalls_core *stalls;
	struct culprit_stall_results results;
	struct culprit_stall_node *twigs;
	struct stalls_report report;
	uint8_t *classes; /* of each type, as the report takes them */
	double *gains;
	const char *at, *svg, *folded;
};

static void destroy(void *self)
{
	struct with_stalls *w = self;
	culprit_stalls_results_free(&w->results);
	free(w->twigs);
	free(w->classes);
	free(w->gains);
	stalls_core_destroy(w->stalls);
}

static bool parse_threshold(const char *text, double *percent, struct error *err)
{
	char *end;
	errno = 0;
	*percent = text ? strtod(text, &end) : 1;
	if (!text || (end != text && !*end && !errno && *percent >= 0 && *percent <= 100))
		return true;
	return error_set(err, ERROR_USAGE, "--stalls-threshold: '%s' is not a percentage from 0 to 100", text);
}

static bool take_options(struct with_stalls *w, const struct options *o, struct error *err)
{
	TRY(parse_threshold(o->stalls_threshold, &w->report.threshold, err));
	if (o->stalls_chain && (o->stalls_chain < 4 || o->stalls_chain > 64))
		return error_set(err, ERROR_USAGE, "--stalls-chain: 4 to 64");
	w->params.engine.depth = (uint32_t)o->stalls_chain;
	w->params.engine.interval = o->stalls_interval;
	w->at = o->stalls_at;
	w->svg = o->stalls_svg;
	w->folded = o->stalls_folded;
	w->report.place = o->stalls_at;
	w->report.program = o->arguments ? o->arguments[0] : "";
	w->report.levels = o->stalls_depth < UINT32_MAX ? (uint32_t)o->stalls_depth : UINT32_MAX;
	return true;
}

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_stalls *w = self;
	stalls_core_params_from_machine(&w->params, context->machine);
	w->report.machine = context->machine->name;
	return take_options(w, context->options, err);
}

/* --- where --- */

static bool parse_address(const char *text, uint64_t *pc)
{
	char *end;
	errno = 0;
	*pc = strtoull(text, &end, 0);
	return end != text && !*end && !errno;
}

/* The function that starts at `first` ends where addresses belong to something else. */
static bool find_end(struct guest *guest, uint64_t first, uint64_t *end, struct error *err)
{
	struct symbols *symbols = places_symbols(guest, NULL, err);
	*end = first + 1;
	while (symbols && *end - first < FUNCTION_MOST) {
		struct symbol_place p = symbols_find(symbols, *end);
		if (!p.function || p.start != first)
			break;
		++*end;
	}
	symbols_destroy(symbols);
	return symbols != NULL;
}

static bool start(void *self, struct guest *guest, struct error *err)
{
	struct with_stalls *w = self;
	struct nearest near;
	uint64_t pc;
	if (w->at && parse_address(w->at, &pc)) {
		w->params.first_pc = pc;
		w->params.end_pc = pc + 1;
	} else if (w->at && guest) {
		if (!guest_symbol_address(guest, w->at, &pc)) {
			places_nearest(guest, w->at, &near);
			return error_set(err, ERROR_USAGE,
					 "--stalls-at %s: neither an address nor a function of the program or its "
					 "libraries%s",
					 w->at, nearest_hint(&near));
		}
		w->params.first_pc = pc;
		TRY(find_end(guest, pc, &w->params.end_pc, err));
	}
	w->stalls = stalls_core_create(&w->params, err);
	return w->stalls != NULL;
}

/* What it costs in line and in a thread of its own: docs/explanation/stalls.md. */
static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_stalls *w = self;
	stalls_core_push(w->stalls, r, count);
}

/* --- report --- */

static bool list_classes(struct with_stalls *w, struct error *err)
{
	uint32_t count = w->results.type_count;
	w->classes = malloc(count);
	w->gains = malloc(count * sizeof *w->gains);
	if (!w->classes || !w->gains)
		return error_set(err, ERROR_SYSTEM, "out of memory for the stall tree");
	for (uint32_t i = 0; i < count; i++)
		w->classes[i] = (uint8_t)stalls_core_class(w->stalls, i);
	w->report.classes = w->classes;
	return true;
}

/* Beside `results`: the inverted tree and the files. */
static bool make_report(struct with_stalls *w, const struct analysis_totals *totals, struct error *err)
{
	struct stalls_report *r = &w->report;
	if (!culprit_stalls_invert(&w->results, &w->twigs, &r->twig_count))
		return error_set(err, ERROR_SYSTEM, "out of memory for the stall tree");
	r->twigs = w->twigs;
	r->results = &w->results;
	r->cycles = totals->cycles;
	r->instructions = totals->instructions;
	TRY(OUTPUT_WRITE(w->svg, NULL, stalls_report_svg, r, err));
	return OUTPUT_WRITE(w->folded, NULL, stalls_report_folded, r, err);
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_stalls *w = self;
	if (!w->stalls) /* the program ended before its region */
		w->stalls = stalls_core_create(&w->params, err);
	TRY(w->stalls != NULL);
	TRY(stalls_core_finish(w->stalls, totals->cycles, totals->instructions, err));
	if (!stalls_core_results(w->stalls, &w->results))
		return error_set(err, ERROR_SYSTEM, "out of memory for the stall tree");
	TRY(list_classes(w, err));
	return make_report(w, totals, err);
}

/* Of the whole program only: at a place, the leaves are a part of what the class's costs are for. */
static void learn_costs(void *self, const struct report_costs *c)
{
	static const char *const names[] = {
#define EVENT_CLASS(name, base, what) #name,
#include "culprit/event_class.def"
	};
	struct with_stalls *w = self;
	double costs[CULPRIT_EVENT_COUNT];
	if (w->at || !c->trusted)
		return;
	for (unsigned i = 0; i < CULPRIT_EVENT_COUNT; i++) {
		costs[i] = NAN;
		for (uint32_t k = 0; k < c->count; k++)
			if (!strcmp(names[i], c->classes[k].name) && !c->classes[k].withheld)
				costs[i] = c->classes[k].cost;
	}
	stalls_report_gains(&w->report, costs, w->gains);
	w->report.gains = w->gains;
	w->report.gain_method = c->method;
}

static void text(void *self, FILE *out)
{
	const struct with_stalls *w = self;
	stalls_report_text(&w->report, out);
}

static json_t *json(void *self)
{
	const struct with_stalls *w = self;
	return stalls_report_json(&w->report);
}

const struct analysis analysis_stalls = {
	.name = "stalls",
	.takes_long = true,
	.help = "stall trees: the root cause of every lost completion, with its path",
	.size = sizeof(struct with_stalls),
	.create = create,
	.start = start,
	.records = records,
	.finish = finish,
	.learn_costs = learn_costs,
	.text = text,
	.json = json,
	.destroy = destroy,
};
