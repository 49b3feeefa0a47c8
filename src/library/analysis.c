/* An analysis by its name: records are made good where their source does not tell all, then handed on. */
#include "library/analysis.h"

#include "analysis/graph/machine.h"
#include "analysis/record_fill.h"
#include "base/nearest.h"
#include "report/check/report.h"

#include <stdlib.h>
#include <string.h>

static const struct library_analysis *const rows[] = {
#define LIBRARY_ANALYSIS(name) &library_##name,
#include "library/analyses.def"
	NULL,
};

struct culprit_analysis {
	const struct library_analysis *row;
	struct record_fill fill;
	struct library_totals totals;
	uint64_t last_commit;
	bool failed, finished, logged;
	struct error error;
	void *self;
};

const char *culprit_analysis_name(size_t index)
{
	return index < sizeof rows / sizeof *rows && rows[index] ? rows[index]->name : NULL;
}

/* --- creation --- */

static const struct library_analysis *find(const char *name, struct error *err)
{
	struct nearest near;
	nearest_begin(&near, name, strlen(name));
	for (size_t i = 0; rows[i]; i++) {
		if (!strcmp(rows[i]->name, name))
			return rows[i];
		nearest_consider(&near, rows[i]->name);
	}
	error_set(err, ERROR_USAGE, "no analysis '%s'%s", name, nearest_hint(&near));
	return NULL;
}

bool library_check_unknown(culprit_field_set unknown, struct error *err)
{
	struct culprit_field_info info;
	if (unknown >> CULPRIT_FIELD_COUNT)
		return error_set(err, ERROR_USAGE, "unknown: bits beyond the rows of culprit/field.def");
	for (unsigned i = 0; culprit_field_info(i, &info); i++)
		if (info.required && (unknown >> i & 1))
			return error_set(err, ERROR_USAGE, "unknown: %s (%s) is required: %s", info.name, info.members,
					 info.without);
	return true;
}

bool library_cycles(uint64_t *cycles, uint64_t records, uint64_t last_commit, struct error *err)
{
	const uint64_t least = records ? last_commit + 1 : 0;
	if (!*cycles)
		*cycles = least;
	return *cycles >= least ||
	       error_set(err, ERROR_INPUT,
			 "%llu cycles are too few: the last record commits in cycle %llu, and the first cycle is 0",
			 (unsigned long long)*cycles, (unsigned long long)last_commit);
}

static bool fill_analysis(struct culprit_analysis *a, const char *name, const struct culprit_machine *machine,
			  const struct culprit_graph_params *params, culprit_field_set unknown, struct error *err)
{
	struct culprit_graph_params graph = *params;
	TRY(library_check_unknown(unknown, err));
	TRY(a->row = find(name, err));
	a->totals.unknown = unknown;
	error_set(err, ERROR_SYSTEM, "out of memory");
	TRY(record_fill_create(&a->fill, &graph, unknown));
	record_fill_params(&graph, unknown); /* of what the fill hands on */
	TRY(a->self = calloc(1, a->row->size));
	return a->row->create(a->self, &machine->machine, &graph, err);
}

struct culprit_analysis *culprit_analysis_create(const char *name, const struct culprit_machine *machine,
						 culprit_field_set unknown, struct culprit_error *err)
{
	struct culprit_graph_params graph;
	graph_params_from_machine(&graph, &machine->machine);
	return culprit_analysis_create_graph(name, machine, &graph, unknown, err);
}

struct culprit_analysis *culprit_analysis_create_graph(const char *name, const struct culprit_machine *machine,
						       const struct culprit_graph_params *graph,
						       culprit_field_set unknown, struct culprit_error *err)
{
	struct error why = {ERROR_SYSTEM, "out of memory"};
	struct culprit_analysis *a = calloc(1, sizeof *a);
	if (a && fill_analysis(a, name, machine, graph, unknown, &why))
		return a;
	library_fail(err, &why);
	culprit_analysis_destroy(a);
	return NULL;
}

void culprit_analysis_destroy(struct culprit_analysis *a)
{
	if (!a)
		return;
	if (a->self)
		a->row->destroy(a->self);
	free(a->self);
	record_fill_destroy(&a->fill);
	free(a);
}

/* --- records --- */

static bool hand_on(void *context, const struct culprit_record *records, size_t count)
{
	struct culprit_analysis *a = context;
	a->failed = !a->row->push(a->self, records, count, &a->error);
	return !a->failed;
}

static bool late(struct culprit_analysis *a)
{
	a->failed = true;
	return error_set(&a->error, ERROR_USAGE, "comes after the end");
}

bool culprit_analysis_push(struct culprit_analysis *a, const struct culprit_record *records, size_t count)
{
	if (a->failed || !count)
		return !a->failed;
	if (a->finished)
		return late(a);
	a->totals.instructions += count;
	a->last_commit = records[count - 1].commit;
	return record_fill_push(&a->fill, records, count, hand_on, a);
}

bool culprit_analysis_log(struct culprit_analysis *a, const struct culprit_log_part *part)
{
	if (a->failed)
		return false;
	if (a->finished)
		return late(a);
	a->logged = true;
	if (a->row->log)
		a->row->log(a->self, part);
	return true;
}

const char *culprit_analysis_error(const struct culprit_analysis *a)
{
	return a->failed ? a->error.text : "";
}

/* --- results --- */

static bool end(struct culprit_analysis *a, uint64_t cycles)
{
	TRY(!a->failed && record_fill_finish(&a->fill, hand_on, a));
	TRY(library_cycles(&cycles, a->totals.instructions, a->last_commit, &a->error));
	a->totals.cycles = cycles;
	if (a->row->log && !a->logged)
		return error_set(&a->error, ERROR_USAGE, "%s needs the pipeline log (culprit_analysis_log)",
				 a->row->name);
	return a->row->finish(a->self, &a->totals, &a->error);
}

bool culprit_analysis_finish(struct culprit_analysis *a, uint64_t cycles, struct culprit_error *err)
{
	if (a->finished && !a->failed)
		late(a);
	a->failed = a->failed || !end(a, cycles);
	a->finished = true;
	return !a->failed || library_fail(err, &a->error);
}

char *culprit_analysis_json(const struct culprit_analysis *a)
{
	if (!a->finished || a->failed)
		return NULL;
	json_t *root = a->row->json(a->self);
	char *text = NULL;
	if (root && !json_object_set_new(root, "not_known", fields_json(a->totals.unknown)))
		text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	return text;
}

const struct culprit_graph_results *culprit_analysis_graph(const struct culprit_analysis *a)
{
	bool there = a->finished && !a->failed && a->row == &library_graph;
	return there ? library_graph_results(a->self) : NULL;
}
