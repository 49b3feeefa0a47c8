/* --with stalls: the tree of what caused every lost completion. */
#include "analysis/stalls_core.h"
#include "cli/analyses.h"
#include "guest/guest.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DEPTH = 4, FUNCTION_MOST = 1 << 22 /* bytes */ };

struct with_stalls {
	struct stalls_core_params params;
	struct stalls_core *stalls;
	struct culprit_stall_results results;
	const char *at;
	uint32_t depth;
	double threshold; /* percent */
};

static void destroy(void *self)
{
	struct with_stalls *w = self;
	culprit_stalls_results_free(&w->results);
	stalls_core_destroy(w->stalls);
	free(w);
}

static bool parse_threshold(const char *text, double *percent, struct error *err)
{
	char *end;
	errno = 0;
	*percent = text ? strtod(text, &end) : 0.5;
	if (!text || (end != text && !*end && !errno && *percent >= 0 && *percent <= 100))
		return true;
	return error_set(err, ERROR_USAGE, "--stalls-threshold: '%s' is not a percentage from 0 to 100", text);
}

static bool take_options(struct with_stalls *w, const struct options *o, struct error *err)
{
	TRY(parse_threshold(o->stalls_threshold, &w->threshold, err));
	if (o->stalls_chain && (o->stalls_chain < 4 || o->stalls_chain > 64))
		return error_set(err, ERROR_USAGE, "--stalls-chain: 4 to 64");
	w->params.engine.depth = (uint32_t)o->stalls_chain;
	w->params.engine.interval = o->stalls_interval;
	w->at = o->stalls_at;
	uint64_t depth = o->stalls_depth ? o->stalls_depth : DEFAULT_DEPTH;
	w->depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
	return true;
}

static void *create(const struct analysis_context *context, struct error *err)
{
	struct with_stalls *w = calloc(1, sizeof *w);
	if (!w) {
		error_set(err, ERROR_SYSTEM, "out of memory for stall trees");
		return NULL;
	}
	stalls_core_params_from_machine(&w->params, context->machine);
	if (take_options(w, context->options, err))
		return w;
	free(w);
	return NULL;
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
	struct symbols *symbols = symbols_create(err);
	bool ok = symbols != NULL;
	struct guest_object o;
	for (size_t i = 0; ok && guest_object(guest, i, &o); i++)
		ok = symbols_add(symbols, o.path, o.start, o.end, o.bias, err);
	*end = first + 1;
	while (ok && *end - first < FUNCTION_MOST) {
		struct symbol_place p = symbols_find(symbols, *end);
		if (!p.function || p.start != first)
			break;
		++*end;
	}
	symbols_destroy(symbols);
	return ok;
}

static bool start(void *self, struct guest *guest, struct error *err)
{
	struct with_stalls *w = self;
	uint64_t pc;
	if (w->at && parse_address(w->at, &pc)) {
		w->params.first_pc = pc;
		w->params.end_pc = pc + 1;
	} else if (w->at) {
		if (!guest_symbol_address(guest, w->at, &pc))
			return error_set(err, ERROR_USAGE,
					 "--stalls-at %s: neither an address nor a function of the program or its "
					 "libraries",
					 w->at);
		w->params.first_pc = pc;
		TRY(find_end(guest, pc, &w->params.end_pc, err));
	}
	w->stalls = stalls_core_create(&w->params, err);
	return w->stalls != NULL;
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_stalls *w = self;
	stalls_core_push(w->stalls, r, count);
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
	return true;
}

/* --- report --- */

static double percent(const struct with_stalls *w, uint64_t count)
{
	return 100 * format_ratio((double)count, (double)w->results.lost);
}

static void tree_text(const struct with_stalls *w, FILE *out)
{
	const struct culprit_stall_results *r = &w->results;
	for (size_t i = 0; i < r->node_count; i++) {
		const struct culprit_stall_node *n = &r->nodes[i];
		if (n->depth < w->depth && percent(w, n->total) >= w->threshold)
			fprintf(out, "  %5.1f%%  %*s%s\n", percent(w, n->total), 2 * (int)n->depth, "",
				r->types[n->type].type.label);
	}
}

static void leaf_text(const struct with_stalls *w, FILE *out)
{
	const struct culprit_stall_results *r = &w->results;
	uint64_t below = UINT64_MAX;
	for (uint64_t most = 1; most; below = most) { /* few rows: find the next largest each time */
		most = 0;
		for (uint32_t t = 0; t < r->type_count; t++)
			if (r->leaf_totals[t] < below && r->leaf_totals[t] > most)
				most = r->leaf_totals[t];
		for (uint32_t t = 0; most && t < r->type_count; t++)
			if (r->leaf_totals[t] == most && percent(w, most) >= w->threshold)
				fprintf(out, "  %5.1f%%  %s\n", percent(w, most), r->types[t].type.label);
	}
}

static void text(void *self, FILE *out)
{
	const struct with_stalls *w = self;
	const struct culprit_stall_results *r = &w->results;
	char lost[32], all[32];
	fprintf(out, "\nStall tree: %s of %s lost completion opportunities (%u a cycle)%s%s\n",
		format_grouped((int64_t)r->lost, lost), format_grouped((int64_t)r->counted, all), r->width,
		w->at ? " at " : "", w->at ? w->at : "");
	tree_text(w, out);
	fprintf(out, "Root causes (leaves)\n");
	leaf_text(w, out);
}

static void json(void *self, json_t *root)
{
	const struct with_stalls *w = self;
	const struct culprit_stall_results *r = &w->results;
	json_t *leaves = json_object();
	for (uint32_t t = 0; t < r->type_count; t++) {
		char name[128];
		snprintf(name, sizeof name, "%s.%s", r->types[t].set, r->types[t].type.name);
		if (r->leaf_totals[t])
			json_object_set_new(leaves, name, format_integer(r->leaf_totals[t]));
	}
	json_object_set_new(root, "stalls",
			    json_pack("{s:o, s:o, s:o, s:o}", "width", format_integer(r->width), "counted",
				      format_integer(r->counted), "lost", format_integer(r->lost), "leaves", leaves));
}

const struct analysis analysis_stalls = {
	.name = "stalls",
	.help = "stall trees: the root cause of every lost completion, with its path",
	.create = create,
	.start = start,
	.records = records,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
