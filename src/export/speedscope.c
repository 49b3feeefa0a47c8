/* speedscope's own file format: a profile for each column of counts, cycles first. A frame is a function,
 * or a line of it: the innermost of each stack. */
#include "export/export.h"
#include "export/numbers.h"
#include "export/sites.h"
#include "report/format.h"

#include <string.h>

struct speedscope {
	struct export_columns columns;
	struct numbers keys; /* of frames */
	json_t *frames, *profiles;
	size_t column; /* of the profile that is being filled */
	json_t *samples, *weights;
	uint64_t total;
};

static json_t *frame_number(struct speedscope *w, const char *name, const char *file, uint32_t line)
{
	char key[1200];
	bool fresh;
	snprintf(key, sizeof key, "%u %.500s %.600s", line, name, file);
	uint32_t number = numbers_of(&w->keys, key, &fresh);
	if (fresh) {
		json_t *frame = json_object();
		json_object_set_new(frame, "name", format_text(name));
		if (*file)
			json_object_set_new(frame, "file", format_text(file));
		if (line)
			json_object_set_new(frame, "line", format_integer(line));
		json_array_append_new(w->frames, frame);
	}
	return format_integer(number);
}

static json_t *stack(struct speedscope *w, const struct export_site *site)
{
	const struct export_frame *inner = &site->frames[site->depth - 1];
	const char *slash = strrchr(inner->file, '/');
	char line[200];
	json_t *all = json_array();
	for (size_t i = 0; i < site->depth; i++)
		json_array_append_new(all, frame_number(w, site->frames[i].function, site->frames[i].file, 0));
	snprintf(line, sizeof line, "%s:%u", slash ? slash + 1 : inner->file, inner->line);
	if (*inner->file && inner->line)
		json_array_append_new(all, frame_number(w, line, inner->file, inner->line));
	return all;
}

static bool sample(void *context, const struct export_site *site)
{
	struct speedscope *w = context;
	uint64_t value = export_column(&w->columns, w->column, site->counts);
	if (!value)
		return true;
	w->total += value;
	return !json_array_append_new(w->samples, stack(w, site)) &&
	       !json_array_append_new(w->weights, format_integer(value)) && !w->keys.failed;
}

static bool add_profile(struct speedscope *w, const struct code_result *r, size_t column)
{
	w->column = column;
	w->samples = json_array();
	w->weights = json_array();
	w->total = 0;
	bool good = export_sites(r, sample, w);
	json_t *profile = json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "type", "sampled", "name",
				    export_column_words(&w->columns, column), "unit", "none", "startValue", 0,
				    "endValue", format_integer(w->total), "samples", w->samples, "weights", w->weights);
	return !json_array_append_new(w->profiles, profile) && good;
}

bool export_speedscope(const struct export_input *in, FILE *out, struct error *err)
{
	const struct code_result *r = &in->result;
	struct speedscope w = {.frames = json_array(), .profiles = json_array()};
	char exporter[64];
	bool good = numbers_create(&w.keys);
	export_columns(&w.columns, &r->code);
	for (size_t i = 0; i < w.columns.count && good; i++)
		good = add_profile(&w, r, i);
	snprintf(exporter, sizeof exporter, "culprit@%s", in->version);
	json_t *root = json_pack("{s:s, s:o, s:s, s:i, s:{s:o}, s:o}", "$schema",
				 "https://www.speedscope.app/file-format-schema.json", "name", format_text(r->program),
				 "exporter", exporter, "activeProfileIndex", 0, "shared", "frames", w.frames,
				 "profiles", w.profiles);
	good = good && root && (json_dumpf(root, out, JSON_COMPACT), true);
	json_decref(root);
	numbers_destroy(&w.keys);
	return good || error_set(err, ERROR_SYSTEM, "out of memory");
}
