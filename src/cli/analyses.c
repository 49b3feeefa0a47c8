#include "cli/analyses.h"

#include <string.h>

#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "cli/analyses.def"

static const struct analysis *const known[] = {
#define ANALYSIS(name) &analysis_##name,
#include "cli/analyses.def"
	NULL,
};

/* --- choosing --- */

static bool unknown(const char *name, size_t length, struct error *err)
{
	if ((length == 4 && !strncmp(name, "none", 4)) || (length == 5 && !strncmp(name, "empty", 5)))
		return error_set(err, ERROR_USAGE, "--with: %.*s stands alone", (int)length, name);
	char list[300] = "stack, profile, none, empty";
	for (size_t i = 0; known[i]; i++) {
		strncat(list, ", ", sizeof list - strlen(list) - 1);
		strncat(list, known[i]->name, sizeof list - strlen(list) - 1);
	}
	return error_set(err, ERROR_USAGE, "--with: no analysis '%.*s' (there are %s)", (int)length, name, list);
}

static bool add(struct analyses *a, const char *name, size_t length, const struct analysis_context *context,
		struct error *err)
{
	if ((length == 5 && !strncmp(name, "stack", 5)) || (length == 7 && !strncmp(name, "profile", 7))) {
		a->default_report = a->records = true;
		return true;
	}
	const struct analysis *row = NULL;
	for (size_t i = 0; known[i]; i++)
		if (strlen(known[i]->name) == length && !strncmp(known[i]->name, name, length))
			row = known[i];
	if (!row)
		return unknown(name, length, err);
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i] == row)
			return error_set(err, ERROR_USAGE, "--with: %s was named twice", row->name);
	void *self = row->create(context, err);
	if (!self)
		return false;
	a->rows[a->count] = row;
	a->selves[a->count++] = self;
	a->records |= row->records != NULL;
	a->log |= row->log != NULL;
	return true;
}

bool analyses_create(struct analyses *a, const char *list, const struct analysis_context *context, struct error *err)
{
	memset(a, 0, sizeof *a);
	if (list && !strcmp(list, "none"))
		return true;
	if (list && !strcmp(list, "empty")) {
		a->empty = true;
		return true;
	}
	a->default_report = a->records = true;
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

void analyses_records(struct analyses *a, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i]->records)
			a->rows[i]->records(a->selves[i], records, count);
}

void analyses_log(struct analyses *a, const struct culprit_log_part *part)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i]->log)
			a->rows[i]->log(a->selves[i], part);
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
	return good;
}

void analyses_warn(const struct analyses *a, FILE *out)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i] && a->rows[i]->warn)
			a->rows[i]->warn(a->selves[i], out);
}

void analyses_text(const struct analyses *a, FILE *out)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i])
			a->rows[i]->text(a->selves[i], out);
}

void analyses_json(const struct analyses *a, json_t *root)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->finished[i])
			a->rows[i]->json(a->selves[i], root);
}

void analyses_destroy(struct analyses *a)
{
	for (size_t i = 0; i < a->count; i++)
		a->rows[i]->destroy(a->selves[i]);
	a->count = 0;
}
