/* culprit export: a result, or the records of a file, in the form of another program. */
#include "export/export.h"

#include "base/output.h"
#include "cli/commands.h"
#include "export/rows.h"

#include <string.h>

struct export
{
	struct options options; /* first */
	struct export_input input;
	struct rows rows; /* of a record file */
};

static void say_cut(const char *file)
{
	fprintf(stderr, "culprit: %s: interrupted: the figures are of the part simulated so far\n", file);
}

/* The only table of a record file needs no name. */
static bool export_rows(struct export *e, const struct export_format *format, struct error *err)
{
	const struct options *o = &e->options;
	const char *file = o->arguments[0];
	struct output out;
	if (o->table && strcmp(o->table, "records") != 0)
		return error_set(err, ERROR_USAGE, "--table %.40s: a record file has one table: records", o->table);
	e->rows.version = CULPRIT_VERSION;
	TRY(export_rows_open(&e->rows, format, file, err));
	if (e->rows.about.cut)
		say_cut(file);
	TRY(output_open_or(&out, o->output, stdout, err));
	return output_finish(&out, format->write_rows(&e->rows, out.file, err), err);
}

static bool export_result(struct export *e, const struct export_format *format, struct error *err)
{
	const struct options *o = &e->options;
	struct output out;
	e->input.version = CULPRIT_VERSION;
	e->input.path = o->table;
	TRY(export_read(&e->input, format, o->arguments[0], err));
	if (json_is_false(json_object_get(e->input.root, "complete")))
		say_cut(o->arguments[0]);
	TRY(output_open_or(&out, o->output, stdout, err));
	return output_finish(&out, format->write(&e->input, out.file, err), err);
}

static bool export(void *state, int *status, struct error *err)
{
	struct export *e = state;
	const struct options *o = &e->options;
	(void)status;
	if (!o->arguments[0] || o->arguments[1])
		return error_set(err, ERROR_USAGE,
				 "export: one file: culprit export --to FORMAT -o FILE RESULT.json|RECORDS");
	const struct export_format *format = export_format_find(o->to, err);
	TRY(format != NULL);
	if (o->table && format->part != EXPORT_TABLE)
		return error_set(err, ERROR_USAGE, "--table is of --to csv and parquet");
	TRY(options_check_outputs(o, err));
	return rows_are(o->arguments[0]) ? export_rows(e, format, err) : export_result(e, format, err);
}

static void destroy(void *state)
{
	struct export *e = state;
	export_destroy(&e->input);
	rows_destroy(&e->rows);
}

const struct command command_export = {
	.user = FOR_EXPORT,
	.size = sizeof(struct export),
	.run = export,
	.destroy = destroy,
};
