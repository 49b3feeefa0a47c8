#include "export/export.h"

#include "base/nearest.h"
#include "export/rows.h"
#include "report/format.h"

#include <string.h>

static const struct export_format formats[] = {
#define EXPORT_FORMAT(name, part, rows, what) {#name, what, EXPORT_##part, export_##name, rows},
#include "export/export_format.def"
};
enum { FORMATS = sizeof formats / sizeof *formats };

const struct export_format *export_format_find(const char *name, struct error *err)
{
	struct nearest near;
	char list[256] = "";
	nearest_begin(&near, name ? name : "", name ? strlen(name) : 0);
	for (size_t i = 0; i < FORMATS; i++) {
		if (name && !strcmp(formats[i].name, name))
			return &formats[i];
		nearest_consider(&near, formats[i].name);
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", formats[i].name);
	}
	if (!name)
		error_set(err, ERROR_USAGE, "--to FORMAT is needed: %s", list);
	else
		error_set(err, ERROR_USAGE, "--to %.40s: no such format%s (%s)", name, nearest_hint(&near), list);
	return NULL;
}

bool export_read(struct export_input *in, const struct export_format *format, const char *file, struct error *err)
{
	in->format = format->name;
	TRY(format_read_json(&in->root, file, err));
	if (format->part == EXPORT_CODE)
		return code_result_take(&in->result, in->root, file, err);
	if (format->part == EXPORT_WINDOW)
		return export_window_take(&in->window, in->root, err) || error_context(err, "%s", file);
	return true;
}

/* A record file has no code with its cycles, and a window only when an analysis has chosen one. */
bool export_rows_open(struct rows *rows, const struct export_format *format, const char *file, struct error *err)
{
	static const char takes[] = "--to csv and parquet take a record file as it is";
	if (format->write_rows)
		return rows_open(rows, file, err);
	if (format->part == EXPORT_WINDOW)
		return error_set(err, ERROR_USAGE,
				 "%s: %s; for %s: culprit analyse %s --with pipeline --json FILE, then export FILE",
				 file, takes, format->name, file);
	return error_set(err, ERROR_USAGE, "%s: %s; %s needs culprit run --json FILE --json-code 0, then export FILE",
			 file, takes, format->name);
}

void export_destroy(struct export_input *in)
{
	json_decref(in->root);
	code_result_destroy(&in->result);
	export_window_destroy(&in->window);
}
