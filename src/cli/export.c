/* culprit export: a result in the form of another program's viewer. */
#include "export/export.h"

#include "base/output.h"
#include "cli/commands.h"

struct export
{
	struct options options; /* first */
	struct export_input input;
};

static bool export(void *state, int *status, struct error *err)
{
	struct export *e = state;
	const struct options *o = &e->options;
	struct output out;
	(void)status;
	if (!o->arguments[0] || o->arguments[1])
		return error_set(err, ERROR_USAGE,
				 "export: one result file: culprit export --to FORMAT -o FILE RESULT.json");
	const struct export_format *format = export_format_find(o->to, err);
	TRY(format != NULL);
	if (o->table && format->part != EXPORT_TABLE)
		return error_set(err, ERROR_USAGE, "--table is of --to csv and parquet");
	TRY(options_check_outputs(o, err));
	e->input.version = CULPRIT_VERSION;
	e->input.path = o->table;
	TRY(export_read(&e->input, format, o->arguments[0], err));
	if (json_is_false(json_object_get(e->input.root, "complete")))
		fprintf(stderr, "culprit: %s: interrupted: the figures are of the part simulated so far\n",
			o->arguments[0]);
	TRY(output_open_or(&out, o->output, stdout, err));
	return output_finish(&out, format->write(&e->input, out.file, err), err);
}

static void destroy(void *state)
{
	struct export *e = state;
	export_destroy(&e->input);
}

const struct command command_export = {
	.user = FOR_EXPORT,
	.size = sizeof(struct export),
	.run = export,
	.destroy = destroy,
};
