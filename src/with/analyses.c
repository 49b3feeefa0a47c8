#include "analysis/record_fill.h"
#include "base/nearest.h"
#include "report/terminal.h"
#include "with/analyses.h"

#include <stdlib.h>
#include <string.h>

#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "with/analyses.def"

static const struct analysis *const known[] = {
#define ANALYSIS(name) &analysis_##name,
#include "with/analyses.def"
	NULL,
};

/* --- choosing --- */

static bool unknown(const char *name, size_t length, struct error *err)
{
	if (length == 4 && !strncmp(name, "none", 4))
		return error_set(err, ERROR_USAGE, "--with: none stands alone");
	char list[300] = "stack, functions, none";
	struct nearest near;
	nearest_begin(&near, name, length);
	nearest_consider(&near, "stack");
	nearest_consider(&near, "functions");
	for (size_t i = 0; known[i]; i++) {
		nearest_consider(&near, known[i]->name);
		strncat(list, ", ", sizeof list - strlen(list) - 1);
		strncat(list, known[i]->name, sizeof list - strlen(list) - 1);
	}
	return error_set(err, ERROR_USAGE, "--with: no analysis '%.*s'%s (there are %s)", (int)length, name,
			 nearest_hint(&near), list);
}

/* *row NULL: the name of the default report, which every run has. */
static bool find(const struct analysis **row, const char *name, size_t length, struct error *err)
{
	*row = NULL;
	if ((length == 5 && !strncmp(name, "stack", 5)) || (length == 9 && !strncmp(name, "functions", 9)))
		return true;
	for (size_t i = 0; known[i]; i++)
		if (strlen(known[i]->name) == length && !strncmp(known[i]->name, name, length))
			*row = known[i];
	return *row || unknown(name, length, err);
}

static bool add(struct analyses *a, const char *name, size_t length, const struct analysis_context *context,
		struct error *err)
{
	const struct analysis *row;
	TRY(find(&row, name, length, err));
	if (!row)
		return true;
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i] == row)
			return error_set(err, ERROR_USAGE, "--with: %s was named twice", row->name);
	void *self = calloc(1, row->size);
	if (!self)
		return error_set(err, ERROR_SYSTEM, "--with %s: out of memory", row->name);
	a->rows[a->count] = row;
	a->selves[a->count++] = self;
	TRY(row->create(self, context, err));
	return true;
}

bool analyses_known(const char *list, struct error *err)
{
	const struct analysis *row;
	if (list && !strcmp(list, "none"))
		return true;
	while (list) {
		size_t length = strcspn(list, ",");
		TRY(find(&row, list, length, err));
		list = list[length] ? list + length + 1 : NULL;
	}
	return true;
}

bool analyses_create(struct analyses *a, const char *list, const struct analysis_context *context, struct error *err)
{
	memset(a, 0, sizeof *a);
	if (list && !strcmp(list, "none"))
		return true;
	a->default_report = true;
	while (list) {
		size_t length = strcspn(list, ",");
		TRY(add(a, list, length, context, err));
		list = list[length] ? list + length + 1 : NULL;
	}
	return true;
}

bool analyses_start(struct analyses *a, struct guest *guest, struct error *err)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i]->start)
			TRY(a->rows[i]->start(a->selves[i], guest, err));
	return true;
}

size_t analyses_readers(const struct analyses *a, bool own_threads, struct pipe_reader *readers)
{
	size_t count = 0;
	for (size_t i = 0; i < a->count; i++) {
		const struct analysis *row = a->rows[i];
		if (row->records || row->log)
			readers[count++] = (struct pipe_reader){a->selves[i], row->records, row->log,
								own_threads && row->takes_long};
	}
	return count;
}

static void tell_costs(const struct analyses *a)
{
	struct report_costs costs = {0};
	analyses_costs(a, &costs);
	for (size_t i = 0; costs.method && i < a->count; i++)
		if (a->finished[i] && a->rows[i]->learn_costs)
			a->rows[i]->learn_costs(a->selves[i], &costs);
}

bool analyses_finish(struct analyses *a, const struct analysis_totals *totals, struct error *err)
{
	bool good = true;
	for (size_t i = 0; i < a->count; i++) {
		struct error why = {0};
		a->finished[i] = a->rows[i]->finish(a->selves[i], totals, &why);
		if (a->finished[i] || !good)
			continue;
		*err = why;
		good = error_context(err, "%s", a->rows[i]->name);
	}
	tell_costs(a);
	return good;
}

/* All of them say the same. */
static const struct graph_records *find_fit(const struct analyses *a)
{
	const struct graph_records *fit = NULL;
	for (size_t i = 0; i < a->count && !fit; i++)
		fit = a->finished[i] && a->rows[i]->fit ? a->rows[i]->fit(a->selves[i]) : NULL;
	return fit;
}

void analyses_warn(const struct analyses *a, FILE *out)
{
	graph_records_text(find_fit(a), out);
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i] && a->rows[i]->warn)
			a->rows[i]->warn(a->selves[i], out);
}

bool analyses_have(const struct analyses *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++)
		if (!strcmp(a->rows[i]->name, name))
			return true;
	return false;
}

void analyses_costs(const struct analyses *a, struct report_costs *costs)
{
	for (size_t i = 0; i < a->count && !costs->method; i++)
		if (a->finished[i] && a->rows[i]->costs)
			a->rows[i]->costs(a->selves[i], costs);
}

void analyses_code(const struct analyses *a, struct code *code)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i]->code && a->finished[i])
			a->rows[i]->code(a->selves[i], code);
}

void analyses_text(const struct analyses *a, const struct report_view *view, FILE *out)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i] && report_shows(view, a->rows[i]->name))
			a->rows[i]->text(a->selves[i], out);
}

bool analyses_folded(const struct analyses *a, const struct report_view *view, FILE *out, struct error *err)
{
	struct terminal_folded folded;
	TRY(terminal_fold_begin(&folded, out, err));
	analyses_text(a, view, folded.memory.file);
	return terminal_fold_end(&folded, err);
}

/* --- sections of the report --- */

static bool listed(const char *list, const char *name, size_t wanted)
{
	for (size_t length; list; list = list[length] ? list + length + 1 : NULL) {
		length = strcspn(list, ",");
		if (length == wanted && !strncmp(list, name, length))
			return true;
	}
	return false;
}

static bool check_section(const char *name, size_t length, const char *const *own, const char *with, struct error *err)
{
	char list[300] = "";
	for (size_t i = 0; own[i]; i++) {
		if (strlen(own[i]) == length && !strncmp(own[i], name, length))
			return true;
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", own[i]);
	}
	for (size_t i = 0; known[i]; i++) {
		if (strlen(known[i]->name) == length && !strncmp(known[i]->name, name, length))
			return listed(with, name, length) ||
			       error_set(err, ERROR_USAGE, "--show %s needs --with %s", known[i]->name, known[i]->name);
		snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", known[i]->name);
	}
	return error_set(err, ERROR_USAGE, "--show: no section '%.*s' (there are %s)", (int)length, name, list);
}

bool analyses_check_sections(const char *show, const char *const *own, const char *with, struct error *err)
{
	for (size_t length; show; show = show[length] ? show + length + 1 : NULL) {
		length = strcspn(show, ",");
		TRY(check_section(show, length, own, with, err));
	}
	return true;
}

void analyses_json(const struct analyses *a, json_t *root)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i])
			json_object_set_new(root, a->rows[i]->name, a->rows[i]->json(a->selves[i]));
}

void analyses_destroy(struct analyses *a)
{
	for (size_t i = 0; i < a->count; i++) {
		a->rows[i]->destroy(a->selves[i]);
		free(a->selves[i]);
	}
	a->count = 0;
}

void analysis_graph_params(const struct analysis_context *context, struct culprit_graph_params *params)
{
	graph_params_from_machine(params, context->machine);
	graph_params_beyond(params, &context->beyond);
	record_fill_params(params, context->unknown);
}
